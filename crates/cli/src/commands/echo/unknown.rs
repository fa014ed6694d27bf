//! The warning about messages of unknown type, printed once.

use saltus_decode::Meaning;

use crate::exit::note;
use crate::flags::types;

/// Whether the warning was printed, or is suppressed.
pub(super) struct Unknown {
    reported: bool,
}

impl Unknown {
    /// Not printed yet; `quiet` suppresses it.
    pub(super) fn new(quiet: bool) -> Unknown {
        Unknown { reported: quiet }
    }

    /// Prints the remedy at the first message that is neither of a known type nor text.
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
