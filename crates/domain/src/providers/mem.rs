//! `mem://`: channels inside this process. Each [`Domain::open`](crate::Domain::open) creates a separate domain;
//! clone the domain to share it.

use super::local::MemPublisher;
use crate::backend::{BackendPublisher, BackendSubscriber};
use crate::inbox::store::Store;
use crate::inbox::subscriber::{InboxSubscriber, Source};
use crate::provider::Provider;
use crate::{Options, Pattern, Result};
use saltus_channel::{Description, Name};
use saltus_transport::Url;
use std::sync::Arc;

pub(crate) fn open(url: Url) -> Result<Arc<dyn Provider>> {
    url.finish("none")?;
    if !url.network.is_empty() {
        return Err(url.invalid(
            "mem:// does not accept a name: each open creates a separate domain; clone the domain to share it",
        ));
    }
    Ok(Arc::new(Mem(Arc::default())))
}

/// Channels of this process.
struct Mem(Arc<Store>);

impl Provider for Mem {
    fn publisher(&self, name: Name, _: Option<&Description>) -> Result<Box<dyn BackendPublisher>> {
        Ok(Box::new(MemPublisher::new(self.0.clone(), &name)))
    }
    fn subscriber(&self, pattern: Pattern, options: &Options) -> Result<Box<dyn BackendSubscriber>> {
        Ok(Box::new(InboxSubscriber::new(Source::Memory(self.0.clone()), pattern, options)?))
    }
    fn learn(&self, _: &Description) {}
    fn names(&self) -> Result<Vec<Name>> {
        Ok(self.0.names())
    }
    fn shared_memory(&self) -> Option<&saltus_channel::Directory> {
        None
    }
}
