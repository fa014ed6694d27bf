//! Which message is of which type: seen from the eight bytes that it begins with.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use saltus_channel::{Channel, Description, Name};
use saltus_types::plain::PlainCodec;
use saltus_types::{Record, Schema, StructId, wire};
use serde::Serialize;

use crate::escape::harmless;
use crate::failure::{Code, Failure, Outcome};
use crate::schemas::Found;

/// How a message lies in its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// As LCM sends it.
    Lcm,
    /// As it lies in memory.
    Plain,
}

/// How to read and write it.
#[derive(Clone)]
enum Codec {
    Lcm,
    Plain(Arc<PlainCodec>),
}

/// A type, and how its messages are to be read.
#[derive(Clone)]
pub struct Reading {
    /// The types.
    pub schema: Arc<Schema>,
    /// The one that is meant.
    pub id: StructId,
    codec: Codec,
    /// What its messages begin with.
    key: [u8; 8],
}

impl Reading {
    /// In LCM's encoding.
    pub fn lcm(schema: &Arc<Schema>, id: StructId) -> Reading {
        let key = schema.get(id).fingerprint.to_be_bytes();
        Reading { schema: schema.clone(), id, codec: Codec::Lcm, key }
    }
    /// In the plain layout, if the type can have one.
    pub fn plain(schema: &Arc<Schema>, id: StructId) -> Option<Reading> {
        let codec = PlainCodec::new(schema, id)?;
        let key = codec.hash().to_ne_bytes();
        Some(Reading { schema: schema.clone(), id, codec: Codec::Plain(Arc::new(codec)), key })
    }
    /// In each encoding that the type has.
    fn all(schema: &Arc<Schema>, id: StructId) -> Vec<Reading> {
        [Some(Reading::lcm(schema, id)), Reading::plain(schema, id)].into_iter().flatten().collect()
    }
    /// How it lies in the bytes.
    pub fn encoding(&self) -> Encoding {
        match self.codec {
            Codec::Lcm => Encoding::Lcm,
            Codec::Plain(_) => Encoding::Plain,
        }
    }
    /// Its full name, harmless on a terminal.
    pub fn name(&self) -> String {
        harmless(&self.schema.get(self.id).name.to_string())
    }
    fn found(&self) -> Found {
        Found { schema: Schema::clone(&self.schema), id: self.id }
    }
    /// The number that describes its messages to a channel.
    pub fn fingerprint(&self) -> u64 {
        match self.codec {
            Codec::Lcm => u64::from_be_bytes(self.key),
            Codec::Plain(_) => u64::from_ne_bytes(self.key),
        }
    }
    /// Whether a message begins as those of this type do.
    pub fn fits(&self, message: &[u8]) -> bool {
        message.starts_with(&self.key)
    }
    /// Reads a message.
    pub fn decode(&self, message: &[u8]) -> Result<Record, String> {
        match &self.codec {
            Codec::Lcm => wire::decode(&self.schema, self.id, message).map_err(|e| e.to_string()),
            Codec::Plain(codec) => codec.decode(message).map_err(|e| e.to_string()),
        }
    }
    /// Makes a message.
    pub fn encode(&self, record: &Record) -> Result<Vec<u8>, String> {
        match &self.codec {
            Codec::Lcm => wire::encode(record).map_err(|e| e.to_string()),
            Codec::Plain(codec) => codec.encode(record).map_err(|e| e.to_string()),
        }
    }
}

/// How the messages that somebody described lie in their bytes; nothing where the schema does not say what the
/// fingerprint says, or takes too long to understand.
pub fn encodings(descriptions: &[Description]) -> Vec<Option<Encoding>> {
    let mut patience = Patience::default();
    let encoding = |description: &Description| {
        let said = |reading: &Reading| reading.fingerprint() == description.fingerprint;
        patience.understand(description).into_iter().find(said).map(|reading| reading.encoding())
    };
    descriptions.iter().map(encoding).collect()
}

/// What was spent on descriptions. Whoever may publish could write new ones for ever, and such as take long to
/// understand.
#[derive(Default)]
struct Patience {
    bytes: usize,
    time: Duration,
}

impl Patience {
    /// So much is read in all.
    const BYTES: usize = 16 << 20;
    /// And so much of one: longer than any schema that a person writes.
    const LONGEST: usize = 128 << 10;
    /// So long it is thought about, in all.
    const TIME: Duration = Duration::from_secs(1);

    /// How to read the type that is described; nothing if the schema is none, has no such type, is too long, or comes
    /// when patience has ended.
    fn understand(&mut self, description: &Description) -> Vec<Reading> {
        let length = description.schema.len();
        if length > Patience::LONGEST || self.bytes > Patience::BYTES || self.time > Patience::TIME {
            return Vec::new();
        }
        let start = Instant::now();
        let found = saltus_types::parse("description", &description.schema).ok().and_then(|schema| {
            let id = schema.find(&description.name)?;
            Some(Reading::all(&Arc::new(schema), id))
        });
        self.time += start.elapsed();
        self.bytes += length;
        found.unwrap_or_default()
    }
}

/// How long after a look at a channel's descriptions nothing new is expected there.
const FRESH: Duration = Duration::from_millis(100);

/// The types that are known.
#[derive(Default)]
pub struct Dictionary {
    readings: HashMap<[u8; 8], Reading>,
    /// Descriptions that were looked at.
    seen: HashSet<Description>,
    patience: Patience,
    /// When each channel's were looked at last.
    looked: HashMap<Name, Instant>,
}

impl Dictionary {
    /// What publishers have said about a channel's messages.
    pub fn of_channel(channel: &Channel) -> Outcome<Dictionary> {
        let mut dictionary = Dictionary::default();
        dictionary.learn(channel.descriptions()?);
        Ok(dictionary)
    }

    /// Adds all structs of a schema. What is known already stays.
    pub fn add(&mut self, schema: Schema) {
        let schema = Arc::new(schema);
        schema.ids().for_each(|id| self.add_type(&schema, id));
    }

    /// Adds one type, in each encoding that it has. What is known already stays.
    pub fn add_type(&mut self, schema: &Arc<Schema>, id: StructId) {
        self.keep(Reading::all(schema, id));
    }

    fn keep(&mut self, readings: Vec<Reading>) {
        for reading in readings {
            self.readings.entry(reading.key).or_insert(reading);
        }
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.readings.is_empty()
    }

    /// How to read a message of a channel; looks at the channel's descriptions once more if it is not known, but not all
    /// the time.
    pub fn reading(
        &mut self,
        channel: &Name,
        descriptions: impl FnOnce() -> Vec<Description>,
        message: &[u8],
    ) -> Option<&Reading> {
        let key = *message.first_chunk()?;
        if !self.readings.contains_key(&key) && self.looked.get(channel).is_none_or(|at| at.elapsed() > FRESH)
        {
            self.looked.insert(channel.clone(), Instant::now());
            self.learn(descriptions());
        }
        self.readings.get(&key)
    }

    /// The type of that full name, or the only one with that short name.
    pub fn named(&self, name: &str) -> Option<Found> {
        let known = || self.known();
        let is = |r: &&Reading, name: &str| r.schema.get(r.id).name.to_string() == name;
        let full = known().find(|r| is(r, name));
        let mut short = known().filter(|r| r.schema.get(r.id).name.name == name);
        let found = full.or_else(|| short.next().filter(|_| short.next().is_none()))?;
        Some(found.found())
    }

    /// All types, sorted by their names.
    pub fn types(&self) -> Vec<Found> {
        let mut known: Vec<&Reading> = self.known().collect();
        known.sort_by_cached_key(|r| (r.name(), r.key));
        known.into_iter().map(Reading::found).collect()
    }

    /// Each type once.
    fn known(&self) -> impl Iterator<Item = &Reading> {
        self.readings.values().filter(|r| r.encoding() == Encoding::Lcm)
    }

    /// Why there is no type of that name.
    pub fn lacks(&self, name: &str) -> Failure {
        let mut known: Vec<String> = self.known().map(Reading::name).collect();
        known.sort();
        known.dedup();
        let words = match known.as_slice() {
            [] => "nobody has left a type with it; name the directory of its type files with -I".into(),
            known => format!("what was left with it is {}", known.join(", ")),
        };
        Failure::new(Code::Failed, format!("the channel knows no type `{name}`: {words}"))
    }

    /// Adds what publishers describe. What is known already stays.
    pub fn learn(&mut self, descriptions: Vec<Description>) {
        for description in descriptions {
            if self.seen.contains(&description) {
                continue;
            }
            // Somebody else wrote it: it may explain nothing.
            let readings = self.patience.understand(&description);
            self.keep(readings);
            self.seen.insert(description);
        }
    }
}
