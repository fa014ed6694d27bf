//! The queue and its descriptor, as shared with threads that receive.

use crate::border::report;
use crate::queue::{How, Message, Queue};
use saltus_domain::transport::{Arrival, Delivery, Event, Sink};
use saltus_domain::{Error, Result};
use saltus_os::clock::{self, Clock};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// The queue of an instance, and an event that is raised while it is not empty.
pub(crate) struct Shared {
    queue: Mutex<Queue>,
    pub ready: Event,
    /// Changes whenever the event is raised; a futex, for threads that wait without a limit.
    word: AtomicU32,
    /// How many of those there are.
    waiting: AtomicU32,
    how: How,
}

impl Shared {
    pub fn new(newest: bool, how: How) -> Result<Shared> {
        let (word, waiting) = Default::default();
        Ok(Shared { queue: Mutex::new(Queue::new(newest)), ready: Event::new()?, word, waiting, how })
    }
    /// Wakes threads that wait for a message.
    pub fn raise(&self) {
        self.ready.raise();
        // SeqCst, as in `wait`: either a thread that waits is seen here, or it sees the new word.
        self.word.fetch_add(1, SeqCst);
        if self.waiting.load(SeqCst) > 0 {
            // SAFETY: the word lives as long as this.
            unsafe { saltus_os::futex::wake(self.word.as_ptr(), u32::MAX >> 1, false) };
        }
    }
    /// Waits while `is_idle`. `false`: a signal was handled whose action does not restart system calls, as a blocking `read` would say.
    /// That is why this is neither `poll`, which no action restarts, nor a condition variable.
    pub fn wait(&self, is_idle: impl Fn() -> bool) -> bool {
        self.waiting.fetch_add(1, SeqCst); // pairs with the load in `raise`
        let seen = self.word.load(SeqCst); // as above
        let woken = !is_idle() || {
            let none = std::ptr::null::<libc::timespec>();
            // SAFETY: the word lives as long as this; there is no time.
            let result = unsafe {
                libc::syscall(
                    libc::SYS_futex,
                    self.word.as_ptr(),
                    libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
                    seen,
                    none,
                )
            };
            result == 0 || std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted
        };
        self.waiting.fetch_sub(1, SeqCst); // as above
        woken
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
        if self.queue().arrive(message, How::Always) {
            self.raise();
        }
    }
    fn push(&self, queue: &mut Queue, message: Message) {
        if queue.arrive(message, self.how) {
            self.raise();
        }
    }
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
