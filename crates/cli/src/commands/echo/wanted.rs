//! What an `echo` is to do, whatever it reads from.

use std::ffi::OsString;
use std::time::Duration;

use saltus_channel::Start;

use crate::flags::selection::Selection;
use crate::print::Format;

/// What is meant.
pub(super) struct Wanted {
    pub(super) channels: Channels,
    /// The newest whenever there is a newer one, else every one.
    pub(super) newest: bool,
    pub(super) start: Start,
    pub(super) most: Option<u64>,
    pub(super) timeout: Option<Duration>,
    pub(super) wait: bool,
    pub(super) follow: bool,
    pub(super) strict: bool,
    pub(super) format: Format,
    /// Whether it matters what the bytes of a message mean.
    pub(super) looks_into: bool,
    pub(super) quiet: bool,
}

/// Which channels are read.
pub(super) enum Channels {
    /// The one of this name.
    One(OsString),
    /// All that are meant, those that come later too; with the words for them.
    Several(Selection, String),
}
