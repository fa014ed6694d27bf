//! Names that are valid in IDL.

use crate::{Schema, StructId, TypeName};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Used names of one scope, in lower case, since IDL does not distinguish case.
#[derive(Default)]
pub(super) struct Scope(HashSet<String>);

impl Scope {
    /// Marks a name as used.
    pub fn reserve(&mut self, name: &str) {
        self.0.insert(name.trim_start_matches('_').to_ascii_lowercase());
    }
    /// An unused identifier for `name`.
    pub fn add(&mut self, name: &str) -> String {
        let mut id: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if id.starts_with('_') {
            id = format!("{}_", id.trim_start_matches('_'));
        }
        if !id.starts_with(|c: char| c.is_ascii_alphabetic()) {
            id.insert(0, 'x');
        }
        while !self.0.insert(id.to_ascii_lowercase()) {
            id.push('_');
        }
        if KEYWORDS.split(' ').any(|k| k.eq_ignore_ascii_case(&id)) {
            id.insert(0, '_');
        }
        id
    }
}

/// The names of modules and structs.
pub(super) struct Names {
    /// Modules of a package, outermost first.
    modules: HashMap<String, Vec<String>>,
    /// Name of a struct, without its modules.
    types: HashMap<StructId, String>,
    /// Used names of each package.
    scopes: HashMap<String, Scope>,
}

impl Names {
    /// Names for all structs of `order`.
    pub fn new(schema: &Schema, order: &[StructId]) -> Names {
        let mut names = Names { modules: HashMap::new(), types: HashMap::new(), scopes: HashMap::new() };
        names.modules.insert(String::new(), Vec::new());
        // Packages and their outer packages; a sorted set has the outer ones first.
        let mut packages = BTreeSet::new();
        for &id in order {
            let mut package = String::new();
            for part in schema.get(id).name.packages() {
                let outer = package.clone();
                package = if outer.is_empty() { part.into() } else { format!("{outer}.{part}") };
                packages.insert((package.clone(), outer, part));
            }
        }
        for (package, outer, part) in packages {
            let name = names.scopes.entry(outer.clone()).or_default().add(part);
            let mut path = names.modules[&outer].clone();
            path.push(name.clone());
            names.scopes.entry(package.clone()).or_default().reserve(&name);
            names.modules.insert(package, path);
        }
        for &id in order {
            let of = &schema.get(id).name;
            let name = names.add(of, &of.name);
            names.types.insert(id, name);
        }
        names
    }
    /// A name for a definition next to struct `of`.
    pub fn add(&mut self, of: &TypeName, name: &str) -> String {
        self.scopes.entry(package(of)).or_default().add(name)
    }
    /// The modules of a struct, outermost first.
    pub fn modules(&self, of: &TypeName) -> &[String] {
        &self.modules[&package(of)]
    }
    /// The name of a struct within its modules.
    pub fn own(&self, id: StructId) -> &str {
        &self.types[&id]
    }
    /// `a::b::pose_t` for `pose_t` in the modules of `of`.
    pub fn path(&self, of: &TypeName, name: &str) -> String {
        let modules = self.modules(of).iter().map(|m| format!("{m}::"));
        modules.collect::<String>() + name
    }
}

/// The package, without the empty parts that it may have.
fn package(of: &TypeName) -> String {
    of.packages().collect::<Vec<_>>().join(".")
}

/// Keywords of IDL 4.2, in lower case.
const KEYWORDS: &str = "\
    abstract alias any attribute bitfield bitmask bitset boolean byte case char component connector const \
    consumes context custom default double emits enum eventtype exception factory false finder fixed float \
    getraises home import in inout int16 int32 int64 int8 interface local long manages map mirrorport module \
    multiple native object octet oneway out port porttype primarykey private provides public publishes raises \
    readonly sequence setraises short string struct supports switch true truncatable typedef typeid typename \
    typeprefix uint16 uint32 uint64 uint8 union unsigned uses valuebase valuetype void wchar wstring";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_legal_and_never_collide() {
        let mut scope = Scope::default();
        let names = ["string", "String", "_x", "x_", "1a", "x-y", "X_Y", "ok"];
        let ids: Vec<String> = names.iter().map(|n| scope.add(n)).collect();
        assert_eq!(ids, ["_string", "String_", "x_", "x__", "x1a", "x_y", "X_Y_", "ok"]);
    }
}
