use super::*;
use std::net::Ipv4Addr;

const MS: u64 = 1_000_000;

fn sender(port: u16) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::LOCALHOST, port)
}

/// Records numbers of one sender, 1 ms apart, and returns order and loss of each.
fn note(senders: &mut Senders, numbers: &[u32], now: &mut u64) -> Vec<(Order, u64)> {
    let noted = numbers.iter().map(|n| {
        *now += MS;
        let noted = senders.note(sender(1), *n, *now);
        (noted.order, noted.lost)
    });
    noted.collect()
}

#[test]
fn gaps_are_lost_until_they_are_filled() {
    use Order::*;
    let mut senders = Senders::new(4);
    let noted = note(&mut senders, &[100, 101, 104, 103, 103, 99, 105, 102], &mut 0);
    let expected = [(First, 0), (Next, 0), (Next, 2), (Late, 0), (Copy, 0), (Late, 0), (Next, 0), (Late, 0)];
    assert_eq!(noted, expected);
    let mut again = Senders::new(4);
    note(&mut again, &[100, 104, 99], &mut 0);
    assert_eq!(again.total().lost, 3, "messages before the first were never counted as lost");
    let counts = Counts { received: 7, lost: 0, late: 3, copies: 1, restarts: 0 };
    assert_eq!(senders.iter().collect::<Vec<_>>(), [(sender(1), counts)]);
    assert_eq!(senders.total(), counts);
}

#[test]
fn numbers_wrap() {
    let mut senders = Senders::new(4);
    let noted = note(&mut senders, &[u32::MAX - 1, u32::MAX, 0, 3, 1], &mut 0);
    assert_eq!(noted[2..], [(Order::Next, 0), (Order::Next, 2), (Order::Late, 0)]);
    assert_eq!(senders.total().lost, 1);
}

#[test]
fn a_sender_that_begins_anew_is_seen() {
    let mut senders = Senders::new(4);
    let mut now = 0;
    note(&mut senders, &[5000, 5001], &mut now);
    assert_eq!(note(&mut senders, &[0, 1, 4], &mut now)[0], (Order::Restarted, 0), "far behind");
    assert_eq!(senders.total().lost, 2);
    now += 2 * SILENCE;
    assert!(!senders.has(sender(1), 1, now), "after a silence it may be another message");
    assert_eq!(note(&mut senders, &[0, 1], &mut now), [(Order::Restarted, 0), (Order::Next, 0)]);
    assert_eq!(note(&mut senders, &[1 << 30], &mut now), [(Order::Restarted, 0)], "no loss of a billion");
    assert_eq!(senders.total().restarts, 3);
}

#[test]
fn copies_are_known_as_far_as_the_window_goes() {
    let mut senders = Senders::new(4);
    let mut now = 0;
    note(&mut senders, &(0..3000).filter(|n| n % 7 != 0).collect::<Vec<_>>(), &mut now);
    for n in (3000 - WINDOW)..3000 {
        assert_eq!(senders.has(sender(1), n, now), n % 7 != 0, "{n}");
    }
    assert!(!senders.has(sender(1), 3000, now));
    assert!(!senders.has(sender(2), 2999, now));
}

#[test]
fn as_many_senders_as_agreed_are_remembered() {
    let mut senders = Senders::new(3);
    for port in 0..10_000 {
        senders.note(sender(0), u32::from(port), u64::from(port));
        senders.note(sender(port + 1), 7, u64::from(port));
    }
    assert_eq!(senders.iter().count(), 3);
    assert_eq!(senders.forgotten(), 10_001 - 3);
    assert_eq!(senders.total(), Counts { received: 20_000, ..Counts::default() });
    assert!(senders.iter().any(|(from, c)| from == sender(0) && c.received == 10_000));
}
