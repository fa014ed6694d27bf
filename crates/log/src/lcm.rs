//! LCM's event log: consecutive events, without a header or an index.
//!
//! ```text
//!  0        4              12         20             24            28
//!  ┌────────┬──────────────┬──────────┬──────────────┬─────────────┬─────────┬──────┐
//!  │EDA1DA01│ event number │ time, µs │ channel size │  data size  │ channel │ data │   big endian
//!  └────────┴──────────────┴──────────┴──────────────┴─────────────┴─────────┴──────┘
//! ```

mod event;
mod reader;
mod writer;

pub use event::Event;
pub(crate) use reader::Head;
pub use reader::Reader;
pub use writer::{Unwritable, Writer};

/// The first bytes of every event.
pub const SYNC: [u8; 4] = [0xED, 0xA1, 0xDA, 0x01];
/// Longest name of a channel in bytes; LCM does not read longer ones.
pub const CHANNEL: usize = 999;
/// Longest message in bytes that is written, and read by default: the longest that LCM sends.
pub const DATA: usize = 1 << 28;

/// Bytes before the channel's name.
const HEAD: usize = 28;
