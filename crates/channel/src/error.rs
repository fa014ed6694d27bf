//! Errors: messages for people, and stable codes.

use crate::Name;
use saltus_os::users;
use std::fmt;
use std::io::{self, ErrorKind};

/// The result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The message and the remedy when memory is short.
pub(crate) const NO_MEMORY: &str =
    "not enough shared memory; make room, or use a smaller depth or message size";

/// An error of this crate. [`Error::code`] is stable and shared with C; the text says how to fix it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// No channel has this name.
    NotFound {
        /// The requested name.
        channel: Name,
        /// The domain that was searched.
        domain: String,
    },
    /// A channel with this name exists already.
    Exists {
        /// The requested name.
        channel: Name,
    },
    /// The caller's buffer is too small; the subscriber keeps its position.
    TooSmall {
        /// Length of the message in bytes.
        needed: usize,
        /// Size of the buffer in bytes.
        have: usize,
    },
    /// The message is longer than the channel's `max_message_size`.
    TooLong {
        /// The channel.
        channel: Name,
        /// Length of the message in bytes.
        len: usize,
        /// The channel's limit in bytes.
        max: usize,
    },
    /// Publishers overwrote the message during every try; the subscriber keeps its position and may try again.
    Overrun {
        /// The channel.
        channel: Name,
    },
    /// A wait was canceled by a [`crate::CancelHandle`].
    Canceled,
    /// The channel behind this handle was removed or replaced, or its files were deleted.
    Retired {
        /// The channel.
        channel: Name,
        /// The cause.
        how: Retired,
        /// The user who owns the channel, or other file, that has the name now, if not the owner of this channel.
        by: Option<u32>,
    },
    /// Permissions forbid it.
    Denied {
        /// The attempted operation and its object.
        what: String,
    },
    /// The file or directory belongs to a user whom this process does not trust, is closed to this process, or has the wrong type.
    Forbidden {
        /// The attempted operation, the owner, and the remedy.
        what: String,
    },
    /// Not enough memory.
    NoSpace {
        /// The attempted operation, and the available memory.
        what: String,
    },
    /// The channel has its maximum number of publishers.
    TooManyPublishers {
        /// The channel.
        channel: Name,
        /// The maximum number of publishers.
        most: usize,
    },
    /// The shared memory does not hold a channel, or holds one of another version.
    Damaged {
        /// The problem and its location.
        what: String,
    },
    /// Not a valid channel name, domain URL or attribute value.
    Invalid {
        /// The problem.
        what: String,
    },
    /// Another system error.
    System {
        /// The attempted operation.
        what: String,
        /// The system's error.
        source: io::Error,
    },
}

/// Why a channel is retired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retired {
    /// It was removed.
    Removed,
    /// Another channel took its name.
    Replaced,
    /// Its files were deleted without removing the channel, as `systemd-logind` does at logout (`RemoveIPC=`).
    Vanished,
    /// A process with write permission truncated its data file. The contents are lost.
    CutShort {
        /// The user who owns the data file, as a number.
        owner: u32,
    },
}

impl Error {
    /// The error's stable number, whose meaning never changes.
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

    /// Converts a system error to the variant with the same meaning.
    pub(crate) fn system(what: impl Into<String>, source: io::Error) -> Error {
        let what = what.into();
        match source.raw_os_error().map(|_| source.kind()) {
            Some(ErrorKind::PermissionDenied) => Error::Denied { what },
            Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::OutOfMemory) => {
                Error::NoSpace { what: format!("{what}: {source}: {NO_MEMORY}") }
            }
            Some(ErrorKind::FileTooLarge) => {
                let limit = match saltus_os::limits::file_size() {
                    Some(limit) => format!("files of this process may have {limit} B"),
                    None => "the file would be longer than its file system allows".into(),
                };
                let words =
                    format!("{limit}: raise the limit (`ulimit -f`), or use a smaller depth or message size");
                Error::System { what, source: io::Error::new(ErrorKind::FileTooLarge, words) }
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
                Retired::Removed => write!(f, "channel `{channel}` was removed: create it again"),
                Retired::Replaced => write!(f, "channel `{channel}` was replaced: open it again"),
                Retired::CutShort { owner } => write!(
                    f,
                    "the data file of channel `{channel}`, which belongs to user {owner}, was cut short while it was in use, \
                     by a process that may write it: replace it with `saltus mk --replace {channel}`"
                ),
                Retired::Vanished => write!(
                    f,
                    "the files of channel `{channel}` were deleted while in use: create it again \
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
