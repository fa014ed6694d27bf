//! MCAP: consecutive records, with messages in compressed chunks and a summary at the end.
//!
//! ```text
//!  magic │ header │ chunk │ message indexes │ chunk │ … │ data end │ summary │ footer │ magic
//!                   └ schemas, channels, messages
//!  record:  opcode (1 byte) │ length (8 bytes) │ so many bytes            all little endian
//! ```
//!
//! The crate `mcap` writes it, chunk by chunk, each in one piece. Reading is implemented here: a reader that
//! continues after damage needs to know more of the format than one that may give up.
//!
//! A channel whose type is known is written as `cdr`, with a schema that viewers know. Its metadata (`lcm.type`,
//! `lcm.fingerprint`, `lcm.schema`, `saltus.encoding`) suffices to restore the published bytes. All other messages
//! are written unchanged, with the message encoding `lcm`.

mod amend;
mod chunk;
mod frames;
mod reader;
mod writer;

pub use amend::{add_metadata, is_finished};
pub(crate) use chunk::Chunk;
pub(crate) use frames::looks_like;
pub(crate) use reader::{Head, Reader, published};
pub(crate) use writer::Writer;

/// The first and last bytes of a file.
pub const MAGIC: [u8; 8] = *b"\x89MCAP0\r\n";

/// Longest record that is read, in bytes: a message of LCM's greatest size, and its header.
pub(crate) const LONGEST: usize = crate::lcm::DATA + (1 << 20);

/// The opcodes used here.
pub(crate) mod op {
    pub const FOOTER: u8 = 0x02;
    pub const SCHEMA: u8 = 0x03;
    pub const CHANNEL: u8 = 0x04;
    pub const MESSAGE: u8 = 0x05;
    pub const CHUNK: u8 = 0x06;
    pub const MESSAGE_INDEX: u8 = 0x07;
    pub const ATTACHMENT: u8 = 0x09;
    pub const STATISTICS: u8 = 0x0B;
    pub const METADATA: u8 = 0x0C;
    pub const METADATA_INDEX: u8 = 0x0D;
    pub const SUMMARY_OFFSET: u8 = 0x0E;
    pub const DATA_END: u8 = 0x0F;
}
