use super::*;

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;

fn map(seed: u64) -> ChannelMap {
    ChannelMap::new(Ports::new(7900, 10).unwrap(), seed)
}

fn names(map: &ChannelMap) -> Vec<&str> {
    map.channels().map(|(name, _)| str::from_utf8(name).unwrap()).collect()
}

#[test]
fn a_new_channel_is_told_at_once() {
    let mut map = map(1);
    assert_eq!((map.publish(b"POSE", 0), map.wish(0), map.wish(0)), (7904, Some(Wish::Update), None));
    assert_eq!((map.publish(b"POSE", MS), map.wish(MS)), (7904, None));
    assert_eq!(map.subscribe(b"IMU", 2 * MS), Some(map.ports().of(b"IMU")));
    assert_eq!(map.wish(2 * MS), Some(Wish::Update), "no 10 ms for what is new");
    assert_eq!(names(&map), ["IMU", "POSE"]);
    assert_eq!(map.since(0).map(|(name, _)| name).collect::<Vec<_>>(), [&b"POSE"[..], b"IMU"]);
    assert_eq!((map.since(1).count(), map.since(2).count(), map.since(9).count()), (1, 0, 0));
    assert_eq!(Update::decode(&map.encode()).unwrap().channels.len(), 2);
}

#[test]
fn a_publisher_tells_again_after_5_seconds_and_a_bit() {
    let mut waits = Vec::new();
    for seed in [3, 1_000_003, u64::MAX] {
        let mut map = map(seed);
        map.publish(b"POSE", 0);
        assert_eq!(map.wish(0), Some(Wish::Update));
        let told = (1..8000).map(|ms| ms * MS).find(|now| {
            map.publish(b"POSE", *now);
            map.wish(*now).is_some()
        });
        waits.push(told.unwrap());
        assert!((5 * SECOND..=6 * SECOND + 250 * MS + MS).contains(waits.last().unwrap()), "{waits:?}");
    }
    waits.dedup();
    assert_eq!(waits.len(), 3, "not all at once");
}

#[test]
fn the_same_map_from_another_keeps_one_silent() {
    let (mut a, mut b) = (map(3), map(4));
    a.publish(b"POSE", 0);
    assert_eq!(a.wish(0), Some(Wish::Update));
    assert_eq!(b.take(UPDATE, &a.encode(), 0), Told::New(1));
    assert_eq!(names(&b), ["POSE"]);
    for s in 1..20 {
        assert_eq!(b.take(UPDATE, &a.encode(), s * SECOND), Told::New(0));
        b.publish(b"POSE", s * SECOND);
        assert_eq!(b.wish(s * SECOND), None);
    }
}

#[test]
fn a_pattern_asks_and_is_answered_once() {
    let (mut a, mut b) = (map(3), map(4));
    assert_eq!((b.subscribe(b"P.*", 0), b.wish(0), b.wish(0)), (None, Some(Wish::Request), None));
    assert_eq!(a.take(REQUEST, b"r", 0), Told::Request);
    assert_eq!(a.wish(0), None, "there is nothing to tell");
    a.publish(b"POSE", SECOND);
    assert_eq!(a.wish(SECOND), Some(Wish::Update));
    // Two request it shortly after: one answer, 10 ms after the last.
    for ms in [1, 2] {
        a.take(REQUEST, b"r", SECOND + ms * MS);
        assert_eq!(a.wish(SECOND + ms * MS), None);
    }
    assert_eq!(a.wake_ns(), Some(SECOND + 10 * MS));
    assert_eq!(a.wish(SECOND + 10 * MS), Some(Wish::Update));
    assert_eq!((a.wake_ns(), a.wish(2 * SECOND)), (None, None));
    // A process that hears another's answer need not answer itself.
    b.take(UPDATE, &a.encode(), 2 * SECOND);
    a.take(REQUEST, b"r", 2 * SECOND);
    a.take(UPDATE, &b.encode(), 2 * SECOND);
    assert_eq!(a.wish(2 * SECOND), None);
}

#[test]
fn maps_of_others_are_not_trusted() {
    let mut map = map(1);
    let tell = |map: &mut ChannelMap, ports: u16, name: &[u8], port: u16| {
        let bytes = encode(ports, [(name, port)].into_iter());
        map.take(UPDATE, &bytes, 0)
    };
    assert_eq!(tell(&mut map, 500, b"A", 7900), Told::OtherPorts(500));
    assert_eq!(map.take(UPDATE, b"what", 0), Told::Malformed);
    assert_eq!(map.take(b"POSE", b"", 0), Told::Other);
    for (name, port) in [
        (&b"A"[..], 7899),
        (b"A", 7910),
        (&[b'x'; 64], 7900),
        (b"", 7900),
        (b"#!mine", 7900),
        (b"a\0b", 7900),
    ] {
        assert_eq!(tell(&mut map, 10, name, port), Told::New(0), "{name:?} {port}");
    }
    assert_eq!(tell(&mut map, 10, b"A", 7909), Told::New(1));
    assert_eq!(map.publish(b"A", 0), 7909, "the others send there");
    for i in 0..40_000 {
        map.publish(format!("CHANNEL {i}").as_bytes(), 0);
    }
    assert_eq!(map.channels().count(), MOST);
    assert_eq!(Update::decode(&map.encode()).unwrap().channels.len(), MOST);
}
