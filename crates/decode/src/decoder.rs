//! Decoding of messages by their type, as far as that is known.

use crate::{Dictionary, Kind, TypeText};
use saltus_types::diff::diff;
use saltus_types::{Record, Schema, StructId};
use std::fmt;
use std::sync::Arc;

/// The result of decoding a message.
#[derive(Debug)]
pub enum Meaning {
    /// No types are known.
    Bytes,
    /// Types are known, but not the one of this message. It may also be text.
    Unknown(u64),
    /// A message of a known type.
    Record {
        /// The type.
        kind: Arc<Kind>,
        /// The message.
        record: Record,
    },
    /// The message has the key of this type, but is not valid.
    Broken {
        /// The type.
        kind: Arc<Kind>,
        /// The reason.
        error: String,
    },
}

/// The expected type of messages.
#[derive(Default)]
enum Expected {
    /// Any type.
    #[default]
    Any,
    /// The type with this name, as described by publishers.
    Named(String),
    /// This type, in each of its encodings.
    One(Vec<Kind>),
}

/// A message is not of the expected type. The text is the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unexpected(String);

impl fmt::Display for Unexpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for Unexpected {}

/// Decodes messages of types that are known only at run time.
#[derive(Default)]
pub struct Decoder {
    /// The known types.
    pub dictionary: Dictionary,
    expected: Expected,
}

impl Decoder {
    /// A decoder of messages of any type.
    pub fn new() -> Decoder {
        Decoder::default()
    }
    /// A decoder that accepts only messages of the type with this name, as described by publishers.
    pub fn named(name: &str) -> Decoder {
        Decoder { expected: Expected::Named(name.into()), ..Decoder::default() }
    }
    /// A decoder that accepts only messages of this type.
    pub fn expecting(schema: &Arc<Schema>, id: StructId) -> Decoder {
        let mut decoder =
            Decoder { expected: Expected::One(Kind::all(schema, id).collect()), ..Decoder::default() };
        decoder.dictionary.add(schema, id);
        decoder
    }

    /// A warning if the channel stores types, but not the expected one: its name may be misspelled.
    pub fn doubt(&self, descriptions: impl FnOnce() -> Vec<TypeText>) -> Option<String> {
        let Expected::Named(name) = &self.expected else { return None };
        let dictionary = Dictionary::of(descriptions());
        let known = dictionary.is_empty() || dictionary.named(name).is_some();
        (!known).then(|| dictionary.lacks(name))
    }

    /// Decodes a message of the channel. `descriptions` returns the descriptions by its publishers.
    ///
    /// # Errors
    /// The message is not of the expected type.
    pub fn meaning(
        &mut self,
        channel: &[u8],
        descriptions: impl FnOnce() -> Vec<TypeText>,
        message: &[u8],
    ) -> Result<Meaning, Unexpected> {
        let kind = self.dictionary.kind(channel, descriptions, message).cloned();
        self.expected.check(kind.as_deref(), message)?;
        let Some(kind) = kind else {
            return Ok(match message.first_chunk() {
                Some(first) if !self.dictionary.is_empty() => Meaning::Unknown(u64::from_be_bytes(*first)),
                _ => Meaning::Bytes,
            });
        };
        Ok(match kind.decode(message) {
            Ok(record) => Meaning::Record { kind, record },
            Err(error) => Meaning::Broken { kind, error },
        })
    }
}

impl Expected {
    /// Whether a message of this type is accepted; `None` means that its type is unknown.
    fn check(&self, kind: Option<&Kind>, message: &[u8]) -> Result<(), Unexpected> {
        let (wanted, why) = match (self, kind) {
            (Expected::Any, _) => return Ok(()),
            (Expected::One(all), _) if all.iter().any(|kind| message.starts_with(&kind.key())) => {
                return Ok(());
            }
            (Expected::Named(name), Some(kind)) => {
                let is = &kind.schema().get(kind.id()).name;
                if is.to_string() == *name || is.name == *name {
                    return Ok(());
                }
                (format!("`{name}`"), String::new())
            }
            (Expected::Named(name), None) => {
                (format!("`{name}`"), "; -I names the directory of its type files".into())
            }
            (Expected::One(all), kind) => {
                let Some(wanted) = all.first() else { return Ok(()) };
                match kind {
                    Some(kind) => (format!("`{}`", wanted.name()), differences(wanted, kind)),
                    None => {
                        let (name, fingerprint) = (wanted.name(), wanted.fingerprint());
                        (format!("`{name}`, fingerprint {fingerprint:016x}"), String::new())
                    }
                }
            }
        };
        let found = match (kind, message.first_chunk()) {
            (Some(kind), _) => format!("type `{}`", kind.name()),
            (None, Some(first)) => {
                format!("an unknown type, fingerprint {:016x}", u64::from_be_bytes(*first))
            }
            (None, None) => format!("no type at all: it has {} bytes", message.len()),
        };
        Err(Unexpected(format!("expected {wanted}, but received a message of {found}{why}")))
    }
}

/// The differences between a received and the expected type.
fn differences(wanted: &Kind, came: &Kind) -> String {
    let changes = diff(wanted.schema(), wanted.id(), came.schema(), came.id());
    let words: Vec<String> = changes
        .iter()
        .filter(|change| change.alters_fingerprint())
        .map(|change| change.to_string())
        .collect();
    format!(": {}", words.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pose(of: &str) -> (Arc<Schema>, StructId) {
        let schema = saltus_types::parse("a test", &format!("struct pose_t {{ {of} x; }}")).unwrap();
        let id = schema.find("pose_t").unwrap();
        (Arc::new(schema), id)
    }

    fn unexpected(decoder: &mut Decoder, message: &[u8]) -> String {
        decoder.meaning(b"POSE", Vec::new, message).unwrap_err().to_string()
    }

    #[test]
    fn a_message_of_another_type_is_reported_with_the_difference() {
        let ((schema, id), (other, other_id)) = (pose("double"), pose("float"));
        let mut decoder = Decoder::expecting(&schema, id);
        decoder.dictionary.add(&other, other_id);
        for kind in Kind::all(&schema, id) {
            let message = kind.encode(&Record::zero(&schema, id).unwrap()).unwrap();
            let meaning = decoder.meaning(b"POSE", Vec::new, &message);
            assert!(matches!(meaning, Ok(Meaning::Record { kind: found, .. }) if found.key() == kind.key()));
        }
        let words = unexpected(&mut decoder, &Kind::lcm(&other, other_id).key());
        let start = "expected `pose_t`, but received a message of type `pose_t`: ";
        assert!(words.starts_with(start) && words.len() > start.len(), "{words}");
        assert_eq!(
            unexpected(&mut decoder, b"7 bytes"),
            format!(
                "expected `pose_t`, fingerprint {:016x}, but received a message of no type at all: it has 7 bytes",
                schema.get(id).fingerprint
            )
        );
        assert_eq!(
            unexpected(&mut Decoder::named("pose_t"), &[0; 8]),
            "expected `pose_t`, but received a message of an unknown type, fingerprint 0000000000000000; -I names the directory \
             of its type files"
        );
    }

    #[test]
    fn bytes_that_only_begin_like_a_message_are_broken() {
        let (schema, id) = pose("double");
        let mut decoder = Decoder::new();
        assert!(matches!(decoder.meaning(b"POSE", Vec::new, &[1; 9]), Ok(Meaning::Bytes)));
        decoder.dictionary.add(&schema, id);
        assert!(matches!(decoder.meaning(b"POSE", Vec::new, &[1; 9]), Ok(Meaning::Unknown(_))));
        let key = Kind::lcm(&schema, id).key();
        assert!(matches!(decoder.meaning(b"POSE", Vec::new, &key), Ok(Meaning::Broken { .. })));
    }
}
