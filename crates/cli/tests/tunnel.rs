//! tunnel: two domains joined, without loops; keys; clean ends; the bench.

mod support;

use std::io::{BufRead, BufReader};
use std::process::ChildStdout;
use std::time::Duration;

use saltus_domain::{Domain, Options, Pattern, Until};
use support::{Place, Running, until};

/// One end, its output, and its first line.
struct End {
    running: Running,
    lines: BufReader<ChildStdout>,
    at: String,
}

impl End {
    fn start(place: &Place, arguments: &[&str]) -> End {
        let mut running = place.start(["tunnel"].iter().chain(arguments).chain(&["--json", "--next"]));
        let mut lines = BufReader::new(running.output());
        let started = next(&mut lines);
        assert!(started["domain"].is_string(), "{started}");
        let at = started["at"].as_str().unwrap_or_default().to_string();
        End { running, lines, at }
    }
    /// Waits for these counts, which it prints every second.
    fn until(&mut self, what: &str, counted: impl Fn(&serde_json::Value) -> bool) {
        until(what, || counted(&next(&mut self.lines)));
    }
    /// Stops it, and returns its last counts.
    fn end(self) -> serde_json::Value {
        self.running.signal(libc::SIGINT);
        let last = self.lines.lines().map(|line| line.unwrap()).last().unwrap();
        self.running.ended().with(0);
        serde_json::from_str(&last).unwrap()
    }
}

fn next(lines: &mut impl BufRead) -> serde_json::Value {
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))
}

fn key(place: &Place) -> String {
    let key = place.run(["tunnel", "key"]).with(0);
    assert_eq!(key.text().trim().len(), 64);
    let file = place.path().with_extension("key");
    std::fs::write(&file, &key.out).unwrap();
    file.to_str().unwrap().to_string()
}

/// Publishes in each domain until its messages arrive in the other, then some more, and counts.
fn both_ways(a: &Domain, b: &Domain) {
    let listen = |domain: &Domain| domain.subscriber_with(Pattern::all(), Options::next(1000)).unwrap();
    let (mut at_a, mut at_b) = (listen(a), listen(b));
    let (mut from_a, mut from_b) = (a.publisher("a.out").unwrap(), b.publisher("b.out").unwrap());
    let (mut rounds, mut came) = (0, false);
    until("both directions, for a while", || {
        from_a.publish(b"hello").unwrap();
        from_b.publish(b"hello").unwrap();
        std::thread::sleep(Duration::from_millis(20));
        let others = |subscriber: &mut saltus_domain::Subscriber, name: &[u8]| {
            let mut found = false;
            while let Some(message) = subscriber.receive(Until::Poll).unwrap() {
                assert_eq!(message.data, b"hello");
                found |= message.channel.as_bytes() == name;
            }
            found
        };
        came |= others(&mut at_a, b"b.out") & others(&mut at_b, b"a.out");
        rounds += 1;
        // Long enough for a message from the tunnel to go back in.
        came && rounds > 60
    });
}

fn joined(tcp: bool) {
    let (place_a, place_b) = (Place::new(), Place::new());
    let key = key(&place_a);
    let how: &[&str] = if tcp { &["--tcp"] } else { &["--redundancy", "auto", "--bandwidth", "5M"] };
    let mut listener = End::start(&place_a, &[&["listen", "127.0.0.1:0", "--key", &key], how].concat());
    let to = listener.at.clone();
    let mut connecter = End::start(&place_b, &[&["connect", &to, "--key", &key], how].concat());
    let (a, b) = (Domain::open(&place_a.url()).unwrap(), Domain::open(&place_b.url()).unwrap());
    both_ways(&a, &b);
    for end in [&mut listener, &mut connecter] {
        end.until("its own messages to be seen", |counts| counts["own"].as_u64() > Some(0));
    }
    let (there, here) = (listener.end(), connecter.end());
    let _ = std::fs::remove_file(&key);
    // No loop: messages from the tunnel did not go back in.
    for (end, other) in [(&there, &here), (&here, &there)] {
        let (sent, delivered) = (end["accepted"].as_u64().unwrap(), other["delivered"].as_u64().unwrap());
        assert!(delivered > 0 && delivered <= sent, "{there} {here}");
    }
    let published = place_a.published("a.out") + place_b.published("b.out");
    let accepted = there["accepted"].as_u64().unwrap() + here["accepted"].as_u64().unwrap();
    assert!(accepted <= published, "{accepted} of {published}");
}

#[test]
fn two_domains_are_joined_without_loops() {
    joined(false);
}

#[test]
fn tcp_carries_the_same() {
    joined(true);
}

#[test]
fn a_peer_with_another_key_is_not_answered() {
    let place = Place::new();
    let (ours, theirs) = (key(&place), key(&Place::new()));
    let mut listener = End::start(&place, &["listen", "127.0.0.1:0", "--key", &ours]);
    let connecter = End::start(&place, &["connect", &listener.at.clone(), "--key", &theirs]);
    listener.until("two calls", |counts| counts["rejected"]["foreign"].as_u64() > Some(1));
    let (there, here) = (listener.end(), connecter.end());
    let _ = (std::fs::remove_file(&ours), std::fs::remove_file(&theirs));
    assert_eq!((there["sessions"].as_u64(), here["sessions"].as_u64()), (Some(0), Some(0)));
    assert_eq!(there["sent_datagrams"].as_u64(), Some(0), "not a word");
}

#[test]
fn mistakes_are_reported_with_a_remedy() {
    let place = Place::new();
    let key = key(&place);
    place.run(["tunnel", "listen", "127.0.0.1:0", "--key", "/nowhere"]).saying(1, "saltus tunnel key");
    place.run(["tunnel", "listen", "nonsense", "--key", &key]).saying(1, "HOST:PORT");
    place.run(["tunnel", "listen", "192.0.2.1:1", "--key", &key]).saying(1, "192.0.2.1:1");
    let usage = |arguments: &[&str], words: &str| {
        let ended =
            place.run([&["tunnel", "connect", "127.0.0.1:9", "--key", &key], arguments].concat()).with(2);
        assert!(ended.err.contains(words), "{}", ended.err);
    };
    usage(&["--redundancy", "much"], "0%");
    usage(&["--mtu", "100"], "1280");
    usage(&["--regex", "("], "regular expression");
    usage(&["--domain", "carrier-pigeon://"], "shm://");
    std::fs::write(&key, "not a key").unwrap();
    place.run(["tunnel", "connect", "127.0.0.1:9", "--key", &key]).saying(1, "64 hexadecimal digits");
    let _ = std::fs::remove_file(&key);
}
