//! What is said of messages whose type is not known: once.

use saltus_decode::Meaning;

use crate::exit::note;
use crate::flags::types;

/// Whether it was said.
pub(super) struct Unknown {
    reported: bool,
}

impl Unknown {
    /// Nothing was said yet, and nothing is said where it is to be quiet.
    pub(super) fn new(quiet: bool) -> Unknown {
        Unknown { reported: quiet }
    }

    /// Says what to do, at the first message of which neither type nor text is known.
    pub(super) fn report(&mut self, channel: &str, meaning: &Meaning, bytes: &[u8]) {
        let unknown =
            matches!(meaning, Meaning::Unknown(_) | Meaning::Bytes) && str::from_utf8(bytes).is_err();
        if let (Some(first), true, false) = (bytes.first_chunk(), unknown, self.reported) {
            self.reported = true;
            let fingerprint = u64::from_be_bytes(*first);
            note(format_args!("unknown type {fingerprint:016x} on channel `{channel}`: {}", types::UNKNOWN));
        }
    }
}
