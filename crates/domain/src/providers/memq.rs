//! `memq://`: LCM's in-process queue. Each [`Domain::open`](crate::Domain::open) creates a separate domain.
//!
//! It differs from `mem://` in one way: a message without a subscriber is not kept, and later subscribers do not
//! receive it. LCM's queue grows without limit if nobody handles it. Here a subscriber sets how many messages are
//! kept for it, up to 64 MiB per channel; beyond that, the oldest are dropped and counted.

use super::local::MemPublisher;
use crate::backend::{BackendPublisher, BackendSubscriber};
use crate::inbox::store::Store;
use crate::inbox::subscriber::{InboxSubscriber, Source};
use crate::provider::Provider;
use crate::{Options, Pattern, Result};
use saltus_channel::{Description, Name, Start};
use saltus_transport::Url;
use std::sync::Arc;

/// As in LCM, the address of `memq://` has no meaning; options are refused nevertheless.
pub(crate) fn open(url: Url) -> Result<Arc<dyn Provider>> {
    url.finish("none")?;
    Ok(Arc::new(Memq(Arc::default())))
}

/// Channels of this process that keep nothing for later subscribers.
struct Memq(Arc<Store>);

impl Provider for Memq {
    fn publisher(&self, name: Name, _: Option<&Description>) -> Result<Box<dyn BackendPublisher>> {
        Ok(Box::new(MemqPublisher::new(self.0.clone(), name)))
    }
    fn subscriber(&self, pattern: Pattern, options: &Options) -> Result<Box<dyn BackendSubscriber>> {
        let options = options.start(Start::Now);
        Ok(Box::new(InboxSubscriber::new(Source::Memory(self.0.clone()), pattern, &options)?))
    }
    fn learn(&self, _: &Description) {}
    fn names(&self) -> Result<Vec<Name>> {
        Ok(self.0.names())
    }
    fn shared_memory(&self) -> Option<&saltus_channel::Directory> {
        None
    }
}

/// Publishes in a channel if it has subscribers.
pub(crate) struct MemqPublisher {
    store: Arc<Store>,
    name: Name,
    inner: MemPublisher,
    /// Whether the channel had a subscriber, and the state of all subscriptions at that time.
    wanted: (Option<u64>, bool),
}

impl MemqPublisher {
    pub fn new(store: Arc<Store>, name: Name) -> MemqPublisher {
        MemqPublisher { inner: MemPublisher::new(store.clone(), &name), store, name, wanted: (None, false) }
    }
}

impl BackendPublisher for MemqPublisher {
    fn publish(&mut self, payload: &[u8]) -> Result<()> {
        let interested = Some(self.store.interested());
        if self.wanted.0 != interested {
            self.wanted = (interested, self.store.wanted(&self.name).is_some());
        }
        if self.wanted.1 { self.inner.publish(payload) } else { Ok(()) }
    }
    fn sender(&self) -> Option<u64> {
        self.inner.sender()
    }
}
