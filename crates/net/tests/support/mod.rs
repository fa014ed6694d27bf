//! LCM as the other side of a network, and the data that both sides share.

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

/// Period of a made message: a prime, and longer than any fragment, so that misplaced pieces are detected.
const PERIOD: usize = 99_991;

/// The message of `size` bytes made from `seed`, as the other side makes it too.
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

/// Runs a test in its own network, one at a time: LCM sends as fast as it can, and a delayed reader loses messages.
pub fn alone(work: impl FnOnce() + Send) {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    saltus_netns::isolated(work);
}

/// A file next to this one.
pub fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support").join(name)
}

/// The file with that name somewhere below `dir`.
fn find(dir: &Path, name: &str) -> Option<PathBuf> {
    let mut paths = std::fs::read_dir(dir).ok()?.flatten().map(|entry| entry.path());
    paths.find_map(|path| match path.is_dir() {
        true => find(&path, name),
        false => path.ends_with(name).then_some(path),
    })
}

/// LCM's Java archive, which is in its Python package.
pub fn jar() -> PathBuf {
    let site = python().ancestors().nth(2).expect("…/bin/python").join("lib");
    find(&site, "lcm.jar").expect("LCM's package has its Java archive")
}

/// LCM in another process, which obeys commands. It ends with this process.
pub struct Peer {
    child: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// The last command.
    reported: String,
}

/// Longer than the other side takes for anything: its own waits time out after 60 s.
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
        let mut peer = Peer { child, commands, answers, reported: format!("to start: {command:?}") };
        assert_eq!(peer.answer(), "ok");
        peer
    }

    /// Sends it a command, without waiting for the answer.
    pub fn tell(&mut self, command: &str) {
        let commands = self.commands.as_mut().expect("piped");
        writeln!(commands, "{command}").and_then(|()| commands.flush()).expect("the peer listens");
        self.reported = command.into();
    }

    /// Its next answer.
    pub fn answer(&mut self) -> String {
        let is_there = !self.answers.buffer().is_empty() || readable(self.answers(), ANSWER);
        assert!(is_there, "the peer did not answer within {ANSWER:?}: {}", self.reported);
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the peer answers");
        line.trim().to_owned()
    }

    /// The source of its answers: readable when there is one.
    pub fn answers(&self) -> &impl AsFd {
        self.answers.get_ref()
    }

    /// Sends it a command, which must succeed.
    pub fn ask(&mut self, command: &str) {
        self.tell(command);
        assert_eq!(self.answer(), "ok", "{command}");
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.commands = None;
        if std::thread::panicking() {
            let _ = self.child.kill(); // it may hang
        }
        let _ = self.child.wait();
    }
}

/// Waits until a descriptor is readable, at most for `patience`. Returns whether it is.
pub fn readable(fd: &impl AsFd, patience: Duration) -> bool {
    let mut poll = libc::pollfd { fd: fd.as_fd().as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one descriptor that stays alive across the call.
    unsafe { libc::poll(&mut poll, 1, patience.as_millis() as i32) > 0 }
}

/// A received message.
pub struct Heard {
    pub channel: String,
    pub payload: Vec<u8>,
    pub from: SocketAddrV4,
    pub stamp_ns: u64,
    pub order: Order,
    pub lost: u64,
}

/// A thread that drains a listener immediately, as a program should.
pub struct Ear {
    received: mpsc::Receiver<Heard>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Listener>>,
}

impl Ear {
    /// Listens until it is dropped.
    pub fn new(mut listener: Listener) -> Ear {
        let (reported, received) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let until = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut sink = |m: Received<'_>| {
                let channel = String::from_utf8_lossy(m.channel).into_owned();
                let (payload, from, stamp_ns) = (m.payload.to_vec(), m.from, m.stamp_ns);
                let _ =
                    reported.send(Heard { channel, payload, from, stamp_ns, order: m.order, lost: m.lost });
            };
            while !until.load(Relaxed) {
                if readable(&listener, Duration::from_millis(20)) {
                    listener.drain(usize::MAX, &mut sink).expect("the socket works");
                }
            }
            listener
        });
        Ear { received, stop, thread: Some(thread) }
    }
    /// The next message; waits at most 20 s.
    pub fn next(&self) -> Heard {
        self.received.recv_timeout(Duration::from_secs(20)).expect("a message within 20 s")
    }
    /// Receives the next message on `channel`, which must be the one made from `seed`.
    pub fn expect(&self, channel: &str, size: usize, seed: u32) -> Heard {
        let received =
            std::iter::repeat_with(|| self.next()).find(|m| m.channel == channel).expect("endless");
        assert!(
            received.payload == made(size, seed),
            "another message of {} bytes arrived on {channel}, not {size} of {seed}",
            received.payload.len()
        );
        received
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
