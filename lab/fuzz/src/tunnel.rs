//! Any bytes as datagrams: from strangers, and from an end with the key.

use saltus_links::{Badness, Pair};
use saltus_tunnel::{Config, Key};
use std::net::{Ipv4Addr, SocketAddr};

/// See the module.
pub fn attack(data: &[u8]) {
    let config = Config { memory: 1 << 16, ..Config::new(Key::from_bytes([1; 32])) };
    let mut pair = Pair::new(&config, Badness::default(), 1).expect("the settings make sense");
    pair.run(50_000_000, |_, _, _| {});
    assert!(pair.connecter.is_connected() && pair.listener.is_connected());
    let from = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
    let mut rest = data;
    // One byte gives the length of each datagram, and whether it is sealed.
    while let Some((how, bytes)) = rest.split_first() {
        let (datagram, behind) = bytes.split_at(bytes.len().min(usize::from(how >> 1)));
        rest = behind;
        pair.now += 1_000_000;
        let now = pair.now;
        let mut datagram = match how & 1 {
            0 => datagram.to_vec(),
            _ => pair.connecter.forge(datagram).expect("it is connected"),
        };
        let before = pair.listener.stats();
        pair.listener.receive(&mut datagram, from, now, |_| {});
        let after = pair.listener.stats();
        // Strangers change only the count of rejected datagrams.
        if how & 1 == 0 {
            assert_eq!(
                (before.received_datagrams, before.delivered),
                (after.received_datagrams, after.delivered)
            );
        }
    }
    // It still works.
    pair.run(pair.now + 300_000_000, |_, _, _| {});
    assert!(pair.listener.is_connected());
}
