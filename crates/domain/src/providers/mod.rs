//! What carries the messages of a domain. Each provider has a page of its own in the guide.

#[cfg(feature = "dds")]
pub(crate) mod dds;
pub(crate) mod file;
pub(crate) mod mem;
pub(crate) mod memq;
pub(crate) mod mpudpm;
pub(crate) mod shm;
pub(crate) mod tcpq;
pub(crate) mod udpm;
#[cfg(feature = "zenoh")]
pub(crate) mod zenoh;
#[cfg(feature = "zmq")]
pub(crate) mod zmq;

use crate::inbox::inlet::{Inlet as InboxInlet, Source};
use crate::inbox::store::Store;
use crate::inbox::{Inbox, Link};
use crate::inlet::{Inlet, Outlet};
use crate::{Options, Pattern, Result};
use file::File;
use mem::MemOutlet;
use memq::MemqOutlet;
use saltus_channel::{Description, Name, Start};
use shm::{Shm, ShmInlet};
use std::sync::Arc;

/// A provider, opened.
#[derive(Clone)]
pub(crate) enum Provider {
    /// Channels in shared memory.
    Shm(Shm),
    /// Channels of this process.
    Mem(Arc<Store>),
    /// Channels of this process, in which nothing is kept for who comes later.
    Memq(Arc<Store>),
    /// A log.
    File(File),
    /// A network, whose messages land in channels of this process.
    Network(Arc<Inbox>),
}

impl Provider {
    /// A network that is looked at when its descriptors are readable.
    fn network(link: Box<dyn Link>) -> Provider {
        Provider::Network(Inbox::new(link))
    }

    pub fn is(&self, other: &Provider) -> bool {
        match (self, other) {
            (Provider::Shm(a), Provider::Shm(b)) => a.is(b),
            (Provider::Mem(a), Provider::Mem(b)) | (Provider::Memq(a), Provider::Memq(b)) => {
                Arc::ptr_eq(a, b)
            }
            (Provider::File(a), Provider::File(b)) => a.is(b),
            (Provider::Network(a), Provider::Network(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// `what`: what its messages are, if that is known.
    pub fn outlet(&self, name: Name, what: Option<&Description>) -> Result<Box<dyn Outlet>> {
        let mut outlet: Box<dyn Outlet> = match self {
            Provider::Shm(shm) => Box::new(shm.outlet(name)),
            Provider::Mem(store) => Box::new(MemOutlet::new(store.clone(), &name)),
            Provider::Memq(store) => Box::new(MemqOutlet::new(store.clone(), name)),
            Provider::File(file) => file.outlet(name),
            Provider::Network(inbox) => {
                inbox.link().announce(&name, what)?;
                return Ok(Box::new(NetworkOutlet { inbox: inbox.clone(), name, listens: false }));
            }
        };
        what.map_or(Ok(()), |what| outlet.describe(what))?;
        Ok(outlet)
    }
    /// Somebody subscribes to messages of this type.
    pub fn learn(&self, what: &Description) {
        if let Provider::Network(inbox) = self {
            inbox.link().learn(what);
        }
    }
    pub fn inlet(&self, pattern: Pattern, options: &Options) -> Result<Box<dyn Inlet>> {
        Ok(match self {
            Provider::Shm(shm) => Box::new(ShmInlet::new(shm, pattern, options)?),
            Provider::Mem(store) => {
                Box::new(InboxInlet::new(Source::Memory(store.clone()), pattern, options)?)
            }
            Provider::Memq(store) => {
                let options = options.start(Start::Now);
                Box::new(InboxInlet::new(Source::Memory(store.clone()), pattern, &options)?)
            }
            Provider::File(file) => file.inlet(pattern, options)?,
            Provider::Network(inbox) => {
                Box::new(InboxInlet::new(Source::Network(inbox.clone()), pattern, options)?)
            }
        })
    }
    /// The directory of channels in shared memory.
    pub fn shared_memory(&self) -> Option<&saltus_channel::Domain> {
        match self {
            Provider::Shm(shm) => Some(shm.domain()),
            _ => None,
        }
    }
    pub fn names(&self) -> Result<Vec<Name>> {
        match self {
            Provider::Shm(shm) => shm.names(),
            Provider::Mem(store) | Provider::Memq(store) => Ok(store.names()),
            Provider::File(file) => Ok(file.names()),
            Provider::Network(inbox) => Ok(inbox.store().names()),
        }
    }
}

/// Publishes on a network.
struct NetworkOutlet {
    inbox: Arc<Inbox>,
    name: Name,
    /// Whether the inbox was told that somebody publishes.
    listens: bool,
}

impl Outlet for NetworkOutlet {
    fn publish(&mut self, payload: &[u8]) -> Result<()> {
        if !self.listens {
            self.inbox.listen()?;
            self.listens = true;
        }
        self.inbox.publish(&self.name, payload)
    }
    fn sender(&self) -> Option<u64> {
        self.inbox.link().sender_of(&self.name)
    }
    fn describe(&mut self, what: &Description) -> Result<()> {
        self.inbox.link().announce(&self.name, Some(what))
    }
}
