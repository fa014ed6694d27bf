//! A log file's description of a channel.

use crate::bytes::Map;
use saltus_decode::{Kind, SchemaText};
use std::sync::Arc;

/// A channel as the file describes it. Only MCAP does.
#[derive(Clone, Debug, Default)]
pub struct Channel {
    /// Its name; any bytes.
    pub name: Vec<u8>,
    /// The encoding of messages in the file: `cdr`, `lcm`, `json`, ….
    pub encoding: String,
    /// The schema of its messages; `None` if the file has none.
    pub schema: Option<Arc<SchemaText>>,
    /// Other metadata of the channel.
    pub metadata: Map,
    /// The type, if it is one of LCM's language, so that messages are returned as they were published.
    pub kind: Option<Arc<Kind>>,
}

/// Metadata key with the channel name in hexadecimal, if it is not text.
const NAME: &str = "saltus.channel";

/// A channel's name as text, which MCAP requires.
pub(crate) fn topic(name: &[u8], metadata: &mut Map) -> String {
    if let Ok(text) = str::from_utf8(name) {
        return text.into();
    }
    metadata.insert(NAME.into(), name.iter().map(|b| format!("{b:02x}")).collect());
    harmless(name)
}

/// The name of the channel with this topic and metadata.
pub(crate) fn name(topic: &str, metadata: &Map) -> Vec<u8> {
    let hex = |text: &String| {
        let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
        match digits?.as_chunks::<2>() {
            (pairs, []) => Some(pairs.iter().map(|[high, low]| high << 4 | low).collect()),
            _ => None,
        }
    };
    metadata.get(NAME).and_then(hex).unwrap_or_else(|| topic.into())
}

/// A name escaped for printing.
pub(crate) fn harmless(name: &[u8]) -> String {
    let mut text = String::new();
    for chunk in name.utf8_chunks() {
        text.extend(chunk.valid().chars().filter(|c| !c.is_control()));
        text.extend(chunk.invalid().iter().map(|b| format!("\\x{b:02x}")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_bytes_become_text_and_round_trip() {
        for bytes in [&b"POSE"[..], b"\xff\x00x", "größe".as_bytes(), b""] {
            let mut metadata = Map::new();
            let text = topic(bytes, &mut metadata);
            assert_eq!(name(&text, &metadata), bytes);
        }
        let bad = Map::from([(NAME.into(), "0g".into())]);
        assert_eq!(name("x", &bad), b"x");
    }
}
