//! A client with its socket. It reconnects by itself, driven by calls that publish or drain.
//!
//! Three locks, taken in this order: `sending` while a frame is sent, so that frames of several threads never mix;
//! `reading` while receiving; `link` briefly, to check the connection. A thread that waits for the hub to accept
//! more holds only `sending`, so that others can receive in the meantime, and no two sides ever wait for each
//! other.

use super::frame::{self, Decoder, Frame};
use super::intake::Intake;
use super::session::Session;
use super::socket::{Room, Socket};
use super::{CHANNEL, HELLO_HUB, MESSAGE, VERSION_MARKS};
use crate::{Error, Result};
use saltus_os::clock;
use saltus_os::epoll::{Epoll, READ, Timer, WRITE};
use saltus_os::fd::{AsFd, BorrowedFd};
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const MILLISECOND: u64 = 1_000_000;
/// Longest wait for the first connection, and for the hub to accept more of a message, in ns.
const PATIENCE: u64 = 1000 * MILLISECOND;
/// Longest wait for a connected hub to confirm a subscription, in ns.
const SETTLE: u64 = 5000 * MILLISECOND;
/// Longest wait for the hub to accept a message before publishing fails, in ns.
const ROOM: u64 = 100 * MILLISECOND;
/// The slowest hub that a message is sent to, in bytes per second.
const SLOWEST: u64 = 16 << 10;
/// Bytes read at once, and in one drain before waiting subscribers are woken.
const PIECE: usize = 256 << 10;
const DRAIN: usize = 4 << 20;
/// Most bytes buffered while waiting for a subscription's confirmation.
const ASIDE: usize = 16 << 20;

/// A received message.
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

/// Marks requested on this connection.
#[derive(Debug, Default)]
struct Sending {
    marks: u64,
}

#[derive(Debug)]
struct Reading {
    /// The connection that the other fields belong to.
    connection: u64,
    intake: Intake,
    buffer: Box<[u8]>,
    /// Frames that arrived while a thread waited for a mark.
    aside: Vec<u8>,
    /// Marks received.
    marks: u64,
}

#[derive(Debug, Default)]
struct Link {
    session: Session,
    socket: Option<Arc<Socket>>,
    /// Counts connections.
    connection: u64,
    /// Connection attempts, each at the next address.
    tries: usize,
    /// Why it is not connected.
    why: String,
    /// Whether the next drain must report the lost hub. Set once each time the hub is lost.
    untold: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner) // a panic in a sink leaves nothing half done
}

impl Client {
    /// A client of the hub at one of these addresses. Nothing is sent before the first publish or subscribe.
    pub fn open(addresses: &[SocketAddr]) -> Result<Client> {
        let failed = |e| {
            Error::socket(
                "cannot create the client's descriptors",
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

    /// Publishes. If the hub does not accept it, waits up to a tenth of a second, and longer only within a message.
    ///
    /// # Errors
    /// No connection to the hub, returned immediately; a hub that accepts no more; a message or name that is too
    /// long.
    pub fn publish(&self, channel: &[u8], payload: &[u8]) -> Result<()> {
        if payload.len() > MESSAGE {
            return Err(Error::TooLong { size: payload.len() });
        }
        if channel.len() > CHANNEL {
            let what = format!("a channel name of {} bytes: a hub accepts at most {CHANNEL}", channel.len());
            return Err(Error::Invalid { what });
        }
        let mut sending = lock(&self.sending);
        self.connect(&mut sending, true);
        if !lock(&self.link).session.wants_any() {
            // Nothing else would notice that the hub is gone.
            self.read(&mut |_| {});
        }
        let (connection, socket) = self.up()?;
        self.send(connection, &socket, &[&frame::publish_head(channel, payload.len()), payload])
    }

    /// Subscribes to all channels whose whole name `expression` matches. A Saltus hub has the subscription when
    /// this returns, unless it does not answer within 5 s. Without a connection, the subscription is sent with the
    /// next one. Equal subscriptions count as one.
    pub fn subscribe(&self, expression: &[u8]) -> Result<()> {
        let mut sending = lock(&self.sending);
        self.connect(&mut sending, true);
        let say = lock(&self.link).session.subscribe(expression);
        let Ok((connection, socket)) = self.up() else { return Ok(()) };
        if let Some(say) = say {
            // If the connection breaks here, the next one sends the subscription.
            let _ = self.send(connection, &socket, &[&say]);
        }
        drop(sending);
        self.settle(connection, &socket);
        Ok(())
    }
    /// Cancels one subscription to exactly this expression.
    pub fn unsubscribe(&self, expression: &[u8]) {
        let _sending = lock(&self.sending);
        let say = lock(&self.link).session.unsubscribe(expression);
        if let (Some(say), Ok((connection, socket))) = (say, self.up()) {
            let _ = self.send(connection, &socket, &[&say]); // as above
        }
    }

    /// Receives what has arrived, without waiting, and maintains the connection.
    ///
    /// # Errors
    /// Once each time the hub is lost, or cannot be reached at first; the client keeps trying by itself.
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
        let remedy = "the client keeps trying; is a hub running there (`saltus hub`)?";
        Error::socket(format!("no connection to the hub at {hub}"), remedy, source)
    }
    /// The present connection.
    fn up(&self) -> Result<(u64, Arc<Socket>)> {
        let link = lock(&self.link);
        match &link.socket {
            Some(socket) if link.session.is_up() => Ok((link.connection, socket.clone())),
            _ => Err(self.lost_error(&link)),
        }
    }

    /// Continues to connect, if there is no connection. With `wait`, the very first attempt is waited for.
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
        drop(link); // only the thread that sends makes connections
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
        let _ = self.send(connection, &socket, &[&hello]); // if it breaks, the client reconnects
        if first {
            // A program that ends with an unread answer resets the connection, and the hub loses what it has not read yet.
            self.await_from(connection, &socket, clock::monotonic() + PATIENCE, Reading::knows);
        }
    }

    /// Records that there is no connection.
    fn fail(&self, link: &mut Link, why: &str) {
        if let Some(socket) = link.socket.take() {
            self.epoll.remove(socket.raw());
            socket.shut(); // wakes the threads that wait for it
        }
        link.untold |= link.session.is_up() || link.why.is_empty();
        why.clone_into(&mut link.why);
        link.session.failed(clock::monotonic());
        self.timer.set(link.session.due());
    }
    /// Records that this connection broke, if it is still the present one.
    fn lose(&self, connection: u64, why: &str) {
        let mut link = lock(&self.link);
        if link.connection == connection && link.session.is_up() {
            self.fail(&mut link, why);
        }
    }

    /// Sends a whole frame or nothing of it; otherwise the connection is closed.
    fn send(&self, connection: u64, socket: &Socket, pieces: &[&[u8]]) -> Result<()> {
        match socket.send(pieces, ROOM, PATIENCE, SLOWEST) {
            Ok(Room::Sent) => Ok(()),
            Ok(Room::None) => Err(Error::socket(
                format!("the hub at {} is not accepting data, the message was not sent", socket.address()),
                "publish less, or find out why the hub does not keep up (`saltus hub --stat`)",
                ErrorKind::WouldBlock.into(),
            )),
            Err(e) => {
                self.lose(connection, &e.to_string());
                Err(self.lost_error(&lock(&self.link)))
            }
        }
    }

    /// Receives what has arrived on the connection, if there is one.
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

    /// Waits until the hub has processed all requests, if it supports marks.
    fn settle(&self, connection: u64, socket: &Socket) {
        let deadline = clock::monotonic() + SETTLE;
        if !self.await_from(connection, socket, deadline, Reading::knows)
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
    /// Buffers what arrives until `done`. `false`: timed out, or the connection broke.
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
                self.timer.set(Some(1)); // there are messages to drain
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
    /// Resets the state for a new connection.
    fn begin(&mut self, connection: u64) {
        if self.connection < connection {
            self.connection = connection;
            self.intake = Intake::new(HELLO_HUB);
            self.marks = 0;
        }
    }
    /// Whether the hub has answered.
    fn knows(&self) -> bool {
        self.intake.version().is_some()
    }
    /// Handles frames that have arrived, until none is left or `most` bytes were read.
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
                self.intake.next(&mut input).map_err(|e| format!("not a tcpq hub: {e}"))?
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

/// Readable when [`Client::drain`] has something to do. It stays the same across connections.
impl AsFd for Client {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }
}
