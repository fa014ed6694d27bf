//! The runtime of generated Rust code: LCM's wire encoding.
//!
//! A message is its type's fingerprint, 8 bytes, and then its fields in the order of their declaration, big endian,
//! without padding or tags:
//!
//! ```text
//!  0        8
//!  ┌────────┬─────────┬─────────┬───┐
//!  │ finger-│ field 0 │ field 1 │ … │   int32 n · double x[n]  ->  00 00 00 02 · 8 bytes · 8 bytes
//!  │ print  │         │         │   │   string                 ->  length with the NUL (int32) · bytes · 00
//!  └────────┴─────────┴─────────┴───┘   struct                 ->  its fields, without a fingerprint of their own
//! ```
//!
//! [`Message`] is the trait of every generated type, implemented with [`Reader`] and [`Writer`]. [`plain`] is the
//! other form, for types of fixed size: the struct's own memory layout, built and read in place. Decoding trusts
//! nothing: every read is checked, nesting is bounded by [`MAX_DEPTH`], and memory by the size of the input.
//!
//! No dependencies. Encoding into a caller's buffer does not allocate, block or make system calls. Decoding into an
//! existing message allocates only where the new one is larger.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod element;
mod error;
mod large;
mod message;
mod numbers;
pub mod plain;
mod reader;
mod size;
mod swap;
mod vec;
mod writer;

pub use element::{Bits, Element, Flat};
pub use error::{DecodeError, EncodeError};
pub use large::{boxed, zeroes};
pub use message::{Body, Message, bodies_size, decode_body, encode_body};
pub use plain::Plain;
pub use reader::Reader;
pub use size::Size;
pub use swap::{copy_swapped_16, copy_swapped_32, copy_swapped_64};
pub use vec::{element_at, element_at_with, string_size, strings_size};
pub use writer::Writer;

/// Most levels of nested structs in one message, in encoding and decoding.
pub const MAX_DEPTH: u32 = 128;

/// Most elements of zero size on the wire (empty structs, rows of an array whose inner size is 0) in a message,
/// beyond one for each byte of the message and those that its type always has ([`Body::FREE`]).
pub const FREE_ELEMENTS: usize = 1024;
