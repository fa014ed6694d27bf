//! The trait that a network implements to carry the messages of domains.

use crate::{About, Count, Of, Pattern, Result, Url};
use saltus_channel::{Description, Name};
use saltus_os::fd::RawFd;
use std::sync::Arc;

/// A network. All methods are required: each provider states what it does, even if that is nothing.
///
/// Fixed properties, such as whether a process's own messages are returned, are in [`Traits`](crate::Traits).
pub trait Transport: Send + Sync {
    /// Sends a message. Several threads may call this at once.
    fn publish(&self, channel: &Name, payload: &[u8]) -> Result<()>;
    /// Begins to receive the channels that match `pattern`, for a subscriber that keeps up to `depth` messages.
    fn subscribe(&self, pattern: &Pattern, depth: u64) -> Result<()>;
    /// Ends one subscription to `pattern`.
    fn unsubscribe(&self, pattern: &Pattern);
    /// Passes messages that have arrived to `sink`, without waiting for more. One thread at a time calls this.
    fn receive(&self, sink: &mut dyn Sink) -> Result<()>;
    /// The descriptors that are readable when messages have arrived; none for a transport that never receives, or
    /// that receives on its own threads. Called again after each [`Transport::subscribe`].
    fn descriptors(&self) -> Vec<Fd>;
    /// The number that [`About::sender`] has in messages that this process publishes on `channel`, if there is one.
    fn sender(&self, channel: &Name) -> Option<u64>;

    /// Its optional abilities.
    fn abilities(&self) -> Abilities<'_>;
}

/// What a transport can do beyond carrying messages. Each field that is set refers to the transport itself.
#[derive(Clone, Copy)]
pub struct Abilities<'a> {
    /// It prepares channels before their first message.
    pub announces: Option<&'a dyn Announces>,
    /// It carries or uses descriptions of messages.
    pub describes: Option<&'a dyn Describes>,
    /// It counts lost messages.
    pub reports_losses: Option<&'a dyn ReportsLosses>,
}

impl Abilities<'_> {
    /// Nothing beyond carrying messages.
    pub const NONE: Abilities<'static> = Abilities { announces: None, describes: None, reports_losses: None };
}

/// A transport that prepares a channel when a publisher is made, because others need time to find it.
pub trait Announces {
    /// A publisher of `channel` was made; `what`: the description of its messages, if known.
    fn announce(&self, channel: &Name, what: Option<&Description>) -> Result<()>;
}

/// A transport that carries or uses descriptions of messages.
pub trait Describes {
    /// The known descriptions of the messages received on `channel`.
    fn descriptions(&self, channel: &Name) -> Vec<Description>;
    /// A subscriber to messages of this type has joined.
    fn learn(&self, what: &Description);
}

/// A transport that counts lost messages.
pub trait ReportsLosses {
    /// The losses of each known sender so far, which a new subscriber does not report.
    fn losses(&self) -> Vec<(Of, Count)>;
}

/// Accepts the messages that a transport has received.
pub trait Sink {
    /// Whether messages of this channel have a subscriber.
    fn wants(&mut self, channel: &[u8]) -> bool;
    /// Accepts a message. One without a subscriber is skipped.
    fn take(&mut self, arrival: Arrival<'_>);
}

/// Accepts messages from a transport that receives on its own threads.
pub trait Delivery: Send + Sync {
    /// Calls `deliver` with a sink, then wakes the subscribers concerned. Waits at most for another delivering
    /// thread, never for a subscriber.
    fn deliver(&self, deliver: &mut dyn FnMut(&mut dyn Sink));
    /// Reports an error to each subscriber, once.
    fn fail(&self, error: crate::Error);
}

/// Opens a transport that receives when its descriptors are readable.
pub type OpenTransport = fn(Url) -> Result<Box<dyn Transport>>;
/// Opens a transport that delivers messages on its own threads.
pub type OpenDelivering = fn(Url, Arc<dyn Delivery>) -> Result<Box<dyn Transport>>;

/// A descriptor to wait for.
#[derive(Clone, Copy, Debug)]
pub struct Fd {
    /// The descriptor.
    pub raw: RawFd,
    /// Whether the kernel can wake one of several waiting threads, as for a socket, an event or a timer. An `epoll` wakes all.
    pub alone: bool,
}

/// A message that has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// The name of its channel.
    pub channel: &'a [u8],
    /// Its bytes.
    pub payload: &'a [u8],
    /// Its metadata.
    pub about: About,
}
