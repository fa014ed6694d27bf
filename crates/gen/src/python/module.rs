//! The location of a type's module, and the names in it.

use crate::Options;
use crate::names::{Reserved, Scope, identifier};
use saltus_types::{Dim, EnumId, Extent, Field, Schema, Struct, StructId, Type, TypeName};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Name of the runtime module of the classes.
pub(super) const WIRE: &str = "_saltus_wire";

/// Python's keywords.
pub(super) const KEYWORDS: &str = "\
    False None True and as assert async await break class continue def del elif else except finally for \
    from global if import in is lambda nonlocal not or pass raise return try while with yield";

/// Names that a class must not have: keywords, modules of a package, and names that every module uses.
const NOT_CLASSES: &[&str] = &[
    KEYWORDS,
    "\
    __init__ _saltus_wire wire np npt numpy struct enum typing annotations Any ClassVar bool bytes \
    classmethod float int list object staticmethod str type",
];

/// A package and a class in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The package, as Python names it.
    pub package: Vec<String>,
    /// The class, which is also the name of its module.
    pub class: String,
}

impl Place {
    /// The location of the type with that name.
    pub fn of(name: &TypeName, options: &Options) -> Place {
        let prefix = options.package_prefix.iter().flat_map(|p| p.split('.')).filter(|p| !p.is_empty());
        let package = prefix.chain(name.packages()).map(|p| identifier(p, &[KEYWORDS])).collect();
        Place { package, class: identifier(&name.name, NOT_CLASSES) }
    }
    /// The module's file.
    pub fn file(&self) -> PathBuf {
        self.package.iter().collect::<PathBuf>().join(format!("{}.py", self.class))
    }
    /// `from … ` for a module of package `of` at the outermost package or below: relative within the same outermost
    /// package, so that it can be moved as a whole.
    fn from(&self, package: &[String]) -> String {
        match (self.package.first(), package.first()) {
            (Some(here), Some(there)) if here == there => {
                let common = self.package.iter().zip(package).take_while(|(a, b)| a == b).count();
                let dots = ".".repeat(self.package.len() - common + 1);
                format!("{dots}{}", package[common..].join("."))
            }
            _ => package.join("."),
        }
    }
    /// The import of the runtime of the classes.
    pub fn import_wire(&self) -> String {
        match self.package.first() {
            Some(_) => format!("from {} import {WIRE} as wire", self.from(&self.package[..1])),
            None => format!("import {WIRE} as wire"),
        }
    }
    /// The import of another type's class under the name `alias`.
    pub fn import(&self, other: &Place, alias: &str) -> String {
        let package = self.from(&other.package);
        let dot = if package.is_empty() || package.ends_with('.') { "" } else { "." };
        let class = &other.class;
        let renamed = if alias == class { String::new() } else { format!(" as {alias}") };
        format!("from {package}{dot}{class} import {class}{renamed}")
    }
}

/// A type's module: its class, the names of its fields and constants, the classes it refers to.
pub(super) struct Module<'a> {
    pub schema: &'a Schema,
    pub st: &'a Struct,
    pub place: Place,
    /// The number of elements and rows of zero size that every message has.
    pub free: u64,
    names: Scope,
    others: BTreeMap<StructId, (Place, String)>,
    enums: BTreeMap<EnumId, (Place, String)>,
}

impl<'a> Module<'a> {
    /// The module of struct `id`; fields and constants avoid names in `reserved`. With `enums` it refers to enums
    /// as classes.
    pub fn new(schema: &'a Schema, id: StructId, options: &Options, reserved: Reserved, enums: bool) -> Self {
        let st = schema.get(id);
        let place = Place::of(&st.name, options);
        let members =
            st.consts.iter().map(|c| c.name.as_str()).chain(st.fields.iter().map(|f| f.name.as_str()));
        let names = Scope::new(reserved, members.clone());
        let mut taken: BTreeSet<String> = members.map(|m| names.of(m)).collect();
        taken.insert(place.class.clone());
        let mut alias = |other: &Place| {
            let mut alias = other.class.clone();
            if taken.contains(&alias) {
                alias = [&other.package[..], &[alias]].concat().join("_");
            }
            while taken.contains(&alias) {
                alias.insert(0, '_');
            }
            taken.insert(alias.clone());
            alias
        };
        let (mut others, mut of_enums) = (BTreeMap::new(), BTreeMap::new());
        for field in &st.fields {
            match field.ty {
                Type::Struct(other) if other == id => {
                    let hidden = st.fields.iter().any(|f| names.of(&f.name) == place.class);
                    let name = format!("{}{}", if hidden { "_" } else { "" }, place.class);
                    others.entry(other).or_insert((place.clone(), name));
                }
                Type::Struct(other) => {
                    let at = Place::of(&schema.get(other).name, options);
                    others.entry(other).or_insert_with(|| (at.clone(), alias(&at)));
                }
                Type::Enum(e) if enums => {
                    let at = Place::of(&schema.get_enum(e).name, options);
                    of_enums.entry(e).or_insert_with(|| (at.clone(), alias(&at)));
                }
                _ => {}
            }
        }
        Module { schema, st, place, free: schema.free_elements(id), names, others, enums: of_enums }
    }
    /// A field's or constant's name.
    pub fn member(&self, name: &str) -> String {
        self.names.of(name)
    }
    /// Whether a field or a constant has the name of its class.
    fn hides_class(&self) -> bool {
        let mut members =
            self.st.fields.iter().map(|f| &f.name).chain(self.st.consts.iter().map(|c| &c.name));
        members.any(|name| self.member(name) == self.place.class)
    }
    /// The class's name in annotations inside it: a field of that name would hide it.
    pub fn own_class(&self) -> String {
        if self.hides_class() { format!("_{}", self.place.class) } else { self.place.class.clone() }
    }
    /// The alias of the class, if a field has its name.
    fn own_alias(&self) -> Option<String> {
        self.hides_class().then(|| format!("_{0} = {0}", self.place.class))
    }
    /// A field of this message.
    pub fn own(&self, field: &Field) -> String {
        format!("self.{}", self.member(&field.name))
    }
    /// The name of a struct's class in this module.
    pub fn class_of(&self, id: StructId) -> &str {
        &self.others[&id].1
    }
    /// The name of an enum's class in this module.
    pub fn enum_of(&self, id: EnumId) -> &str {
        &self.enums[&id].1
    }
    /// Imports of other types' classes. They are at the end: by then this module's class exists, so that types and
    /// packages may refer to each other in cycles.
    fn imports(&self) -> Vec<String> {
        let all = self.others.values().chain(self.enums.values());
        let mut lines: Vec<String> =
            all.filter(|(at, _)| *at != self.place).map(|(at, alias)| self.place.import(at, alias)).collect();
        lines.sort();
        lines
    }
    /// The last lines of the module.
    pub fn end(&self) -> String {
        let mut text = self.own_alias().map(|alias| format!("\n\n{alias}\n")).unwrap_or_default();
        let imports = self.imports().join("\n");
        if !imports.is_empty() {
            text += &format!("\n\n# Last, so that types may refer to each other.\n{imports}\n");
        }
        text
    }
    /// Sizes of an array, as expressions.
    pub fn sizes(&self, field: &Field) -> Vec<String> {
        self.sizes_as(field, |size| self.own(size))
    }
    /// Sizes of an array, with variable ones as `name` writes their fields.
    pub fn sizes_as(&self, field: &Field, name: impl Fn(&Field) -> String) -> Vec<String> {
        let size = |d: &Dim| match d.extent {
            Extent::Fixed(n) => n.to_string(),
            Extent::Variable(i) => name(&self.st.fields[i]),
        };
        field.dims.iter().map(size).collect()
    }
    /// The name of a field in error messages: `"scan_t.ranges[nranges]"`.
    pub fn label(&self, field: &Field) -> String {
        let sizes = self.sizes_as(field, |size| self.member(&size.name));
        let dims: String = sizes.iter().map(|size| format!("[{size}]")).collect();
        super::layout::quoted(&format!("{}.{}{dims}", self.place.class, self.member(&field.name)))
    }
}

/// Fields that are read and written in one call.
pub(super) enum Piece<'a> {
    /// Consecutive scalar numbers.
    Scalars(Vec<&'a Field>),
    /// Anything else.
    One(&'a Field),
}

/// The fields in pieces.
pub(super) fn pieces(st: &Struct) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for field in &st.fields {
        let scalar = !field.is_array() && code(field.ty).is_some();
        match pieces.last_mut() {
            Some(Piece::Scalars(group)) if scalar => group.push(field),
            _ if scalar => pieces.push(Piece::Scalars(vec![field])),
            _ => pieces.push(Piece::One(field)),
        }
    }
    pieces
}

/// The code of a number in Python's `struct`; `None` for strings and structs.
pub(super) fn code(ty: Type) -> Option<char> {
    use saltus_types::Primitive::*;
    Some(match ty {
        Type::Primitive(Int8) => 'b',
        Type::Primitive(Int16) => 'h',
        Type::Primitive(Int32) | Type::Enum(_) => 'i',
        Type::Primitive(Int64) => 'q',
        Type::Primitive(Byte) => 'B',
        Type::Primitive(Float) => 'f',
        Type::Primitive(Double) => 'd',
        Type::Primitive(Boolean) => '?',
        Type::Primitive(String) | Type::Struct(_) => return None,
    })
}
