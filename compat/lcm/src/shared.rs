//! The queue and its descriptor, as shared with threads that receive.

use crate::border::report;
use crate::queue::{How, Message, Queue};
use saltus_domain::transport::{Arrival, Delivery, Event, Sink};
use saltus_domain::{Error, Result};
use saltus_os::clock::{self, Clock};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The queue of an instance, and an event that is raised while it is not empty.
pub(crate) struct Shared {
    queue: Mutex<Queue>,
    pub ready: Event,
    how: How,
}

impl Shared {
    pub fn new(newest: bool, how: How) -> Result<Shared> {
        Ok(Shared { queue: Mutex::new(Queue::new(newest)), ready: Event::new()?, how })
    }
    pub fn queue(&self) -> MutexGuard<'_, Queue> {
        // A panic would be a bug that is printed; the queue is whole between any two calls.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
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
            self.ready.raise();
        }
    }
    fn push(&self, queue: &mut Queue, message: Message) {
        if queue.arrive(message, self.how) {
            self.ready.raise();
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
