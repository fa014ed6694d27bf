//! The options of `echo` for sources of any kind.

use std::ffi::OsString;
use std::time::Duration;

use saltus_channel::Start;
use saltus_printer::Format;

use crate::flags::selection::Selection;

/// The parsed options.
pub(super) struct Wanted {
    pub(super) channels: Channels,
    /// Whether to read only the newest message, not every one.
    pub(super) newest: bool,
    pub(super) start: Start,
    pub(super) most: Option<u64>,
    pub(super) timeout: Option<Duration>,
    pub(super) wait: bool,
    pub(super) follow: bool,
    pub(super) strict: bool,
    pub(super) format: Format,
    /// Whether to decode messages.
    pub(super) looks_into: bool,
    pub(super) quiet: bool,
}

/// The channels to read.
pub(super) enum Channels {
    /// The channel with this name.
    One(OsString),
    /// All selected channels, also those created later; with the arguments, for messages.
    Several(Selection, String),
}
