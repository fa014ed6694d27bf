//! The numbers that functions return.

use std::ffi::c_int;

/// Done.
pub const SALTUS_OK: c_int = 0;
/// Nothing unseen, or the time is up. Not an error, and the only negative number.
pub const SALTUS_NOTHING: c_int = -1;
/// There is no channel, log or subscription of that name.
pub const SALTUS_NOT_FOUND: c_int = 1;
/// There is a channel, or a file, of that name already.
pub const SALTUS_EXISTS: c_int = 2;
/// The buffer is too small for the message, and the subscriber keeps its place; or more is published than was borrowed.
pub const SALTUS_TOO_SMALL: c_int = 3;
/// The message is longer than the channel's frames, or than the transport carries.
pub const SALTUS_TOO_LONG: c_int = 4;
/// Publishers overtook the reader; the subscriber keeps its place. Call again.
pub const SALTUS_OVERRUN: c_int = 5;
/// The wait was called off, by saltus_channel_cancel() or saltus_domain_cancel().
pub const SALTUS_CANCELED: c_int = 6;
/// The channel is no more: removed, replaced, or its files deleted. Close it and open it anew.
pub const SALTUS_RETIRED: c_int = 7;
/// Permissions forbid it.
pub const SALTUS_DENIED: c_int = 8;
/// The memory for it cannot be had, or the room on the disk; or the process has 16,384 handles.
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
/// The transport, or the kind of domain, cannot do this.
pub const SALTUS_UNSUPPORTED: c_int = 101;
/// A channel has messages of another type than expected. Told once a channel and type; call again.
pub const SALTUS_WRONG_TYPE: c_int = 103;
/// A message could not be encoded.
pub const SALTUS_UNENCODABLE: c_int = 104;
/// A message could not be decoded.
pub const SALTUS_UNDECODABLE: c_int = 105;
/// There will be nothing more: a log that is played has come to its end.
pub const SALTUS_ENDED: c_int = 106;
/// A network does not do what is needed; saltus_last_error() says what to do.
pub const SALTUS_NETWORK: c_int = 107;
/// The URL's provider is unknown, or not built in.
pub const SALTUS_NO_PROVIDER: c_int = 108;
/// The file is no log; or not of LCM's, the one that file:// plays.
pub const SALTUS_NO_LOG: c_int = 109;
/// The message cannot be in a log of this format.
pub const SALTUS_UNWRITABLE: c_int = 110;
/// The log was changed since it was opened: open it again.
pub const SALTUS_CHANGED: c_int = 111;

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

    /// Codes of domains and logs, as Rust has them.
    fn others() -> Vec<(c_int, c_int)> {
        use saltus_domain::Error as Domain;
        use saltus_log::Error as Log;
        use std::io::{Error as Io, ErrorKind};
        let (channel, what) = (Name::new("imu").unwrap(), || String::from("x"));
        let io = |kind: ErrorKind| Log::Io(what(), Io::from(kind)).code();
        let expected = what();
        let unknown = Domain::NoProvider { scheme: what(), known: what(), feature: None };
        vec![
            (SALTUS_TOO_LONG, Domain::TooLong { len: 2, most: 1 }.code()),
            (SALTUS_CANCELED, Domain::Canceled.code()),
            (SALTUS_INVALID, Domain::Invalid { what: what() }.code()),
            (SALTUS_SYSTEM, Domain::System { what: what(), source: Io::other("x") }.code()),
            (SALTUS_UNSUPPORTED, Domain::Unsupported { what: what() }.code()),
            (SALTUS_WRONG_TYPE, Domain::Type { channel, expected, found: what() }.code()),
            (SALTUS_ENDED, Domain::Ended.code()),
            (SALTUS_NO_PROVIDER, unknown.code()),
            (SALTUS_NOT_FOUND, io(ErrorKind::NotFound)),
            (SALTUS_EXISTS, io(ErrorKind::AlreadyExists)),
            (SALTUS_DENIED, io(ErrorKind::PermissionDenied)),
            (SALTUS_NO_SPACE, io(ErrorKind::StorageFull)),
            (SALTUS_SYSTEM, io(ErrorKind::BrokenPipe)),
            (SALTUS_UNDECODABLE, Log::Undecodable { channel: what(), why: what() }.code()),
            (SALTUS_NO_LOG, Log::NoLog(what()).code()),
            (SALTUS_UNWRITABLE, Log::Unwritable(what()).code()),
            (SALTUS_CHANGED, Log::Changed.code()),
        ]
    }

    #[test]
    fn codes_are_those_of_rust_and_each_has_words_of_its_own() {
        let mut seen = std::collections::HashSet::new();
        for (error, code) in all() {
            assert_eq!(error.code(), code, "{error}");
            assert!(seen.insert(text(code)) && text(code) != text(i32::MAX), "{error}");
        }
        for (code, rust) in others() {
            assert_eq!(code, rust);
            assert!(code < SALTUS_BUG || seen.insert(text(code)) && text(code) != text(i32::MAX), "{code}");
        }
        // The channels' codes have no gaps so far, and all of them are above.
        assert_eq!(all().len() as c_int, SALTUS_SYSTEM);
        for unused in [SALTUS_SYSTEM + 1, 102, SALTUS_CHANGED + 1] {
            assert_eq!(text(unused), text(i32::MAX));
        }
        for code in [SALTUS_OK, SALTUS_NOTHING, SALTUS_BUG] {
            assert!(seen.insert(text(code)));
        }
    }
}
