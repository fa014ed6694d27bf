//! How a subscriber of an inbox waits, and how it is woken.
//!
//! A subscriber waits on the sockets themselves and on an event descriptor, in its own `epoll` set. A thread that
//! receives a message for it in the meantime writes the event descriptor. Event loops poll the same `epoll`
//! descriptor.

use crate::Result;
use saltus_os::cancel::{CancelHandle, Raised};
use saltus_transport::{Epoll, Event, Ready};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*, fence};

/// The wait queue of one subscriber.
#[derive(Debug)]
pub(crate) struct Parker {
    event: Event,
    epoll: Epoll,
    /// Whether arriving messages must wake it.
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

    /// Requests to be woken; `sleepers` counts the requests. The caller must check again before it waits.
    pub fn arm(&self, sleepers: &AtomicU32) {
        if !self.armed.swap(true, SeqCst) {
            sleepers.fetch_add(1, SeqCst);
        }
        fence(SeqCst); // pairs with the fence in `Store::wake`: either we see the message, or the waker sees us
    }
    /// Withdraws the request.
    pub fn disarm(&self, sleepers: &AtomicU32) {
        if self.armed.swap(false, SeqCst) {
            sleepers.fetch_sub(1, SeqCst);
        }
    }
    pub fn is_armed(&self) -> bool {
        self.armed.load(SeqCst)
    }
    /// Wakes it, if it requested that.
    pub fn wake(&self, sleepers: &AtomicU32) {
        if self.armed.swap(false, SeqCst) {
            sleepers.fetch_sub(1, SeqCst);
            self.event.raise();
        }
    }
    /// Waits. The event is low afterwards, whatever ended the wait.
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
