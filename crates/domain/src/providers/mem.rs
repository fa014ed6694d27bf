//! `mem://`: channels inside this process. Each [`Domain::open`](crate::Domain::open) makes a domain of its own; clone the
//! domain to share it.

use super::local::MemOutlet;
use crate::inbox::inlet::{Inlet as InboxInlet, Source};
use crate::inbox::store::Store;
use crate::inlet::{Inlet, Outlet};
use crate::provider::Provider;
use crate::{Options, Pattern, Result};
use saltus_channel::{Description, Name};
use saltus_transport::Url;
use std::sync::Arc;

pub(crate) fn open(url: Url) -> Result<Arc<dyn Provider>> {
    url.finish("none")?;
    if !url.network.is_empty() {
        return Err(url.invalid(
            "mem:// has no name: every domain of its kind is one of its own; clone it to share it",
        ));
    }
    Ok(Arc::new(Mem(Arc::default())))
}

/// Channels of this process.
struct Mem(Arc<Store>);

impl Provider for Mem {
    fn outlet(&self, name: Name, _: Option<&Description>) -> Result<Box<dyn Outlet>> {
        Ok(Box::new(MemOutlet::new(self.0.clone(), &name)))
    }
    fn inlet(&self, pattern: Pattern, options: &Options) -> Result<Box<dyn Inlet>> {
        Ok(Box::new(InboxInlet::new(Source::Memory(self.0.clone()), pattern, options)?))
    }
    fn learn(&self, _: &Description) {}
    fn names(&self) -> Result<Vec<Name>> {
        Ok(self.0.names())
    }
    fn shared_memory(&self) -> Option<&saltus_channel::Domain> {
        None
    }
}
