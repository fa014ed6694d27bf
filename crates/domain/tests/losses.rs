//! Losses on LCM's multicast are reported once to each subscriber, and unknown ones are reported as unknown.

use saltus_domain::{Domain, Missed, Options, Pattern, Subscriber};
use std::net::UdpSocket;
use std::time::Duration;

const GROUP: &str = "239.255.76.67:7667";
const LONG: Duration = Duration::from_secs(20);
const UNKNOWN: Missed = Missed::Unknown;

/// A sender on its own port, which can leave out any number.
struct Sender(UdpSocket);

impl Sender {
    fn new() -> Sender {
        Sender(UdpSocket::bind("0.0.0.0:0").unwrap())
    }
    fn send(&self, channel: &str, sequence: u32) {
        let packet = [b"LC02", &sequence.to_be_bytes()[..], channel.as_bytes(), b"\0", b"payload"].concat();
        self.0.send_to(&packet, GROUP).unwrap();
    }
}

fn domain() -> Domain {
    Domain::open(&format!("udpm://{GROUP}")).unwrap()
}

fn all(domain: &Domain, pattern: &str) -> Subscriber {
    domain.subscriber_with(Pattern::regex(pattern).unwrap(), Options::next(1000)).unwrap()
}

/// The losses reported with the next message, which has this number.
fn missed(subscriber: &mut Subscriber, sequence: u32) -> Missed {
    let message = subscriber.receive(LONG).unwrap().expect("a message");
    assert_eq!((message.sequence, message.dropped), (Some(sequence.into()), 0));
    message.missed
}

#[test]
fn losses_before_the_first_message_are_unknown_unless_it_is_the_senders_first() {
    saltus_netns::isolated(|| {
        let (domain, running, started) = (domain(), Sender::new(), Sender::new());
        let mut subscriber = all(&domain, "A");
        for (sender, numbers) in [
            (&running, [(7, UNKNOWN), (8, Missed::OfSender(0)), (11, Missed::OfSender(2))]),
            (&started, [(0, Missed::OfSender(0)), (1, Missed::OfSender(0)), (5, Missed::OfSender(3))]),
            (&running, [(12, Missed::OfSender(0)), (20, Missed::OfSender(7)), (21, Missed::OfSender(0))]),
        ] {
            for (sequence, expected) in numbers {
                sender.send("A", sequence);
                assert_eq!(missed(&mut subscriber, sequence), expected, "number {sequence}");
            }
        }
    });
}

#[test]
fn losses_between_subscribing_and_the_first_message_are_reported() {
    saltus_netns::isolated(|| {
        let (domain, sender) = (domain(), Sender::new());
        let mut first = all(&domain, "A");
        for (sequence, expected) in [(5, UNKNOWN), (8, Missed::OfSender(2))] {
            sender.send("A", sequence);
            assert_eq!(missed(&mut first, sequence), expected);
        }
        let mut second = all(&domain, "B");
        for sequence in [12, 14] {
            sender.send("B", sequence);
        }
        assert_eq!(missed(&mut second, 12), Missed::OfSender(3), "9 to 11");
        assert_eq!(missed(&mut second, 14), Missed::OfSender(1));
        sender.send("A", 15);
        assert_eq!(missed(&mut first, 15), Missed::OfSender(4), "of the sender, on whatever channel");
        // The domain's socket has heard the sender, though the channel has no subscriber.
        sender.send("NOBODY", 17);
        sender.send("A", 18);
        assert_eq!(missed(&mut first, 18), Missed::OfSender(1));
    });
}

#[test]
fn a_subscriber_of_many_channels_gets_a_loss_once() {
    saltus_netns::isolated(|| {
        let (domain, sender) = (domain(), Sender::new());
        let mut subscriber = all(&domain, "A|B|C");
        let loss_counts: Vec<_> = [("A", 3), ("B", 4), ("A", 7), ("B", 8), ("C", 10), ("A", 11)]
            .map(|(channel, sequence)| {
                sender.send(channel, sequence);
                missed(&mut subscriber, sequence)
            })
            .into();
        assert_eq!(loss_counts[0], UNKNOWN);
        assert_eq!(loss_counts[1..], [0, 2, 0, 1, 0].map(Missed::OfSender));
    });
}

#[test]
fn each_of_many_senders_on_a_channel_has_its_own_losses() {
    saltus_netns::isolated(|| {
        let domain = domain();
        let senders: Vec<_> = (0..70).map(|_| Sender::new()).collect();
        let mut subscriber = all(&domain, "A");
        for (sequence, expected) in [(1, UNKNOWN), (4, Missed::OfSender(2)), (5, Missed::OfSender(0))] {
            for (n, sender) in senders.iter().enumerate() {
                sender.send("A", sequence);
                assert_eq!(missed(&mut subscriber, sequence), expected, "sender {n}");
            }
        }
    });
}

#[test]
fn losses_while_a_sender_is_replaced_on_its_port_are_unknown() {
    saltus_netns::isolated(|| {
        let (domain, sender) = (domain(), Sender::new());
        let mut subscriber = all(&domain, "A");
        for (sequence, expected) in
            [(0, Missed::OfSender(0)), (5000, Missed::OfSender(4999)), (0, UNKNOWN), (2, Missed::OfSender(1))]
        {
            sender.send("A", sequence);
            assert_eq!(missed(&mut subscriber, sequence), expected);
        }
    });
}
