//! The lower bound of the copy scenario: `memcpy` into a few buffers in turn, and out of them.
//!
//! It cycles through as many buffers as a channel of that depth keeps messages, in shared memory of the same kind. A
//! copy into a single buffer stays in the nearest cache, which is impossible for anything that keeps a history. (The
//! scenario `floors` has that figure too.)

use crate::case::Scenario;
use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::error::Fallible;
use crate::shared::Pages;
use std::cell::Cell;
use std::rc::Rc;

/// See the module.
pub struct Memcpy;

struct Buffers {
    pages: Pages,
    size: usize,
    count: usize,
    /// The buffer written last.
    last: Cell<usize>,
}

impl Buffers {
    fn at(&self, index: usize) -> *mut u8 {
        // SAFETY: the pages have room for `count` buffers, and the index is below it.
        unsafe { self.pages.start().add(index % self.count * self.size) }
    }
}

struct MemcpyLink(Rc<Buffers>);
struct In(Rc<Buffers>);
struct Out(Rc<Buffers>);

impl Contender for Memcpy {
    fn name(&self) -> &'static str {
        "memcpy"
    }

    fn supports(&self, ask: &Ask) -> Result<(), &'static str> {
        if ask.scenario == Scenario::Copy { Ok(()) } else { Err("the lower bound of the copy scenario") }
    }

    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>> {
        let (size, count) = (ask.size.next_multiple_of(64), ask.depth);
        let pages = Pages::shared(size * count)?;
        Ok(Box::new(MemcpyLink(Rc::new(Buffers { pages, size, count, last: Cell::new(0) }))))
    }
}

impl Link for MemcpyLink {
    fn sender(&self, _index: usize) -> Fallible<Box<dyn Sender>> {
        self.0.pages.prefault();
        Ok(Box::new(In(self.0.clone())))
    }

    fn receiver(&self, _index: usize) -> Fallible<Box<dyn Receiver>> {
        Ok(Box::new(Out(self.0.clone())))
    }
}

impl Sender for In {
    fn send(&mut self, message: &[u8]) -> Fallible<()> {
        assert!(message.len() <= self.0.size);
        self.0.last.set(self.0.last.get() + 1);
        // SAFETY: one buffer holds the message (asserted); both ends live in this process.
        unsafe { libc::memcpy(self.0.at(self.0.last.get()).cast(), message.as_ptr().cast(), message.len()) };
        Ok(())
    }
}

impl Receiver for Out {
    fn poll(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        assert!(buffer.len() <= self.0.size);
        // SAFETY: as above.
        unsafe {
            libc::memcpy(buffer.as_mut_ptr().cast(), self.0.at(self.0.last.get()).cast(), buffer.len())
        };
        Ok(true)
    }

    fn wait(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        self.poll(buffer)
    }
}
