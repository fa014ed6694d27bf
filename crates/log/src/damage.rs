//! Damage found in a log.

use std::fmt;

/// The parts of a log that could not be read. Everything else was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Bytes that do not belong to an event or another record.
    pub skipped: u64,
    /// MCAP chunks that are truncated, cannot be decompressed, or have a wrong checksum. The readable part of a
    /// truncated one was returned; nothing of the others.
    pub chunks: u64,
    /// Messages of channels that the file does not describe.
    pub unknown: u64,
    /// Messages that could not be converted back to the published bytes.
    pub undecodable: u64,
    /// The end of an MCAP file is missing: its writer was killed.
    pub unfinished: bool,
}

impl Damage {
    /// Whether everything was read, apart from a missing end.
    pub fn is_none(&self) -> bool {
        Damage { unfinished: false, ..*self } == Damage::default()
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        let mut part = |n: u64, one: &str, more: &str| match n {
            0 => {}
            1 => parts.push(format!("1 {one}")),
            n => parts.push(format!("{n} {more}")),
        };
        part(self.skipped, "byte that is no event", "bytes that are no event");
        part(self.chunks, "damaged chunk", "damaged chunks");
        part(self.unknown, "message of an unknown channel", "messages of unknown channels");
        part(self.undecodable, "undecodable message", "undecodable messages");
        if self.unfinished {
            parts.push("the end is missing".into());
        }
        f.write_str(if parts.is_empty() { "none".into() } else { parts.join(", ") }.as_str())
    }
}
