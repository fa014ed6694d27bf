//! Options of a log writer.

use saltus_types::cdr::Dialect;
use std::time::Duration;

/// How the chunks of an MCAP file are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compression {
    /// No compression.
    None,
    /// LZ4: fast.
    Lz4,
    /// Zstandard: small files.
    #[default]
    Zstd,
}

/// Options of a log writer. By default, an MCAP file for all viewers, in chunks of at most 1 MiB or 1 s, compressed
/// with Zstandard.
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
    /// The compression of chunks. An LCM log is never compressed.
    pub fn compression(self, compression: Compression) -> WriterOptions {
        WriterOptions { compression, ..self }
    }
    /// The number of bytes, before compression, that are collected until they are written. Only written bytes
    /// survive a kill.
    pub fn chunk(self, bytes: usize) -> WriterOptions {
        WriterOptions { chunk: bytes, ..self }
    }
    /// Longest delay of an event until it is written, by the log times of events and the times passed to
    /// [`tick`](crate::Writer::tick).
    pub fn interval(self, interval: Duration) -> WriterOptions {
        WriterOptions { interval, ..self }
    }
    /// The schema language of an MCAP file. All viewers read `ros2msg`; `omgidl` keeps names unchanged.
    pub fn dialect(self, dialect: Dialect) -> WriterOptions {
        WriterOptions { dialect, ..self }
    }
    /// Stores messages in MCAP as they were published, which no viewer decodes; the types are in the metadata.
    pub fn raw(self, raw: bool) -> WriterOptions {
        WriterOptions { raw, ..self }
    }
}
