//! The errors: one number each, the same in every language, and a few words for each.

use std::ffi::{CStr, c_char, c_int};

/// The result of a function that can fail. The numbers never change their meaning and are the same in every language; later versions may
/// add some.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(non_camel_case_types)] // the names in C
pub enum SaltusError {
    /// Success.
    SALTUS_OK = 0,
    /// No new message in time, or the end of a log. Not an error, and the only negative number.
    SALTUS_NOTHING = -1,
    /// No channel, log or subscription of that name exists.
    SALTUS_NOT_FOUND = 1,
    /// A channel or file of that name already exists.
    SALTUS_EXISTS = 2,
    /// The buffer is too small for the message, which stays unreceived; or a loan is published with more bytes than it has.
    SALTUS_TOO_SMALL = 3,
    /// The message is longer than the channel's `max_message_size`, or than the transport carries.
    SALTUS_TOO_LONG = 4,
    /// Publishers overwrote the message while it was read; the subscriber keeps its position. Call again.
    SALTUS_OVERRUN = 5,
    /// The wait was canceled, by saltus_channel_cancel() or saltus_domain_cancel().
    SALTUS_CANCELED = 6,
    /// The channel was removed or replaced, or its files were deleted. Close it and open it again.
    SALTUS_RETIRED = 7,
    /// Permission denied.
    SALTUS_DENIED = 8,
    /// Not enough memory or disk space; or the process has 16,384 handles.
    SALTUS_NO_SPACE = 9,
    /// The channel has as many publishers as it can have.
    SALTUS_TOO_MANY_PUBLISHERS = 10,
    /// The files in shared memory are not a channel, or are one of another version.
    SALTUS_DAMAGED = 11,
    /// An argument is invalid: NULL, a handle that is not open, a bad name or attribute, a call at the wrong time.
    SALTUS_INVALID = 12,
    /// The operating system reported another error.
    SALTUS_SYSTEM = 13,
    /// A bug in Saltus, stopped before it left the library. Please report it, with saltus_last_error().
    SALTUS_BUG = 100,
    /// The transport, or this kind of domain, does not support this.
    SALTUS_UNSUPPORTED = 101,
    /// A channel has messages of another type than expected. Reported once for each channel and type; call again.
    SALTUS_WRONG_TYPE = 103,
    /// A message could not be encoded.
    SALTUS_ENCODE_FAILED = 104,
    /// A message could not be decoded.
    SALTUS_DECODE_FAILED = 105,
    /// The log that is played has ended.
    SALTUS_ENDED = 106,
    /// The network is not set up as needed; saltus_last_error() says what to do.
    SALTUS_NETWORK = 107,
    /// The URL's provider is unknown, or not in this build.
    SALTUS_NO_PROVIDER = 108,
    /// The file is not a log; or it is not an LCM log, the only kind that file:// plays.
    SALTUS_NOT_A_LOG = 109,
    /// A log of this format cannot hold the message.
    SALTUS_UNWRITABLE = 110,
    /// The log was changed since it was opened: open it again.
    SALTUS_CHANGED = 111,
}
pub use SaltusError::*;

/// The header asserts this too.
const _: () = assert!(size_of::<SaltusError>() == size_of::<c_int>());

impl SaltusError {
    const ALL: [SaltusError; 26] = [
        SALTUS_OK,
        SALTUS_NOTHING,
        SALTUS_NOT_FOUND,
        SALTUS_EXISTS,
        SALTUS_TOO_SMALL,
        SALTUS_TOO_LONG,
        SALTUS_OVERRUN,
        SALTUS_CANCELED,
        SALTUS_RETIRED,
        SALTUS_DENIED,
        SALTUS_NO_SPACE,
        SALTUS_TOO_MANY_PUBLISHERS,
        SALTUS_DAMAGED,
        SALTUS_INVALID,
        SALTUS_SYSTEM,
        SALTUS_BUG,
        SALTUS_UNSUPPORTED,
        SALTUS_WRONG_TYPE,
        SALTUS_ENCODE_FAILED,
        SALTUS_DECODE_FAILED,
        SALTUS_ENDED,
        SALTUS_NETWORK,
        SALTUS_NO_PROVIDER,
        SALTUS_NOT_A_LOG,
        SALTUS_UNWRITABLE,
        SALTUS_CHANGED,
    ];

    /// The error of this number, if it is one.
    fn of(number: c_int) -> Option<SaltusError> {
        Self::ALL.into_iter().find(|error| *error as c_int == number)
    }

    /// The error of a number that the other crates give.
    #[cold]
    pub(crate) fn of_rust(code: c_int) -> SaltusError {
        Self::of(code).unwrap_or(SALTUS_BUG)
    }

    fn text(self) -> &'static CStr {
        match self {
            SALTUS_OK => c"done",
            SALTUS_NOTHING => c"nothing new",
            SALTUS_NOT_FOUND => c"no channel, log or subscription of that name exists",
            SALTUS_EXISTS => c"it exists already",
            SALTUS_TOO_SMALL => c"the buffer is too small",
            SALTUS_TOO_LONG => c"the message is too long",
            SALTUS_OVERRUN => c"overtaken by publishers",
            SALTUS_CANCELED => c"the wait was canceled",
            SALTUS_RETIRED => c"the channel is no more",
            SALTUS_DENIED => c"permission denied",
            SALTUS_NO_SPACE => c"no room for it",
            SALTUS_TOO_MANY_PUBLISHERS => c"no room for another publisher",
            SALTUS_DAMAGED => c"not a channel, or a damaged one",
            SALTUS_INVALID => c"an argument makes no sense",
            SALTUS_SYSTEM => c"the system refused",
            SALTUS_BUG => c"a bug in Saltus",
            SALTUS_UNSUPPORTED => c"the transport cannot do this",
            SALTUS_WRONG_TYPE => c"messages of another type",
            SALTUS_ENCODE_FAILED => c"the message cannot be encoded",
            SALTUS_DECODE_FAILED => c"the message cannot be decoded",
            SALTUS_ENDED => c"there are no more messages",
            SALTUS_NETWORK => c"the network",
            SALTUS_NO_PROVIDER => c"no such provider",
            SALTUS_NOT_A_LOG => c"not a log",
            SALTUS_UNWRITABLE => c"it cannot be in such a log",
            SALTUS_CHANGED => c"the log was changed",
        }
    }
}

/// saltus_strerror returns the meaning of an error in a few words, in a string that is never freed. saltus_last_error() has the
/// details. A number that is not an enum saltus_error gets a text that says so.
///
/// Blocks: never. Allocates: no. Kernel: no. Async-signal-safe.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_strerror(error: c_int) -> *const c_char {
    SaltusError::of(error).map_or(c"not a code of Saltus", SaltusError::text).as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_channel::{Error, Name, Retired};

    /// Every error of Rust, with the one it is in C.
    fn all() -> Vec<(Error, SaltusError)> {
        let (channel, what) = (Name::new("imu").unwrap(), String::from("x"));
        let system = Error::System { what: what.clone(), source: std::io::Error::other("x") };
        vec![
            (Error::NotFound { channel: channel.clone(), domain: what.clone() }, SALTUS_NOT_FOUND),
            (Error::Exists { channel: channel.clone() }, SALTUS_EXISTS),
            (Error::TooSmall { needed: 2, have: 1 }, SALTUS_TOO_SMALL),
            (Error::TooLong { channel: channel.clone(), len: 2, max: 1 }, SALTUS_TOO_LONG),
            (Error::Overrun { channel: channel.clone() }, SALTUS_OVERRUN),
            (Error::Canceled, SALTUS_CANCELED),
            (Error::Retired { channel: channel.clone(), how: Retired::Removed, by: None }, SALTUS_RETIRED),
            (Error::Denied { what: what.clone() }, SALTUS_DENIED),
            (Error::Forbidden { what: what.clone() }, SALTUS_DENIED),
            (Error::NoSpace { what: what.clone() }, SALTUS_NO_SPACE),
            (Error::TooManyPublishers { channel, most: 1 }, SALTUS_TOO_MANY_PUBLISHERS),
            (Error::Damaged { what: what.clone() }, SALTUS_DAMAGED),
            (Error::Invalid { what }, SALTUS_INVALID),
            (system, SALTUS_SYSTEM),
        ]
    }

    /// Those of domains and logs, as Rust has them.
    fn others() -> Vec<(SaltusError, c_int)> {
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
            (SALTUS_DECODE_FAILED, Log::DecodeFailed { channel: what(), why: what() }.code()),
            (SALTUS_NOT_A_LOG, Log::NotALog(what()).code()),
            (SALTUS_UNWRITABLE, Log::Unwritable(what()).code()),
            (SALTUS_CHANGED, Log::Changed.code()),
        ]
    }

    #[test]
    fn errors_are_those_of_rust_and_each_has_words_of_its_own() {
        for (error, code) in all() {
            assert_eq!(SaltusError::of_rust(error.code()), code, "{error}");
        }
        for (code, rust) in others() {
            assert_eq!(SaltusError::of_rust(rust), code);
        }
        let words: std::collections::HashSet<_> =
            SaltusError::ALL.into_iter().map(SaltusError::text).collect();
        assert_eq!(words.len(), SaltusError::ALL.len());
        // The numbers of channel errors have no gaps so far, and all others are above them.
        let codes: std::collections::HashSet<_> = all().iter().map(|(error, _)| error.code()).collect();
        assert_eq!(codes.len() as c_int, SALTUS_SYSTEM as c_int);
        for unused in [SALTUS_SYSTEM as c_int + 1, 102, SALTUS_CHANGED as c_int + 1, i32::MAX, -2] {
            assert_eq!(SaltusError::of(unused), None);
            assert_eq!(SaltusError::of_rust(unused), SALTUS_BUG);
        }
    }
}
