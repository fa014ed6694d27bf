//! The setup of each provider for tests, and its promises.

use super::LONG;
use saltus_domain::{Domain, Losses, Scheme, Senders, Traits};
use saltus_net::tcpq::{Hub, Limits};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Promises about lost messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Each message is received, missed or dropped, and counted.
    Exact,
    /// Gaps in what a sender sent.
    OfSender,
    /// Nothing: the transport does not even identify senders.
    Unknown,
}

/// A provider's domain, as several processes would open it.
#[derive(Clone)]
pub struct World {
    url: String,
    /// The only domain, where all handles must share it.
    one: Option<Domain>,
    scheme: &'static Scheme,
    /// The longest message to try, in bytes.
    pub large: usize,
}

impl World {
    /// A world whose domains are opened by `url`.
    fn new(url: String, large: usize) -> World {
        World::with(Scheme::of(&url).unwrap(), url, large)
    }
    /// The same, with a scheme that need not be in the table.
    pub fn with(scheme: &'static Scheme, url: String, large: usize) -> World {
        World { scheme, url, one: None, large }
    }
    /// A world whose handles must share one domain.
    fn of(one: Domain, large: usize) -> World {
        World { scheme: one.scheme(), url: String::new(), one: Some(one), large }
    }
    /// The properties of its kind of domain.
    pub fn traits(&self) -> Traits {
        self.scheme.traits
    }
    /// Whether a message identifies its sender. A hub does not pass that on.
    pub fn reports_senders(&self) -> bool {
        self.scheme.traits.senders != Senders::Unknown
    }
    /// The count reported when nothing was missed.
    pub fn none_missed(&self) -> Option<u64> {
        (self.loss() != Loss::Unknown).then_some(0)
    }
    /// Promises about lost messages.
    pub fn loss(&self) -> Loss {
        match self.scheme.traits.losses {
            Losses::Exact => Loss::Exact,
            Losses::OfPublisher | Losses::OfSenderOnChannel | Losses::OfSender => Loss::OfSender,
            Losses::Interruptions | Losses::Nothing => Loss::Unknown,
        }
    }
    /// Waits until existing subscribers in `to` receive what existing publishers in `from` publish.
    ///
    /// Such transports announce subscribers in order: when a probe of a new subscriber arrives, all earlier
    /// subscribers are known too.
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
    /// Removes the domain, even if the case fails.
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

/// Zenoh's threads stay in the network namespace where they were started: each case runs in its own program. The
/// cases cover publishers that wait: on a busy machine, messages of others are lost, as `tests/zenoh.rs` shows.
#[cfg(feature = "zenoh")]
pub fn zenoh(case: fn(&World)) {
    saltus_netns::isolated_program(|| {
        let url = "zenoh://conformance?congestion=block".to_string();
        case(&World::new(url, 30 << 20));
    });
}

/// Each case has its own hub.
pub fn tcpq(case: fn(&World)) {
    let mut hub = Hub::bind("127.0.0.1:0", Limits::default()).unwrap();
    let (url, stop) = (format!("tcpq://{}", hub.address()), hub.stop());
    std::thread::scope(|s| {
        s.spawn(|| hub.run().unwrap());
        /// Stops the hub, even if the case fails.
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

/// Each case has its own directory.
#[cfg(feature = "zmq")]
pub fn zmq(case: fn(&World)) {
    let name = format!("saltus-domain-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
    let dir = std::env::temp_dir().join(name);
    /// Removes the directory, even if the case fails.
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

/// A log whose second event is an hour after the first, with nothing in between.
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
