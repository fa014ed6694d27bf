//! Two programs on one machine, of which one may have addresses of 32 bits and the other of 64: the layout in shared memory is the same.
//!
//! `SALTUS_OTHER_WIDTH` names this test program, built for the other width; `cargo xtask cross armv7` runs both under a kernel that
//! executes both. Without it, the other program is this one.

mod common;

use common::*;
use saltus_channel::*;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const OTHER: &str = "SALTUS_OTHER_WIDTH";
const URL: &str = "SALTUS_TEST_WIDTHS";
const LONG: Duration = Duration::from_secs(30);
/// Longer than a page, so that both programs must agree on where slots end and bytes begin.
const MAX: usize = 5000;
const ROUNDS: u64 = 500;

/// Every length from the shortest message to the longest comes up.
fn len_of(seq: u64) -> usize {
    24 + (seq as usize * 37) % (MAX - 23)
}

/// The other program, killed and waited for when dropped.
struct Partner(Child);

impl Partner {
    fn start(domain: &TestDomain, role: &str) -> Partner {
        let program = std::env::var_os(OTHER).map_or_else(|| std::env::current_exe().unwrap(), Into::into);
        let mut command = Command::new(program);
        command.args(["--exact", role, "--nocapture"]).env(URL, domain.url()).stdout(Stdio::null());
        Partner(command.spawn().unwrap())
    }
}

impl Drop for Partner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The domain, in the other program only.
fn domain_of_partner() -> Option<Directory> {
    std::env::var(URL).ok().map(|url| Directory::open(&url).unwrap())
}

fn attributes() -> Attributes {
    Attributes::new().depth(61).max_message_size(MAX as u64)
}

/// The bits of an address in the program that described its messages.
fn width_of(channel: &Channel) -> u64 {
    channel.descriptions().unwrap()[0].fingerprint
}

fn describe_width(publisher: &Publisher) {
    publisher.describe("width_t", usize::BITS.into(), "struct width_t { int32_t bits; }").unwrap();
}

fn assert_is_other(width: u64) {
    match std::env::var_os(OTHER) {
        Some(_) => assert_eq!(width, 96 - u64::from(usize::BITS), "of 32 and 64, the other"),
        None => assert_eq!(width, usize::BITS.into()),
    }
}

/// In the other program: returns every message, from a channel that it creates itself.
#[test]
fn echo() {
    let Some(domain) = domain_of_partner() else { return };
    let mut back = domain.create("back", &attributes()).unwrap().publisher().unwrap();
    describe_width(&back);
    let there = eventually("the channel", || domain.open_channel("there").ok());
    let mut there = there.subscriber_with(SubscriberOptions::new().start(Start::Oldest)).unwrap();
    let mut bytes = vec![0; MAX];
    for seq in 1..=ROUNDS {
        let info = there.wait_next(LONG, &mut bytes).unwrap().expect("a message within the time");
        assert_eq!((checked(&bytes[..info.len]), info.missed), ((1, seq), 0));
        back.publish(&message(2, seq, info.len)).unwrap();
    }
}

#[test]
fn programs_of_two_widths_exchange_messages_both_ways_and_wake_each_other() {
    let domain = TestDomain::new();
    let mut there = domain.create("there", &attributes()).unwrap().publisher().unwrap();
    let mut partner = Partner::start(&domain, "echo");
    let back = eventually("the channel of the other", || {
        domain.open_channel("back").ok().filter(|channel| !channel.descriptions().unwrap().is_empty())
    });
    assert_is_other(width_of(&back));
    let mut back = back.subscriber_with(SubscriberOptions::new().start(Start::Oldest)).unwrap();
    let mut bytes = vec![0; MAX];
    for seq in 1..=ROUNDS {
        there.publish(&message(1, seq, len_of(seq))).unwrap();
        let info = back.wait_next(LONG, &mut bytes).unwrap().expect("an answer within the time");
        assert_eq!((checked(&bytes[..info.len]), info.len, info.missed), ((2, seq), len_of(seq), 0));
    }
    assert!(eventually("its end", || partner.0.try_wait().unwrap()).success());
}

/// In the other program: publishes until it is killed, in a lane that another program may have begun.
#[test]
fn publish_until_killed() {
    let Some(domain) = domain_of_partner() else { return };
    let channel = domain.open_channel("shared").unwrap();
    let mut publisher = channel.publisher().unwrap();
    assert_eq!(publisher.id().lane, 0, "the lane of those before, who are dead");
    describe_width(&publisher);
    let mut seq = channel.info().unwrap().published();
    loop {
        seq += 1;
        assert_eq!(publisher.publish(&message(3, seq, len_of(seq))).unwrap().seq, seq);
    }
}

#[test]
fn a_lane_passes_whole_from_a_killed_program_of_one_width_to_the_other() {
    let domain = TestDomain::new();
    let channel = domain.create("shared", &attributes()).unwrap();
    let mut subscriber = channel.subscriber_with(SubscriberOptions::new().start(Start::Oldest)).unwrap();
    let (mut received, mut bytes) = (0, vec![0; MAX]);
    let mut drain = |subscriber: &mut Subscriber, least: u64| {
        let until = received + least;
        loop {
            let time = if received < until { LONG } else { Duration::ZERO };
            let info = match subscriber.wait_next(time, &mut bytes) {
                Ok(Some(info)) => info,
                Ok(None) => break,
                // The other one overtook each attempt; what it overwrote counts as missed.
                Err(Error::Overrun { .. }) => continue,
                Err(e) => panic!("{e}"),
            };
            assert_eq!(checked(&bytes[..info.len]), (3, info.seq));
            received += 1;
            if least > 0 && received >= until {
                break;
            }
        }
        assert!(received >= until, "messages arrive within the time");
        received
    };
    for round in 0..12 {
        // The other program, killed in the midst of it: each time after another number of messages.
        let mut partner = Partner::start(&domain, "publish_until_killed");
        drain(&mut subscriber, 1 + round * 29);
        assert!(partner.0.try_wait().unwrap().is_none(), "it publishes until it is killed");
        drop(partner);
        // This one goes on where it stopped.
        let done = channel.info().unwrap().published();
        let mut publisher = channel.publisher().unwrap();
        assert_eq!(publisher.id().lane, 0, "the lane of the dead one");
        for seq in done + 1..=done + 10 {
            assert_eq!(publisher.publish(&message(3, seq, len_of(seq))).unwrap().seq, seq);
        }
    }
    let received = drain(&mut subscriber, 0);
    assert_is_other(width_of(&channel));
    assert_eq!(received + subscriber.missed(), channel.info().unwrap().published());
}
