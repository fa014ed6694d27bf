//! Identifiers of a language.
//!
//! Names are not on the wire, so a name that is a keyword somewhere, or has characters that are not allowed in
//! identifiers, is changed only in the generated code: `class` becomes `class_`, `x-y` becomes `x_y`. Two names of
//! one struct never become the same.

use crate::Unsupported;
use saltus_types::{Schema, TypeName};
use std::collections::{HashMap, HashSet};

/// Names that must not be used: texts of words with blanks between them.
pub(crate) type Reserved = &'static [&'static str];

/// Whether `name` is one of the words.
pub(crate) fn is_reserved(name: &str, reserved: &[&str]) -> bool {
    reserved.iter().any(|words| words.split_ascii_whitespace().any(|word| word == name))
}

/// Converts names of one scope (the fields and constants of a struct) to identifiers.
#[derive(Debug)]
pub(crate) struct Scope {
    reserved: Reserved,
    taken: HashMap<String, String>,
}

impl Scope {
    /// A scope of a language that reserves these words; `names` are all names in it.
    pub fn new<'a>(reserved: Reserved, names: impl Iterator<Item = &'a str>) -> Scope {
        let mut scope = Scope { reserved, taken: HashMap::new() };
        let names: Vec<&str> = names.collect();
        // Names that can stay unchanged have priority.
        let (plain, odd): (Vec<&str>, Vec<&str>) = names.iter().partition(|n| identifier(n, reserved) == **n);
        let mut ids = HashSet::new();
        for name in plain.into_iter().chain(odd) {
            let mut id = identifier(name, reserved);
            while !ids.insert(id.clone()) {
                id.push('_');
            }
            scope.taken.insert(name.into(), id);
        }
        scope
    }
    /// The identifier for `name`, which must be one of those passed to [`Scope::new`].
    pub fn of(&self, name: &str) -> String {
        self.taken.get(name).cloned().unwrap_or_else(|| identifier(name, self.reserved))
    }
}

/// `name` as an identifier: letters, digits and `_`, not starting with a digit, not a keyword.
pub(crate) fn identifier(name: &str, reserved: &[&str]) -> String {
    let mut id: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if id.is_empty() || id.starts_with(|c: char| c.is_ascii_digit()) {
        id.insert(0, '_');
    }
    if is_reserved(&id, reserved) {
        id.push('_');
    }
    id
}

/// Refuses types for which `key` is the same; `same` is the name of the thing that they would share.
pub(crate) fn distinct(
    schema: &Schema,
    key: impl Fn(&TypeName) -> String,
    same: &str,
) -> Result<(), Unsupported> {
    let structs = schema.structs().iter().map(|s| &s.name);
    let enums = schema.enums().iter().map(|e| &e.name);
    let mut seen: HashMap<String, &TypeName> = HashMap::new();
    for name in structs.chain(enums) {
        if let Some(other) = seen.insert(key(name), name) {
            return Err(Unsupported { name: name.to_string(), why: same.replace("{}", &other.to_string()) });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn very_many_names_take_no_time_to_speak_of() {
        let names: Vec<String> = (0..200_000).map(|n| format!("field_{n}")).collect();
        let start = std::time::Instant::now();
        let scope = Scope::new(&["class"], names.iter().map(String::as_str));
        // Comparing all pairs would take many minutes; this takes a second on a busy machine.
        assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
        assert_eq!(scope.of("field_1"), "field_1");
    }

    #[test]
    fn keywords_and_odd_signs_never_collide() {
        let names = ["class", "class_", "x-y", "x_y", "1a", "ok"];
        let scope = Scope::new(&["class"], names.into_iter());
        let ids: Vec<String> = names.iter().map(|n| scope.of(n)).collect();
        assert_eq!(ids, ["class__", "class_", "x_y_", "x_y", "_1a", "ok"]);
    }
}
