//! What is wrong with a log.

use std::fmt;

/// What could not be read of a log. Whatever else is in it was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Bytes that are no part of an event, or of any other record.
    pub skipped: u64,
    /// Chunks of MCAP that are cut short, cannot be decompressed, or have another checksum. Of one that is cut short, what could
    /// be read was given; of others nothing.
    pub chunks: u64,
    /// Messages of channels that nothing is said about.
    pub unknown: u64,
    /// Messages that could not be turned back into what was published.
    pub undecodable: u64,
    /// The end of an MCAP file is missing: its writer was killed.
    pub unfinished: bool,
}

impl Damage {
    /// Whether all was read, but for an end that is missing.
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
