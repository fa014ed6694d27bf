//! The trait that a provider implements for a domain.

use crate::backend::{BackendPublisher, BackendSubscriber};
use crate::{Options, Pattern, Result};
use saltus_channel::{Description, Name};

/// An open provider. All methods are required, so that each provider states what it does, even if that is nothing.
pub(crate) trait Provider: Send + Sync {
    /// The sending side of one channel. `what`: the description of its messages, if known.
    fn publisher(&self, name: Name, what: Option<&Description>) -> Result<Box<dyn BackendPublisher>>;
    /// The receiving side of one subscription.
    fn subscriber(&self, pattern: Pattern, options: &Options) -> Result<Box<dyn BackendSubscriber>>;
    /// Called when a subscriber to messages of this type joins.
    fn learn(&self, what: &Description);
    /// The existing channels, as far as they are known here.
    fn names(&self) -> Result<Vec<Name>>;
    /// The directory of channels, if they are in shared memory.
    fn shared_memory(&self) -> Option<&saltus_channel::Directory>;
}
