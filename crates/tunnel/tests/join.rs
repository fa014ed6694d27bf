//! Two domains joined: over transports that do not identify senders, and by a hub that stops and restarts.

use saltus_domain::{Domain, Options, Pattern, Publisher};
use saltus_net::tcpq::{Hub, Limits, Stop};
use saltus_netns::{isolated, isolated_program};
use saltus_os::clock;
use saltus_tunnel::{Config, Driver, Join, Key, Order};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(30);
/// Long enough to arrive on a loaded machine, ns.
const DEADLINE: u64 = 20_000_000_000;

/// A hub in a thread. It stops on drop.
struct Running(Stop, Option<JoinHandle<()>>);

impl Running {
    fn at(address: &str) -> Running {
        let mut hub = Hub::bind(address, Limits::default()).unwrap();
        Running(hub.stop(), Some(thread::spawn(move || hub.run().unwrap())))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.stop();
        let _ = self.1.take().map(JoinHandle::join);
    }
}

/// Both ends of a tunnel, and another program in the domain of the first.
struct World {
    ends: [Join; 2],
    other: Publisher,
    published: u32,
}

fn world(urls: [&str; 2]) -> World {
    let config = || Config { order: Order::All, ..Config::new(Key::from_bytes([4; 32])) };
    let listener = Driver::listen(config(), "127.0.0.1:0", false).unwrap();
    let connecter = Driver::connect(config(), &listener.local().unwrap().to_string(), false).unwrap();
    let join = |driver, url: &str| {
        let domain = Domain::open(url).unwrap();
        Join::new(driver, &domain, Pattern::all(), Options::next(1000), DEADLINE).unwrap()
    };
    let ends = [join(listener, urls[0]), join(connecter, urls[1])];
    World { ends, other: Domain::open(urls[0]).unwrap().publisher("word").unwrap(), published: 0 }
}

impl World {
    /// Publishes different messages in the first domain, until the condition is true of both ends.
    fn until(&mut self, what: &str, done: impl Fn(&[Join; 2]) -> bool) {
        let begun = Instant::now();
        while !done(&self.ends) {
            assert!(begun.elapsed() < LONG, "{what}: {:?}", self.ends);
            // Without a hub it is an error.
            let _ = self.other.publish(&self.published.to_le_bytes());
            self.published += 1;
            for end in &mut self.ends {
                end.step(clock::monotonic() + 2_000_000, |_| {}).unwrap();
            }
        }
    }
}

/// Messages from the tunnel return from the domain, and must not enter it again.
#[test]
fn no_message_loops_where_senders_are_unknown() {
    isolated(|| {
        let _hubs = ["127.0.0.1:7700", "127.0.0.1:7701"].map(Running::at);
        let ports = ["mpudpm://239.255.76.67:7900?nports=9", "mpudpm://239.255.76.67:7910?nports=9"];
        for urls in [["tcpq://127.0.0.1:7700", "tcpq://127.0.0.1:7701"], ports] {
            let mut world = world(urls);
            world.until("its own messages come back", |[_, there]| there.here().own >= 30);
            let [here, there] = world.ends.each_ref().map(Join::stats);
            assert!(here.accepted <= world.published.into(), "{urls:?}: {here:?}");
            assert_eq!((there.accepted, here.delivered), (0, 0), "{urls:?}: {there:?}");
        }
    });
}

#[test]
fn a_hub_may_come_and_go() {
    // In its own program: the child of another test that starts `ip` would hold the hub's socket a moment longer.
    isolated_program(|| {
        let address = "127.0.0.1:7700";
        let hub = Running::at(address);
        let mut world = world(["tcpq://127.0.0.1:7700", "mpudpm://239.255.76.67:7900?nports=9"]);
        world.until("messages come", |[_, there]| there.stats().delivered > 5);
        drop(hub);
        let begun = Instant::now();
        let reported = loop {
            assert!(begun.elapsed() < LONG, "no error that the hub is gone");
            world.ends[0].step(clock::monotonic() + 2_000_000, |_| {}).unwrap();
            if let Some(trouble) = world.ends[0].trouble() {
                break trouble.to_string();
            }
        };
        assert!(reported.contains("saltus hub"), "{reported}");
        let _hub = Running::at(address);
        let before = world.ends[1].stats().delivered;
        world.until("messages come again", |[_, there]| there.stats().delivered > before + 5);
    });
}
