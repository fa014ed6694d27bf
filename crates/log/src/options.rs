//! How a log is written.

use saltus_types::cdr::Dialect;
use std::time::Duration;

/// How the chunks of an MCAP file are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not at all.
    None,
    /// LZ4: quick.
    Lz4,
    /// Zstandard: small.
    #[default]
    Zstd,
}

/// How a log is written. Without more, an MCAP file for all viewers, in chunks of at most 1 MiB or 1 s, compressed with
/// Zstandard.
#[derive(Clone, Copy, Debug)]
pub struct WriterOptions {
    pub(crate) compression: Compression,
    pub(crate) chunk: usize,
    pub(crate) interval: Duration,
    pub(crate) dialect: Dialect,
    pub(crate) raw: bool,
}

impl Default for WriterOptions {
    fn default() -> WriterOptions {
        WriterOptions {
            compression: Compression::default(),
            chunk: 1 << 20,
            interval: Duration::from_secs(1),
            dialect: Dialect::Ros2Msg,
            raw: false,
        }
    }
}

impl WriterOptions {
    /// The defaults.
    pub fn new() -> WriterOptions {
        WriterOptions::default()
    }
    /// How chunks are compressed. An LCM log never is.
    pub fn compression(self, compression: Compression) -> WriterOptions {
        WriterOptions { compression, ..self }
    }
    /// So many bytes are collected, before compression, until they are written. Only what was written survives a kill.
    pub fn chunk(self, bytes: usize) -> WriterOptions {
        WriterOptions { chunk: bytes, ..self }
    }
    /// So long an event waits at most until it is written, by the times at which events are logged and those that
    /// [`tick`](crate::Writer::tick) is told.
    pub fn interval(self, interval: Duration) -> WriterOptions {
        WriterOptions { interval, ..self }
    }
    /// In which language MCAP says what messages are. `ros2msg` is read by all viewers; `omgidl` keeps names as they are.
    pub fn dialect(self, dialect: Dialect) -> WriterOptions {
        WriterOptions { dialect, ..self }
    }
    /// MCAP gets messages as they were published, which no viewer decodes; the types stand beside them.
    pub fn raw(self, raw: bool) -> WriterOptions {
        WriterOptions { raw, ..self }
    }
}
