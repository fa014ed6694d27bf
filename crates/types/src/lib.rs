//! Parser, fingerprints and codecs for LCM's type language.
//!
//! - [`load()`] reads `.lcm` files, with includes, into a [`Schema`], or returns [`Diagnostics`] with their errors.
//! - A [`Schema`] holds [`Struct`]s with [`Field`]s and [`Const`]s; every type has its
//!   [fingerprint](Struct::fingerprint), equal to LCM's.
//! - A [`Value`] is any message of a schema; the codecs ([`wire`], [`json`], [`cdr`]) convert it to bytes and back,
//!   without generated code.
//!
//! Only reading files blocks; everything allocates, so none of it is suitable for a control loop. Generated code is
//! (crate `saltus-gen`).

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
pub use load::{Loaded, Loader, is_log, load, parse};
pub use schema::{
    Const, ConstValue, Dim, Enum, EnumId, EnumValue, Extent, Field, Primitive, Schema, Struct, StructId,
    Type, TypeName,
};
pub use source::{Source, Sources, Span};
pub use suggest::nearest;
pub use value::{Record, Value};
