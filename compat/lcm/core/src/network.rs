//! Networks: a transport of Saltus, which a thread drains into the queue as messages arrive.
//!
//! `tcpq://` has no such thread: as in LCM, messages wait at the hub and in the connection until the program handles them.

use crate::pattern::Pattern;
use crate::report::report;
use crate::shared::{Intake, Shared};
use crate::source::Source;
use saltus_channel::Name;
use saltus_domain::transport::{Epoll, Event, Transport};
use saltus_domain::{Error, Result, Scheme, Traits, Until};
use saltus_net::tcpq::{HELLO_CLIENT, HELLO_HUB, VERSION};
use saltus_net::udp::diagnose::LOOPBACK_ROUTE;
use saltus_os::{fork, process};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a hub may take to accept a connection.
const HUB: Duration = Duration::from_secs(5);
/// Pause after an error of the network, before the next try.
const PAUSE: u64 = 10_000_000;
/// Messages that a transport with queues of its own keeps.
const DEPTH: u64 = 1000;

/// A network.
pub(crate) struct Network {
    both: Arc<Both>,
    traits: &'static Traits,
    /// Whether the text of a pattern is sent to others.
    raw: bool,
    /// For a network without a thread: the queue's event and the connection.
    all: Option<Epoll>,
    receiver: Mutex<Option<Receiver>>,
    /// One thread at a time receives.
    receiving: Mutex<()>,
}

/// What the thread has too.
struct Both {
    transport: Box<dyn Transport>,
    shared: Arc<Shared>,
    epoll: Epoll,
    quit: Event,
}

/// The thread that receives.
struct Receiver {
    both: Arc<Both>,
    thread: Option<JoinHandle<()>>,
    /// The process that has it: a forked child does not.
    generation: u64,
}

impl Network {
    pub fn open(url: &str, transport: Box<dyn Transport>, shared: Arc<Shared>) -> Result<Network> {
        let scheme = Scheme::of(url)?;
        let traits = &scheme.traits;
        reach(scheme, url)?;
        let (epoll, quit) = (Epoll::new()?, Event::new()?);
        epoll.add_event(quit.raw())?;
        let waits = scheme.name == "tcpq";
        let all = if waits { Some(Epoll::new()?) } else { None };
        if let Some(all) = &all {
            all.add(shared.fd(), false)?;
            transport.descriptors().iter().try_for_each(|fd| all.add(fd.raw, false))?;
        }
        let both = Arc::new(Both { transport, shared, epoll, quit });
        Ok(Network { both, traits, raw: waits, all, receiver: Mutex::default(), receiving: Mutex::default() })
    }

    /// Starts the thread, or lets it wait for the descriptors that there are now.
    fn listen(&self) -> Result<()> {
        if self.all.is_some() {
            return Ok(());
        }
        let mut receiver = self.receiver();
        let fds = self.both.transport.descriptors();
        fds.iter().try_for_each(|fd| {
            self.both.epoll.remove(fd.raw);
            self.both.epoll.add(fd.raw, false)
        })?;
        if receiver.is_none() && !fds.is_empty() {
            *receiver = Some(Receiver::start(&self.both)?);
        }
        Ok(())
    }
    fn receiver(&self) -> MutexGuard<'_, Option<Receiver>> {
        self.receiver.lock().unwrap_or_else(PoisonError::into_inner) // a thread, or none
    }
}

/// As LCM does, refuses a network that cannot be reached now.
fn reach(scheme: &Scheme, url: &str) -> Result<()> {
    let Some((name, port)) = scheme.address(url) else { return Ok(()) };
    let what = |e| Error::system(format!("reach `{name}:{port}`"), e);
    let mut last = None;
    for address in (name, port).to_socket_addrs().map_err(what)? {
        let tried = match scheme.name {
            "tcpq" => hub(address),
            _ => route(address),
        };
        match tried {
            Ok(()) => return Ok(()),
            Err(e) => last = Some(e),
        }
    }
    last.map_or(Ok(()), |e| Err(what(e)))
}

/// Whether a hub is there: it is greeted, answers, and is left again.
fn hub(at: SocketAddr) -> io::Result<()> {
    let mut stream = TcpStream::connect_timeout(&at, HUB).map_err(|e| match e.kind() {
        io::ErrorKind::ConnectionRefused => {
            io::Error::new(e.kind(), "connection refused; is a hub running there (`saltus hub`)?")
        }
        _ => e,
    })?;
    stream.write_all(&[HELLO_CLIENT, VERSION].map(u32::to_be_bytes).concat())?;
    let (end, mut answer, mut read) = (Instant::now() + HUB, [0; 8], 0);
    // One limit for all of it: what listens there may send it byte by byte.
    while read < answer.len() {
        let left = end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut answer[read..]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(more) if Instant::now() < end => read += more,
            Ok(_) => return Err(io::ErrorKind::TimedOut.into()),
            Err(e) if e.kind() == io::ErrorKind::Interrupted && Instant::now() < end => {}
            Err(e) => return Err(e),
        }
    }
    match answer.starts_with(&HELLO_HUB.to_be_bytes()) {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidData, "what listens there is not a tcpq hub")),
    }
}

/// Whether datagrams to this address have a way.
fn route(to: SocketAddr) -> io::Result<()> {
    UdpSocket::bind("0.0.0.0:0")?.connect(to).map_err(|e| match e.kind() {
        io::ErrorKind::NetworkUnreachable => {
            io::Error::new(e.kind(), format!("no route leads there; {LOOPBACK_ROUTE}"))
        }
        _ => e,
    })
}

impl Source for Network {
    fn publish(&self, channel: &[u8], data: &[u8]) -> Result<()> {
        if self.traits.answers && self.receiver().is_none() {
            self.listen()?;
        }
        self.both.transport.publish(&Name::new(channel)?, data)?;
        if !self.traits.returns_own {
            self.both.shared.publish(channel, data);
        }
        Ok(())
    }

    fn subscribe(&self, pattern: &Pattern) -> Result<()> {
        let filter = pattern.filter(self.raw);
        self.both.transport.subscribe(&filter, DEPTH)?;
        self.listen().inspect_err(|_| self.both.transport.unsubscribe(&filter))
    }
    fn unsubscribe(&self, pattern: &Pattern) {
        self.both.transport.unsubscribe(&pattern.filter(self.raw));
    }

    fn fd(&self) -> Result<RawFd> {
        Ok(self.all.as_ref().map_or_else(|| self.both.shared.fd(), |all| all.as_fd().as_raw_fd()))
    }

    fn pull(&self) -> Result<()> {
        if self.all.is_some() {
            let _one = self.receiving.lock().unwrap_or_else(PoisonError::into_inner); // nothing is inside
            return self.both.transport.receive(&mut Intake(&self.both.shared));
        }
        Ok(())
    }
    fn ends_at_fork(&self) -> bool {
        true
    }
    fn is_pulled(&self) -> bool {
        self.all.is_some()
    }
    fn receives(&self) -> bool {
        true
    }
}

impl Receiver {
    fn start(both: &Arc<Both>) -> Result<Receiver> {
        let theirs = both.clone();
        let thread = process::spawn("saltus-lcm", move || theirs.run());
        let thread = thread.map_err(|e| Error::system("start the thread that receives", e))?;
        Ok(Receiver { both: both.clone(), thread: Some(thread), generation: fork::generation() })
    }
}

impl Both {
    fn run(&self) {
        let mut failed = String::new();
        let forever = Until::Forever.deadline().unwrap_or(u64::MAX);
        while !self.epoll.wait(forever).event {
            if let Err(e) = self.transport.receive(&mut Intake(&self.shared)) {
                let why = e.to_string();
                if why != failed {
                    report(&why);
                    failed = why;
                }
                process::sleep_for(PAUSE);
            }
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        if self.generation != fork::generation() {
            return std::mem::forget(self.thread.take()); // the parent's, and so is the event
        }
        self.both.quit.raise();
        // Only a panic ends in an error, and that was printed.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_that_cannot_be_reached_is_refused_with_the_remedy() {
        saltus_netns::isolated(|| {
            saltus_netns::ip("route del 224.0.0.0/4 dev lo");
            let why = route(SocketAddr::from(([239, 255, 76, 67], 7667))).expect_err("no route").to_string();
            assert!(why.contains("`ip link set lo multicast on; ip route add 224.0.0.0/4 dev lo`"), "{why}");
            let why = hub(SocketAddr::from(([127, 0, 0, 1], 7700))).expect_err("no hub").to_string();
            assert!(why.contains("`saltus hub`"), "{why}");
        });
    }
}
