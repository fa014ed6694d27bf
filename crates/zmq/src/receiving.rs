//! The receiving side: one socket that is connected to all publishers.

use super::directory::{Directory, Watch};
use super::library as lib;
use super::places::Places;
use super::settings::{LONGEST, Settings};
use super::socket::{Context, Part, Socket};
use saltus_os::clock;
use saltus_transport::{About, Arrival, Error, Event, Result, Sink, Timer};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::os::fd::RawFd;
use std::path::PathBuf;
use std::sync::Arc;

/// Most messages received before waiting subscribers are woken. The rest raises the descriptor again.
const BATCH: usize = 10_000;
/// Most publishers of a directory that are connected to.
const MOST_PEERS: usize = 1024;
/// How long the last messages of a publisher whose file is gone may be in transit, in ns.
const FAREWELL_WAIT: u64 = 5_000_000_000;
/// Interval between searches for a missing directory, in ns.
const AGAIN: u64 = 1_000_000_000;

/// Descriptors, besides the socket's and the directory's, that are readable when a thread must check.
#[derive(Debug)]
pub(super) struct Ready {
    /// A thread must receive, although the socket's own descriptor may be low.
    again: Event,
    /// A thread must check for departed publishers.
    later: Timer,
}

impl Ready {
    pub fn new() -> Result<Ready> {
        Ok(Ready { again: Event::new()?, later: Timer::new()? })
    }
    pub fn fds(&self) -> [RawFd; 2] {
        [self.again.raw(), self.later.raw()]
    }
}

/// See the module.
pub(super) struct Receiving {
    socket: Socket,
    /// The socket's descriptor.
    fd: RawFd,
    /// Reports new publishers in the directory.
    watch: Option<Watch>,
    /// The publishers in the directory, and when to disconnect from departed ones.
    peers: HashMap<PathBuf, Option<u64>>,
    /// When to check publishers without a change in the directory, in monotonic ns.
    next_look: u64,
    /// Whether `current` is raised.
    again: bool,
    /// Whether messages with another number of parts, and too many publishers, were reported.
    reported: [bool; 2],
    /// Marks this process as subscribing in the directory.
    mark: Option<File>,
}

/// The subscription of the process with that file: not a channel name, and after all channels in the library's
/// order.
pub(super) fn greeting(mark: &str) -> Vec<u8> {
    [b"\xff\xff", mark.as_bytes()].concat()
}

fn failed(what: &'static str) -> impl Fn(io::Error) -> Error {
    move |e| Error::system(what, e)
}

impl Receiving {
    /// Connects to all publishers, except, if `published`, those that this process has bound.
    pub fn open(
        context: &Arc<Context>,
        places: &Places,
        settings: &Settings,
        published: bool,
        ready: &Ready,
    ) -> Result<Receiving> {
        let socket = Socket::subscriber(context).map_err(failed("make a socket to receive with"))?;
        let ipv6 = places.has_ipv6().into();
        let options = [(lib::RCVHWM, settings.hwm), (lib::LINGER, 0), (lib::IPV6, ipv6)];
        // Connections to publishers that are missing or gone are retried after 20 ms to 1 s.
        let patience = [(lib::RECONNECT_IVL, 20), (lib::RECONNECT_IVL_MAX, 1000)];
        // A machine that has disappeared is detected within 20 s.
        let alive = [
            (lib::TCP_KEEPALIVE, 1),
            (lib::TCP_KEEPALIVE_IDLE, 10),
            (lib::TCP_KEEPALIVE_INTVL, 2),
            (lib::TCP_KEEPALIVE_CNT, 5),
        ];
        let set = [&options[..], &patience, &alive].iter().try_for_each(|some| socket.set_all(some));
        set.and_then(|()| socket.set(lib::MAXMSGSIZE, &(LONGEST as i64).to_ne_bytes()))
            .map_err(failed("set the options of a socket"))?;
        let watch = match &places.directory {
            Some(directory) => {
                directory.make()?;
                Some(directory.watch()?)
            }
            None => None,
        };
        let fd = socket.fd().map_err(failed("ask for a socket's descriptor"))?;
        let mut receiving = Receiving {
            socket,
            fd,
            watch,
            peers: HashMap::new(),
            next_look: u64::MAX,
            again: false,
            reported: [false; 2],
            mark: None,
        };
        for endpoint in places.connect.iter().filter(|e| !(published && places.is_own(e))) {
            receiving.connect(endpoint)?;
        }
        if let Some(directory) = &places.directory {
            directory.sweep();
            receiving.look(directory, ready)?;
        }
        Ok(receiving)
    }

    /// The descriptors that are readable when a message or a new publisher has arrived.
    pub fn fds(&self) -> impl Iterator<Item = RawFd> {
        self.watch.iter().map(Watch::raw).chain([self.fd])
    }

    pub fn connect(&self, endpoint: &str) -> Result<()> {
        self.socket.connect(endpoint).map_err(|e| Error::system(format!("connect to {endpoint}"), e))
    }
    pub fn disconnect(&self, endpoint: &str) {
        let _ = self.socket.disconnect(endpoint); // it fails if there was no connection
    }

    /// `SUBSCRIBE` or `UNSUBSCRIBE` to names with this prefix.
    pub fn want(&mut self, option: i32, prefix: &[u8], ready: &Ready) -> Result<()> {
        let done = self.socket.set(option, prefix).map_err(failed("subscribe"));
        self.rouse(ready);
        done
    }

    /// Adds the greeting subscription after all others. New publishers wait for it when they see the file in the
    /// directory.
    pub fn greet(&mut self, directory: &Directory, ready: &Ready) -> Result<()> {
        if self.mark.is_some() {
            return Ok(());
        }
        self.want(lib::SUBSCRIBE, &greeting(&directory.mark_name()), ready)?;
        self.mark = Some(directory.mark()?);
        Ok(())
    }

    /// Call this after any operation on the socket except receiving: the operation may have lowered its descriptor
    /// although messages are waiting.
    pub fn rouse(&mut self, ready: &Ready) {
        if !std::mem::replace(&mut self.again, true) {
            ready.again.raise();
        }
    }

    pub fn drain(&mut self, places: &Places, ready: &Ready, sink: &mut dyn Sink) -> Result<()> {
        if std::mem::take(&mut self.again) {
            ready.again.lower();
        }
        let (mut name, mut payload) = (Part::new(), Part::new());
        let (mut odd, mut left) = (None, BATCH);
        while left > 0 && self.receive(&mut name)? {
            left -= 1;
            let mut parts = 1;
            while if parts == 1 { name.more() } else { payload.more() } {
                if !self.receive(&mut payload)? {
                    break; // the library has messages whole or not at all
                }
                parts += 1;
            }
            if parts == 2 {
                let about = About { arrived: clock::boottime(), lost: About::UNKNOWN, ..About::default() };
                sink.take(Arrival { channel: name.bytes(), payload: payload.bytes(), about });
            } else if parts == 1 || sink.wants(name.bytes()) {
                let start = &name.bytes()[..name.bytes().len().min(40)];
                odd = Some((String::from_utf8_lossy(start).into_owned(), parts));
            }
        }
        if left == 0 {
            self.rouse(ready);
        }
        if let Some(directory) = &places.directory {
            let changed = self.watch.as_ref().is_some_and(Watch::changed);
            if changed || clock::monotonic() >= self.next_look {
                self.look(directory, ready)?;
                self.rouse(ready);
            }
        }
        match odd {
            Some((name, parts)) if !std::mem::replace(&mut self.reported[0], true) => {
                Err(Error::undecodable(format!(
                    "a message that begins with `{name}` has {parts} parts; here it has two, the channel and the payload: \
                     it is skipped, and later ones like it are skipped without a report"
                )))
            }
            _ => Ok(()),
        }
    }

    fn receive(&self, part: &mut Part) -> Result<bool> {
        self.socket.receive(part).map_err(failed("receive"))
    }

    /// Connects to new publishers in the directory, and disconnects from those that have long gone.
    fn look(&mut self, directory: &Directory, ready: &Ready) -> Result<()> {
        let now = clock::monotonic();
        let found = self.watch.as_ref().map_or_else(|| directory.others(), |watch| watch.others(directory));
        let (others, mut next) = match found {
            Ok(others) => (others, u64::MAX),
            // It was removed: the next publisher creates it again.
            Err(_) if directory.is_gone() => (HashSet::new(), now + AGAIN),
            Err(e) => return Err(e),
        };
        for (path, gone) in &mut self.peers {
            let there = others.contains(path);
            *gone = if there { None } else { gone.or(Some(now + FAREWELL_WAIT)) };
        }
        let socket = &self.socket;
        self.peers.retain(|path, gone| {
            let stays = gone.is_none_or(|due| due > now);
            if stays {
                next = next.min(gone.unwrap_or(u64::MAX));
            } else {
                let _ = socket.disconnect(&Directory::endpoint(path)); // it is connected
            }
            stays
        });
        self.next_look = next;
        ready.later.set((next != u64::MAX).then_some(next));
        let mut trouble = Ok(());
        for path in others {
            if self.peers.contains_key(&path) {
                continue;
            }
            if self.peers.len() >= MOST_PEERS {
                let reported = std::mem::replace(&mut self.reported[1], true);
                return if reported { Ok(()) } else { Err(too_many()) };
            }
            trouble = trouble.and(self.connect(&Directory::endpoint(&path)));
            self.peers.insert(path, None); // once is enough for one that cannot be connected to
        }
        trouble
    }
}

fn too_many() -> Error {
    Error::invalid(format!("more than {MOST_PEERS} publishers in one directory: the others are not received"))
}
