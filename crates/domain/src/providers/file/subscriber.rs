//! Subscribers to a log that is played.

use super::player::{Held, Look, Player};
use crate::backend::{BackendSubscriber, Meta};
use crate::inbox::store::Interest;
use crate::{Error, Missed, Options, Pattern, Result};
use saltus_channel::{CancelHandle, Name};
use saltus_os::clock;
use saltus_os::fd::{AsFd, BorrowedFd};
use saltus_ring::Which;
use saltus_transport::Timer;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A log that is played to any number of subscribers, without a thread: a subscriber that checks or waits plays all
/// events due, to all.
#[derive(Debug)]
pub(crate) struct Playing {
    player: Mutex<Player>,
    /// When to check again. Each subscriber waits on it.
    timer: Timer,
    sleepers: Arc<AtomicU32>,
}

impl Playing {
    pub fn open(path: &Path, speed: f64, start: Option<i64>) -> Result<Arc<Playing>> {
        let sleepers = Arc::<AtomicU32>::default();
        let player = Mutex::new(Player::open(path, speed, start, sleepers.clone())?);
        Ok(Arc::new(Playing { player, timer: Timer::new()?, sleepers }))
    }
    pub fn names(&self) -> Vec<Name> {
        self.lock().names()
    }
    fn lock(&self) -> MutexGuard<'_, Player> {
        self.player.lock().unwrap_or_else(PoisonError::into_inner) // a panic between two lines leaves the player usable
    }
    /// Plays events that are due, and starts the clock of the log if it does not run yet.
    fn start(&self) -> MutexGuard<'_, Player> {
        let now = clock::monotonic();
        self.lock().start(now);
        self.play_until(now)
    }
    /// Plays events that are due.
    fn play(&self) -> MutexGuard<'_, Player> {
        self.play_until(clock::monotonic())
    }
    fn play_until(&self, now: u64) -> MutexGuard<'_, Player> {
        let mut player = self.lock();
        self.timer.set(match player.play(now) {
            Look::At(due) => Some(due),
            Look::Now | Look::Ended => Some(1),
            Look::Later => None,
        });
        player
    }
}

/// The reading side of a log.
pub(crate) struct FileSubscriber {
    playing: Arc<Playing>,
    interest: Arc<Interest>,
    /// The event received last.
    last: Option<Held>,
    channels: BTreeSet<Name>,
}

impl FileSubscriber {
    pub fn new(playing: Arc<Playing>, pattern: Pattern, options: &Options) -> Result<FileSubscriber> {
        let interest = Arc::new(Interest::new(pattern, options.depth())?);
        interest.parker.epoll().add(playing.timer.raw(), false)?;
        playing.lock().join(interest.clone(), clock::monotonic());
        Ok(FileSubscriber { playing, interest, last: None, channels: BTreeSet::new() })
    }

    /// Whether a receive would return an event, or the end of the log.
    fn is_something(&self, mut player: MutexGuard<'_, Player>) -> bool {
        player.is_ended() || player.seat(&self.interest).is_some_and(|seat| !seat.is_empty())
    }

    fn tell(&mut self, held: Held, dropped: u64, meta: &mut Meta) {
        let Held { event, due, damaged } = &held;
        meta.buf.clear();
        meta.buf.extend_from_slice(&event.payload);
        meta.skip = 0;
        if !self.channels.contains(&event.name) {
            self.channels.insert(event.name.clone());
        }
        meta.is_of(&event.name, &self.interest.pattern);
        // It was published on another day, perhaps on another machine: its time is not a time of this machine's
        // boot clock.
        meta.raw.set_published(None);
        meta.raw.set_sender(None, u64::try_from(event.number).ok());
        meta.raw.arrived_ns = on_boottime(*due);
        meta.raw.logged_us = event.time;
        // All events in a log are delivered; events lost to damage cannot be counted.
        meta.raw.set_missed(if *damaged { Missed::Unknown } else { Missed::Exact(0) }, dropped);
        self.last = Some(held);
    }
}

/// Converts a time of the monotonic clock to the clock of timestamps.
fn on_boottime(due: u64) -> u64 {
    loop {
        let (before, timestamp, after) = (clock::monotonic(), clock::boottime(), clock::monotonic());
        // The two clocks are read at the same time, unless this thread was stopped between the reads.
        if after - before < 1_000_000 {
            return timestamp.saturating_sub(before.saturating_sub(due));
        }
    }
}

impl BackendSubscriber for FileSubscriber {
    fn take(&mut self, which: Which, _: bool, meta: &mut Meta) -> Result<bool> {
        let mut player = self.playing.lock();
        let waiting = player.seat(&self.interest).is_some_and(|seat| !seat.is_empty());
        if which != Which::Next || !waiting {
            drop(player);
            player = self.playing.start();
        }
        let ended = player.is_ended();
        let Some(seat) = player.seat(&self.interest) else { return Ok(false) };
        match seat.pop(which != Which::Next) {
            Some(held) => {
                let dropped = std::mem::take(&mut seat.dropped);
                player.taken(&self.interest);
                drop(player);
                self.tell(held, dropped, meta);
                Ok(true)
            }
            None => {
                let failure = seat.failure.take();
                drop(player);
                match (failure, self.last.clone().filter(|_| which == Which::Current)) {
                    (Some(failure), _) => Err(failure),
                    (None, Some(last)) => {
                        self.tell(Held { damaged: false, ..last }, 0, meta);
                        Ok(true)
                    }
                    (None, None) if ended => Err(Error::Ended),
                    (None, None) => Ok(false),
                }
            }
        }
    }

    fn unseen(&mut self) -> bool {
        self.playing.lock().seat(&self.interest).is_some_and(|seat| !seat.is_empty())
    }

    fn wait(&mut self, deadline: u64) -> Result<bool> {
        let (parker, sleepers) = (&self.interest.parker, &*self.playing.sleepers);
        loop {
            if parker.is_canceled() {
                return Err(Error::Canceled);
            }
            parker.arm(sleepers);
            let something = self.is_something(self.playing.start());
            if !something && clock::monotonic() < deadline {
                parker.sleep(deadline);
            }
            parker.disarm(sleepers);
            if something || clock::monotonic() >= deadline {
                return Ok(something);
            }
        }
    }

    fn fd(&mut self) -> Result<BorrowedFd<'_>> {
        Ok(self.interest.parker.epoll().as_fd())
    }

    fn rest(&mut self) -> Result<()> {
        self.interest.parker.lower();
        self.interest.parker.arm(&self.playing.sleepers);
        if self.is_something(self.playing.play()) {
            self.interest.parker.wake(&self.playing.sleepers);
        }
        Ok(())
    }

    fn cancel_handle(&mut self) -> CancelHandle {
        self.interest.parker.cancel_handle().clone()
    }
    fn is_canceled(&self) -> bool {
        self.interest.parker.is_canceled()
    }

    fn channels(&mut self) -> Vec<Name> {
        self.channels.iter().cloned().collect()
    }
}

impl Drop for FileSubscriber {
    fn drop(&mut self) {
        self.interest.parker.disarm(&self.playing.sleepers);
        self.playing.lock().leave(&self.interest);
    }
}
