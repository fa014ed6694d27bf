//! What the bytes of a message mean, as far as its type is known.

use crate::{Dictionary, Kind, TypeText};
use saltus_types::diff::diff;
use saltus_types::{Record, Schema, StructId};
use std::fmt;
use std::sync::Arc;

/// What a message means.
#[derive(Debug)]
pub enum Meaning {
    /// Nothing is known about it.
    Bytes,
    /// Types are known, but not the one that begins so. It may also be text.
    Unknown(u64),
    /// It is a message of this type.
    Record {
        /// The type.
        kind: Arc<Kind>,
        /// The message.
        record: Record,
    },
    /// It begins as a message of this type, and cannot be one.
    Broken {
        /// The type.
        kind: Arc<Kind>,
        /// Why.
        error: String,
    },
}

/// The type that messages should be of.
#[derive(Default)]
enum Expected {
    /// Any.
    #[default]
    Any,
    /// The type of that name, as publishers describe it.
    Named(String),
    /// This one, in each encoding that it has.
    One(Vec<Kind>),
}

/// A message is of another type than all should be of; in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unexpected(String);

impl fmt::Display for Unexpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for Unexpected {}

/// Finds out what messages mean.
#[derive(Default)]
pub struct Decoder {
    /// The types that are known.
    pub dictionary: Dictionary,
    expected: Expected,
}

impl Decoder {
    /// A decoder of messages of any type.
    pub fn new() -> Decoder {
        Decoder::default()
    }
    /// A decoder for which messages of all types but the one of that name are an error. Publishers describe it.
    pub fn named(name: &str) -> Decoder {
        Decoder { expected: Expected::Named(name.into()), ..Decoder::default() }
    }
    /// A decoder for which messages of all other types are an error.
    pub fn expecting(schema: &Arc<Schema>, id: StructId) -> Decoder {
        let mut decoder =
            Decoder { expected: Expected::One(Kind::all(schema, id).collect()), ..Decoder::default() };
        decoder.dictionary.add(schema, id);
        decoder
    }

    /// What is to be said when the channel knows types, but not the one that is expected: perhaps it is misspelled.
    pub fn doubt(&self, descriptions: impl FnOnce() -> Vec<TypeText>) -> Option<String> {
        let Expected::Named(name) = &self.expected else { return None };
        let dictionary = Dictionary::of(descriptions());
        let known = dictionary.is_empty() || dictionary.named(name).is_some();
        (!known).then(|| dictionary.lacks(name))
    }

    /// What this message of the channel means; `descriptions` says what its publishers have described.
    ///
    /// # Errors
    /// It is of another type than all should be of.
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
    /// Whether a message that is of this type, if it is of any that is known, may come.
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
        Err(Unexpected(format!("expected {wanted}, but a message came of {found}{why}")))
    }
}

/// How a message that came differs from what was wanted.
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
    fn a_message_of_another_type_is_told_with_the_difference() {
        let ((schema, id), (other, other_id)) = (pose("double"), pose("float"));
        let mut decoder = Decoder::expecting(&schema, id);
        decoder.dictionary.add(&other, other_id);
        for kind in Kind::all(&schema, id) {
            let message = kind.encode(&Record::zero(&schema, id).unwrap()).unwrap();
            let meaning = decoder.meaning(b"POSE", Vec::new, &message);
            assert!(matches!(meaning, Ok(Meaning::Record { kind: found, .. }) if found.key() == kind.key()));
        }
        let words = unexpected(&mut decoder, &Kind::lcm(&other, other_id).key());
        let start = "expected `pose_t`, but a message came of type `pose_t`: ";
        assert!(words.starts_with(start) && words.len() > start.len(), "{words}");
        assert_eq!(
            unexpected(&mut decoder, b"7 bytes"),
            format!(
                "expected `pose_t`, fingerprint {:016x}, but a message came of no type at all: it has 7 bytes",
                schema.get(id).fingerprint
            )
        );
        assert_eq!(
            unexpected(&mut Decoder::named("pose_t"), &[0; 8]),
            "expected `pose_t`, but a message came of an unknown type, fingerprint 0000000000000000; -I names the directory \
             of its type files"
        );
    }

    #[test]
    fn what_only_begins_like_a_message_is_broken() {
        let (schema, id) = pose("double");
        let mut decoder = Decoder::new();
        assert!(matches!(decoder.meaning(b"POSE", Vec::new, &[1; 9]), Ok(Meaning::Bytes)));
        decoder.dictionary.add(&schema, id);
        assert!(matches!(decoder.meaning(b"POSE", Vec::new, &[1; 9]), Ok(Meaning::Unknown(_))));
        let key = Kind::lcm(&schema, id).key();
        assert!(matches!(decoder.meaning(b"POSE", Vec::new, &key), Ok(Meaning::Broken { .. })));
    }
}
