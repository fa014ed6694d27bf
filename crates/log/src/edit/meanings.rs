//! What the messages of a log mean.

use crate::Event;
use saltus_decode::{Decoder, Meaning};
use std::collections::HashSet;

/// Decodes the events of a log: by the types that the log has of its channels, and by others that are known.
pub struct Meanings {
    decoder: Decoder,
    /// The types that the log told of, by what their messages begin with.
    told: HashSet<[u8; 8]>,
}

impl Meanings {
    /// With these types, and those of the log. What the decoder expects does not count.
    pub fn new(decoder: Decoder) -> Meanings {
        Meanings { decoder, told: HashSet::new() }
    }
    /// What this event means.
    pub fn of(&mut self, event: &Event<'_>) -> Meaning {
        if let Some(kind) = event.about.and_then(|about| about.kind.as_ref())
            && self.told.insert(kind.key())
        {
            self.decoder.dictionary.add(kind.schema(), kind.id());
        }
        // Channels have other names here: only what messages begin with counts.
        self.decoder.meaning(b"", Vec::new, event.data).unwrap_or(Meaning::Bytes)
    }
}
