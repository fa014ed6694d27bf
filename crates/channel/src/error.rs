//! What can go wrong, in words and in stable numbers.

use crate::Name;
use saltus_os::users;
use std::fmt;
use std::io;

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What is said, and what to do, when memory is short.
pub(crate) const NO_MEMORY: &str =
    "not enough shared memory; make room, or use a smaller depth or message size";

/// What went wrong. [`Error::code`] is stable and shared with C; the text says what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is no channel of that name.
    NotFound {
        /// The name asked for.
        channel: Name,
        /// The domain it was looked for in.
        domain: String,
    },
    /// There is one already.
    Exists {
        /// The name asked for.
        channel: Name,
    },
    /// The caller's buffer is too small; the subscriber keeps its place.
    TooSmall {
        /// Bytes that the message has.
        needed: usize,
        /// Bytes that the buffer has.
        have: usize,
    },
    /// The message is longer than the channel's `max_message_size`.
    TooLong {
        /// The channel.
        channel: Name,
        /// Bytes of the message.
        len: usize,
        /// Bytes that the channel holds in one message.
        max: usize,
    },
    /// Publishers overtook the reader at every try; the subscriber keeps its place and may try again.
    Overrun {
        /// The channel.
        channel: Name,
    },
    /// A wait was canceled by a [`crate::CancelHandle`].
    Canceled,
    /// The channel behind this handle is no more: removed, replaced, or its files deleted.
    Retired {
        /// The channel.
        channel: Name,
        /// What became of it.
        how: Retired,
        /// The user who owns what has its name now, if that is another than the owner of this channel.
        by: Option<u32>,
    },
    /// Permissions forbid it.
    Denied {
        /// What was attempted, with its object.
        what: String,
    },
    /// What was to be opened belongs to a user whom this process does not trust, is closed to it, or is not what it must be.
    Forbidden {
        /// What was attempted, whose it is, and what to do.
        what: String,
    },
    /// The memory for it cannot be had.
    NoSpace {
        /// What was attempted, and what there is.
        what: String,
    },
    /// All lanes of the channel are leased.
    TooManyPublishers {
        /// The channel.
        channel: Name,
        /// How many publishers it can have.
        most: usize,
    },
    /// What lies in shared memory is not a channel, or is one of another version.
    Damaged {
        /// What is wrong, and where.
        what: String,
    },
    /// Not a channel's name, a domain's URL, or an attribute's value.
    Invalid {
        /// What is wrong.
        what: String,
    },
    /// The system refused for a reason of its own.
    System {
        /// What was attempted.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
}

/// What became of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retired {
    /// It was removed.
    Removed,
    /// Another channel took its name.
    Replaced,
    /// Its files were deleted behind its back, as `systemd-logind` does at logout (`RemoveIPC=`).
    Vanished,
    /// A process that may write its data file cut it short. What was in it is lost.
    CutShort {
        /// The user who owns the data file, as a number.
        owner: u32,
    },
}

impl Error {
    /// A number that never changes its meaning.
    pub fn code(&self) -> i32 {
        match self {
            Error::NotFound { .. } => 1,
            Error::Exists { .. } => 2,
            Error::TooSmall { .. } => 3,
            Error::TooLong { .. } => 4,
            Error::Overrun { .. } => 5,
            Error::Canceled => 6,
            Error::Retired { .. } => 7,
            Error::Denied { .. } | Error::Forbidden { .. } => 8,
            Error::NoSpace { .. } => 9,
            Error::TooManyPublishers { .. } => 10,
            Error::Damaged { .. } => 11,
            Error::Invalid { .. } => 12,
            Error::System { .. } => 13,
        }
    }

    /// Sorts a system error by what it means to a user.
    pub(crate) fn system(what: impl Into<String>, source: io::Error) -> Error {
        let what = what.into();
        match source.raw_os_error() {
            Some(libc::EACCES | libc::EPERM) => Error::Denied { what },
            Some(libc::ENOSPC | libc::EDQUOT | libc::ENOMEM) => {
                Error::NoSpace { what: format!("{what}: {source}: {NO_MEMORY}") }
            }
            Some(libc::EFBIG) => {
                let limit = match saltus_os::limits::file_size() {
                    Some(limit) => format!("files of this process may have {limit} B"),
                    None => "the file would be longer than its file system allows".into(),
                };
                let words =
                    format!("{limit}: raise the limit (`ulimit -f`), or use a smaller depth or message size");
                Error::System { what, source: io::Error::new(io::ErrorKind::FileTooLarge, words) }
            }
            _ => Error::System { what, source },
        }
    }

    pub(crate) fn invalid(what: impl Into<String>) -> Error {
        Error::Invalid { what: what.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotFound { channel, domain } => {
                write!(
                    f,
                    "no channel `{channel}` in {domain}: create it with `saltus mk {channel}`, or wait for it"
                )
            }
            Error::Exists { channel } => {
                write!(
                    f,
                    "channel `{channel}` exists already: open it, or replace it with `saltus mk --replace {channel}`"
                )
            }
            Error::TooSmall { needed, have } => {
                write!(
                    f,
                    "the message has {needed} B, the buffer only {have} B: call again with a larger one"
                )
            }
            Error::TooLong { channel, len, max } => write!(
                f,
                "channel `{channel}` holds messages of up to {max} B; this one has {len} B: \
                 create it with `saltus mk --replace --max-size {len} {channel}`"
            ),
            Error::Overrun { channel } => write!(
                f,
                "publishers of `{channel}` overtook the reader at every try: give the channel a larger depth"
            ),
            Error::Canceled => write!(f, "the wait was canceled"),
            Error::Retired { channel, by: Some(user), .. } => write!(
                f,
                "what is called `{channel}` now belongs to {}, and is not the channel that was opened: open it again if you trust that user \
                 (`?owner=` in the domain's URL says whom you trust)",
                users::user_for_people(*user)
            ),
            Error::Retired { channel, how, by: None } => match how {
                Retired::Removed => write!(f, "channel `{channel}` was removed: create and open it anew"),
                Retired::Replaced => write!(f, "channel `{channel}` was replaced by a new one: open it anew"),
                Retired::CutShort { owner } => write!(
                    f,
                    "the data file of channel `{channel}`, which belongs to user {owner}, was cut short while it was in use, \
                     by a process that may write it: replace it with `saltus mk --replace {channel}`"
                ),
                Retired::Vanished => write!(
                    f,
                    "the files of channel `{channel}` were deleted under us: create it anew \
                     (systemd deletes a user's shared memory at logout: RemoveIPC=no, or a domain under /run)"
                ),
            },
            Error::Denied { what } => {
                write!(f, "{what}: permission denied; its owner can allow it with `saltus chmod`")
            }
            Error::NoSpace { what } | Error::Forbidden { what } => write!(f, "{what}"),
            Error::TooManyPublishers { channel, most } => write!(
                f,
                "channel `{channel}` has {most} publishers, the most it can have: end one, or use another channel"
            ),
            Error::Damaged { what } => write!(f, "{what}: replace the channel with `saltus mk --replace`"),
            Error::Invalid { what } => write!(f, "{what}"),
            Error::System { what, source } => write!(f, "{what}: {source}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::System { source, .. } => Some(source),
            _ => None,
        }
    }
}
