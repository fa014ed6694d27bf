//! A set of known types.

use crate::kind::{Kind, Map};
use saltus_types::{Schema, StructId};
use std::collections::HashMap;
use std::sync::Arc;

/// Longest text that is read as a type.
const LONGEST: usize = 128 << 10;
/// Most text that is read as types, in total.
const BUDGET: usize = 16 << 20;

/// Known types, by the first eight bytes of their messages.
#[derive(Clone, Debug, Default)]
pub struct Types {
    kinds: HashMap<[u8; 8], Arc<Kind>>,
    texts: HashMap<[Option<String>; 4], Option<Arc<Kind>>>,
    bytes: usize,
}

impl Types {
    /// No types.
    pub fn new() -> Types {
        Types::default()
    }
    /// Adds one type in each of its encodings. Keeps types that are already known.
    pub fn add(&mut self, schema: &Arc<Schema>, id: StructId) {
        for kind in Kind::all(schema, id) {
            self.kinds.entry(kind.key()).or_insert_with(|| Arc::new(kind));
        }
    }
    /// Adds all types of a schema.
    pub fn add_all(&mut self, schema: &Arc<Schema>) {
        schema.ids().for_each(|id| self.add(schema, id));
    }
    /// Adds the type `name` of a text in the type language, as publishers store it with channels. Returns whether it was parsed: texts over
    /// 128 KiB, and those after a total of 16 MiB, are not.
    pub fn learn(&mut self, name: &str, text: &str) -> bool {
        let found = self.read(name, text);
        found.is_some_and(|(schema, id)| {
            self.add(&schema, id);
            true
        })
    }
    /// Parses the type `name` of a text, within the limits of [`learn`](Types::learn), without adding it.
    pub(crate) fn read(&mut self, name: &str, text: &str) -> Option<(Arc<Schema>, StructId)> {
        let schema = self.affords(text).then(|| saltus_types::parse("a publisher", text).ok()).flatten()?;
        let id = schema.find(name)?;
        Some((Arc::new(schema), id))
    }
    /// The type of this message, if known.
    pub fn of(&self, data: &[u8]) -> Option<&Arc<Kind>> {
        self.kinds.get(data.first_chunk::<8>()?)
    }
    /// All types, in no particular order.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Kind>> {
        self.kinds.values()
    }
    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Adds and returns the type described by [`Kind::metadata`]; `None` if the metadata is invalid.
    pub fn of_metadata(&mut self, metadata: &Map) -> Option<Arc<Kind>> {
        let keys = ["lcm.type", "lcm.fingerprint", "lcm.schema", "saltus.encoding"];
        let key = keys.map(|key| metadata.get(key).cloned());
        if let Some(known) = self.texts.get(&key) {
            return known.clone();
        }
        let kind = self.affords(key[2].as_deref()?).then(|| Kind::of_metadata(metadata)).flatten();
        let kind = kind.map(Arc::new);
        if let Some(kind) = &kind {
            self.kinds.entry(kind.key()).or_insert_with(|| kind.clone());
        }
        self.texts.insert(key, kind.clone());
        kind
    }
    fn affords(&mut self, text: &str) -> bool {
        self.bytes = self.bytes.saturating_add(text.len());
        text.len() <= LONGEST && self.bytes <= BUDGET
    }
}
