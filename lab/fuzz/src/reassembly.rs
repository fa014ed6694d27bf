//! Fragments of a few messages of a few senders, in any order, size and position: complete messages are the
//! original ones, and memory is bounded.

use saltus_net::lcm::packet::Fragment;
use saltus_net::lcm::reassembly::{Limits, Reassembly, Taken};
use std::net::{Ipv4Addr, SocketAddrV4};

const LIMITS: Limits = Limits { messages: 6, bytes: 4096, message: 1 << 28, age_ns: 1000 };
/// Most bytes of one message, of incomplete ones, and of memory kept for later ones.
const MOST: usize = 4096 + 2 * 65536 + 9 * 65536;

/// The byte at a position of a message, determined by these three values.
fn byte(from: u8, sequence: u8, at: usize) -> u8 {
    from.wrapping_mul(67).wrapping_add(sequence.wrapping_mul(31)).wrapping_add((at ^ (at >> 8)) as u8)
}

/// See the module.
pub fn attack(data: &[u8]) {
    let mut reassembly = Reassembly::new(LIMITS);
    let mut now_ns = 0;
    let mut reported = 0;
    for step in data.chunks_exact(8) {
        let [who, what, size_high, size_low, offset_high, offset_low, number, len] = *step else { continue };
        let (from, sequence) = (who % 4, what % 8);
        now_ns += u64::from(what / 8) * u64::from(who / 64);
        let size = u16::from_be_bytes([size_high, size_low]);
        let offset = u16::from_be_bytes([offset_high, offset_low]);
        let length = usize::from(len) * if what & 128 == 0 { 1 } else { 64 };
        let payload: Vec<u8> = (0..length).map(|i| byte(from, sequence, usize::from(offset) + i)).collect();
        let fragment = Fragment {
            sequence: sequence.into(),
            size: size.into(),
            offset: offset.into(),
            number: number.into(),
            count: 200,
            channel: (number == 0).then_some(&data[..usize::from(len % 64).min(data.len())]),
            payload: &payload,
        };
        let sender = SocketAddrV4::new(Ipv4Addr::LOCALHOST, from.into());
        if let Taken::Whole { channel, payload } = reassembly.take(sender, now_ns, &fragment) {
            assert!(channel.len() <= 63);
            assert_eq!(payload.len(), usize::from(size));
            assert!(payload.iter().enumerate().all(|(at, b)| *b == byte(from, sequence, at)));
            reported += 1;
        }
        assert!(reassembly.pending() <= LIMITS.messages);
        assert!(reassembly.memory() <= MOST, "{} B", reassembly.memory());
    }
    assert_eq!(reassembly.counters().completed, reported);
}
