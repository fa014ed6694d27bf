//! The numbers that functions return.

use std::ffi::c_int;

/// Done.
pub const SALTUS_OK: c_int = 0;
/// Nothing unseen, or the time is up. Not an error, and the only negative number.
pub const SALTUS_NOTHING: c_int = -1;
/// There is no channel of that name.
pub const SALTUS_NOT_FOUND: c_int = 1;
/// There is a channel of that name already.
pub const SALTUS_EXISTS: c_int = 2;
/// The buffer is too small for the message; the subscriber keeps its place.
pub const SALTUS_TOO_SMALL: c_int = 3;
/// The message is longer than the channel's frames, or than what was borrowed.
pub const SALTUS_TOO_LONG: c_int = 4;
/// Publishers overtook the reader; the subscriber keeps its place. Call again.
pub const SALTUS_OVERRUN: c_int = 5;
/// The wait was called off by saltus_cancel().
pub const SALTUS_CANCELED: c_int = 6;
/// The channel is no more: removed, replaced, or its files deleted. Close it and open it anew.
pub const SALTUS_RETIRED: c_int = 7;
/// Permissions forbid it.
pub const SALTUS_DENIED: c_int = 8;
/// The memory for it cannot be had.
pub const SALTUS_NO_SPACE: c_int = 9;
/// The channel has as many publishers as it can have.
pub const SALTUS_NO_LANE: c_int = 10;
/// What lies in shared memory is not a channel, or is one of another version.
pub const SALTUS_DAMAGED: c_int = 11;
/// An argument makes no sense: NULL, a bad name, a bad attribute, a call out of turn.
pub const SALTUS_INVALID: c_int = 12;
/// The system refused for a reason of its own.
pub const SALTUS_SYSTEM: c_int = 13;
/// Saltus has a bug, which was stopped at the border to C. Please report it, with saltus_last_error().
pub const SALTUS_BUG: c_int = 100;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::text;
    use saltus_channel::{Error, Name, Retired};

    /// Every error of Rust, with its code in C.
    fn all() -> Vec<(Error, c_int)> {
        let (channel, what) = (Name::new("imu").unwrap(), String::from("x"));
        let system = Error::System { what: what.clone(), source: std::io::Error::other("x") };
        vec![
            (Error::NotFound { channel: channel.clone(), domain: what.clone() }, SALTUS_NOT_FOUND),
            (Error::Exists { channel: channel.clone() }, SALTUS_EXISTS),
            (Error::TooSmall { needed: 2, have: 1 }, SALTUS_TOO_SMALL),
            (Error::TooLong { channel: channel.clone(), len: 2, max: 1 }, SALTUS_TOO_LONG),
            (Error::Overrun { channel: channel.clone() }, SALTUS_OVERRUN),
            (Error::Canceled, SALTUS_CANCELED),
            (Error::Retired { channel: channel.clone(), how: Retired::Removed }, SALTUS_RETIRED),
            (Error::Denied { what: what.clone() }, SALTUS_DENIED),
            (Error::NoSpace { what: what.clone() }, SALTUS_NO_SPACE),
            (Error::NoLane { channel, most: 1 }, SALTUS_NO_LANE),
            (Error::Damaged { what: what.clone() }, SALTUS_DAMAGED),
            (Error::Invalid { what }, SALTUS_INVALID),
            (system, SALTUS_SYSTEM),
        ]
    }

    #[test]
    fn codes_are_those_of_rust_and_each_has_words_of_its_own() {
        let mut seen = std::collections::HashSet::new();
        for (error, code) in all() {
            assert_eq!(error.code(), code, "{error}");
            assert!(seen.insert(text(code)) && text(code) != text(i32::MAX), "{error}");
        }
        // Rust's codes have no gaps so far, and all of them are above.
        assert_eq!(all().len() as c_int, SALTUS_SYSTEM);
        assert_eq!(text(SALTUS_SYSTEM + 1), text(i32::MAX));
        for code in [SALTUS_OK, SALTUS_NOTHING, SALTUS_BUG] {
            assert!(seen.insert(text(code)));
        }
    }
}
