//! `memq://`: LCM's queue inside a process. Each [`Domain::open`](crate::Domain::open) makes one of its own.
//!
//! It differs from `mem://` in one thing: what nobody wants at the moment is not kept, and who comes later does not get it.
//! LCM's queue grows without end if nobody handles it. Here a subscriber says how much may wait for it, up to 64 MiB a
//! channel; beyond that the oldest go, and are counted.

use super::Provider;
use super::mem::MemOutlet;
use crate::Result;
use crate::inbox::store::Store;
use crate::inlet::Outlet;
use crate::url::Url;
use saltus_channel::Name;
use std::sync::Arc;

/// As in LCM, what stands behind `memq://` has no meaning; options are refused nevertheless.
pub(crate) fn open(url: Url) -> Result<Provider> {
    url.finish("none")?;
    Ok(Provider::Memq(Arc::default()))
}

/// Publishes in a channel that somebody wants.
pub(crate) struct MemqOutlet {
    store: Arc<Store>,
    name: Name,
    outlet: MemOutlet,
    /// Whether anybody wanted the channel, and at which state of all subscriptions.
    wanted: (Option<u64>, bool),
}

impl MemqOutlet {
    pub fn new(store: Arc<Store>, name: Name) -> MemqOutlet {
        MemqOutlet { outlet: MemOutlet::new(store.clone(), &name), store, name, wanted: (None, false) }
    }
}

impl Outlet for MemqOutlet {
    fn publish(&mut self, payload: &[u8]) -> Result<()> {
        let interested = Some(self.store.interested());
        if self.wanted.0 != interested {
            self.wanted = (interested, self.store.wanted(&self.name).is_some());
        }
        if self.wanted.1 { self.outlet.publish(payload) } else { Ok(()) }
    }
    fn sender(&self) -> Option<u64> {
        self.outlet.sender()
    }
}
