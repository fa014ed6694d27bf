//! LCM's type language: what flows through a channel can say what it is.
//!
//! - [`load`] reads `.lcm` files, with includes, into a [`Schema`], or says with [`Diagnostics`] what is wrong in them.
//! - A [`Schema`] holds [`Struct`]s with [`Field`]s and [`Const`]s; every type has its [fingerprint](Struct::fingerprint),
//!   equal to the one that LCM computes.
//! - A [`Value`] is any message of a schema; the codecs ([`wire`], [`json`], [`cdr`]) turn it into bytes and back,
//!   with no generated code.
//!
//! Nothing here blocks but the reading of files; everything allocates. None of it is for a control loop: generated code
//! is (crate `saltus-gen`).

mod comments;
mod diagnostic;
mod fingerprint;
mod lexer;
mod literal;
mod load;
mod parser;
mod print;
mod resolve;
mod schema;
mod source;
mod syntax;

pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use load::{Loaded, Loader, load, parse};
pub use schema::{
    Const, ConstValue, Dim, Enum, EnumId, EnumValue, Extent, Field, Primitive, Schema, Struct, StructId,
    Type, TypeName,
};
pub use source::{Source, Sources, Span};
