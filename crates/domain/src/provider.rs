//! What a domain stands on.

use crate::backend::{BackendPublisher, BackendSubscriber};
use crate::{Options, Pattern, Result};
use saltus_channel::{Description, Name};

/// A provider, opened. All methods are required: each provider states what it does, even where that is nothing.
pub(crate) trait Provider: Send + Sync {
    /// The sending side of one channel. `what`: what its messages are, if that is known.
    fn publisher(&self, name: Name, what: Option<&Description>) -> Result<Box<dyn BackendPublisher>>;
    /// The receiving side of one subscription.
    fn subscriber(&self, pattern: Pattern, options: &Options) -> Result<Box<dyn BackendSubscriber>>;
    /// Somebody subscribes to messages of this type.
    fn learn(&self, what: &Description);
    /// The channels that there are, as far as that is known here.
    fn names(&self) -> Result<Vec<Name>>;
    /// The directory of channels, if they are in shared memory.
    fn shared_memory(&self) -> Option<&saltus_channel::Directory>;
}
