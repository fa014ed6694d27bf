//! Zenoh's Python package as the other side, and a separate network for each test.

use saltus_domain::{Domain, Message, Options, Pattern, Start, Subscriber};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

/// Long enough for a loaded machine; no test waits this long when all is well.
pub const LONG: Duration = Duration::from_secs(20);

/// Runs a test in its own network and program.
pub fn alone(work: impl FnOnce()) {
    saltus_peers::python(); // outside, where packages can be installed
    saltus_netns::isolated_program(work);
}

/// The message of `size` bytes made from `seed`, as the other side makes it too.
pub fn made(size: usize, seed: usize) -> Vec<u8> {
    (0..size).map(|i| ((seed + i % 251) % 251) as u8).collect()
}

/// Zenoh in another process, which obeys commands. It is killed on drop.
pub struct Peer {
    child: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// A configuration: the mode, the address to listen on and the one to connect to; multicast discovery is off.
pub fn config(mode: &str, listen: &str, connect: &str) -> String {
    let list = |text: &str| if text.is_empty() { String::new() } else { format!("'{text}'") };
    format!(
        "{{mode: '{mode}', listen: {{endpoints: [{}]}}, connect: {{endpoints: [{}]}}, \
         scouting: {{multicast: {{enabled: false}}}}}}",
        list(listen),
        list(connect)
    )
}

impl Peer {
    pub fn start(config: &str) -> Peer {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/zenoh/peer.py");
        let mut command = saltus_peers::program("python");
        command.arg(script).arg(config);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the peer runs");
        let commands = child.stdin.take().expect("piped");
        let answers = BufReader::new(child.stdout.take().expect("piped"));
        let mut peer = Peer { child, commands, answers };
        assert_eq!(peer.answer(), "ok");
        peer
    }
    /// A peer that finds others on this host, as Saltus does.
    pub fn found() -> Peer {
        Peer::start(
            "{listen: {endpoints: ['tcp/127.0.0.1:0']}, scouting: {multicast: {interface: '127.0.0.1'}}}",
        )
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the peer answers");
        line.trim().to_owned()
    }
    /// Sends it a command, which must succeed.
    pub fn ask(&mut self, command: &str) {
        assert_eq!(self.tell(command), "ok", "{command}");
    }
    /// Sends it a command and returns its answer.
    pub fn tell(&mut self, command: &str) -> String {
        writeln!(self.commands, "{command}").and_then(|()| self.commands.flush()).expect("the peer listens");
        self.answer()
    }

    /// Publishes probes until the subscriber receives one: from then on it receives all.
    pub fn meet(&mut self, subscriber: &mut Subscriber, key: &str) {
        let start = Instant::now();
        loop {
            assert!(start.elapsed() < LONG, "publisher and subscriber never met");
            self.ask(&format!("publish {key} 3 250 -"));
            if subscriber.receive(Duration::from_millis(100)).unwrap().is_some() {
                return;
            }
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The first message that is `data`, within 20 s: others may arrive before.
pub fn expect<T>(subscriber: &mut Subscriber, data: &[u8], look: impl FnOnce(&Message<'_>) -> T) -> T {
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < LONG, "no message of {} bytes, or another one", data.len());
        match subscriber.receive(LONG).unwrap() {
            Some(message) if message.data == data => return look(&message),
            _ => {}
        }
    }
}

/// Publishes probes in one domain until another receives one: from then on it receives all.
pub fn meet(from: &Domain, to: &Domain) {
    let now = Options::next(1000).start(Start::Now);
    let mut subscriber = to.subscriber_with(Pattern::name("probe").unwrap(), now).unwrap();
    let mut publisher = from.publisher("probe").unwrap();
    let start = Instant::now();
    loop {
        publisher.publish(b"probe").unwrap();
        if subscriber.receive(Duration::from_millis(50)).unwrap().is_some() {
            return;
        }
        assert!(start.elapsed() < LONG, "the domains never met");
    }
}

pub fn all(domain: &Domain, name: &str) -> Subscriber {
    domain.subscriber_with(Pattern::name(name).unwrap(), Options::next(1000)).unwrap()
}
