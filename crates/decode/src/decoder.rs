//! What the bytes of a message mean, as far as its type is known.

use std::path::PathBuf;
use std::sync::Arc;

use saltus_channel::{Channel, Description, Name};
use saltus_types::diff::diff;
use saltus_types::{Record, Schema, StructId};

use crate::dictionary::{Dictionary, Encoding, Reading};
use crate::escape::is_text;
use crate::failure::{Code, Failure, Outcome};
use crate::schemas;

/// What a message means.
pub enum Meaning {
    /// Nothing is known about it.
    Bytes,
    /// Types are known, but not the one that begins so.
    Unknown(u64),
    /// It is a message of this type.
    Record {
        /// The type.
        name: String,
        /// How it lay in the bytes.
        encoding: Encoding,
        /// The message.
        record: Record,
    },
    /// It begins as a message of this type, and cannot be one.
    Broken {
        /// The type.
        name: String,
        /// Why.
        error: String,
    },
}

/// The type that messages should be of.
enum Expected {
    /// Any.
    Any,
    /// The type of that name, as publishers describe it.
    Named(String),
    /// This one, in each encoding that it has.
    One(Vec<Reading>),
}

/// Finds out what messages mean.
pub struct Reader {
    dictionary: Dictionary,
    expected: Expected,
}

impl Reader {
    /// A reader that knows the types in these directories, and those that publishers describe. With `name`, messages
    /// of all other types are an error.
    pub fn new(name: Option<&str>, include: &[PathBuf]) -> Outcome<Reader> {
        let mut dictionary = Dictionary::default();
        let expected = match name {
            None => {
                if !include.is_empty() {
                    schemas::everything(include)?.into_iter().for_each(|schema| dictionary.add(schema));
                }
                Expected::Any
            }
            Some(name) if include.is_empty() => Expected::Named(name.into()),
            Some(name) => {
                let found = schemas::find(name, &[], include)?;
                let schema = Arc::new(found.schema);
                let readings = [Some(Reading::lcm(&schema, found.id)), Reading::plain(&schema, found.id)];
                dictionary.add_type(&schema, found.id);
                Expected::One(readings.into_iter().flatten().collect())
            }
        };
        Ok(Reader { dictionary, expected })
    }

    /// A log says that it has messages of this type.
    pub fn know(&mut self, schema: &Arc<Schema>, id: StructId) {
        self.dictionary.add_type(schema, id);
    }

    /// Publishers say this of their messages.
    pub fn learn(&mut self, descriptions: &[Description]) {
        self.dictionary.learn(descriptions.to_vec());
    }
    /// All types that are known.
    pub fn types(&self) -> Vec<schemas::Found> {
        self.dictionary.types()
    }

    /// What is to be said when the channel knows types, but not the one that is expected: perhaps it is misspelled.
    pub fn doubt(&self, channel: &Channel) -> Outcome<Option<String>> {
        let Expected::Named(name) = &self.expected else { return Ok(None) };
        let dictionary = Dictionary::of_channel(channel)?;
        let known = dictionary.is_empty() || dictionary.named(name).is_some();
        Ok((!known).then(|| format!("{}; waiting for it", dictionary.lacks(name))))
    }

    /// What this message of the channel means, of which publishers have said so much. Fails when it is of another type than all
    /// should be.
    pub fn meaning(
        &mut self,
        channel: &Name,
        descriptions: impl FnOnce() -> Vec<Description>,
        message: &[u8],
    ) -> Outcome<Meaning> {
        let reading = self.dictionary.reading(channel, descriptions, message).cloned();
        self.expected.check(reading.as_ref(), message)?;
        let Some(reading) = reading else {
            return Ok(match message.first_chunk() {
                Some(first) if !self.dictionary.is_empty() && !is_text(message) => {
                    Meaning::Unknown(u64::from_be_bytes(*first))
                }
                _ => Meaning::Bytes,
            });
        };
        let (name, encoding) = (reading.name(), reading.encoding());
        Ok(match reading.decode(message) {
            Ok(record) => Meaning::Record { name, encoding, record },
            Err(error) => Meaning::Broken { name, error },
        })
    }
}

impl Expected {
    /// Whether a message that is of this type, if it is of any that is known, may come.
    fn check(&self, reading: Option<&Reading>, message: &[u8]) -> Outcome {
        let wrong = |words: String| Err(Failure::new(Code::Differ, words));
        let found = match (reading, message.first_chunk()) {
            (Some(reading), _) => format!("type `{}`", reading.name()),
            (None, Some(first)) => {
                format!("an unknown type, fingerprint {:016x}", u64::from_be_bytes(*first))
            }
            (None, None) => format!("no type at all: it has {} bytes", message.len()),
        };
        match (self, reading) {
            (Expected::Any, _) => Ok(()),
            (Expected::Named(name), Some(reading)) => {
                let is = &reading.schema.get(reading.id).name;
                if is.to_string() == *name || is.name == *name {
                    return Ok(());
                }
                wrong(format!("expected `{name}`, but a message came of {found}"))
            }
            (Expected::Named(name), None) => wrong(format!(
                "expected `{name}`, but a message came of {found}; -I names the directory of its type files"
            )),
            (Expected::One(all), _) if all.iter().any(|reading| reading.fits(message)) => Ok(()),
            (Expected::One(all), Some(reading)) => {
                let differences = all.first().map(|wanted| differences(wanted, reading)).unwrap_or_default();
                wrong(format!("expected `{}`, but a message came of {found}: {differences}", name(all)))
            }
            (Expected::One(all), None) => wrong(format!(
                "expected `{}`, fingerprint {:016x}, but a message came of {found}",
                name(all),
                all.first().map_or(0, Reading::fingerprint)
            )),
        }
    }
}

/// How a message that came differs from what was wanted.
fn differences(wanted: &Reading, came: &Reading) -> String {
    let changes = diff(&wanted.schema, wanted.id, &came.schema, came.id);
    let words: Vec<String> = changes
        .iter()
        .filter(|change| change.alters_fingerprint())
        .map(|change| change.to_string())
        .collect();
    words.join("; ")
}

fn name(readings: &[Reading]) -> String {
    readings.first().map(Reading::name).unwrap_or_default()
}
