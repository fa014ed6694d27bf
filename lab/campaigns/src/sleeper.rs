//! Readers that block until they are woken, and report whether they were.

use crate::child::{Child, spawn, until};
use crate::report::Failure;
use crate::shared::Words;
use saltus_channel::{Channel, Start, Subscriber, SubscriberOptions, Until, Which};
use saltus_os::file::{self, Mode};
use saltus_os::futex::{self, Woken, Word};
use saltus_os::map::{Access, Map};
use saltus_ring::{Shm, bell};
use std::path::Path;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::time::Duration;

/// What may end a reader's wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only a wake: it follows the protocol, except for the wake-up interval that compensates a lost wake.
    Wake,
    /// A wake, or its wake-up interval: an ordinary subscriber.
    Slice,
}

/// A process that blocks until something new is published.
pub struct Sleeper {
    child: Child,
    words: Words,
}

/// Longest wait for a wake; a correct one never takes so long.
const PATIENCE: Duration = Duration::from_secs(10);
/// The number of readers that a publisher, or a woken reader, wakes.
const CHAIN: u32 = 8;

impl Sleeper {
    /// Starts one on `channel`, and returns when it is blocked.
    pub fn start(channel: &Channel, kind: Kind) -> Result<Sleeper, Failure> {
        Sleeper::start_as(channel, kind, || Ok(()))
    }

    /// Starts one that first does `first`, and then opens the channel.
    pub fn start_as(
        channel: &Channel,
        kind: Kind,
        first: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<Sleeper, Failure> {
        let words = Words::new(1)?;
        let child = spawn(|| {
            first()?;
            let channel = channel.domain().open_channel(channel.name().as_bytes())?;
            let options = SubscriberOptions::new().start(Start::Now).counters(false);
            let mut subscriber = channel.subscriber_with(options)?;
            let about_to_sleep = || words[0].store(1, Release); // pairs with the acquire in `is_asleep`
            match kind {
                Kind::Wake => sleep_without_slice(&mut subscriber, &about_to_sleep),
                Kind::Slice => {
                    about_to_sleep();
                    let got = subscriber.receive_vec(Which::Next, Until::For(PATIENCE), &mut Vec::new())?;
                    got.map(drop).ok_or("overslept, with a slice".into())
                }
            }
        })?;
        let sleeper = Sleeper { child, words };
        match until(PATIENCE, || sleeper.is_asleep()) {
            true => Ok(sleeper),
            false => Err("a reader did not block".into()),
        }
    }

    /// Whether it is blocked in the kernel.
    pub fn is_asleep(&self) -> bool {
        self.words[0].load(Acquire) == 1 && self.child.state() == Some('S') // pairs with the release in `start`
    }

    /// Waits until it has seen something new.
    pub fn woken(mut self) -> Result<(), Failure> {
        Ok(self.child.finish(PATIENCE + PATIENCE).map_err(|e| format!("a waiting reader: {e}"))?)
    }
}

/// Starts `n` of them.
pub fn start(n: usize, channel: &Channel, kind: Kind) -> Result<Vec<Sleeper>, Failure> {
    (0..n).map(|_| Sleeper::start(channel, kind)).collect()
}

/// The channel's words and its bell page, mapped as a subscriber maps them.
pub struct Bell {
    page: Map,
    bell: Map,
}

impl Bell {
    pub fn open(channel_dir: &Path) -> Result<Bell, Failure> {
        let dir = file::open_dir(channel_dir.as_os_str())?;
        let data = file::open_at(&dir, b"data", Mode::Read)?;
        let bell = file::open_at(&dir, b"bell", Mode::Write)?;
        Ok(Bell {
            page: Map::new(&data, 4096, 4096, Access::Read, true)?,
            bell: Map::new(&bell, 0, 4096, Access::Write, true)?,
        })
    }
    /// The channel's words, read-only.
    pub fn page(&self) -> Shm {
        // SAFETY: mapped for reading as long as `self` lives; only read.
        unsafe { Shm::new(self.page.base(), self.page.len()) }
    }
    /// The bell page.
    pub fn bell(&self) -> Shm {
        // SAFETY: mapped for writing as long as `self` lives.
        unsafe { Shm::new(self.bell.base(), self.bell.len()) }
    }
    /// The futex that readers wait on.
    pub fn futex(&self) -> *const u32 {
        self.bell().address(bell::BELL, 4).cast()
    }
}

/// The directory with the files of `channel`.
pub fn directory(channel: &Channel) -> std::path::PathBuf {
    channel.domain().path().join(channel.name().file_name())
}

fn sleep_without_slice(subscriber: &mut Subscriber, about_to_sleep: &dyn Fn()) -> Result<(), Failure> {
    let both = Bell::open(&directory(&subscriber.channel()))?;
    let deadline = saltus_os::clock::monotonic() + PATIENCE.as_nanos() as u64;
    loop {
        let at = bell::arm(&both.bell());
        let seen = subscriber.has_unseen();
        let mut woken = Woken::Look;
        if !seen {
            about_to_sleep();
            let word = Word { at: both.futex(), value: at as u32, shared: true };
            // SAFETY: the word is in the page mapped above.
            woken = unsafe { futex::wait(word, deadline) };
        }
        let wake = |k| {
            // SAFETY: as above.
            unsafe { futex::wake(both.futex(), k, true) }
        };
        bell::disarm(&both.page(), &both.bell(), CHAIN, at, wake);
        match woken {
            _ if seen => return Ok(()),
            Woken::TimedOut => return Err("overslept: no publisher woke it".into()),
            Woken::Look => {}
        }
    }
}
