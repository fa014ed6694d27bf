//! What carries the messages of an instance.

use crate::pattern::Pattern;
use saltus_domain::Result;
use std::os::fd::RawFd;

/// What an instance publishes to and receives from.
pub(crate) trait Source: Send + Sync {
    /// Sends a message.
    fn publish(&self, channel: &[u8], data: &[u8]) -> Result<()>;
    /// Begins to receive what `pattern` matches, before the subscription is in the queue.
    fn subscribe(&self, pattern: &Pattern) -> Result<()>;
    /// Ends one subscription to `pattern`.
    fn unsubscribe(&self, pattern: &Pattern);
    /// A descriptor that is readable when a message is queued, or [`Source::pull`] will queue one.
    fn fd(&self) -> Result<RawFd>;
    /// Queues messages that have arrived, if no thread does so. Called while the queue is empty.
    fn pull(&self) -> Result<()>;
    /// Whether that is how messages get into the queue.
    fn is_pulled(&self) -> bool;
    /// Whether a forked child needs one of its own.
    fn ends_at_fork(&self) -> bool;
    /// Whether a message can ever arrive.
    fn receives(&self) -> bool;
}
