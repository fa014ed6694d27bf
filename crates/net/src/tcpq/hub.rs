//! The hub with its sockets: one thread, which never waits for a client.

use super::MESSAGE;
use super::access::Access;
use super::queue::QueueLimits;
use super::socket::probe;
use super::switch::{ClientStats, Reason, Stats, Switch};
use crate::{Error, Result, system};
use saltus_os::clock;
use saltus_os::epoll::{BROKEN, Epoll, Event, READ, Timer, WRITE};
use saltus_os::fd::{AsFd, AsRawFd, BorrowedFd};
use socket2::SockRef;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

/// Most bytes read from a client per turn, so that others need not wait.
const TURN: usize = 256 << 10;
/// Most clients accepted per turn, so that clients that only connect delay no others.
const ACCEPTS: usize = 32;
/// Most frames passed to the kernel at once.
const PIECES: usize = 64;
/// How long it processes buffered input of clients before it checks all others again, in ns.
const WORK: u64 = 2_000_000;
/// How long no client is accepted when the system has no descriptor left, in ns.
const PAUSE: u64 = 100_000_000;
/// Most unsent bytes that the kernel holds for a client: these can no longer be dropped for newer ones.
const UNSENT: i32 = 256 << 10;

const LISTENER: u64 = 0;
const STOP: u64 = 1;
const TIMER: u64 = 2;
const FIRST: u64 = 3;

/// Limits of a hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most clients.
    pub clients: usize,
    /// Most data queued for one client.
    pub queue: QueueLimits,
    /// Most bytes queued for all clients together. A message for several clients counts for each.
    pub queues: usize,
    /// Most bytes of incomplete messages, for all clients together.
    pub intake: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { clients: 256, queue: QueueLimits::default(), queues: 1 << 30, intake: 2 * MESSAGE }
    }
}

/// An event of a hub, to log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Told {
    /// A client has connected.
    Joined(SocketAddr),
    /// A client was disconnected, and why.
    Left(SocketAddr, Reason),
    /// A client's subscription is invalid, and why. Its other subscriptions stay.
    Refused(SocketAddr, String),
    /// The system currently refuses new clients.
    NoMore(String),
}

/// The state of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientInfo {
    /// Its address.
    pub address: SocketAddr,
    /// Its counters.
    pub stats: ClientStats,
}

/// Stops [`Hub::run`], from another thread or a signal handler.
#[derive(Clone, Debug)]
pub struct Stop(Arc<Event>);

impl Stop {
    /// Stops it. Async-signal-safe.
    pub fn stop(&self) {
        self.0.raise();
    }
}

#[derive(Debug)]
struct Connection {
    stream: TcpStream,
    address: SocketAddr,
    /// Whether the hub waits until it accepts more data.
    blocked: bool,
    /// Whether it is not read, because its earlier input waits for its turn.
    busy: bool,
    /// Whether its connection broke.
    broken: bool,
}

/// A hub.
///
/// ```
/// use saltus_net::tcpq::{Client, Hub, Limits};
/// let mut hub = Hub::bind("127.0.0.1:0", Limits::default())?;
/// let (address, stop) = (hub.address(), hub.stop());
/// let thread = std::thread::spawn(move || hub.run());
/// let client = Client::open(&[address])?;
/// client.publish(b"POSE", b"...")?;
/// stop.stop();
/// thread.join().unwrap()?;
/// # Ok::<(), saltus_net::Error>(())
/// ```
#[derive(Debug)]
pub struct Hub {
    listener: TcpListener,
    address: SocketAddr,
    limits: Limits,
    access: Access,
    epoll: Epoll,
    stop: Arc<Event>,
    timer: Timer,
    switch: Switch,
    connections: BTreeMap<u64, Connection>,
    next: u64,
    buffer: Box<[u8]>,
    told: Vec<Told>,
    /// Until when no client is accepted.
    paused: Option<u64>,
    stopped: bool,
}

fn failed(what: &str) -> impl Fn(io::Error) -> Error + '_ {
    move |e| Error::socket(format!("cannot {what}"), "raise the limit of open files (`ulimit -n`)", e)
}

impl Hub {
    /// A hub that listens at an address; port 0 chooses a free one.
    pub fn bind(address: impl ToSocketAddrs + std::fmt::Display, limits: Limits) -> Result<Hub> {
        let refused = |e| {
            let remedy = "choose another address, or find who listens there (`ss -ltnp`)";
            Error::socket(format!("cannot listen at {address}"), remedy, e)
        };
        let listener = TcpListener::bind(&address).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let what = failed("create the hub's descriptors");
        let (epoll, stop, timer) =
            (Epoll::new().map_err(&what)?, Event::new().map_err(&what)?, Timer::new().map_err(&what)?);
        for (fd, token) in [(listener.as_raw_fd(), LISTENER), (stop.raw(), STOP), (timer.raw(), TIMER)] {
            epoll.add(fd, READ, token).map_err(&what)?;
        }
        Ok(Hub {
            listener,
            address,
            limits,
            access: Access::of(address),
            epoll,
            stop: Arc::new(stop),
            timer,
            switch: Switch::new(limits.queue, limits.queues, limits.intake),
            connections: BTreeMap::new(),
            next: FIRST,
            buffer: vec![0; TURN].into(),
            told: Vec::new(),
            paused: None,
            stopped: false,
        })
    }

    /// Accepts only these clients from now on. Before, it accepts those of [`Access::of`] its address.
    pub fn admit(&mut self, access: Access) {
        self.access = access;
    }
    /// Which clients it accepts.
    pub fn access(&self) -> &Access {
        &self.access
    }
    /// The address it listens at.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
    /// The handle that stops [`Hub::run`].
    pub fn stop(&self) -> Stop {
        Stop(self.stop.clone())
    }
    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }
    /// Forwards messages until it is stopped. Its events are discarded.
    pub fn run(&mut self) -> Result<()> {
        while !self.stopped {
            self.turn(u64::MAX)?;
            self.told.clear();
        }
        Ok(())
    }

    /// Waits until there is work, at most until `deadline` (monotonic, ns; 0: not at all), and does it. Returns
    /// whether there was any.
    pub fn turn(&mut self, deadline: u64) -> Result<bool> {
        let mut events = [(0, 0); 64];
        let mut count = 0;
        let deadline = if self.switch.is_busy() { 0 } else { deadline };
        self.switch.begin();
        self.epoll.wait(deadline, |token, ready| {
            if let Some(event) = events.get_mut(count) {
                *event = (token, ready);
                count += 1;
            }
        });
        for &(token, ready) in &events[..count] {
            match token {
                LISTENER => self.accept(),
                STOP => self.stopped = true,
                TIMER => self.tick(),
                id => {
                    if ready & (READ | BROKEN) != 0 {
                        self.read(id, ready & BROKEN != 0);
                    }
                    if ready & WRITE != 0 {
                        self.write(id);
                    }
                }
            }
        }
        let worked = self.work();
        for id in self.switch.full() {
            self.leave(id, Reason::Slow);
        }
        for id in self.switch.ready() {
            self.write(id);
        }
        for (id, why) in self.switch.refused() {
            if let Some(connection) = self.connections.get(&id) {
                self.told.push(Told::Refused(connection.address, why));
            }
        }
        Ok(count > 0 || worked)
    }

    /// Processes buffered input of clients for a limited time.
    fn work(&mut self) -> bool {
        if !self.switch.is_busy() {
            return false;
        }
        let end = clock::monotonic() + WORK;
        while let Some((id, result)) = self.switch.work() {
            self.after(id, result);
            if clock::monotonic() >= end {
                break;
            }
        }
        self.set_timer();
        true
    }
    /// Called when a client's input was processed, or waits for its turn.
    fn after(&mut self, id: u64, result: std::result::Result<(), Reason>) {
        if let Err(reason) = result {
            return self.leave(id, reason);
        }
        let busy = self.switch.waits(id);
        let Some(connection) = self.connections.get_mut(&id) else { return };
        let before = std::mem::replace(&mut connection.busy, busy);
        if connection.broken && !busy {
            return self.read(id, true); // reads the rest of its input, and then the end of the connection
        }
        if before == busy {
            return;
        }
        if let Err(e) = self.listen(id) {
            self.leave(id, Reason::Broken(e.to_string()));
        }
        if busy {
            self.set_timer();
        }
    }
    /// Waits for the events that a client needs now.
    fn listen(&self, id: u64) -> io::Result<()> {
        let Some(connection) = self.connections.get(&id).filter(|one| !one.broken) else { return Ok(()) };
        let read = if connection.busy { 0 } else { READ };
        let write = if connection.blocked { WRITE } else { 0 };
        self.epoll.change(connection.stream.as_raw_fd(), read | write, id)
    }

    /// The events since the last call.
    pub fn told(&mut self) -> Vec<Told> {
        std::mem::take(&mut self.told)
    }
    /// The state of all clients.
    pub fn clients(&self) -> Vec<ClientInfo> {
        let info = |(id, c): (&u64, &Connection)| {
            Some(ClientInfo { address: c.address, stats: self.switch.client(*id)? })
        };
        self.connections.iter().filter_map(info).collect()
    }
    /// Counts over all clients, including former ones.
    pub fn total(&self) -> Stats {
        self.switch.total()
    }
    /// Counts over all clients, including former ones, and the queues of present ones.
    pub fn all(&self) -> ClientStats {
        let clients = self.clients();
        let sum = |of: fn(&ClientStats) -> usize| clients.iter().map(|client| of(&client.stats)).sum();
        ClientStats {
            counts: self.total(),
            subscriptions: sum(|stats| stats.subscriptions),
            waiting: sum(|stats| stats.waiting),
            waiting_bytes: sum(|stats| stats.waiting_bytes),
        }
    }

    fn accept(&mut self) {
        for _ in 0..ACCEPTS {
            match self.listener.accept() {
                Ok((stream, address)) if self.connections.len() < self.limits.clients => {
                    let reason = match self.access.admits(&stream, address) {
                        Ok(true) => None,
                        Ok(false) => Some(Reason::Refused),
                        Err(e) => Some(Reason::Broken(e.to_string())),
                    };
                    if let Some(reason) = reason {
                        self.told.push(Told::Left(address, reason));
                    } else if let Err(e) = self.join(stream, address) {
                        self.told.push(Told::Left(address, Reason::Broken(e.to_string())));
                    }
                }
                Ok((_, address)) => self.told.push(Told::Left(address, Reason::Full)),
                Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                Err(e) if matches!(e.kind(), ErrorKind::ConnectionAborted | ErrorKind::Interrupted) => {}
                Err(e) => {
                    // Most likely no descriptor is left; trying again immediately would not help.
                    self.told.push(Told::NoMore(e.to_string()));
                    self.epoll.remove(self.listener.as_raw_fd());
                    self.paused = Some(clock::monotonic() + PAUSE);
                    return self.set_timer();
                }
            }
        }
    }

    fn join(&mut self, stream: TcpStream, address: SocketAddr) -> io::Result<()> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        // A client whose machine has disappeared is detected after two minutes.
        probe(&SockRef::from(&stream), Duration::from_secs(60), Duration::from_secs(20))?;
        system::limit_unsent(&stream, UNSENT)?;
        let id = self.next;
        self.next += 1;
        self.epoll.add(stream.as_raw_fd(), READ, id)?;
        self.connections
            .insert(id, Connection { stream, address, blocked: false, busy: false, broken: false });
        self.switch.join(id, clock::monotonic());
        self.told.push(Told::Joined(address));
        self.set_timer();
        Ok(())
    }

    fn leave(&mut self, id: u64, reason: Reason) {
        if let Some(connection) = self.connections.remove(&id) {
            self.epoll.remove(connection.stream.as_raw_fd());
            self.told.push(Told::Left(connection.address, reason));
        }
        self.switch.leave(id);
    }

    fn read(&mut self, id: u64, broken: bool) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        if connection.busy {
            // It is not read before its turn. Until then, `epoll` would report repeatedly that it broke.
            if broken && !std::mem::replace(&mut connection.broken, true) {
                self.epoll.remove(connection.stream.as_raw_fd());
            }
            return;
        }
        let result = match connection.stream.read(&mut self.buffer) {
            Ok(0) => Err(Reason::Left),
            Ok(n) => self.switch.received(id, &self.buffer[..n]),
            Err(e) if e.kind() == ErrorKind::WouldBlock && !connection.broken => Ok(()),
            Err(e) if e.kind() == ErrorKind::Interrupted => Ok(()),
            Err(e) => Err(Reason::Broken(e.to_string())),
        };
        self.after(id, result);
    }

    /// Passes data for a client to the kernel, at most one turn's worth.
    fn write(&mut self, id: u64) {
        let (mut left, mut blocked) = (TURN, false);
        while left > 0 && !blocked {
            let Some(connection) = self.connections.get_mut(&id) else { return };
            let Some(queue) = self.switch.queue(id).filter(|queue| !queue.is_empty()) else { break };
            let pieces: Vec<IoSlice<'_>> = queue.pieces(PIECES).map(IoSlice::new).collect();
            match connection.stream.write_vectored(&pieces) {
                Ok(n) => {
                    left = left.saturating_sub(n);
                    self.switch.sent(id, n);
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => blocked = true,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return self.leave(id, Reason::Broken(e.to_string())),
            }
        }
        let more = self.switch.queue(id).is_some_and(|queue| !queue.is_empty());
        let Some(connection) = self.connections.get_mut(&id) else { return };
        if more != connection.blocked {
            connection.blocked = more;
            if let Err(e) = self.listen(id) {
                self.leave(id, Reason::Broken(e.to_string()));
            }
        }
    }

    /// Disconnects silent clients, and accepts new ones again.
    fn tick(&mut self) {
        let now = clock::monotonic();
        for id in self.switch.silent(now) {
            self.leave(id, Reason::Silent);
        }
        if self.paused.is_some_and(|until| until <= now) {
            self.paused = match self.epoll.add(self.listener.as_raw_fd(), READ, LISTENER) {
                Ok(()) => None,
                Err(_) => Some(now + PAUSE),
            };
        }
        self.set_timer();
    }
    fn set_timer(&self) {
        let busy = self.switch.is_busy().then(clock::monotonic);
        self.timer.set(self.switch.deadline().into_iter().chain(self.paused).chain(busy).min());
    }
}

/// Readable when [`Hub::turn`] has something to do, for an existing event loop.
impl AsFd for Hub {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }
}
