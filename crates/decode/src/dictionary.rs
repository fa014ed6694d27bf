//! Types described by publishers, read within limits.

use crate::{Kind, Types};
use saltus_types::{Schema, StructId};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A type as text, as a publisher stores it with a channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TypeText {
    /// Its full name.
    pub name: String,
    /// The type and all types in it, in the type language.
    pub text: String,
}

/// Total time for parsing descriptions. A publisher could store new ones forever, and ones that take long to parse.
const TIME: Duration = Duration::from_secs(1);
/// Time between two readings of a channel's descriptions.
const FRESH: Duration = Duration::from_millis(100);

/// Known types, and types described by publishers.
#[derive(Default)]
pub struct Dictionary {
    types: Types,
    /// Descriptions read so far.
    seen: HashSet<TypeText>,
    /// Time spent on them.
    time: Duration,
    /// Time of the last reading, by channel.
    looked: HashMap<Vec<u8>, Instant>,
    /// Whether any type is known besides [built-in](Dictionary::carry) ones.
    named: bool,
}

impl Dictionary {
    /// A dictionary with these types.
    pub fn of(descriptions: Vec<TypeText>) -> Dictionary {
        let mut dictionary = Dictionary::default();
        dictionary.learn(descriptions);
        dictionary
    }

    /// Adds all structs of a schema. Keeps types that are already known.
    pub fn add_all(&mut self, schema: &Arc<Schema>) {
        self.named |= schema.ids().next().is_some();
        self.types.add_all(schema);
    }

    /// Adds built-in types. They do not count as known types in [`Meaning::Bytes`](crate::Meaning::Bytes). Keeps types that are already
    /// known.
    pub fn carry(&mut self, schema: &Arc<Schema>) {
        self.types.add_all(schema);
    }

    /// Adds one type, in each of its encodings. Keeps types that are already known.
    pub fn add(&mut self, schema: &Arc<Schema>, id: StructId) {
        self.named = true;
        self.types.add(schema, id);
    }

    /// Adds types described by publishers. Keeps types that are already known.
    pub fn learn(&mut self, descriptions: Vec<TypeText>) {
        for description in descriptions {
            if self.seen.contains(&description) {
                continue;
            }
            // The text is untrusted: it may not declare the type.
            if let Some((schema, id)) = self.understand(&description) {
                self.add(&schema, id);
            }
            self.seen.insert(description);
        }
    }

    /// Parses a publisher's description, without adding the type. Returns `None` if the text does not declare it, is longer than 128 KiB,
    /// or if earlier texts exceed 16 MiB or took a second to parse.
    pub fn understand(&mut self, description: &TypeText) -> Option<(Arc<Schema>, StructId)> {
        if self.time > TIME {
            return None;
        }
        let start = Instant::now();
        let found = self.types.read(&description.name, &description.text);
        self.time += start.elapsed();
        found
    }

    /// Whether no type is known besides [built-in](Dictionary::carry) ones.
    pub fn is_empty(&self) -> bool {
        !self.named
    }

    /// The type of a message of a channel. If it is unknown, calls `descriptions` to read more, at limited intervals.
    pub fn kind(
        &mut self,
        channel: &[u8],
        descriptions: impl FnOnce() -> Vec<TypeText>,
        message: &[u8],
    ) -> Option<&Arc<Kind>> {
        message.first_chunk::<8>()?;
        let is_due = |at: &Instant| at.elapsed() > FRESH;
        if self.types.of(message).is_none() && self.looked.get(channel).is_none_or(is_due) {
            self.looked.insert(channel.into(), Instant::now());
            self.learn(descriptions());
        }
        self.types.of(message)
    }

    /// The type with this full name, or the only one with this short name.
    pub fn named(&self, name: &str) -> Option<Arc<Kind>> {
        let full = self.known().find(|kind| kind.name() == name);
        let mut short = self.known().filter(|kind| kind.schema().get(kind.id()).name.name == name);
        full.or_else(|| short.next().filter(|_| short.next().is_none())).cloned()
    }

    /// All types in LCM's encoding, sorted by their names.
    pub fn types(&self) -> Vec<Arc<Kind>> {
        let mut known: Vec<Arc<Kind>> = self.known().cloned().collect();
        known.sort_by_cached_key(|kind| (kind.name(), kind.key()));
        known
    }

    /// Each type once.
    fn known(&self) -> impl Iterator<Item = &Arc<Kind>> {
        self.types.all().filter(|kind| !kind.is_plain())
    }

    /// The error message for a missing type.
    pub fn lacks(&self, name: &str) -> String {
        let mut known: Vec<String> = self.known().map(|kind| kind.name()).collect();
        known.sort();
        known.dedup();
        let words = match known.as_slice() {
            [] => "it stores no types; name the directory of its type files with -I".into(),
            known => format!("it stores {}", known.join(", ")),
        };
        format!("the channel has no type `{name}`: {words}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(name: &str, text: &str) -> TypeText {
        TypeText { name: name.into(), text: text.into() }
    }

    #[test]
    fn built_in_types_are_known_and_change_nothing_else() {
        let schema = Arc::new(saltus_types::parse("t", "struct a_t { int8_t x; }").expect("valid"));
        let id = schema.find("a_t").expect("found");
        let mut dictionary = Dictionary::default();
        dictionary.carry(&schema);
        assert!(dictionary.is_empty());
        assert!(dictionary.kind(b"A", Vec::new, &Kind::lcm(&schema, id).key()).is_some());
        dictionary.add_all(&schema);
        assert!(!dictionary.is_empty());
    }

    #[test]
    fn a_channel_is_asked_again_only_after_a_while() {
        let mut dictionary = Dictionary::default();
        let mut asked = 0;
        for _ in 0..3 {
            let look = || {
                asked += 1;
                Vec::new()
            };
            assert!(dictionary.kind(b"POSE", look, &[0; 8]).is_none());
        }
        assert_eq!(asked, 1);
        assert!(dictionary.kind(b"POSE", || unreachable!("too short to be of any type"), &[0; 7]).is_none());
    }

    #[test]
    fn a_short_name_means_a_type_only_where_it_is_the_only_one() {
        let text = |package: &str, of: &str| format!("package {package}; struct a_t {{ {of} x; }}");
        let mut dictionary = Dictionary::of(vec![reported("p.a_t", &text("p", "int8_t"))]);
        assert_eq!(dictionary.named("a_t").map(|kind| kind.name()).as_deref(), Some("p.a_t"));
        dictionary.learn(vec![reported("q.a_t", &text("q", "double"))]);
        assert!(dictionary.named("a_t").is_none());
        assert_eq!(dictionary.named("q.a_t").map(|kind| kind.name()).as_deref(), Some("q.a_t"));
        assert!(dictionary.lacks("b_t").ends_with("it stores p.a_t, q.a_t"));
    }

    #[test]
    fn an_invalid_description_explains_nothing() {
        let long = format!("struct a_t {{ int8_t x; }} // {}", "x".repeat(128 << 10));
        for (name, text) in [("a_t", "struct"), ("b_t", "struct a_t { int8_t x; }"), ("a_t", &*long)] {
            assert!(Dictionary::of(vec![reported(name, text)]).is_empty(), "{name}");
        }
    }
}
