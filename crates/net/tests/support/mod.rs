//! LCM as the other side of a network, and what both sides agree upon.

#![allow(dead_code)] // Each test uses a part of it.

use saltus_net::lcm::senders::Order;
use saltus_net::lcm::{Listener, Received};
pub use saltus_peers::{program, python};
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddrV4;
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often a made message repeats itself: a prime, and longer than any fragment, so that pieces in wrong places are seen.
const PERIOD: usize = 99_991;

/// The message of `size` bytes that `seed` makes, as the other side makes it too.
pub fn made(size: usize, seed: u32) -> Vec<u8> {
    let words =
        (0..PERIOD.min(size).div_ceil(4) as u32).map(|i| i.wrapping_mul(2_654_435_761).wrapping_add(seed));
    let mut bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    bytes.truncate(PERIOD);
    while bytes.len() < size {
        bytes.extend_from_within(..bytes.len().min(size - bytes.len()));
    }
    bytes.truncate(size);
    bytes
}

/// Runs a test in a network of its own, one at a time: LCM sends as fast as it can, and who is kept from reading loses.
pub fn alone(work: impl FnOnce() + Send) {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    saltus_netns::isolated(work);
}

/// A file beside this one.
pub fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support").join(name)
}

/// The file of that name somewhere below `dir`.
fn find(dir: &Path, name: &str) -> Option<PathBuf> {
    let mut paths = std::fs::read_dir(dir).ok()?.flatten().map(|entry| entry.path());
    paths.find_map(|path| match path.is_dir() {
        true => find(&path, name),
        false => path.ends_with(name).then_some(path),
    })
}

/// LCM's Java archive, which its Python package has.
pub fn jar() -> PathBuf {
    let site = python().ancestors().nth(2).expect("…/bin/python").join("lib");
    find(&site, "lcm.jar").expect("LCM's package has its Java archive")
}

/// LCM in another process, which does as it is told. It ends when this does.
pub struct Peer {
    child: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// What it was told last.
    told: String,
}

/// Longer than the other side takes for anything: what it waits for itself, it gives up after 60 s.
pub const ANSWER: Duration = Duration::from_secs(120);

impl Peer {
    /// LCM's C library, through Python.
    pub fn python(url: &str) -> Peer {
        Peer::start(program("python").arg(file("peer.py")).arg(url))
    }

    /// LCM's own implementation in Java.
    pub fn java(url: &str) -> Peer {
        Peer::start(Command::new("java").arg("-cp").arg(jar()).arg(file("Peer.java")).arg(url))
    }

    /// Starts a program that answers each line with one, and the start with `ok`.
    pub fn start(command: &mut Command) -> Peer {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the peer runs");
        let commands = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("piped"));
        let mut peer = Peer { child, commands, answers, told: format!("to start: {command:?}") };
        assert_eq!(peer.answer(), "ok");
        peer
    }

    /// Tells it what to do, without waiting for the answer.
    pub fn tell(&mut self, command: &str) {
        let commands = self.commands.as_mut().expect("piped");
        writeln!(commands, "{command}").and_then(|()| commands.flush()).expect("the peer listens");
        self.told = command.into();
    }

    /// Its next answer.
    pub fn answer(&mut self) -> String {
        let is_there = !self.answers.buffer().is_empty() || readable(self.answers(), ANSWER);
        assert!(is_there, "the peer does not answer within {ANSWER:?} what it was told: {}", self.told);
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the peer answers");
        line.trim().to_owned()
    }

    /// What it answers through: readable when there is an answer.
    pub fn answers(&self) -> &impl AsFd {
        self.answers.get_ref()
    }

    /// Tells it what to do; it must do it.
    pub fn ask(&mut self, command: &str) {
        self.tell(command);
        assert_eq!(self.answer(), "ok", "{command}");
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.commands = None;
        if std::thread::panicking() {
            let _ = self.child.kill(); // perhaps it hangs
        }
        let _ = self.child.wait();
    }
}

/// Waits until a descriptor is readable, at most as long; whether it is.
pub fn readable(fd: &impl AsFd, patience: Duration) -> bool {
    let mut poll = libc::pollfd { fd: fd.as_fd().as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one descriptor that lives across the call.
    unsafe { libc::poll(&mut poll, 1, patience.as_millis() as i32) > 0 }
}

/// A message that came.
pub struct Heard {
    pub channel: String,
    pub payload: Vec<u8>,
    pub from: SocketAddrV4,
    pub stamp_ns: u64,
    pub order: Order,
    pub lost: u64,
}

/// A thread that drains a listener at once, as a program should.
pub struct Ear {
    heard: mpsc::Receiver<Heard>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Listener>>,
}

impl Ear {
    /// Listens until it is dropped.
    pub fn new(mut listener: Listener) -> Ear {
        let (told, heard) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let until = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut sink = |m: Received<'_>| {
                let channel = String::from_utf8_lossy(m.channel).into_owned();
                let (payload, from, stamp_ns) = (m.payload.to_vec(), m.from, m.stamp_ns);
                let _ = told.send(Heard { channel, payload, from, stamp_ns, order: m.order, lost: m.lost });
            };
            while !until.load(Relaxed) {
                if readable(&listener, Duration::from_millis(20)) {
                    listener.drain(usize::MAX, &mut sink).expect("the socket works");
                }
            }
            listener
        });
        Ear { heard, stop, thread: Some(thread) }
    }
    /// The next message; waits at most 20 s.
    pub fn next(&self) -> Heard {
        self.heard.recv_timeout(Duration::from_secs(20)).expect("a message within 20 s")
    }
    /// The next message on `channel` must be what `seed` makes.
    pub fn expect(&self, channel: &str, size: usize, seed: u32) -> Heard {
        let heard = std::iter::repeat_with(|| self.next()).find(|m| m.channel == channel).expect("endless");
        assert!(
            heard.payload == made(size, seed),
            "another message of {} bytes came on {channel}, not {size} of {seed}",
            heard.payload.len()
        );
        heard
    }
    /// The listener, with all its counters.
    pub fn end(mut self) -> Listener {
        self.stop.store(true, Relaxed);
        self.thread.take().expect("not ended").join().expect("it drains")
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
    }
}
