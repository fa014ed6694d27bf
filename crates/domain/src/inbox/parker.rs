//! How a subscriber of an inbox sleeps, and who wakes it.
//!
//! A subscriber sleeps on the sockets themselves and on an event descriptor, in one `epoll` of its own: whichever thread
//! takes a message in for it while it sleeps writes the descriptor. The `epoll` is also what an event loop polls.

use crate::Result;
use saltus_os::cancel::{CancelHandle, Raised};
use saltus_transport::{Epoll, Event, Ready};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*, fence};

/// Where one subscriber sleeps.
#[derive(Debug)]
pub(crate) struct Parker {
    event: Event,
    epoll: Epoll,
    /// Whether it is to be woken by what comes.
    armed: AtomicBool,
    /// Cancels its waits.
    cancel: CancelHandle,
}

impl Parker {
    pub fn new() -> Result<Parker> {
        let (event, epoll) = (Event::new()?, Epoll::new()?);
        epoll.add_event(event.raw())?;
        let cancel = event.cancel_handle(Raised::UntilSeen);
        Ok(Parker { event, epoll, armed: AtomicBool::new(false), cancel })
    }
    pub fn epoll(&self) -> &Epoll {
        &self.epoll
    }

    /// Asks to be woken; `sleepers` counts who asks. The caller must look again before it sleeps.
    pub fn arm(&self, sleepers: &AtomicU32) {
        if !self.armed.swap(true, SeqCst) {
            sleepers.fetch_add(1, SeqCst);
        }
        fence(SeqCst); // pairs with the fence in `Store::wake`: either we see the message, or the waker sees us
    }
    /// Asks no more.
    pub fn disarm(&self, sleepers: &AtomicU32) {
        if self.armed.swap(false, SeqCst) {
            sleepers.fetch_sub(1, SeqCst);
        }
    }
    pub fn is_armed(&self) -> bool {
        self.armed.load(SeqCst)
    }
    /// Wakes it, if it asked to be.
    pub fn wake(&self, sleepers: &AtomicU32) {
        if self.armed.swap(false, SeqCst) {
            sleepers.fetch_sub(1, SeqCst);
            self.event.raise();
        }
    }
    /// Sleeps. Whatever woke it, the event is low afterwards.
    pub fn sleep(&self, deadline: u64) -> Ready {
        let ready = self.epoll.wait(deadline);
        if ready.event {
            self.event.lower();
        }
        ready
    }
    pub fn lower(&self) {
        self.event.lower();
    }

    pub fn cancel_handle(&self) -> &CancelHandle {
        &self.cancel
    }
    pub fn is_canceled(&self) -> bool {
        self.cancel.is_canceled()
    }
}
