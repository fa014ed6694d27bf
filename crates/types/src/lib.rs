//! LCM's type language: what flows through a channel can say what it is.
//!
//! - [`load()`] reads `.lcm` files, with includes, into a [`Schema`], or says with [`Diagnostics`] what is wrong in them.
//! - A [`Schema`] holds [`Struct`]s with [`Field`]s and [`Const`]s; every type has its [fingerprint](Struct::fingerprint),
//!   equal to the one that LCM computes.
//! - A [`Value`] is any message of a schema; the codecs ([`wire`], [`json`], [`cdr`]) turn it into bytes and back,
//!   with no generated code.
//!
//! Nothing here blocks but the reading of files; everything allocates. None of it is for a control loop: generated code
//! is (crate `saltus-gen`).

#[cfg(feature = "arbitrary")]
pub mod arbitrary;
pub mod cdr;
mod codec;
mod comments;
mod diagnostic;
pub mod diff;
mod fingerprint;
pub mod idl;
pub mod json;
mod known;
mod lexer;
mod literal;
mod load;
mod parser;
pub mod plain;
mod print;
mod resolve;
pub mod ros2msg;
mod schema;
mod sizes;
mod source;
mod suggest;
mod syntax;
pub mod value;
pub mod wire;

pub use codec::{DecodeCause, DecodeError, EncodeCause, EncodeError};
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use load::{Loaded, Loader, load, parse};
pub use schema::{
    Const, ConstValue, Dim, Enum, EnumId, EnumValue, Extent, Field, Primitive, Schema, Struct, StructId,
    Type, TypeName,
};
pub use source::{Source, Sources, Span};
pub use suggest::nearest;
pub use value::{Record, Value};
