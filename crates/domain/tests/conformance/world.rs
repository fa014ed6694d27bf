//! What each provider needs to be tested, and what it promises.

use super::LONG;
use saltus_domain::{Domain, Losses, Scheme, Senders, Traits};
use saltus_net::tcpq::{Hub, Limits};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// What is promised about messages that are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Each message is received, missed or dropped, and counted.
    Exact,
    /// Gaps in what a sender sent.
    OfSender,
    /// Nothing: the transport does not even tell who sent a message.
    Unknown,
}

/// A provider's domain, as several processes would open it.
#[derive(Clone)]
pub struct World {
    url: String,
    /// The one domain, where all handles must share it.
    one: Option<Domain>,
    scheme: &'static Scheme,
    /// The longest message to try, in bytes.
    pub large: usize,
}

impl World {
    /// One whose domains are opened by `url`.
    fn new(url: String, large: usize) -> World {
        World::with(Scheme::of(&url).unwrap(), url, large)
    }
    /// The same, by a scheme that need not be in the table.
    pub fn with(scheme: &'static Scheme, url: String, large: usize) -> World {
        World { scheme, url, one: None, large }
    }
    /// One of which all handles must share a domain.
    fn of(one: Domain, large: usize) -> World {
        World { scheme: one.scheme(), url: String::new(), one: Some(one), large }
    }
    /// What its kind of domain promises.
    pub fn traits(&self) -> Traits {
        self.scheme.traits
    }
    /// Whether a message tells who sent it. A hub does not pass that on.
    pub fn tells_senders(&self) -> bool {
        self.scheme.traits.senders != Senders::Unknown
    }
    /// What is told when nothing was missed.
    pub fn none_missed(&self) -> Option<u64> {
        (self.loss() != Loss::Unknown).then_some(0)
    }
    /// What is promised about messages that are lost.
    pub fn loss(&self) -> Loss {
        match self.scheme.traits.losses {
            Losses::Exact => Loss::Exact,
            Losses::OfPublisher | Losses::OfSenderOnChannel | Losses::OfSender => Loss::OfSender,
            Losses::Interruptions | Losses::Nothing => Loss::Unknown,
        }
    }
    /// Waits until those who subscribe in `to` by now get what those who publish in `from` by now publish.
    ///
    /// What such transports tell of subscribers goes in order: when a probe of a subscriber made now arrives, all that
    /// were made before it are known too.
    pub fn settle(&self, from: &Domain, to: &Domain) {
        if !self.scheme.traits.discovery.meets_slowly() {
            return;
        }
        let name = format!("settle-{}", NEXT.fetch_add(1, Relaxed));
        let mut subscriber = to.subscriber(&name).unwrap();
        let mut publisher = from.publisher(&name).unwrap();
        let start = Instant::now();
        loop {
            publisher.publish(b"probe").unwrap();
            if subscriber.receive(Duration::from_millis(10)).unwrap().is_some() {
                return;
            }
            assert!(start.elapsed() < LONG, "publishers and subscribers never met");
        }
    }
    /// Another handle on the same channels.
    pub fn open(&self) -> Domain {
        match &self.one {
            Some(domain) => domain.clone(),
            None => Domain::open_with(self.scheme, &self.url).unwrap(),
        }
    }
}

static NEXT: AtomicU32 = AtomicU32::new(0);

pub fn mem(case: fn(&World)) {
    let one = Domain::open("mem://").unwrap();
    case(&World::of(one, 30 << 20));
}

pub fn shm(case: fn(&World)) {
    let name = format!("saltus-domain-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
    let dir = format!("/dev/shm/{name}");
    let url = format!("shm://{dir}");
    /// Removes the domain, whatever the case does.
    struct Remove(String);
    impl Drop for Remove {
        fn drop(&mut self) {
            let domain = saltus_channel::Directory::open(&format!("shm://{}", self.0)).unwrap();
            for name in domain.list().unwrap() {
                let _ = domain.unlink(name.as_bytes());
            }
            let _ = std::fs::remove_dir(&self.0);
        }
    }
    let _remove = Remove(dir);
    case(&World::new(url, 3 << 20));
}

pub fn udpm(case: fn(&World)) {
    saltus_netns::isolated(|| {
        let url = "udpm://239.255.76.67:7667".to_string();
        case(&World::new(url, 3 << 20));
    });
}

pub fn mpudpm(case: fn(&World)) {
    saltus_netns::isolated(|| {
        let url = "mpudpm://239.255.76.67:7667?nports=100".to_string();
        case(&World::new(url, 3 << 20));
    });
}

#[cfg(feature = "dds")]
pub fn dds(case: fn(&World)) {
    saltus_netns::isolated(|| {
        let url = "dds://7?patience=20000".to_string();
        case(&World::new(url, 3 << 20));
    });
}

pub fn memq(case: fn(&World)) {
    let one = Domain::open("memq://").unwrap();
    case(&World::of(one, 30 << 20));
}

/// Zenoh's threads stay for ever in the network in which they were started: each case is a program of its own. The cases are about
/// publishers that wait: a busy machine loses messages of others, as `tests/zenoh.rs` shows.
#[cfg(feature = "zenoh")]
pub fn zenoh(case: fn(&World)) {
    saltus_netns::isolated_program(|| {
        let url = "zenoh://conformance?congestion=block".to_string();
        case(&World::new(url, 30 << 20));
    });
}

/// Each case has a hub of its own.
pub fn tcpq(case: fn(&World)) {
    let mut hub = Hub::bind("127.0.0.1:0", Limits::default()).unwrap();
    let (url, stop) = (format!("tcpq://{}", hub.address()), hub.stop());
    std::thread::scope(|s| {
        s.spawn(|| hub.run().unwrap());
        /// Ends the hub, whatever the case does.
        struct End(saltus_net::tcpq::Stop);
        impl Drop for End {
            fn drop(&mut self) {
                self.0.stop();
            }
        }
        let _end = End(stop);
        case(&World::new(url, 30 << 20));
    });
}

/// Each case has a directory of its own.
#[cfg(feature = "zmq")]
pub fn zmq(case: fn(&World)) {
    let name = format!("saltus-domain-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
    let dir = std::env::temp_dir().join(name);
    /// Removes the directory, whatever the case does.
    struct Remove(std::path::PathBuf);
    impl Drop for Remove {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
    let remove = Remove(dir);
    let url = format!("zmq://{}", remove.0.display());
    case(&World::new(url, 30 << 20));
}

/// A log whose second event comes in an hour: in between nothing does.
pub fn file(case: fn(&World)) {
    let name = format!("saltus-domain-test-{}-{}.log", std::process::id(), NEXT.fetch_add(1, Relaxed));
    let path = std::env::temp_dir().join(name);
    let (mut writer, mut bytes) = (saltus_log::lcm::Writer::new(), Vec::new());
    for time in [0, 3_600_000_000] {
        writer.event(&mut bytes, time, b"HOURLY", b"x").unwrap();
    }
    std::fs::write(&path, bytes).unwrap();
    let one = Domain::open(&format!("file://{}", path.display())).unwrap();
    std::fs::remove_file(&path).unwrap();
    // The first event is not for the case.
    assert!(one.subscriber("HOURLY").unwrap().receive(Duration::from_secs(20)).unwrap().is_some());
    case(&World::of(one, 0));
}
