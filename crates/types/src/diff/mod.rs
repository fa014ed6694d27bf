//! The differences between two versions of a type, in words.

mod fields;

use crate::value::declaration;
use crate::{Const, Dim, Enum, Extent, Field, Schema, StructId, Type};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

/// One difference between an old and a new version of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The field or constant concerned, named as in the old version (in the new one if it was added): `pose.x`;
    /// empty for the whole type. A difference in a struct that is used in several places is reported once, at the
    /// first of them.
    pub path: String,
    /// What is different.
    pub what: What,
}

/// What is different.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum What {
    /// The new version has an additional field.
    Added {
        /// `float[3]`
        ty: String,
    },
    /// A field is missing in the new version.
    Removed {
        /// `float[3]`
        ty: String,
    },
    /// A field of the same type, at the same position, has another name.
    Renamed {
        /// Its new name.
        to: String,
    },
    /// A field has another type.
    Retyped {
        /// `float`
        from: String,
        /// `double`
        to: String,
    },
    /// A field has other dimensions.
    Resized {
        /// `float[3]`
        from: String,
        /// `float[n]`
        to: String,
    },
    /// The size of a dimension is the same number, written differently. The bytes are the same, the fingerprint is
    /// not.
    Respelled {
        /// `16`
        from: String,
        /// `0x10`
        to: String,
    },
    /// A field has another position in its struct.
    Moved {
        /// The field that it follows now; `None` if it is the first.
        after: Option<String>,
    },
    /// Types that contain themselves do so through other types than before, all of which have the same fields. The
    /// bytes are the same, the fingerprint is not.
    Recursion,
    /// A constant, or a name of an enum, is new.
    ConstAdded {
        /// Its value.
        value: String,
    },
    /// A constant, or a name of an enum, was removed.
    ConstRemoved {
        /// Its value.
        value: String,
    },
    /// A constant, or a name of an enum, has another value.
    ConstChanged {
        /// The old value.
        from: String,
        /// The new value.
        to: String,
    },
}

impl What {
    /// A name of one or two words that never changes its meaning: `added`, `retyped`, `constant removed`, ….
    pub fn word(&self) -> &'static str {
        match self {
            What::Added { .. } => "added",
            What::Removed { .. } => "removed",
            What::Renamed { .. } => "renamed",
            What::Retyped { .. } => "retyped",
            What::Resized { .. } => "resized",
            What::Respelled { .. } => "respelled",
            What::Moved { .. } => "moved",
            What::Recursion => "changed",
            What::ConstAdded { .. } => "constant added",
            What::ConstRemoved { .. } => "constant removed",
            What::ConstChanged { .. } => "constant changed",
        }
    }
}

impl Change {
    /// Whether the fingerprint changes with it, so that old and new programs cannot exchange messages. Constants
    /// are not part of the fingerprint.
    pub fn alters_fingerprint(&self) -> bool {
        !matches!(self.what, What::ConstAdded { .. } | What::ConstRemoved { .. } | What::ConstChanged { .. })
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.what {
            What::Added { ty } => write!(f, "field `{path}` ({ty}) was added"),
            What::Removed { ty } => write!(f, "field `{path}` ({ty}) was removed"),
            What::Renamed { to } => write!(f, "field `{path}` is now called `{to}`"),
            What::Retyped { from, to } => write!(f, "field `{path}` was {from} and is now {to}"),
            What::Resized { from, to } => write!(f, "field `{path}` was {from} and is now {to}"),
            What::Respelled { from, to } => write!(
                f,
                "the size of field `{path}` was written `{from}` and is now written `{to}`: the bytes are the same, but \
                 not the fingerprint"
            ),
            What::Moved { after: Some(after) } => write!(f, "field `{path}` now follows `{after}`"),
            What::Moved { after: None } => write!(f, "field `{path}` is now the first"),
            What::Recursion => f.write_str(
                "types that contain themselves do so in another way: the bytes are the same, but not the fingerprint",
            ),
            What::ConstAdded { value } => {
                write!(f, "constant `{path}` = {value} was added (no change of the fingerprint)")
            }
            What::ConstRemoved { value } => {
                write!(f, "constant `{path}` = {value} was removed (no change of the fingerprint)")
            }
            What::ConstChanged { from, to } => {
                write!(f, "constant `{path}` was {from} and is now {to} (no change of the fingerprint)")
            }
        }
    }
}

/// The fate of a type of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Only the old file has it.
    Removed,
    /// Only the new file has it.
    Added,
    /// Both have it: the first ID is of the old file, the second of the new.
    Kept(StructId, StructId),
}

/// The fate of each type of a file, by full name: those of the old file, then new ones, both sorted.
pub fn fates(
    (old, old_ids): (&Schema, &[StructId]),
    (new, new_ids): (&Schema, &[StructId]),
) -> Vec<(String, Fate)> {
    let by_name = |schema: &Schema, ids: &[StructId]| -> BTreeMap<String, StructId> {
        ids.iter().map(|&id| (schema.get(id).name.to_string(), id)).collect()
    };
    let (old, new) = (by_name(old, old_ids), by_name(new, new_ids));
    let kept = |(name, &id): (&String, &StructId)| {
        let fate = new.get(name).map_or(Fate::Removed, |&new| Fate::Kept(id, new));
        (name.clone(), fate)
    };
    let added = new.keys().filter(|name| !old.contains_key(*name)).map(|name| (name.clone(), Fate::Added));
    old.iter().map(kept).chain(added).collect()
}

/// The differences of struct `new_id` of schema `new` from struct `old_id` of schema `old`. Empty if they are the
/// same. If no change [alters the fingerprint](Change::alters_fingerprint), programs built with either can exchange
/// messages. Names of types do not matter, only their contents.
pub fn diff(old: &Schema, old_id: StructId, new: &Schema, new_id: StructId) -> Vec<Change> {
    let mut diff = Diff { old, new, seen: HashSet::new(), todo: Vec::new(), changes: Vec::new() };
    diff.visit(old_id, new_id, String::new());
    // Not recursive, since a chain of types may be as long as the files.
    while let Some((a, b, path)) = diff.todo.pop() {
        let first = diff.todo.len();
        diff.structs(a, b, &path);
        // In the order of the fields.
        diff.todo[first..].reverse();
    }
    let differ = old.get(old_id).fingerprint != new.get(new_id).fingerprint;
    if differ && !diff.changes.iter().any(Change::alters_fingerprint) {
        diff.add("", "", What::Recursion);
    }
    diff.changes
}

struct Diff<'a> {
    old: &'a Schema,
    new: &'a Schema,
    seen: HashSet<(StructId, StructId)>,
    todo: Vec<(StructId, StructId, String)>,
    changes: Vec<Change>,
}

impl Diff<'_> {
    fn visit(&mut self, a: StructId, b: StructId, path: String) {
        if self.seen.insert((a, b)) {
            self.todo.push((a, b, path));
        }
    }

    fn add(&mut self, path: &str, name: &str, what: What) {
        self.changes.push(Change { path: join(path, name), what });
    }

    fn structs(&mut self, a: StructId, b: StructId, path: &str) {
        let (a, b) = (self.old.get(a), self.new.get(b));
        let pairs = fields::pair(self.old, &a.fields, self.new, &b.fields);
        let moved = fields::moved(&pairs);
        for (i, field) in a.fields.iter().enumerate() {
            let Some(j) = pairs[i] else {
                self.add(path, &field.name, What::Removed { ty: declaration(self.old, field) });
                continue;
            };
            let other = &b.fields[j];
            if field.name != other.name {
                self.add(path, &field.name, What::Renamed { to: other.name.clone() });
            }
            if moved[i] {
                let after = j.checked_sub(1).map(|j| b.fields[j].name.clone());
                self.add(path, &field.name, What::Moved { after });
            }
            self.types(field, other, &pairs, path);
        }
        let kept: HashSet<usize> = pairs.iter().flatten().copied().collect();
        for (j, field) in b.fields.iter().enumerate() {
            if !kept.contains(&j) {
                self.add(path, &field.name, What::Added { ty: declaration(self.new, field) });
            }
        }
        let list =
            |consts: &[Const]| consts.iter().map(|c| (c.name.clone(), constant(c))).collect::<Vec<_>>();
        self.consts(&list(&a.consts), &list(&b.consts), path);
    }

    fn types(&mut self, a: &Field, b: &Field, pairs: &[Option<usize>], path: &str) {
        let (from, to) = (declaration(self.old, a), declaration(self.new, b));
        if !fields::same_type(self.old, a.ty, self.new, b.ty) {
            return self.add(path, &a.name, What::Retyped { from, to });
        }
        let same_size = |(x, y): (&Dim, &Dim)| match (x.extent, y.extent) {
            (Extent::Fixed(m), Extent::Fixed(n)) => m == n,
            // It is the same field, although renamed.
            (Extent::Variable(m), Extent::Variable(n)) => pairs.get(m) == Some(&Some(n)),
            _ => false,
        };
        if a.dims.len() != b.dims.len() || !a.dims.iter().zip(&b.dims).all(same_size) {
            self.add(path, &a.name, What::Resized { from, to });
        } else {
            for (x, y) in a.dims.iter().zip(&b.dims) {
                if matches!(x.extent, Extent::Fixed(_)) && x.text != y.text {
                    self.add(path, &a.name, What::Respelled { from: x.text.clone(), to: y.text.clone() });
                }
            }
        }
        match (a.ty, b.ty) {
            (Type::Struct(x), Type::Struct(y)) => self.visit(x, y, join(path, &a.name)),
            (Type::Enum(x), Type::Enum(y)) => {
                let list = |e: &Enum| {
                    e.values.iter().map(|v| (v.name.clone(), v.value.to_string())).collect::<Vec<_>>()
                };
                let (x, y) = (list(self.old.get_enum(x)), list(self.new.get_enum(y)));
                self.consts(&x, &y, &join(path, &a.name));
            }
            _ => {}
        }
    }

    /// Compares names and their values.
    fn consts(&mut self, a: &[(String, String)], b: &[(String, String)], path: &str) {
        let old: HashMap<&String, &String> = a.iter().map(|(name, value)| (name, value)).collect();
        let new: HashMap<&String, &String> = b.iter().map(|(name, value)| (name, value)).collect();
        for (name, from) in a {
            match new.get(name) {
                None => self.add(path, name, What::ConstRemoved { value: from.clone() }),
                Some(&to) if from != to => {
                    self.add(path, name, What::ConstChanged { from: from.clone(), to: to.clone() });
                }
                Some(_) => {}
            }
        }
        for (name, value) in b.iter().filter(|(name, _)| !old.contains_key(name)) {
            self.add(path, name, What::ConstAdded { value: value.clone() });
        }
    }
}

/// `5 (int32_t)`; equal numbers are the same in any notation.
fn constant(c: &Const) -> String {
    match c.value {
        crate::ConstValue::Int(n) => format!("{n} ({})", c.ty.name()),
        crate::ConstValue::Float(x) => format!("{x:?} ({})", c.ty.name()),
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.into() } else { format!("{path}.{name}") }
}
