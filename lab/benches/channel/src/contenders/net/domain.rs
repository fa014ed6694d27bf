//! Our own domains, opened by URL as a user does, with a subscriber of all messages in order and a depth of 1,000.

use super::hub::Hub;
use super::meeting::{Meeting, is_message};
use super::multicast::group;
use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::error::Fallible;
use crate::privilege;
use saltus_domain::{Domain, Options, Pattern, Publisher, Start, Subscriber, Until};
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::{Rc, Weak};
use std::time::{Duration, Instant};

/// The largest receive buffer that a stock kernel permits (`net.core.rmem_max`), bytes.
const STOCK_BUFFER: usize = 212_992;

/// Depth of a subscriber, in messages.
const DEPTH: u64 = 1_000;
/// A hub that accepts nothing for this long hangs.
const PATIENCE: Duration = Duration::from_secs(30);
/// Numbers of DDS domains, used in rotation.
#[cfg(feature = "dds")]
const DDS_DOMAINS: u64 = 200;

/// See the module.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Domains {
    /// LCM's multicast.
    Udpm,
    /// LCM's TCP protocol, with our hub.
    Tcpq,
    /// ZeroMQ, through a directory of Unix sockets.
    #[cfg(feature = "zmq")]
    Zmq,
    /// RTPS.
    #[cfg(feature = "dds")]
    Dds,
    /// Zenoh's peers.
    #[cfg(feature = "zenoh")]
    Zenoh,
    /// Shared memory.
    Shm,
    /// One process.
    Mem,
}

impl Domains {
    /// The providers in this build that carry messages between processes.
    pub const BETWEEN_PROCESSES: &[Domains] = &[
        Domains::Shm,
        Domains::Udpm,
        Domains::Tcpq,
        #[cfg(feature = "zmq")]
        Domains::Zmq,
        #[cfg(feature = "dds")]
        Domains::Dds,
        #[cfg(feature = "zenoh")]
        Domains::Zenoh,
    ];

    /// The domains of a workload, without ends of a connection: every process that opens the URL joins, as long as
    /// this value lives.
    pub fn place(self, ask: &Ask) -> Fallible<Shared> {
        Shared::new(self, ask)
    }
}

impl Contender for Domains {
    fn name(&self) -> &'static str {
        match self {
            Domains::Udpm => "udpm://",
            Domains::Tcpq => "tcpq://",
            #[cfg(feature = "zmq")]
            Domains::Zmq => "zmq://",
            #[cfg(feature = "dds")]
            Domains::Dds => "dds://",
            #[cfg(feature = "zenoh")]
            Domains::Zenoh => "zenoh://",
            Domains::Shm => "shm://",
            Domains::Mem => "mem://",
        }
    }

    fn supports(&self, ask: &Ask) -> Result<(), &'static str> {
        match self {
            Domains::Mem if !ask.within => Err("within one process"),
            Domains::Udpm | Domains::Tcpq if ask.within => Err("measured between processes"),
            #[cfg(feature = "zmq")]
            Domains::Zmq if ask.within => Err("measured between processes"),
            #[cfg(feature = "dds")]
            Domains::Dds if ask.within => Err("measured between processes"),
            Domains::Udpm => Ok(()),
            _ if ask.stock => Err("has no receive buffer"),
            _ => Ok(()),
        }
    }

    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>> {
        Ok(Box::new(Channel::new(*self, ask, &Rc::new(Shared::new(*self, ask)?))?))
    }

    fn pair(&self, there: &Ask, back: &Ask) -> Fallible<[Box<dyn Link>; 2]> {
        let shared = Rc::new(Shared::new(*self, there)?);
        let link = |ask| Channel::new(*self, ask, &shared);
        Ok([Box::new(link(there)?), Box::new(link(back)?)])
    }
}

/// The state that all connections of one group share.
pub struct Shared {
    url: String,
    /// Opened when the first end attaches and closed with the last: ZeroMQ has sent everything only then.
    domain: RefCell<Weak<Domain>>,
    directory: Option<PathBuf>,
    _hub: Option<Hub>,
}

impl Shared {
    fn new(kind: Domains, ask: &Ask) -> Fallible<Shared> {
        let (mut directory, mut hub) = (None, None);
        let url = match kind {
            Domains::Udpm if ask.stock => {
                format!("udpm://{}?ttl=0&recv_buf_size={STOCK_BUFFER}", group(ask.number))
            }
            Domains::Udpm => format!("udpm://{}?ttl=0", group(ask.number)),
            Domains::Tcpq => format!("tcpq://{}", hub.insert(Hub::start()?).address()),
            #[cfg(feature = "dds")]
            Domains::Dds => format!("dds://{}", ask.number % DDS_DOMAINS),
            #[cfg(feature = "zenoh")]
            Domains::Zenoh => "zenoh://".into(),
            Domains::Mem => "mem://".into(),
            _ => {
                let path = PathBuf::from("/dev/shm").join(format!("{}-domain", ask.name));
                let url = format!("{}{}", kind.name(), path.display());
                directory = Some(path);
                url
            }
        };
        Ok(Shared { url, domain: RefCell::default(), directory, _hub: hub })
    }

    /// The URL to open.
    pub fn url(&self) -> &str {
        &self.url
    }

    fn domain(&self) -> Fallible<Rc<Domain>> {
        let mut known = self.domain.borrow_mut();
        if let Some(domain) = known.upgrade() {
            return Ok(domain);
        }
        privilege::as_a_user()?;
        let domain = Rc::new(Domain::open(&self.url)?);
        *known = Rc::downgrade(&domain);
        Ok(domain)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(directory) = &self.directory {
            // A directory that cannot be removed stays visible in /dev/shm; nothing else can be done here.
            let _ = std::fs::remove_dir_all(directory);
        }
    }
}

struct Channel {
    kind: Domains,
    size: usize,
    within: bool,
    name: String,
    shared: Rc<Shared>,
    /// Providers whose publishers learn of a subscription only some time after it was made.
    meeting: Option<Meeting>,
}

impl Channel {
    fn new(kind: Domains, ask: &Ask, shared: &Rc<Shared>) -> Fallible<Channel> {
        let meeting = match kind {
            Domains::Udpm | Domains::Mem => None,
            _ => Some(Meeting::new(ask)?),
        };
        Ok(Channel {
            kind,
            size: ask.size,
            within: ask.within,
            name: ask.name.clone(),
            shared: shared.clone(),
            meeting,
        })
    }
}

impl Link for Channel {
    fn sender(&self, _index: usize) -> Fallible<Box<dyn Sender>> {
        let domain = self.shared.domain()?;
        let mut publisher = domain.publisher(&self.name)?;
        if self.kind == Domains::Shm {
            // The first message creates the channel, for messages of its length, and subscribers search for new
            // channels only periodically. Readers treat it as the first call of the meeting.
            publisher.publish(&vec![0; if self.within { 0 } else { self.size }])?;
        }
        let mut sender = In(publisher, domain);
        if let Some(meeting) = &self.meeting {
            meeting.call(&mut sender)?;
        }
        Ok(Box::new(sender))
    }

    fn receiver(&self, _index: usize) -> Fallible<Box<dyn Receiver>> {
        let options = Options::next(DEPTH).start(Start::Now);
        let domain = self.shared.domain()?;
        let mut out = Out(domain.subscriber_with(Pattern::name(&self.name)?, options)?, domain);
        if let Some(meeting) = &self.meeting {
            meeting.listen(|buffer| out.receive(Until::Poll, buffer))?;
        }
        Ok(Box::new(out))
    }
}

struct In(Publisher, #[expect(dead_code)] Rc<Domain>);

impl Sender for In {
    /// Waits for a hub that accepts nothing, as long as a working one may take. That is part of the measurement.
    fn send(&mut self, message: &[u8]) -> Fallible<()> {
        let start = Instant::now();
        loop {
            match self.0.publish(message) {
                Err(error) if error.is_full() && start.elapsed() < PATIENCE => {}
                other => return Ok(other?),
            }
        }
    }
}

struct Out(Subscriber, #[expect(dead_code)] Rc<Domain>);

impl Out {
    /// Receives the next message: returns its length, and copies as much of it as fits.
    #[inline]
    fn receive(&mut self, until: Until, buffer: &mut [u8]) -> Fallible<Option<usize>> {
        let Some(message) = self.0.receive(until)? else { return Ok(None) };
        let len = message.data.len().min(buffer.len());
        buffer[..len].copy_from_slice(&message.data[..len]);
        Ok(Some(message.data.len()))
    }
}

impl Receiver for Out {
    fn poll(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        Ok(self.receive(Until::Poll, buffer)?.is_some_and(is_message))
    }

    fn wait(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        Ok(self.receive(Until::Forever, buffer)?.is_some_and(is_message))
    }
}
