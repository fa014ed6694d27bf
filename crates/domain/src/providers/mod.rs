//! What carries the messages of a domain. Each provider has a page of its own in the guide.

#[cfg(feature = "dds")]
mod dds;
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
use crate::url::Url;
use crate::{Error, Options, Pattern, Result};
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

/// The providers, as URLs name them, and whether this build has them. One that it has not is a Cargo feature of its name.
pub const PROVIDERS: [(&str, bool); 10] = [
    ("shm", true),
    ("mem", true),
    ("udpm", true),
    ("mpudpm", true),
    ("tcpq", true),
    ("file", true),
    ("memq", true),
    ("zmq", cfg!(feature = "zmq")),
    ("dds", cfg!(feature = "dds")),
    ("zenoh", cfg!(feature = "zenoh")),
];

/// What URLs may begin with in this build, and which features would bring the others, in words.
pub(crate) fn known() -> String {
    let (built, absent): (Vec<_>, Vec<_>) = PROVIDERS.into_iter().partition(|(_, built)| *built);
    let schemes =
        |of: &[(&str, bool)]| of.iter().map(|(name, _)| format!("{name}://")).collect::<Vec<_>>().join(", ");
    let features: Vec<&str> = absent.iter().map(|(name, _)| *name).collect();
    match features[..] {
        [] => schemes(&built),
        _ => format!(
            "{}; `--features {}` would bring {}",
            schemes(&built),
            features.join(","),
            schemes(&absent)
        ),
    }
}

/// Why nothing opens a URL that begins with `scheme`.
fn no_provider(scheme: String) -> Error {
    let feature = PROVIDERS.iter().map(|(name, _)| *name).find(|name| *name == scheme);
    Error::NoProvider { scheme, known: known(), feature }
}

impl Provider {
    pub fn open(url: Url) -> Result<Provider> {
        let network = |link: Result<Box<dyn Link>>| Ok(Provider::Network(Inbox::new(link?)));
        match url.scheme.as_str() {
            "shm" => Ok(Provider::Shm(Shm::open(url)?)),
            "mem" => Ok(Provider::Mem(mem::open(url)?)),
            "memq" => Ok(Provider::Memq(memq::open(url)?)),
            "file" => Ok(Provider::File(File::open(url)?)),
            "tcpq" => network(tcpq::open(url)),
            "udpm" => network(udpm::open(url)),
            "mpudpm" => network(mpudpm::open(url)),
            #[cfg(feature = "dds")]
            "dds" => network(dds::open(url)),
            #[cfg(feature = "zenoh")]
            "zenoh" => Ok(Provider::Network(zenoh::open(url)?)),
            #[cfg(feature = "zmq")]
            "zmq" => network(zmq::open(url)),
            _ => Err(no_provider(url.scheme)),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_that_is_not_built_in_is_told_from_one_that_there_is_not() {
        let told = |url: &str| Url::parse(url).and_then(Provider::open).err().map(|e| e.to_string());
        let unknown = told("carrier-pigeon://").unwrap();
        assert!(unknown.contains("no provider is called `carrier-pigeon://`"), "{unknown}");
        let nonsense = told("nonsense").unwrap_or_default();
        for (name, built) in PROVIDERS {
            for told in [&unknown, &nonsense] {
                assert!(told.contains(&format!("{name}://")), "{told}");
                let features = told.split("--features").nth(1).unwrap_or_default();
                assert_eq!(features.contains(name), !built, "{told}");
            }
            if !built {
                let told = told(&format!("{name}://")).unwrap();
                assert!(told.contains(&format!("`--features {name}`")), "{told}");
            }
        }
    }
}
