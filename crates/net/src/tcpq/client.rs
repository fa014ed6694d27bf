//! A client with its socket. It reconnects by itself; nobody needs to be there for it but who publishes or drains.
//!
//! Three locks, taken in this order: `sending` while a frame goes out, so that frames of several threads never mix;
//! `reading` by who takes in what has come; `link` for a moment, to see how things stand. Who waits for the hub to take
//! more holds `sending` alone, so that what comes is taken in meanwhile, and no two sides ever wait for each other.

use super::frame::{self, Decoder, Frame};
use super::intake::Intake;
use super::session::Session;
use super::socket::{Room, Socket};
use super::{CHANNEL, HELLO_HUB, MESSAGE, VERSION_MARKS};
use crate::{Error, Result};
use saltus_os::clock;
use saltus_os::epoll::{Epoll, READ, Timer, WRITE};
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const MILLISECOND: u64 = 1_000_000;
/// How long the first connection is waited for, and room for more of a message, in ns.
const PATIENCE: u64 = 1000 * MILLISECOND;
/// How long a hub that is there may take to say that it has a subscription, in ns.
const SETTLE: u64 = 5000 * MILLISECOND;
/// How long the hub may take to make room for a message before it is refused, in ns.
const ROOM: u64 = 100 * MILLISECOND;
/// Bytes read at once, and in one drain: then those who sleep are woken.
const PIECE: usize = 256 << 10;
const DRAIN: usize = 4 << 20;
/// The most that is set aside while a subscription is waited for.
const ASIDE: usize = 16 << 20;

/// A message that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived<'a> {
    /// Its channel.
    pub channel: &'a [u8],
    /// The message.
    pub payload: &'a [u8],
}

/// A client of a hub, for any number of threads.
#[derive(Debug)]
pub struct Client {
    addresses: Vec<SocketAddr>,
    epoll: Epoll,
    timer: Timer,
    sending: Mutex<Sending>,
    reading: Mutex<Reading>,
    link: Mutex<Link>,
}

/// Marks asked for on this connection.
#[derive(Debug, Default)]
struct Sending {
    marks: u64,
}

#[derive(Debug)]
struct Reading {
    /// The connection that the rest is about.
    connection: u64,
    intake: Intake,
    buffer: Box<[u8]>,
    /// Frames that came while somebody waited for a mark.
    aside: Vec<u8>,
    /// Marks that came.
    marks: u64,
}

#[derive(Debug, Default)]
struct Link {
    session: Session,
    socket: Option<Arc<Socket>>,
    /// Counts connections.
    connection: u64,
    /// Tries, each at the next address.
    tries: usize,
    /// Why it is not connected.
    why: String,
    /// Whether who drains is still to be told so. Once for each time that the hub was lost.
    untold: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner) // a sink's panic leaves nothing half done
}

impl Client {
    /// A client of the hub at one of these addresses. Nothing is sent before something is published or subscribed to.
    pub fn open(addresses: &[SocketAddr]) -> Result<Client> {
        let failed = |e| {
            Error::socket(
                "cannot make what a client waits on",
                "raise the limit of open files (`ulimit -n`)",
                e,
            )
        };
        if addresses.is_empty() {
            return Err(Error::Invalid { what: "a client needs the address of a hub".into() });
        }
        let (epoll, timer) = (Epoll::new().map_err(failed)?, Timer::new().map_err(failed)?);
        epoll.add(timer.raw(), READ, 0).map_err(failed)?;
        let reading = Reading {
            connection: 0,
            intake: Intake::new(HELLO_HUB),
            buffer: vec![0; PIECE].into(),
            aside: Vec::new(),
            marks: 0,
        };
        Ok(Client {
            addresses: addresses.to_vec(),
            epoll,
            timer,
            sending: Mutex::default(),
            reading: Mutex::new(reading),
            link: Mutex::default(),
        })
    }

    /// Publishes. If the hub does not take it, it is waited for a tenth of a second, and longer only within a message.
    ///
    /// # Errors
    /// No connection to the hub, told at once; a hub that takes no more; a message or a name that is too long.
    pub fn publish(&self, channel: &[u8], payload: &[u8]) -> Result<()> {
        if payload.len() > MESSAGE {
            return Err(Error::TooLong { size: payload.len() });
        }
        if channel.len() > CHANNEL {
            let what = format!("a channel's name of {} bytes: a hub takes {CHANNEL}", channel.len());
            return Err(Error::Invalid { what });
        }
        let mut sending = lock(&self.sending);
        self.connect(&mut sending, true);
        if !lock(&self.link).session.wants_any() {
            // Nobody else would notice that the hub is gone.
            self.read(&mut |_| {});
        }
        let (connection, socket) = self.up()?;
        self.send(connection, &socket, &[&frame::publish_head(channel, payload.len()), payload])
    }

    /// Subscribes to all channels whose whole name `expression` matches. A hub of Saltus has it when this returns, unless it says
    /// nothing for 5 s; if there is no connection, it gets it with the next. Subscriptions that are equal are one.
    pub fn subscribe(&self, expression: &[u8]) -> Result<()> {
        let mut sending = lock(&self.sending);
        self.connect(&mut sending, true);
        let say = lock(&self.link).session.subscribe(expression);
        let Ok((connection, socket)) = self.up() else { return Ok(()) };
        if let Some(say) = say {
            // A connection that breaks here is made anew, and it is said then.
            let _ = self.send(connection, &socket, &[&say]);
        }
        drop(sending);
        self.settle(connection, &socket);
        Ok(())
    }
    /// Takes back what was subscribed to by this very expression, once.
    pub fn unsubscribe(&self, expression: &[u8]) {
        let _sending = lock(&self.sending);
        let say = lock(&self.link).session.unsubscribe(expression);
        if let (Some(say), Ok((connection, socket))) = (say, self.up()) {
            let _ = self.send(connection, &socket, &[&say]); // as above
        }
    }

    /// Takes in what has come, without waiting, and sees to the connection.
    ///
    /// # Errors
    /// Once for each time that the hub is lost, or cannot be reached at first; it is tried again by itself.
    pub fn drain(&self, each: &mut dyn FnMut(Arrived<'_>)) -> Result<()> {
        if self.is_to_do() {
            self.connect(&mut lock(&self.sending), false);
        }
        self.read(each);
        let mut link = lock(&self.link);
        if std::mem::take(&mut link.untold) { Err(self.lost_error(&link)) } else { Ok(()) }
    }
    /// Whether it is connected.
    pub fn is_connected(&self) -> bool {
        lock(&self.link).session.is_up()
    }

    fn is_to_do(&self) -> bool {
        let link = lock(&self.link);
        link.session.is_connecting() || link.session.is_due(clock::monotonic())
    }
    fn lost_error(&self, link: &Link) -> Error {
        let hub = self.addresses[link.tries.saturating_sub(1) % self.addresses.len()];
        let source = io::Error::new(ErrorKind::NotConnected, link.why.clone());
        let remedy = "it is tried again by itself; is a hub running there (`saltus hub`)?";
        Error::socket(format!("no connection to the hub at {hub}"), remedy, source)
    }
    /// The connection.
    fn up(&self) -> Result<(u64, Arc<Socket>)> {
        let link = lock(&self.link);
        match &link.socket {
            Some(socket) if link.session.is_up() => Ok((link.connection, socket.clone())),
            _ => Err(self.lost_error(&link)),
        }
    }

    /// Goes on with making a connection, if there is none. With `wait`, the very first is waited for.
    fn connect(&self, sending: &mut Sending, wait: bool) {
        let mut link = lock(&self.link);
        let now = clock::monotonic();
        if link.session.is_due(now) {
            let address = self.addresses[link.tries % self.addresses.len()];
            link.tries += 1;
            link.session.connecting(now);
            match Socket::connect(address) {
                Ok(socket) => {
                    let _ = self.epoll.add(socket.raw(), WRITE, 0);
                    link.socket = Some(Arc::new(socket));
                }
                Err(e) => return self.fail(&mut link, &e.to_string()),
            }
            self.timer.set(link.session.due());
        }
        let Some(socket) = link.socket.clone().filter(|_| link.session.is_connecting()) else { return };
        let first = wait && link.connection == 0 && link.why.is_empty();
        drop(link); // nobody but who sends makes connections
        let made = socket.is_connected(if first { now + PATIENCE } else { 0 });
        let mut link = lock(&self.link);
        match made {
            Ok(true) => {}
            Ok(false) if link.session.is_late(clock::monotonic()) => {
                return self.fail(&mut link, "no answer");
            }
            Ok(false) => return,
            Err(e) => return self.fail(&mut link, &e.to_string()),
        }
        sending.marks = 0;
        let hello = link.session.connected();
        link.connection += 1;
        let connection = link.connection;
        (link.untold, link.why) = (false, String::new());
        let _ = self.epoll.change(socket.raw(), READ, 0);
        self.timer.set(None);
        drop(link);
        let _ = self.send(connection, &socket, &[&hello]); // if it breaks, it is made anew
    }

    /// There is no connection.
    fn fail(&self, link: &mut Link, why: &str) {
        if let Some(socket) = link.socket.take() {
            self.epoll.remove(socket.raw());
            socket.shut(); // who waits for it is woken
        }
        link.untold |= link.session.is_up() || link.why.is_empty();
        why.clone_into(&mut link.why);
        link.session.failed(clock::monotonic());
        self.timer.set(link.session.due());
    }
    /// This connection broke, if it is still the one.
    fn lose(&self, connection: u64, why: &str) {
        let mut link = lock(&self.link);
        if link.connection == connection && link.session.is_up() {
            self.fail(&mut link, why);
        }
    }

    /// Sends a frame, all of it or nothing of it, or else the connection is given up.
    fn send(&self, connection: u64, socket: &Socket, pieces: &[&[u8]]) -> Result<()> {
        match socket.send(pieces, ROOM, PATIENCE) {
            Ok(Room::Sent) => Ok(()),
            Ok(Room::None) => Err(Error::socket(
                format!("the hub at {} takes no more, the message was not sent", socket.address()),
                "publish less, or find out why the hub does not keep up (`saltus hub --stat`)",
                ErrorKind::WouldBlock.into(),
            )),
            Err(e) => {
                self.lose(connection, &e.to_string());
                Err(self.lost_error(&lock(&self.link)))
            }
        }
    }

    /// Takes in what has come on the connection, if there is one.
    fn read(&self, each: &mut dyn FnMut(Arrived<'_>)) {
        let Ok((connection, socket)) = self.up() else { return };
        let mut reading = lock(&self.reading);
        reading.begin(connection);
        if !reading.aside.is_empty() {
            reading.bring_back(each);
            self.timer.set(lock(&self.link).session.due());
        }
        if let Err(why) = reading.take(&socket, DRAIN, &mut |frame| {
            if let Frame::Publish { channel, payload, .. } = frame {
                each(Arrived { channel, payload });
            }
        }) {
            self.lose(connection, &why);
        }
    }

    /// Waits until the hub has all that was asked of it, if it is one that can tell.
    fn settle(&self, connection: u64, socket: &Socket) {
        let deadline = clock::monotonic() + SETTLE;
        let knows = |reading: &Reading| reading.intake.version().is_some();
        if !self.await_from(connection, socket, deadline, knows)
            || lock(&self.reading).intake.version() != Some(VERSION_MARKS)
        {
            return;
        }
        let mut sending = lock(&self.sending);
        let mut mark = Vec::new();
        frame::mark(&mut mark);
        if lock(&self.link).connection != connection || self.send(connection, socket, &[&mark]).is_err() {
            return;
        }
        sending.marks += 1;
        let mine = sending.marks;
        drop(sending);
        self.await_from(connection, socket, deadline, |reading| reading.marks >= mine);
    }
    /// Sets aside what comes until `done`. `false`: it did not come in time, or the connection broke.
    fn await_from(
        &self,
        connection: u64,
        socket: &Socket,
        deadline: u64,
        done: impl Fn(&Reading) -> bool,
    ) -> bool {
        loop {
            let mut reading = lock(&self.reading);
            if reading.connection > connection {
                return false;
            }
            reading.begin(connection);
            if done(&reading) {
                return true;
            }
            if reading.aside.len() >= ASIDE {
                return false;
            }
            let mut aside = std::mem::take(&mut reading.aside);
            let result = reading.take(socket, PIECE, &mut |frame| {
                if let Frame::Publish { raw, .. } = frame {
                    aside.extend_from_slice(raw);
                }
            });
            if !aside.is_empty() {
                self.timer.set(Some(1)); // there is something to drain
            }
            reading.aside = aside;
            if let Err(why) = result {
                drop(reading);
                self.lose(connection, &why);
                return false;
            }
            if done(&reading) {
                return true;
            }
            drop(reading);
            if !socket.wait_readable(deadline) {
                return false;
            }
        }
    }
}

impl Reading {
    /// All that follows is of this connection.
    fn begin(&mut self, connection: u64) {
        if self.connection < connection {
            self.connection = connection;
            self.intake = Intake::new(HELLO_HUB);
            self.marks = 0;
        }
    }
    /// Frames that have come, until there are no more or `most` bytes were read.
    fn take(
        &mut self,
        socket: &Socket,
        most: usize,
        each: &mut dyn FnMut(Frame<'_>),
    ) -> std::result::Result<(), String> {
        let mut read = 0;
        while read < most {
            let n = match socket.receive(&mut self.buffer) {
                Ok(0) => return Err("the hub closed it".into()),
                Ok(n) => n,
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => return Err(e.to_string()),
            };
            read += n;
            let mut input = &self.buffer[..n];
            while let Some(frame) =
                self.intake.next(&mut input).map_err(|e| format!("what is there is no hub: {e}"))?
            {
                self.marks += u64::from(frame == Frame::Mark);
                each(frame);
            }
        }
        Ok(())
    }
    fn bring_back(&mut self, each: &mut dyn FnMut(Arrived<'_>)) {
        let (aside, mut decoder) = (std::mem::take(&mut self.aside), Decoder::new());
        let mut input = &aside[..];
        while let Ok(Some(Frame::Publish { channel, payload, .. })) = decoder.next(&mut input) {
            each(Arrived { channel, payload });
        }
    }
}

/// Readable when [`Client::drain`] has something to do. It stays the same whatever becomes of the connection.
impl AsFd for Client {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }
}
