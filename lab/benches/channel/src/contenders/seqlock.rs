//! The reference: the minimal seqlock ring, polled, or with one futex word and a count of waiters.
//!
//! A channel must not use such a count (a killed reader leaves it raised forever); here it gives the cheapest
//! possible answer to "does a reader wait?". The wait arms no timer. `seqlock-timed` is the same with a timer of
//! 100 ms in each wait, which is necessary to survive a writer that dies between publishing and waking. The
//! difference between the two is the timer's cost (some 300 ns per wait).

use super::ring::{RingReader, RingWriter, Rings};
use crate::case::Mode;
use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::error::Fallible;
use crate::futex;
use crate::shared::{AllAtomic, Shared};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed, Ordering::SeqCst, fence};
use std::time::Duration;

/// The reference: every ratio is to it.
pub const REFERENCE: &str = "seqlock";
/// The reference with a timer in each wait.
pub const TIMED: &str = "seqlock-timed";

/// See the module.
pub struct Seqlock {
    /// Arm a timer in each wait.
    pub timed: bool,
}

/// How long the timed form sleeps before it checks again.
const SLICE: Duration = Duration::from_millis(100);

/// The futex word and, on a separate line, the number of waiters.
#[repr(C, align(128))]
#[derive(Default)]
struct Bell {
    word: AtomicU32,
    waiters: Waiters,
}

#[repr(C, align(128))]
#[derive(Default)]
struct Waiters(AtomicU32);

// SAFETY: nothing but atomics, for which zero is a value.
unsafe impl AllAtomic for Bell {}

struct SeqlockLink {
    rings: Rc<Rings>,
    bell: Rc<Shared<Bell>>,
    ask: Ask,
    slice: Option<Duration>,
}

impl Contender for Seqlock {
    fn name(&self) -> &'static str {
        if self.timed { TIMED } else { REFERENCE }
    }

    fn supports(&self, ask: &Ask) -> Result<(), &'static str> {
        match ask {
            a if self.timed && a.mode != Mode::Sleep => Err("without blocked readers it is the seqlock ring"),
            _ => Ok(()),
        }
    }

    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>> {
        let rings = Rings::new(ask.writers, ask.depth, ask.size)?;
        let slice = self.timed.then_some(SLICE);
        Ok(Box::new(SeqlockLink { rings, bell: Rc::new(Shared::new()?), ask: ask.clone(), slice }))
    }
}

impl Link for SeqlockLink {
    fn sender(&self, index: usize) -> Fallible<Box<dyn Sender>> {
        let writer = RingWriter::new(&self.rings, index);
        Ok(match self.ask.mode {
            // Where readers never block, the reference is only the ring.
            Mode::Poll => Box::new(Spinning(writer)),
            Mode::Sleep | Mode::Stopped => Box::new(Ringing { writer, bell: self.bell.clone() }),
        })
    }

    fn receiver(&self, _index: usize) -> Fallible<Box<dyn Receiver>> {
        let reader = RingReader::new(&self.rings, self.ask.writers);
        Ok(Box::new(Sleeper { reader, bell: self.bell.clone(), slice: self.slice }))
    }
}

struct Spinning(RingWriter);

impl Sender for Spinning {
    fn send(&mut self, message: &[u8]) -> Fallible<()> {
        self.0.put(message);
        Ok(())
    }
}

struct Ringing {
    writer: RingWriter,
    bell: Rc<Shared<Bell>>,
}

impl Sender for Ringing {
    fn send(&mut self, message: &[u8]) -> Fallible<()> {
        self.writer.put(message);
        // Either the reader's second check sees the message, or this sees the reader: the fence is the partner of
        // the reader's sequentially consistent `fetch_add`.
        fence(SeqCst);
        if self.bell.waiters.0.load(Relaxed) != 0 {
            self.bell.word.fetch_add(1, Relaxed);
            futex::wake_all(&self.bell.word);
        }
        Ok(())
    }
}

struct Sleeper {
    reader: RingReader,
    bell: Rc<Shared<Bell>>,
    slice: Option<Duration>,
}

impl Receiver for Sleeper {
    fn poll(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        Ok(self.reader.get(buffer))
    }

    fn wait(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        if self.reader.get(buffer) {
            return Ok(true);
        }
        let word = self.bell.word.load(Relaxed);
        // SeqCst: the partner of the writer's fence; a full barrier before the second look.
        self.bell.waiters.0.fetch_add(1, SeqCst);
        if !self.reader.get(buffer) {
            futex::wait(&self.bell.word, word, self.slice);
            self.bell.waiters.0.fetch_sub(1, Relaxed);
            return Ok(self.reader.get(buffer));
        }
        self.bell.waiters.0.fetch_sub(1, Relaxed);
        Ok(true)
    }
}
