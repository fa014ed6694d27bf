//! Names of types, fields and constants in C.

use crate::names::{Scope, distinct, identifier};
use crate::{Options, Unsupported};
use saltus_types::{Const, Schema, Struct, Type, TypeName};

/// Keywords of C, and macros of its standard headers or of the compiler's GNU mode.
pub(crate) const RESERVED: &str = "\
    auto break case char const continue default do double else enum extern float for goto if inline int \
    long register restrict return short signed sizeof static struct switch typedef union unsigned void \
    volatile while asm typeof alignas alignof bool constexpr false nullptr static_assert thread_local \
    true NULL errno linux unix i386 INT_MAX INT32_MAX stdin stdout stderr EOF";

/// The name of a type with the prefix that the options give its package.
pub(crate) fn prefixed(name: &TypeName, options: &Options) -> TypeName {
    let package = match options.package_prefix.as_deref().filter(|p| !p.is_empty()) {
        Some(prefix) if name.package.is_empty() => prefix.into(),
        Some(prefix) => format!("{prefix}.{}", name.package),
        None => name.package.clone(),
    };
    TypeName { package, name: name.name.clone() }
}

/// `exlcm_example_t` of `exlcm.example_t`.
pub(crate) fn type_name(name: &TypeName, options: &Options) -> String {
    identifier(&prefixed(name, options).to_string(), &[RESERVED])
}

/// `EXLCM_EXAMPLE_T`: the prefix of its macros.
pub(crate) fn macro_prefix(name: &TypeName, options: &Options) -> String {
    type_name(name, options).to_ascii_uppercase()
}

/// The fields of a struct as members.
pub(crate) fn members(s: &Struct) -> Scope {
    Scope::new(&[RESERVED], s.fields.iter().map(|f| f.name.as_str()))
}

/// The constants of a struct, and the names added to them, without the prefix of the type.
pub(crate) struct Macros {
    scope: Scope,
    consts: Vec<String>,
}

impl Macros {
    /// The macros of a struct.
    pub fn of(s: &Struct) -> Macros {
        Macros {
            scope: Scope::new(&[], s.consts.iter().map(|c| c.name.as_str())),
            consts: s.consts.iter().map(|c| c.name.clone()).collect(),
        }
    }
    /// A constant of the struct.
    pub fn constant(&self, c: &Const) -> String {
        self.scope.of(&c.name)
    }
    /// An added name, which gives way to a constant of that name.
    pub fn added(&self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.consts.iter().any(|c| self.scope.of(c) == name) {
            name.push('_');
        }
        name
    }
}

/// Refuses types that would have the same name, or macros of the same name.
pub(crate) fn check(schema: &Schema, options: &Options) -> Result<(), Unsupported> {
    let same = "in C it would have the same name as `{}`, or macros of the same names";
    distinct(schema, |name| macro_prefix(name, options), same)
}

/// `"folder/name"`, for `#include`.
pub(crate) fn include(options: &Options, file: &str) -> String {
    match options.include_folder.as_deref().map(|f| f.trim_end_matches('/')).filter(|f| !f.is_empty()) {
        Some(folder) => format!("#include \"{folder}/{file}\""),
        None => format!("#include \"{file}\""),
    }
}

/// Full name of a struct or enum.
pub(crate) fn name_of(schema: &Schema, ty: Type) -> Option<&TypeName> {
    match ty {
        Type::Primitive(_) => None,
        Type::Struct(id) => Some(&schema.get(id).name),
        Type::Enum(id) => Some(&schema.get_enum(id).name),
    }
}
