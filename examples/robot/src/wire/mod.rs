//! The robot's messages: the types of `types/robot.lcm`, each with a checksum in its last field.
//!
//! `saltus gen` generated [`types`] from the type file (`tests/types.rs` checks that they agree), so `saltus echo`, the spy and every other tool can read the
//! robot's channels. The encoding is LCM's: a fingerprint, then the fields in big endian, without padding.
//!
//! The checksum is for the demo: a channel never delivers a torn message, and every reader of this robot checks that with every message.
//! Your robot does not need it.

mod scan;
mod state;

/// The generated types.
#[allow(missing_docs)] // not every field of the type file has a comment
pub mod types {
    #[rustfmt::skip] // generated
    pub mod robot;
    pub use self::robot::*;
}

use saltus_wire::Body;
pub use saltus_wire::Message;
pub use scan::{START, chain, scan};
use types::{Crew, Event, Health, Member, Scan, Span, Tally};

/// Most measured times in one health report; a process with more sends the next report early.
pub const SPANS: usize = 96;
/// Most readers in one process.
pub const READERS: usize = 16;
/// Most processes in one crew message.
const MEMBERS: usize = 16;
/// Longest name of a role, bytes.
const ROLE: usize = 16;
/// Most events in one crew message.
pub const EVENTS: usize = 8;
/// Longest word for an event, bytes.
pub const WHAT: usize = 40;

/// Bytes that are not the expected message: torn, of another type, or of another length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn;

/// Initial value of an [`fnv`] chain.
const FNV: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a over bytes, continued from `hash`. It detects accidents, not attacks.
fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ *byte as u64).wrapping_mul(0x100_0000_01b3))
}

/// Encodes a message into `out`, replacing its contents, and writes the checksum into the last field.
pub fn write<M: Message>(message: &M, out: &mut Vec<u8>) {
    out.resize(message.encoded_size(), 0);
    message.encode_to(out).expect("the robot's messages have valid sizes");
    if let Some((body, sum)) = out.split_last_chunk_mut::<8>() {
        *sum = fnv(FNV, body).to_be_bytes();
    }
}

/// Checks and decodes a message.
pub fn read<M: Message>(bytes: &[u8]) -> Result<M, Torn> {
    let mut message = M::default();
    read_into(bytes, &mut message)?;
    Ok(message)
}

/// Checks a message, and decodes it into `message`, reusing its memory. After an error, its fields are arbitrary.
pub fn read_into<M: Message>(bytes: &[u8], message: &mut M) -> Result<(), Torn> {
    let (body, sum) = bytes.split_last_chunk::<8>().ok_or(Torn)?;
    if u64::from_be_bytes(*sum) != fnv(FNV, body) {
        return Err(Torn);
    }
    match message.decode_from(bytes) {
        Ok(len) if len == bytes.len() => Ok(()),
        _ => Err(Torn),
    }
}

/// Length of every message of a type without strings and variable arrays, bytes.
pub const fn fixed<M: Message>() -> usize {
    8 + M::MIN_SIZE
}

/// The longest crew message, bytes.
pub const LONGEST_CREW: usize = fixed::<Crew>()
    + MEMBERS * (<Member as Body>::MIN_SIZE + ROLE)
    + EVENTS * (<Event as Body>::MIN_SIZE + ROLE + WHAT);
/// The longest health report, bytes.
pub const LONGEST_HEALTH: usize =
    fixed::<Health>() + READERS * <Tally as Body>::MIN_SIZE + SPANS * <Span as Body>::MIN_SIZE;
/// The longest scan, bytes: a line of a CARMEN log, which holds a range in at least two bytes, and its ranges.
pub const LONGEST_SCAN: usize = fixed::<Scan>() + 3 * saltus_carmen::LINE;

#[cfg(test)]
mod tests {
    use super::types::{Command, Estimate, Imu, Wheel};
    use super::*;

    fn bytes<M: Message>(message: &M) -> Vec<u8> {
        let mut out = Vec::new();
        write(message, &mut out);
        out
    }

    #[test]
    fn a_message_round_trips_and_every_changed_bit_is_detected() {
        let imu = Imu { step: 7, rate: -0.25, forward: 1e-300, upward: 9.81, check: 0 };
        let bytes = bytes(&imu);
        assert_eq!(bytes.len(), fixed::<Imu>());
        assert_eq!(read::<Imu>(&bytes).map(|read| Imu { check: 0, ..read }), Ok(imu));
        for bit in 0..bytes.len() * 8 {
            let mut torn = bytes.clone();
            torn[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(read::<Imu>(&torn), Err(Torn), "bit {bit}");
        }
        for len in 0..bytes.len() {
            assert_eq!(read::<Imu>(&bytes[..len]), Err(Torn));
        }
        assert_eq!(read::<Imu>(&[&bytes[..], &[0]].concat()), Err(Torn));
    }

    #[test]
    fn halves_of_two_messages_are_not_a_message() {
        let old = bytes(&Estimate { step: 1, tilt: 0.5, ..Estimate::default() });
        let new = bytes(&Estimate { step: 2, tilt: 0.6, ..Estimate::default() });
        for at in (8..new.len()).step_by(8) {
            let mut torn = new.clone();
            torn[at..].copy_from_slice(&old[at..]);
            let seen = read::<Estimate>(&torn);
            assert!(seen == Err(Torn) || torn == new || torn == old, "cut at {at}: {seen:?}");
        }
    }

    #[test]
    fn types_are_not_confused() {
        let command = bytes(&Command { step: 1, sensed: 2, torque: 3.0, check: 0 });
        assert_eq!(fixed::<Command>(), fixed::<Wheel>());
        assert_eq!(read::<Wheel>(&command), Err(Torn));
    }

    #[test]
    fn the_longest_messages_fit() {
        let health = Health {
            num_tallies: READERS as i32,
            tallies: vec![Tally::default(); READERS],
            num_spans: SPANS as i32,
            spans: vec![Span::default(); SPANS],
            ..Health::default()
        };
        assert_eq!(bytes(&health).len(), LONGEST_HEALTH);
        let member = Member { role: "x".repeat(ROLE), ..Member::default() };
        let event = Event { role: "x".repeat(ROLE), what: "x".repeat(WHAT), ..Event::default() };
        let (members, events) = (vec![member; MEMBERS], vec![event; EVENTS]);
        let mut crew = Crew { members, events, ..Crew::default() };
        crew.set_sizes();
        assert_eq!(bytes(&crew).len(), LONGEST_CREW);
        assert!(crate::demo::ROLES.iter().all(|role| role.len() <= ROLE));
    }

    #[test]
    fn every_type_ends_with_its_checksum() {
        fn last<M: Message>(message: M) {
            let type_at =
                M::SCHEMA.rfind(&format!("struct {} ", M::NAME.rsplit('.').next().unwrap_or_default()));
            let text = &M::SCHEMA[type_at.expect("the schema holds the type")..];
            let end = text.find("\n}").expect("it ends");
            assert!(text[..end].ends_with("int64_t check;"), "{}", M::NAME);
            assert!(read::<M>(&bytes(&message)).is_ok(), "{}", M::NAME);
        }
        last(types::Truth::default());
        last(Imu::default());
        last(Estimate::default());
        last(Command::default());
        last(Wheel::default());
        last(types::Arm::default());
        last(types::Obstacle::default());
        last(Scan::default());
        last(types::Logged::default());
        last(Crew::default());
        last(Health::default());
        last(types::Push::default());
        last(types::Request::default());
    }
}
