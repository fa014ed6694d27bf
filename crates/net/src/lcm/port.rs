//! `mpudpm://`: channels spread over many ports, so that a host need not receive unwanted channels.
//!
//! A channel's port follows from its name ([`hash`]). A subscriber by pattern cannot know the names, so all
//! processes announce their channels on the first port. A process that publishes or subscribes to a new channel
//! sends its whole [map](ChannelMap), and a subscriber by pattern requests the maps of others.
//!
//! ```text
//!   first port          #!mpudpm_CH2PRT_REQ   "r"                     who has channels?
//!                       #!mpudpm_CH2PRT_UPD   [`Update`]              these are there
//!   first + hash mod n  the messages, as on udpm
//! ```
//!
//! Sequence numbers count over all ports, so a receiver that does not listen to all of them cannot detect losses.

mod map;
mod update;

pub use map::{ChannelMap, Told, Wish};
pub use update::Update;

use std::ops::RangeInclusive;

/// Requests the maps.
pub const REQUEST: &[u8] = b"#!mpudpm_CH2PRT_REQ";
/// Announces a map.
pub const UPDATE: &[u8] = b"#!mpudpm_CH2PRT_UPD";
/// LCM's self test on these ports.
pub const SELF_TEST: &[u8] = b"#!mpudpm_SELF_TEST";
/// The message of a request.
pub const REQUEST_WORDS: &[u8] = b"r";
/// LCM's default number of ports.
pub const PORTS: u16 = 500;

/// Whether LCM reserves a channel's name: nobody publishes on it.
pub fn is_reserved(channel: &[u8]) -> bool {
    channel.starts_with(b"#!")
}

/// LCM's hash of a channel's name (djb2, over signed bytes).
pub fn hash(channel: &[u8]) -> u32 {
    channel.iter().fold(5381, |h: u32, b| h.wrapping_mul(33).wrapping_add(*b as i8 as u32))
}

/// Whether LCM interprets a subscription as a pattern: it contains one of `.[{()\*+?|^$` that is neither first nor
/// after a backslash. (A backslash is one of them.)
pub fn is_pattern(name: &[u8]) -> bool {
    name.windows(2).any(|w| w[0] != b'\\' && b".[{()\\*+?|^$".contains(&w[1]))
}

/// The ports of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    first: u16,
    count: u16,
}

impl Ports {
    /// `count` ports from `first` on. `None` if `count` is 0, or some are beyond 65535.
    pub fn new(first: u16, count: u16) -> Option<Ports> {
        let fits = u32::from(first) + u32::from(count) <= 1 << 16;
        (first > 0 && count > 0 && fits).then_some(Ports { first, count })
    }
    /// The first port, on which channels are announced.
    pub fn first(self) -> u16 {
        self.first
    }
    /// The number of ports.
    pub fn count(self) -> u16 {
        self.count
    }
    /// All ports.
    pub fn all(self) -> RangeInclusive<u16> {
        self.first..=self.first + (self.count - 1)
    }
    /// The port of a channel.
    pub fn of(self, channel: &[u8]) -> u16 {
        self.first + (hash(channel) % u32::from(self.count)) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_those_that_lcm_chooses() {
        let ports = Ports::new(7667, PORTS).unwrap();
        assert_eq!((hash(b"POSE"), ports.of(b"POSE")), (0x7c8a_48dc, 8071));
        assert_eq!((hash(b"EXAMPLE"), ports.of(b"EXAMPLE")), (0x953b_c511, 7924));
        let few = Ports::new(7900, 10).unwrap();
        assert_eq!((few.of(b"POSE"), few.of(SELF_TEST)), (7904, 7906));
        assert_eq!(hash(b"\xff"), 5381 * 33 - 1, "bytes are signed");
    }

    #[test]
    fn ranges_of_ports_are_checked() {
        assert_eq!(Ports::new(65535, 1).unwrap().all(), 65535..=65535);
        assert_eq!(Ports::new(1, 65535).unwrap().all(), 1..=65535);
        assert!(Ports::new(65535, 2).is_none() && Ports::new(0, 1).is_none() && Ports::new(7, 0).is_none());
    }

    #[test]
    fn patterns_are_told_from_names() {
        for pattern in ["A.B", "A.*", "a(b", "POSE$", "x[12]", "a\\.b"] {
            assert!(is_pattern(pattern.as_bytes()), "{pattern}");
        }
        for name in ["POSE", ".", "*", "\\.", "", "^POSE"] {
            assert!(!is_pattern(name.as_bytes()), "{name}");
        }
    }
}
