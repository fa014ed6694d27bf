//! Decodes messages whose types are known only at run time.
//!
//! A message of LCM's encoding or of the plain layout begins with eight bytes that name its type. [`Types`] finds the
//! [`Kind`] for those bytes, and a [`Kind`] decodes and encodes. A [`Dictionary`] also learns types from descriptions by
//! publishers, within limits, because those are untrusted. A [`Decoder`] reports what each message of a channel
//! [means](Meaning), and whether it is of the expected type. An [`Encoder`] makes messages from JSON. [`files`] finds type
//! files in directories.
//!
//! Nothing here prints, waits or opens a channel; only [`files`] reads the disk. All of it allocates, and is not for a
//! control loop.

mod decoder;
mod dictionary;
mod encoder;
pub mod files;
mod kind;
mod types;

pub use decoder::{Decoder, Meaning, Unexpected};
pub use dictionary::{Dictionary, TypeText};
pub use encoder::Encoder;
pub use kind::{Kind, SchemaText};
pub use types::Types;
