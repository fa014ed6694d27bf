//! Decodes the messages of a log.

use crate::Event;
use saltus_decode::{Decoder, Meaning};
use std::collections::HashSet;

/// Decodes the events of a log, with the types in the log and other known ones.
pub struct Meanings {
    decoder: Decoder,
    /// The types that the log contains, by the first bytes of their messages.
    reported: HashSet<[u8; 8]>,
}

impl Meanings {
    /// With these types, and those of the log. The decoder's expected types do not count.
    pub fn new(decoder: Decoder) -> Meanings {
        Meanings { decoder, reported: HashSet::new() }
    }
    /// The decoded event.
    pub fn of(&mut self, event: &Event<'_>) -> Meaning {
        if let Some(kind) = event.about.and_then(|about| about.kind.as_ref())
            && self.reported.insert(kind.key())
        {
            self.decoder.dictionary.add(kind.schema(), kind.id());
        }
        // Channels may have other names here: only the first bytes of messages count.
        self.decoder.meaning(b"", Vec::new, event.data).unwrap_or(Meaning::Bytes)
    }
}
