//! Descriptors to wait on: `epoll`, events and timers, with errors in words.

use crate::{Error, Result};
use saltus_os::cancel::{CancelHandle, Raised};
use saltus_os::epoll::{self, EXCLUSIVE, READ};
use saltus_os::fd::{AsFd, BorrowedFd, RawFd};
use std::ops::Deref;
use std::sync::Arc;

/// An `epoll` instance.
#[derive(Debug)]
pub struct Epoll(epoll::Epoll);

/// What is ready after [`Epoll::wait`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// The event descriptor.
    pub event: bool,
    /// Any other descriptor.
    pub other: bool,
}

const EVENT: u64 = 1;
const OTHER: u64 = 0;

impl Epoll {
    /// A new instance.
    pub fn new() -> Result<Epoll> {
        epoll::Epoll::new().map(Epoll).map_err(|e| Error::system("make an epoll descriptor", e))
    }

    /// Adds `fd`. If several wait for it with `exclusive`, the kernel wakes only the first that waits at that time,
    /// in the order in which they were added.
    pub fn add(&self, fd: RawFd, exclusive: bool) -> Result<()> {
        let interest = READ | if exclusive { EXCLUSIVE } else { 0 };
        self.0.add(fd, interest, OTHER).map_err(|e| Error::system("wait for a descriptor", e))
    }
    /// Adds the event descriptor.
    pub fn add_event(&self, fd: RawFd) -> Result<()> {
        self.0.add(fd, READ, EVENT).map_err(|e| Error::system("wait for an event", e))
    }
    /// Removes `fd`, if it was added.
    pub fn remove(&self, fd: RawFd) {
        self.0.remove(fd);
    }

    /// Waits until something is ready, or until `deadline` on the monotonic clock, in ns.
    pub fn wait(&self, deadline: u64) -> Ready {
        let mut ready = Ready::default(); // for a signal: nothing is ready
        self.0.wait(deadline, |token, _| match token {
            EVENT => ready.event = true,
            _ => ready.other = true,
        });
        ready
    }
}

impl AsFd for Epoll {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// An event descriptor: raised until it is lowered.
#[derive(Debug)]
pub struct Event(Arc<epoll::Event>);

impl Event {
    /// A new event, lowered.
    pub fn new() -> Result<Event> {
        let made = epoll::Event::new().map_err(|e| Error::system("make an event descriptor", e))?;
        Ok(Event(Arc::new(made)))
    }
    /// A handle that raises it to cancel waits.
    pub fn cancel_handle(&self, raised: Raised) -> CancelHandle {
        CancelHandle::with_event(self.0.clone(), raised)
    }
}

impl Deref for Event {
    type Target = epoll::Event;
    fn deref(&self) -> &epoll::Event {
        &self.0
    }
}

/// A timer: raised from a point in time on.
#[derive(Debug)]
pub struct Timer(epoll::Timer);

impl Timer {
    /// A new timer, not set.
    pub fn new() -> Result<Timer> {
        epoll::Timer::new().map(Timer).map_err(|e| Error::system("make a timer", e))
    }
}

impl Deref for Timer {
    type Target = epoll::Timer;
    fn deref(&self) -> &epoll::Timer {
        &self.0
    }
}
