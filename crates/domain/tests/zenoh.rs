//! `zenoh://` with Zenoh's own Python package, through routers, and over TLS.
#![cfg(feature = "zenoh")]

#[path = "zenoh/support.rs"]
mod support;

use saltus_domain::{Domain, Missed, Options, Pattern};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};
use support::{LONG, Peer, all, alone, config, expect, made, meet};

const SIZES: [usize; 7] = [0, 1, 1_000, 65_000, 66_000, 1_000_000, 10_000_000];

#[test]
fn messages_of_other_publishers_arrive_whole_without_loss_counts() {
    alone(|| {
        let domain = Domain::open("zenoh://robot").unwrap();
        let mut subscriber = all(&domain, "IMU");
        let mut peer = Peer::found();
        peer.meet(&mut subscriber, "robot/IMU");
        for (i, size) in SIZES.into_iter().enumerate() {
            for attachment in ["-", "6e6f7465", &"00".repeat(48)] {
                peer.ask(&format!("publish robot/IMU {size} {i} {attachment}"));
                expect(&mut subscriber, &made(size, i), |message| {
                    assert_eq!((message.missed, message.sender), (Missed::Unknown, None));
                    assert_eq!((message.published, message.sequence), (None, None));
                });
            }
        }
    });
}

/// The attachment is as documented in the guide.
#[test]
fn other_programs_receive_whole_messages_as_the_guide_describes() {
    alone(|| {
        let domain = Domain::open("zenoh://robot?congestion=block").unwrap();
        let mut peer = Peer::found();
        peer.ask("subscribe robot/**");
        let mut publisher = domain.publisher("/arm").unwrap();
        // Without the peer, nothing is received.
        let (is_heard, start) = (&AtomicBool::new(false), Instant::now());
        let first = thread::scope(|s| {
            s.spawn(|| {
                while !is_heard.load(Relaxed) && start.elapsed() < 2 * LONG {
                    publisher.publish(&made(5, 9)).unwrap();
                    thread::sleep(Duration::from_millis(10));
                }
            });
            let first = peer.tell("expect robot/** 5 9");
            is_heard.store(true, Relaxed);
            first
        });
        assert!(first.starts_with("robot/%2Farm "), "{first}");
        let mut last = None;
        for (i, size) in SIZES.into_iter().enumerate() {
            publisher.publish(&made(size, i)).unwrap();
            let answer = peer.tell(&format!("expect robot/** {size} {i}"));
            let (key, attachment) = answer.split_once(' ').expect(&answer);
            assert_eq!((key, attachment.len(), &attachment[..16]), ("robot/%2Farm", 96, "73616c7475732f31"));
            let word = |at: usize| u64::from_str_radix(&attachment[16 * at..16 * (at + 1)], 16).unwrap();
            let [sender, sequence, published, boot] = [1, 2, 3, 4].map(word).map(u64::swap_bytes);
            assert!(sender != 0 && published != 0 && boot != 0);
            if let Some((sender_before, sequence_before)) = last {
                assert_eq!((sender, sequence), (sender_before, sequence_before + 1));
            }
            last = Some((sender, sequence));
        }
    });
}

#[test]
fn loss_counts_in_saltus_format_are_used() {
    alone(|| {
        let domain = Domain::open("zenoh://robot").unwrap();
        let mut subscriber = all(&domain, "IMU");
        let mut peer = Peer::found();
        peer.meet(&mut subscriber, "robot/IMU");
        for (sequence, missed) in [(7_u64, None), (8, Some(0)), (11, Some(2)), (10, Some(0)), (12, Some(0))] {
            let attachment = attachment(5, sequence, &made(9, sequence as usize));
            peer.ask(&format!("publish robot/IMU 9 {sequence} {attachment}"));
            expect(&mut subscriber, &made(9, sequence as usize), |message| {
                assert_eq!((message.sender, message.sequence), (Some(5), Some(sequence)));
                assert_eq!(message.missed, missed.map_or(Missed::Unknown, Missed::OfSender));
                assert_eq!(message.published, None, "the clock is another machine's");
            });
        }
        // A later subscriber does not report earlier losses.
        let mut late = None;
        for (sequence, missed) in [(1_u64, 0), (7, 5), (8, 0), (10, 1)] {
            let attachment = attachment(6, sequence, &made(9, sequence as usize));
            peer.ask(&format!("publish robot/IMU 9 {sequence} {attachment}"));
            for subscriber in [&mut subscriber].into_iter().chain(&mut late) {
                expect(subscriber, &made(9, sequence as usize), |message| {
                    assert_eq!(message.missed, Missed::OfSender(missed), "number {sequence}");
                });
            }
            if sequence == 7 {
                late = Some(all(&domain, "IMU"));
            }
        }
    });
}

/// The attachment that a Saltus sender on another machine adds to a message, in hexadecimal.
fn attachment(sender: u64, sequence: u64, payload: &[u8]) -> String {
    let words = [sender, sequence, 1, 0].map(u64::to_le_bytes).concat();
    let head = [&b"saltus/1"[..], &words].concat();
    // CRC-32 as in the standard, bit by bit.
    let bit = |crc: u32| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
    let byte = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), |crc, _| bit(crc));
    let check = !head.iter().chain(payload).fold(!0, byte);
    let bytes = [&head[..], &u64::from(check).to_le_bytes()].concat();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_damaged_message_is_reported_and_missed() {
    alone(|| {
        let domain = Domain::open("zenoh://robot").unwrap();
        let mut subscriber = all(&domain, "IMU");
        let mut peer = Peer::found();
        peer.meet(&mut subscriber, "robot/IMU");
        let loss_counts = |sequence| attachment(5, sequence, &made(9, sequence as usize));
        peer.ask(&format!("publish robot/IMU 9 1 {}", loss_counts(1)));
        expect(&mut subscriber, &made(9, 1), |_| ());
        peer.ask(&format!("publish robot/IMU 9 3 {}", loss_counts(2)));
        let error = subscriber.receive(LONG).unwrap_err().to_string();
        assert!(error.contains("`IMU` was damaged"), "{error}");
        peer.ask(&format!("publish robot/IMU 9 3 {}", loss_counts(3)));
        expect(&mut subscriber, &made(9, 3), |message| assert_eq!(message.missed, Missed::OfSender(1)));
    });
}

#[test]
fn a_peer_that_is_killed_and_restarted_is_received_again() {
    alone(|| {
        let domain = Domain::open("zenoh://robot").unwrap();
        let mut subscriber = all(&domain, "IMU");
        for round in 0..3 {
            let mut peer = Peer::found();
            peer.meet(&mut subscriber, "robot/IMU");
            peer.ask(&format!("publish robot/IMU 100 {round} -"));
            expect(&mut subscriber, &made(100, round), |_| ());
        }
    });
}

#[test]
fn clients_talk_through_a_router_and_find_it_again() {
    alone(|| {
        let address = "tcp/127.0.0.1:7447";
        let url = format!("zenoh://robot?mode=client&connect={address}");
        let alone = Domain::open(&url).unwrap();
        let why = alone.subscriber("x").unwrap_err().to_string();
        assert!(why.contains(address) && !why.contains(".rs"), "{why}");
        let mut router = Some(Peer::start(&config("router", address, "")));
        let (here, there) = (Domain::open(&url).unwrap(), Domain::open(&url).unwrap());
        let mut subscriber = there.subscriber_with(Pattern::all(), Options::next(100)).unwrap();
        for round in 0..2 {
            meet(&here, &there);
            here.publisher("IMU").unwrap().publish(&made(1000, round)).unwrap();
            expect(&mut subscriber, &made(1000, round), |message| {
                assert!(message.published.is_some() && message.sender.is_some());
            });
            drop(router.take());
            router = Some(Peer::start(&config("router", address, "")));
        }
    });
}

#[test]
fn clients_of_a_saltus_router_receive_from_each_other() {
    alone(|| {
        let router = Domain::open("zenoh://?mode=router&scouting=off").unwrap();
        let mut logger =
            router.subscriber_with(Pattern::regex("robot/.*").unwrap(), Options::next(100)).unwrap();
        let url = "zenoh://robot?mode=client&connect=tcp/127.0.0.1:7447";
        let (here, there) = (Domain::open(url).unwrap(), Domain::open(url).unwrap());
        meet(&here, &there);
        meet(&there, &here);
        let mut peer = Peer::start(&config("client", "", "tcp/127.0.0.1:7447"));
        let mut subscriber = all(&here, "IMU");
        peer.meet(&mut subscriber, "robot/IMU");
        peer.ask("publish robot/IMU 77 7 -");
        expect(&mut subscriber, &made(77, 7), |_| ());
        expect(&mut logger, &made(77, 7), |message| assert_eq!(message.channel.as_bytes(), b"robot/IMU"));
    });
}

/// A certificate authority, and a certificate of `localhost` that it signed, in a directory that is removed.
struct Certificates(std::path::PathBuf);

impl Certificates {
    fn new(name: &str) -> Certificates {
        let dir = std::env::temp_dir().join(format!("saltus-tls-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("names"), "subjectAltName=DNS:localhost").unwrap();
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
        for command in [
            format!("req -x509 {key} -keyout ca.key -out ca.pem -days 2 -subj /CN=authority"),
            format!("req {key} -keyout key.pem -out request.pem -subj /CN=localhost"),
            "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -set_serial 1 -days 2 -extfile names -out cert.pem"
                .into(),
        ] {
            let output = Command::new("openssl").args(command.split(' ')).current_dir(&dir).output();
            let output = output.expect("the command `openssl` is installed");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let path = |file: &str| format!("'{}'", dir.join(file).display());
        let tls = |lines: String| format!("{{transport: {{link: {{tls: {{ {lines} }} }} }} }}");
        let (ca, key, cert) = (path("ca.pem"), path("key.pem"), path("cert.pem"));
        let server = tls(format!("listen_private_key: {key}, listen_certificate: {cert}"));
        std::fs::write(dir.join("router.json5"), server).unwrap();
        std::fs::write(dir.join("robot.json5"), tls(format!("root_ca_certificate: {ca}"))).unwrap();
        Certificates(dir)
    }
    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Certificates {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn tls_is_had_by_zenohs_own_configuration() {
    alone(|| {
        let (ours, other) = (Certificates::new("ours"), Certificates::new("other"));
        let address = "tls/localhost:7448";
        let router = format!("zenoh://?mode=router&listen={address}&config={}", ours.file("router.json5"));
        let router = Domain::open(&router).unwrap();
        let mut logger = router.subscriber_with(Pattern::all(), Options::next(100)).unwrap();
        let robot = |certificates: &Certificates| {
            let file = certificates.file("robot.json5");
            Domain::open(&format!("zenoh://robot?mode=client&connect={address}&config={file}")).unwrap()
        };
        let domain = robot(&ours);
        let mut subscriber = all(&domain, "IMU");
        let mut peer = Peer::start(&format!(
            "{{mode: 'client', connect: {{endpoints: ['{address}']}}, scouting: {{multicast: {{enabled: false}}}}, \
             transport: {{link: {{tls: {{root_ca_certificate: '{}'}}}}}}}}",
            ours.file("ca.pem")
        ));
        peer.meet(&mut subscriber, "robot/IMU");
        peer.ask("publish robot/IMU 100000 5 -");
        expect(&mut subscriber, &made(100_000, 5), |_| ());
        expect(&mut logger, &made(100_000, 5), |_| ());
        let why = robot(&other).subscriber("IMU").unwrap_err().to_string();
        assert!(why.contains(address), "{why}");
    });
}
