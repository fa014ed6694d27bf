//! The queue and its descriptor, as shared with threads that receive.

use crate::queue::{How, Message, Queue, Taken};
use crate::report::report;
use saltus_domain::transport::{Arrival, Delivery, Event, Sink};
use saltus_domain::{Error, Result};
use saltus_os::clock::{self, Clock};
use std::os::fd::RawFd;
use std::sync::atomic::{
    AtomicBool, AtomicU32,
    Ordering::{Relaxed, SeqCst},
};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// The queue of an instance, and what wakes the threads that wait for it.
pub(crate) struct Shared {
    queue: Mutex<Queue>,
    /// Raised while the queue is not empty, once somebody has asked for its descriptor: that costs two system calls for a message.
    ready: Event,
    is_watched: AtomicBool,
    /// Changes when the queue is no longer empty; a futex.
    word: AtomicU32,
    /// Threads that wait for that.
    waiting: AtomicU32,
    how: How,
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// There may be a message.
    Ready,
    /// The deadline is over.
    TimedOut,
    /// A signal was handled.
    Interrupted,
}

impl Shared {
    pub fn new(newest: bool, how: How) -> Result<Shared> {
        let (is_watched, word, waiting) = Default::default();
        Ok(Shared {
            queue: Mutex::new(Queue::new(newest)),
            ready: Event::new()?,
            is_watched,
            word,
            waiting,
            how,
        })
    }

    /// A descriptor that is readable while the queue is not empty.
    pub fn fd(&self) -> RawFd {
        let queue = self.queue();
        if !self.is_watched.swap(true, Relaxed) && !queue.is_empty() {
            self.ready.raise(); // under the lock, as all changes of both
        }
        self.ready.raw()
    }
    /// Wakes all threads that wait. With the lock of the queue, unless the instance ends.
    pub fn raise(&self) {
        if self.is_watched.load(Relaxed) {
            self.ready.raise();
        }
        // SeqCst, as in `wait`: either a thread that waits is seen here, or it sees the new word.
        self.word.fetch_add(1, SeqCst);
        if self.waiting.load(SeqCst) > 0 {
            // SAFETY: the word lives as long as this.
            unsafe { saltus_os::futex::wake(self.word.as_ptr(), u32::MAX, false) };
        }
    }
    /// Takes the next message.
    pub fn take(&self) -> Option<Taken> {
        let mut queue = self.queue();
        let was_empty = queue.is_empty();
        let taken = queue.pop();
        if !was_empty && queue.is_empty() && self.is_watched.load(Relaxed) {
            self.ready.lower(); // under the lock: what arrives next raises it
        }
        taken
    }

    /// Waits while `is_idle`, at most until `deadline`, monotonic ns. Without a limit, only a signal whose action does not restart system
    /// calls ends it, as a blocking `read`; with one, any does, as `select`. That is why this is neither `poll` nor a condition variable.
    pub fn wait(&self, deadline: Option<u64>, is_idle: impl Fn() -> bool) -> Woken {
        self.waiting.fetch_add(1, SeqCst); // pairs with the load in `raise`
        let seen = self.word.load(SeqCst); // as above
        let woken = if is_idle() { self.sleep(seen, deadline) } else { Woken::Ready };
        self.waiting.fetch_sub(1, SeqCst); // as above
        woken
    }
    fn sleep(&self, seen: u32, deadline: Option<u64>) -> Woken {
        let time = deadline.map(left);
        let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: the word lives as long as this, and the time across the call.
        if unsafe { libc::syscall(libc::SYS_futex, self.word.as_ptr(), operation, seen, time) } == 0 {
            return Woken::Ready;
        }
        match std::io::Error::last_os_error().kind() {
            std::io::ErrorKind::TimedOut => Woken::TimedOut,
            std::io::ErrorKind::Interrupted => Woken::Interrupted,
            _ => Woken::Ready, // the word has changed
        }
    }

    pub fn queue(&self) -> MutexGuard<'_, Queue> {
        // A panic would be a bug that is printed; the queue is whole between any two calls.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, unless a thread has it, which may not exist any more.
    pub fn try_queue(&self) -> Option<MutexGuard<'_, Queue>> {
        match self.queue.try_lock() {
            Ok(queue) => Some(queue),
            Err(TryLockError::Poisoned(queue)) => Some(queue.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Whether a message on this channel would be queued now.
    pub fn wants(&self, channel: &[u8]) -> bool {
        self.queue().wants(channel, self.how)
    }
    /// Queues a message that was published in this process, if it has a subscription.
    pub fn publish(&self, channel: &[u8], data: &[u8]) {
        let mut queue = self.queue();
        if queue.wants(channel, self.how) {
            self.push(&mut queue, Message::new(channel, data, now_us()));
        }
    }
    /// Queues a message if a subscription has room for it.
    pub fn arrive(&self, message: Message) {
        self.push(&mut self.queue(), message);
    }
    /// Queues a message whether or not there is a subscription.
    pub fn force(&self, message: Message) {
        let mut queue = self.queue();
        if queue.arrive(message, How::Always) {
            self.raise();
        }
    }
    fn push(&self, queue: &mut Queue, message: Message) {
        if queue.arrive(message, self.how) {
            self.raise();
        }
    }
}

/// The time until `deadline`, monotonic ns.
pub(crate) fn left(deadline: u64) -> libc::timespec {
    let left = deadline.saturating_sub(clock::monotonic());
    libc::timespec { tv_sec: (left / 1_000_000_000) as _, tv_nsec: (left % 1_000_000_000) as _ }
}

/// The wall time in us.
pub(crate) fn now_us() -> i64 {
    (clock::now(Clock::Realtime) / 1000) as i64
}

/// Wall time in us of a boot time in ns.
pub(crate) fn wall_us(boottime: u64) -> i64 {
    let since = clock::boottime().saturating_sub(boottime);
    (clock::now(Clock::Realtime).saturating_sub(since) / 1000) as i64
}

/// Queues what a transport has received.
pub(crate) struct Intake<'a>(pub &'a Shared);

impl Sink for Intake<'_> {
    fn wants(&mut self, channel: &[u8]) -> bool {
        self.0.wants(channel)
    }
    fn take(&mut self, arrival: Arrival<'_>) {
        if self.0.wants(arrival.channel) {
            let utime = wall_us(arrival.about.arrived);
            self.0.arrive(Message::new(arrival.channel, arrival.payload, utime));
        }
    }
}

/// Accepts messages from the threads of a transport.
impl Delivery for Shared {
    fn deliver(&self, deliver: &mut dyn FnMut(&mut dyn Sink)) {
        deliver(&mut Intake(self));
    }
    fn fail(&self, error: Error) {
        report(error);
    }
}
