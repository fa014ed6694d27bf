//! What a provider gives a publisher and a subscriber to stand on.

use crate::{Error, Missed, Result};
use saltus_channel::{Description, Name};
use saltus_ring::Which;
use std::fmt;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

/// The sending side of one channel.
pub(crate) trait Outlet: Send {
    /// Publishes a message.
    fn publish(&mut self, payload: &[u8]) -> Result<()>;
    /// Publishes a message with a stamp of another time, as [`Publisher::publish_at`](crate::Publisher::publish_at) says.
    fn publish_at(&mut self, _: &[u8], _: i64) -> Result<i64> {
        Err(Error::unsupported(
            "messages that carry no stamp, or only that of their publication, cannot be given another",
        ))
    }
    /// What [`Message::sender`](crate::Message::sender) will be of what this publishes, if the transport has such a number.
    fn sender(&self) -> Option<u64>;
    /// Leaves what the messages are with the channel, where there is a place for it.
    fn describe(&mut self, _: &Description) -> Result<()> {
        Ok(())
    }
}

/// The receiving side of one subscription, which may be to several channels.
pub(crate) trait Inlet: Send {
    /// Takes a message, if there is one. Does not wait. `poll`: nobody will wait if there is none, so that what has come to
    /// this machine but not to this process counts.
    fn take(&mut self, which: Which, poll: bool, meta: &mut Meta) -> Result<bool>;
    /// Whether anything is unseen, as far as can be told without asking the system.
    fn unseen(&mut self) -> bool;
    /// Waits until something may be unseen: `true`; or until `deadline` (monotonic, ns): `false`.
    fn wait(&mut self, deadline: u64) -> Result<bool>;
    /// A descriptor that is readable while something may be unseen.
    fn fd(&mut self) -> Result<BorrowedFd<'_>>;
    /// After a take that found nothing: lowers the descriptor until something comes.
    fn rest(&mut self) -> Result<()>;
    /// What calls off waits.
    fn canceller(&mut self) -> Canceller;
    /// Whether they are called off.
    fn is_canceled(&self) -> bool;
    /// The channels joined so far.
    fn channels(&mut self) -> Vec<Name>;
    /// What publishers said about a channel's messages, where there is a place for it.
    fn descriptions(&mut self, _: &Name) -> Vec<Description> {
        Vec::new()
    }
}

/// A message as it was taken.
#[derive(Debug, Default)]
pub(crate) struct Meta {
    /// The message, behind `skip` bytes that are not of it.
    pub buf: Vec<u8>,
    pub skip: usize,
    pub channel: Option<Name>,
    pub published: Option<u64>,
    pub arrived: u64,
    pub logged: Option<i64>,
    pub sender: Option<u64>,
    pub sequence: Option<u64>,
    pub missed: Missed,
    pub dropped: u64,
}

/// Calls off the waits of a subscriber, from another thread or a signal handler.
///
/// It stays called off, and waits give [`Error::Canceled`], until [`Canceller::reset`].
/// Receives that do not wait are not affected.
#[derive(Clone)]
pub struct Canceller {
    cancel: Arc<dyn Fn() + Send + Sync>,
    reset: Arc<dyn Fn() + Send + Sync>,
}

impl Canceller {
    pub(crate) fn new(
        cancel: impl Fn() + Send + Sync + 'static,
        reset: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        Canceller { cancel: Arc::new(cancel), reset: Arc::new(reset) }
    }
    /// Calls off the present wait, if there is one, and all later ones. Async-signal-safe; one system call.
    pub fn cancel(&self) {
        (self.cancel)();
    }
    /// Lets waits wait again.
    pub fn reset(&self) {
        (self.reset)();
    }
}

impl fmt::Debug for Canceller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Canceller")
    }
}
