//! A network domain takes no more memory than its URL allows, whatever others send.

use saltus_domain::{Domain, Missed, Options, Pattern};
use std::fs;
use std::net::UdpSocket;
use std::time::Duration;

const GROUP: &str = "239.255.76.67:7667";
const LONG: Duration = Duration::from_secs(20);
/// The least that `memory` may be.
const MEMORY: usize = 128 << 20;
/// Of a message that is received: an eighth of the memory is the most.
const SIZE: usize = 12 << 20;
const CHANNELS: u64 = 16;
/// Of a fragment.
const PIECE: usize = 60_000;

/// The most memory that this process ever had in use, in bytes.
fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<usize>().unwrap() << 10
}

/// A sender of datagrams. All its messages come from one port.
struct Sender(UdpSocket, u32);

impl Sender {
    fn new() -> Sender {
        Sender(UdpSocket::bind("0.0.0.0:0").unwrap(), 0)
    }
    fn send(&self, packet: &[u8]) {
        self.0.send_to(packet, GROUP).unwrap();
    }
    /// Sends one fragment of the present message.
    fn fragment(&self, channel: &str, size: usize, number: usize, payload: &[u8]) {
        let (size, offset) = ((size as u32).to_be_bytes(), ((number * PIECE) as u32).to_be_bytes());
        let (count, at) = (5000u16.to_be_bytes(), (number as u16).to_be_bytes());
        let name = if number == 0 { format!("{channel}\0") } else { String::new() };
        self.send(
            &[b"LC03", &self.1.to_be_bytes()[..], &size, &offset, &at, &count, name.as_bytes(), payload]
                .concat(),
        );
    }
    /// Sends a message in fragments, as fast as a slow receiver takes them.
    fn long(&mut self, channel: &str, message: &[u8]) {
        for (number, piece) in message.chunks(PIECE).enumerate() {
            self.fragment(channel, message.len(), number, piece);
            std::thread::sleep(Duration::from_millis(1));
        }
        self.1 += 1;
    }
    fn short(&mut self, channel: &str, message: &[u8]) {
        self.send(&[b"LC02", &self.1.to_be_bytes()[..], channel.as_bytes(), b"\0", message].concat());
        self.1 += 1;
    }
}

#[test]
fn a_flood_of_long_messages_stays_within_the_memory_of_the_url_and_leaves_room_for_short_ones() {
    saltus_netns::isolated(|| {
        let domain = Domain::open(&format!("udpm://{GROUP}?memory={MEMORY}")).unwrap();
        let mut all =
            domain.subscriber_with(Pattern::regex("[A-Z]+[0-9]*").unwrap(), Options::next(1000)).unwrap();
        let message = vec![7; SIZE];
        let mut sender = Sender::new();
        sender.short("FIRST", b"1");
        assert_eq!(all.receive(LONG).unwrap().expect("a short message").data, b"1");
        let before = peak();

        // First fragments from many sources, of messages that are too long, and of others that never become whole.
        let sources: Vec<_> = (0..200).map(|_| Sender::new()).collect();
        for size in [1 << 28, 15 << 20] {
            for number in 0..20 {
                sources.iter().for_each(|source| source.fragment("A", size, number, &message[..PIECE]));
            }
        }
        std::thread::sleep(Duration::from_millis(100)); // all of them were received
        // Whole messages on many channels.
        for channel in 0..CHANNELS {
            sender.long(&format!("LONG{channel}"), &message);
            sender.short(&format!("SHORT{channel}"), b"2");
        }
        sender.short("LAST", b"3");

        let (mut short, mut long, mut refused, mut missed) = (0, 0, 0, 0);
        let mut wait = LONG;
        loop {
            match all.receive(wait) {
                Err(e) => {
                    let words = e.to_string();
                    assert!(
                        words.contains("no memory is left for messages of") && words.contains("`memory=`"),
                        "{words}"
                    );
                    refused += 1;
                }
                Ok(None) if wait == LONG => panic!("the last message did not arrive"),
                Ok(None) => break,
                Ok(Some(message)) => {
                    missed += if let Missed::OfSender(missed) = message.missed { missed } else { 0 };
                    match message.channel.to_string().as_str() {
                        "LAST" => wait = Duration::ZERO, // errors are returned when no message is left
                        channel if channel.starts_with("LONG") => long += 1,
                        _ => short += 1,
                    }
                }
            }
        }
        let grown = peak() - before;
        println!(
            "{} MiB more at the peak; {long} long messages, {short} short ones, {refused} errors",
            grown >> 20
        );
        assert!(
            grown <= MEMORY + (SIZE + (8 << 20)),
            "{} MiB, and the message that is returned",
            grown >> 20
        );
        assert!((1..=CHANNELS).contains(&refused), "one error for each channel at most: {refused}");
        assert_eq!(long + short + missed, 2 * CHANNELS, "received and missed are what was published");
        assert_eq!(short, CHANNELS, "long messages leave memory for short ones");
    });
}
