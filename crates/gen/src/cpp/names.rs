//! Names of types, fields and constants in C++.

use crate::c::names::prefixed;
use crate::names::{Scope, distinct, identifier};
use crate::text::Text;
use crate::{Options, Unsupported};
use saltus_types::{Const, Field, Schema, Struct, StructId, TypeName};

/// Keywords of C++, macros of its headers or of the compiler's GNU mode, and the members that every class has.
pub(super) const KEYWORDS: &str = "\
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t \
    class compl concept const consteval constexpr constinit const_cast continue co_await co_return \
    co_yield decltype default delete do double dynamic_cast else enum explicit export extern false float \
    for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or \
    or_eq private protected public register reinterpret_cast requires return short signed sizeof static \
    static_assert static_cast struct switch template this thread_local throw true try typedef typeid \
    typename union unsigned using virtual void volatile wchar_t while xor xor_eq typeof std NULL errno \
    linux unix i386 stdin stdout stderr EOF INT_MAX INT32_MAX int8_t int16_t int32_t int64_t uint8_t \
    encode decode getEncodedSize getHash getTypeName set_sizes _encodeNoHash _decodeNoHash \
    _getEncodedSizeNoHash _computeHash _read _write _measure _least _width _height _fixed _free";

/// The location of a type: its namespaces and its name, with the prefix that the options give its package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub namespaces: Vec<String>,
    pub name: String,
}

impl Place {
    pub fn of(name: &TypeName, options: &Options) -> Place {
        let full = prefixed(name, options);
        let namespaces = full.packages().map(|p| identifier(p, &[KEYWORDS])).collect();
        Place { namespaces, name: identifier(&full.name, &[KEYWORDS]) }
    }
    /// `exlcm/example_t` followed by `tail`.
    pub fn file(&self, tail: &str) -> String {
        let mut path = self.namespaces.join("/");
        if !path.is_empty() {
            path.push('/');
        }
        format!("{path}{}{tail}", self.name)
    }
    /// `::exlcm::example_t`.
    pub fn full(&self) -> String {
        self.namespaces.iter().fold(String::new(), |all, n| format!("{all}::{n}")) + "::" + &self.name
    }
    /// Its part of include guards.
    pub fn guard(&self) -> String {
        self.namespaces
            .iter()
            .chain([&self.name])
            .map(|s| s.to_ascii_uppercase())
            .collect::<Vec<_>>()
            .join("_")
    }
    /// `namespace exlcm {`, or nothing in the root package.
    pub fn open(&self) -> Option<String> {
        (!self.namespaces.is_empty()).then(|| format!("namespace {} {{", self.namespaces.join("::")))
    }
    /// `} // namespace exlcm`.
    pub fn close(&self) -> String {
        format!("}} // namespace {}", self.namespaces.join("::"))
    }
}

/// The members of a class.
pub(crate) struct Members {
    scope: Scope,
    class: String,
    all: Vec<String>,
}

impl Members {
    pub fn of(s: &Struct, place: &Place) -> Members {
        let fields = s.fields.iter().map(|f| f.name.as_str());
        let scope = Scope::new(&[KEYWORDS], fields.chain(s.consts.iter().map(|c| c.name.as_str())));
        let mut members = Members { scope, class: place.name.clone(), all: Vec::new() };
        let fields = s.fields.iter().map(|f| members.field(f));
        members.all = fields.chain(s.consts.iter().map(|c| members.constant(c))).collect();
        members
    }
    pub fn field(&self, field: &Field) -> String {
        self.not_the_class(&field.name)
    }
    pub fn constant(&self, c: &Const) -> String {
        self.not_the_class(&c.name)
    }
    /// Only a constructor may have the name of its class.
    fn not_the_class(&self, name: &str) -> String {
        let id = self.scope.of(name);
        if id == self.class { format!("{id}_member") } else { id }
    }
    /// An added name of a member, a parameter or a variable, which gives way to fields and constants.
    pub fn added(&self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.all.contains(&name) || name == self.class {
            name.push('_');
        }
        name
    }
}

/// Refuses types that would have the same include guard: the same name, or one that differs only in case or in
/// where its namespaces end.
pub(crate) fn check(schema: &Schema, options: &Options) -> Result<(), Unsupported> {
    let same = "in C++ it would have the same include guard as `{}`, or even the same name";
    distinct(schema, |name| Place::of(name, options).guard(), same)
}

/// The location of a struct.
pub(crate) fn place(schema: &Schema, id: StructId, options: &Options) -> Place {
    Place::of(&schema.get(id).name, options)
}

/// Puts the output of `body` into the namespaces of a type.
pub(super) fn in_namespace(t: &mut Text, place: &Place, body: impl FnOnce(&mut Text)) {
    if let Some(open) = place.open() {
        t.line(open).gap();
        body(t);
        t.gap().line(place.close()).gap();
    } else {
        body(t);
        t.gap();
    }
}
