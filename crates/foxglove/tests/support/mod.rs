//! A separate domain for each test, a server, and the third-party client.

#![allow(dead_code)] // Each test uses a part of it.

use saltus_domain::{Description, Domain, Publisher};
use saltus_foxglove::{Server, Settings};
use saltus_types::{Schema, json, wire};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Long enough for a busy machine. A test that needs all of it has failed.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Two types.
pub const TYPES: &str = "package demo;
struct pose { int64_t utime; double pos[3]; string name; int32_t n; float ranges[n]; }
struct other { int32_t x; }";

/// A directory in shared memory that is removed on drop.
pub struct Place(PathBuf);

impl Place {
    pub fn new() -> Place {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        // Relaxed: only the number's own uniqueness counts.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Place(format!("/dev/shm/saltus-test-{}-foxglove-{number}", std::process::id()).into())
    }
    pub fn path(&self) -> &Path {
        &self.0
    }
    pub fn url(&self) -> String {
        format!("shm://{}", self.0.display())
    }
    pub fn domain(&self) -> Domain {
        Domain::open(&self.url()).expect("a domain opens")
    }
    pub fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        std::fs::create_dir_all(&self.0).unwrap();
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0); // it may not exist
    }
}

pub fn schema() -> Arc<Schema> {
    Arc::new(saltus_types::parse("a test", TYPES).unwrap())
}

/// A pose with this number.
pub fn pose(number: i64) -> Value {
    let ranges: Vec<f64> = (0..number % 5).map(|i| i as f64 / 4.0).collect();
    json!({ "utime": number, "pos": [number, 0.5, -1], "name": format!("pose {number}"), "n": ranges.len(), "ranges": ranges })
}

/// A published message of a type.
pub fn message(name: &str, value: &Value) -> Vec<u8> {
    let schema = schema();
    let id = schema.find(name).unwrap();
    wire::encode(&json::from_value(&schema, id, value).unwrap()).unwrap()
}

/// A publisher that describes its type.
pub fn publisher(domain: &Domain, channel: &str, name: &str) -> Publisher {
    let schema = schema();
    let id = schema.find(name).unwrap();
    let printed =
        Description { name: name.into(), fingerprint: schema.get(id).fingerprint, schema: schema.to_lcm(id) };
    domain.publisher_described(channel, &printed).unwrap()
}

/// A server that serves in a thread until it is dropped.
pub struct Serving {
    pub url: String,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Serving {
    /// Any free port of this machine.
    pub fn settings() -> Settings {
        Settings { listen: ([127, 0, 0, 1], 0).into(), ..Settings::default() }
    }
    pub fn start(settings: Settings, prepare: impl FnOnce(&mut Server)) -> Serving {
        let mut server = Server::new(settings).unwrap();
        prepare(&mut server);
        let url = server.url();
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let thread = std::thread::spawn(move || server.run(async { drop(stopped.await) }).unwrap());
        Serving { url, stop: Some(stop), thread: Some(thread) }
    }
    /// A server that shows a domain.
    pub fn show(domain: Domain) -> Serving {
        Serving::start(Serving::settings(), |server| server.show(domain, "", Default::default()).unwrap())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.stop.take());
        let ended = self.thread.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            assert!(matches!(ended, Some(Ok(()))), "the server stops on request");
        }
    }
}

/// The third-party client.
pub struct Client {
    child: Child,
    input: ChildStdin,
    events: Receiver<Value>,
    pub seen: Vec<Value>,
}

impl Client {
    pub fn new(url: &str, subprotocol: &str) -> Client {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut child = saltus_peers::program("python")
            .arg(root.join("tests/support/client.py"))
            .args([url, subprotocol])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (send, events) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            lines.map(|line| serde_json::from_str(&line).unwrap()).try_for_each(|event| send.send(event))
        });
        let mut client = Client { child, input, events, seen: Vec::new() };
        let connected = client.until("it is connected", |event| event["event"] == "connected");
        assert_eq!(connected["subprotocol"], subprotocol);
        client
    }
    /// Sends it a command.
    pub fn tell(&mut self, order: Value) {
        writeln!(self.input, "{order}").unwrap();
    }
    pub fn subscribe(&mut self, topic: &str) {
        self.tell(json!({ "do": "subscribe", "topic": topic }));
    }
    /// Waits for an event, which it has not seen or has seen already.
    #[track_caller]
    pub fn until(&mut self, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.seen.iter().position(&is) {
            return self.seen.remove(at);
        }
        self.next(what, is)
    }
    /// Waits for an event that it has not seen.
    #[track_caller]
    pub fn next(&mut self, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Ok(event) if is(&event) => return event,
                Ok(event) => self.seen.push(event),
                Err(_) => {
                    let last = self.seen.len().saturating_sub(20);
                    panic!("not {what}; the last of {}: {:#?}", self.seen.len(), &self.seen[last..])
                }
            }
        }
    }
    /// Waits for the announcement of a channel.
    #[track_caller]
    pub fn channel(&mut self, topic: &str) -> Value {
        self.until(&format!("channel {topic}"), |event| {
            event["event"] == "channel" && event["topic"] == topic
        })
    }
    /// Waits for the next message of a channel.
    #[track_caller]
    pub fn message(&mut self, topic: &str) -> Value {
        self.until(&format!("a message of {topic}"), |e| e["event"] == "message" && e["topic"] == topic)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have exited
        let _ = self.child.wait();
    }
}

/// Waits until a condition is true.
#[track_caller]
pub fn until(what: &str, mut is: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is() {
        assert!(Instant::now() < end, "not {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
