//! The declarations of a type file, before its names are resolved.

use crate::schema::Primitive;
use crate::source::Span;

/// A name with its location.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub text: String,
    pub span: Span,
}

/// A type file.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    /// Its name, without directories.
    pub name: String,
    pub structs: Vec<Struct>,
    pub enums: Vec<Enum>,
}

/// `struct name { ... }`
#[derive(Clone, Debug)]
pub(crate) struct Struct {
    pub package: String,
    pub name: Word,
    pub doc: String,
    pub file_doc: String,
    pub fields: Vec<Field>,
    pub consts: Vec<Const>,
}

/// One declarator of a field.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub ty: Word,
    pub name: Word,
    pub dims: Vec<Word>,
    pub doc: String,
    /// The number of the struct's constants before it: only those may be used in its dimensions.
    pub consts_before: usize,
}

/// One declarator of a constant.
#[derive(Clone, Debug)]
pub(crate) struct Const {
    pub ty: Primitive,
    pub name: Word,
    pub value: Word,
    pub doc: String,
}

/// `enum name { ... }`
#[derive(Clone, Debug)]
pub(crate) struct Enum {
    pub package: String,
    pub name: Word,
    pub doc: String,
    pub values: Vec<Value>,
}

/// One value of an enum.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub name: Word,
    pub number: Option<Word>,
    pub doc: String,
}
