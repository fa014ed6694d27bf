//! Any datagram is parsed or refused; a parsed one is encoded to the same bytes.

use saltus_net::lcm::packet::{Packet, parse};
use saltus_net::lcm::reassembly::Limits;
use saltus_net::lcm::split::split;
use saltus_net::lcm::{CHANNEL, GROUP, Intake, Received};

/// See the module.
pub fn attack(data: &[u8]) {
    let mut messages = 0;
    let sink = |message: Received<'_>| {
        assert!(message.channel.len() <= CHANNEL && !message.channel.contains(&0));
        assert!(message.channel.len() + message.payload.len() < data.len());
        messages += 1;
    };
    Intake::new(Limits::default()).take(GROUP, data, 0, 0, &mut { sink });
    assert!(messages <= 1);
    let Ok(packet) = parse(data) else { return assert_eq!(messages, 0) };
    if let Packet::Short { sequence, channel, payload } = packet {
        assert_eq!(messages, 1);
        let Ok(again) = split(sequence, channel, payload.len(), usize::MAX) else { return };
        for (header, piece) in again {
            assert_eq!([header.as_ref(), &payload[piece]].concat(), data);
        }
    }
}
