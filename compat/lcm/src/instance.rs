//! An `lcm_t`.

use crate::pattern::Pattern;
use crate::queue::{Handler, Subscription, Taken};
use crate::shared::Shared;
use crate::source::{self, Source};
use saltus_domain::{Error, Result};
use saltus_os::clock;
use std::ffi::{CStr, c_void};
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// LCM's `lcm_recv_buf_t`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct ReceiveBuffer {
    pub data: *mut c_void,
    pub data_size: u32,
    pub recv_utime: i64,
    pub lcm: *const Instance,
}

/// What a program knows as `lcm_t`.
pub struct Instance {
    shared: Arc<Shared>,
    source: Box<dyn Source>,
    turn: Turn,
    /// Whether it was destroyed, by a handler or by another thread.
    closed: AtomicBool,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance").finish_non_exhaustive()
    }
}

impl Instance {
    pub(crate) fn open(url: &str) -> Result<Instance> {
        let (shared, source) = source::open(&source::url(url)?)?;
        Ok(Instance { shared, source, turn: Turn::default(), closed: AtomicBool::new(false) })
    }

    /// Handlers are not called any more, and a thread that waits for messages returns.
    pub(crate) fn close(&self) {
        self.closed.store(true, Relaxed); // the thread that waits is woken by the event
        self.shared.ready.raise();
    }

    pub(crate) fn publish(&self, channel: &CStr, data: &[u8]) -> Result<()> {
        self.source.publish(channel.to_bytes(), data)
    }

    pub(crate) fn subscribe(
        &self,
        pattern: &CStr,
        handler: Handler,
        user: *mut c_void,
    ) -> Result<*const Subscription> {
        let pattern = Pattern::new(pattern).map_err(Error::invalid)?;
        self.source.subscribe(&pattern)?;
        let new = Subscription::new(pattern, handler, user);
        self.shared.queue().subscribe(&new);
        Ok(Arc::as_ptr(&new))
    }

    /// Ends a subscription. `false`: it is not one of this instance.
    pub(crate) fn unsubscribe(&self, at: *const Subscription) -> bool {
        let gone = self.shared.queue().unsubscribe(at);
        if let Some(gone) = &gone {
            self.source.unsubscribe(&gone.pattern);
        }
        gone.is_some()
    }

    pub(crate) fn fd(&self) -> Result<RawFd> {
        self.source.fd()
    }

    /// Waits for a message until `deadline`, monotonic ns, and calls its handlers. `false`: there was none.
    pub(crate) fn handle(self: &Arc<Self>, deadline: Option<u64>) -> Result<bool> {
        let _turn = self.turn.take();
        if deadline.is_none() && !self.source.receives() {
            return Err(Error::invalid("nothing can be received from a log that is written"));
        }
        loop {
            if let Some(taken) = self.take() {
                self.dispatch(taken);
                return Ok(true);
            }
            if self.closed.load(Relaxed) {
                return Err(Error::invalid("this lcm_t was destroyed"));
            }
            self.source.pull()?;
            if !self.shared.queue().is_empty() {
                continue;
            }
            if !wait(self.source.fd()?, deadline)? {
                return Ok(false);
            }
        }
    }

    fn take(&self) -> Option<Taken> {
        let mut queue = self.shared.queue();
        let was_empty = queue.is_empty();
        let taken = queue.pop();
        if !was_empty && queue.is_empty() && !self.closed.load(Relaxed) {
            self.shared.ready.lower(); // under the lock: what arrives next raises it
        }
        taken
    }

    fn dispatch(self: &Arc<Self>, Taken { mut message, asked }: Taken) {
        let data_size = message.data.len() as u32;
        let data = message.data.as_mut_ptr().cast();
        let buffer = ReceiveBuffer { data, data_size, recv_utime: message.utime, lcm: Arc::as_ptr(self) };
        message.channel.push(0);
        for one in asked.iter() {
            // Before each: a handler may have ended the subscriptions after it.
            if self.shared.queue().receives(one) {
                // SAFETY: C gave this function with these arguments; the buffer and the name live across the call.
                unsafe {
                    (one.handler)((&raw const buffer).cast(), message.channel.as_ptr().cast(), one.user);
                }
            }
        }
        self.shared.queue().handled(&asked);
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let all: Vec<_> = self.shared.queue().subscriptions().iter().map(Arc::as_ptr).collect();
        for at in all {
            self.unsubscribe(at);
        }
    }
}

/// Waits until `fd` is readable. `false`: the time is up.
fn wait(fd: RawFd, deadline: Option<u64>) -> Result<bool> {
    loop {
        let left = deadline.map(|deadline| deadline.saturating_sub(clock::monotonic()));
        let time = left.map(|left| libc::timespec {
            tv_sec: (left / 1_000_000_000) as _,
            tv_nsec: (left % 1_000_000_000) as _,
        });
        let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        // SAFETY: the record and the time live across the call; no signal mask is passed.
        match unsafe { libc::ppoll(&mut poll, 1, time, std::ptr::null()) } {
            0 => return Ok(false),
            1.. => return Ok(true),
            _ => {
                let why = std::io::Error::last_os_error();
                if why.kind() != std::io::ErrorKind::Interrupted {
                    return Err(Error::system("wait for a message", why));
                }
            }
        }
    }
}

/// Lets one thread at a time handle messages, and a handler handle the next one.
#[derive(Default)]
struct Turn {
    of: Mutex<(Option<std::thread::ThreadId>, usize)>,
    free: Condvar,
}

/// A thread's turn, until it is dropped.
struct Held<'a>(&'a Turn);

impl Turn {
    fn of(&self) -> MutexGuard<'_, (Option<std::thread::ThreadId>, usize)> {
        self.of.lock().unwrap_or_else(PoisonError::into_inner) // two words, whole between any two lines
    }
    fn take(&self) -> Held<'_> {
        let me = Some(std::thread::current().id());
        let mut of = self.of();
        while of.1 > 0 && of.0 != me {
            of = self.free.wait(of).unwrap_or_else(PoisonError::into_inner);
        }
        *of = (me, of.1 + 1);
        Held(self)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut of = self.0.of();
        of.1 -= 1;
        if of.1 == 0 {
            self.0.free.notify_one();
        }
    }
}
