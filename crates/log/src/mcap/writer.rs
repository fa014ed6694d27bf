//! Writes events in chunks.

use crate::bytes::Map;
use crate::channel::{self, Channel};
use crate::options::{Compression, WriterOptions};
use crate::{Error, Event, Result};
use mcap::records::{MessageHeader, Metadata};
use mcap::write::NoSeek;
use saltus_decode::{Kind, SchemaText, Types};
use saltus_types::cdr::Dialect;
use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

/// Writes MCAP. Chunks are written whole, one after the other; written bytes never change.
pub(crate) struct Writer<W: Write> {
    writer: mcap::Writer<NoSeek<W>>,
    channels: HashMap<Vec<u8>, Vec<(Way, u16)>>,
    dialect: Dialect,
    raw: bool,
    /// Messages of a known type that were stored unchanged.
    pub kept_raw: u64,
    /// Events with a time before 1970.
    pub too_early: u64,
}

/// How messages of a channel are written: each way is a separate channel in the file.
enum Way {
    /// As CDR, of this type.
    Cdr(Arc<Kind>),
    /// As published, of this type if it is known.
    Raw(Option<Arc<Kind>>),
    /// As stored in another file.
    Copy(Arc<Channel>),
}

impl Way {
    fn is(&self, other: &Way) -> bool {
        match (self, other) {
            (Way::Cdr(a), Way::Cdr(b)) | (Way::Raw(Some(a)), Way::Raw(Some(b))) => {
                Arc::ptr_eq(a, b) || (a.key() == b.key() && a.name() == b.name())
            }
            (Way::Raw(None), Way::Raw(None)) => true,
            (Way::Copy(a), Way::Copy(b)) => {
                Arc::ptr_eq(a, b)
                    || (a.encoding == b.encoding && a.schema == b.schema && a.metadata == b.metadata)
            }
            _ => false,
        }
    }
}

impl<W: Write> Writer<W> {
    pub fn new(out: W, options: WriterOptions) -> Result<Writer<W>> {
        let compression = match options.compression {
            Compression::None => None,
            Compression::Lz4 => Some(mcap::Compression::Lz4),
            Compression::Zstd => Some(mcap::Compression::Zstd),
        };
        // With unchanged messages it would not be a ROS log.
        let ros = options.dialect == Dialect::Ros2Msg && !options.raw;
        let how = mcap::WriteOptions::new()
            .compression(compression)
            .compression_threads(0)
            .chunk_size(None)
            .disable_seeking(true)
            .profile(if ros { "ros2" } else { "" })
            .library(concat!("saltus ", env!("CARGO_PKG_VERSION")));
        let writer = how.create(NoSeek::new(out)).map_err(Error::mcap)?;
        let (dialect, raw) = (options.dialect, options.raw);
        Ok(Writer { writer, channels: HashMap::new(), dialect, raw, kept_raw: 0, too_early: 0 })
    }

    pub fn write(&mut self, event: &Event<'_>, types: &Types) -> Result<()> {
        let about = event.about.filter(|about| about.kind.is_none() && is_foreign(about));
        if let Some(about) = about {
            return self.message(event, Way::Copy(about.clone()), event.data);
        }
        let reported = event.about.and_then(|about| about.kind.as_ref());
        let reported = reported.filter(|kind| event.data.starts_with(&kind.key()));
        let kind = reported.or_else(|| types.of(event.data)).cloned();
        if let Some(kind) = kind.as_ref().filter(|_| !self.raw) {
            let cdr = kind.cdr_schema_exists().then(|| kind.to_cdr(self.dialect, event.data)).flatten();
            if let Some(cdr) = cdr {
                return self.message(event, Way::Cdr(kind.clone()), &cdr);
            }
            self.kept_raw += 1;
        }
        self.message(event, Way::Raw(kind), event.data)
    }

    fn message(&mut self, event: &Event<'_>, way: Way, data: &[u8]) -> Result<()> {
        let ways = self.channels.get(event.channel);
        let known = ways.and_then(|ways| ways.iter().find(|(known, _)| known.is(&way))).map(|(_, id)| *id);
        let channel_id = match known {
            Some(id) => id,
            None => self.channel(event.channel, way)?,
        };
        let time = |time: i64| u64::try_from(time).unwrap_or(0);
        let (log_time, publish_time) = (event.log_time, event.publish_time.unwrap_or(event.log_time));
        let header = MessageHeader {
            channel_id,
            sequence: event.sequence.unwrap_or(0) as u32, // as many bits as the format has
            log_time: time(log_time),
            publish_time: time(publish_time),
        };
        self.writer.write_to_known_channel(&header, data).map_err(Error::mcap)?;
        self.too_early += u64::from(log_time < 0 || publish_time < 0);
        Ok(())
    }

    fn channel(&mut self, name: &[u8], way: Way) -> Result<u16> {
        let (schema, encoding, mut metadata) = match &way {
            Way::Cdr(kind) => (kind.cdr_schema(self.dialect), "cdr", kind.metadata()),
            // MCAP's registry has no schema encoding for LCM, and some readers refuse a whole file with an unknown
            // one. The type is in the channel's metadata.
            Way::Raw(Some(kind)) => (None, kind.encoding(), kind.metadata()),
            Way::Raw(None) => (None, "lcm", Map::new()),
            Way::Copy(about) => {
                (about.schema.as_deref().cloned(), about.encoding.as_str(), about.metadata.clone())
            }
        };
        let schema = match schema {
            Some(SchemaText { name, encoding, text }) => {
                self.writer.add_schema(&name, &encoding, &text).map_err(Error::mcap)?
            }
            None => 0,
        };
        let topic = channel::topic(name, &mut metadata);
        let id = self.writer.add_channel(schema, &topic, encoding, &metadata).map_err(Error::mcap)?;
        self.channels.entry(name.into()).or_default().push((way, id));
        Ok(id)
    }

    pub fn metadata(&mut self, name: &str, values: &Map) -> Result<()> {
        let metadata = Metadata { name: name.into(), metadata: values.clone() };
        self.writer.write_metadata(&metadata).map_err(Error::mcap)
    }
    /// Closes the chunk.
    pub fn flush(&mut self) -> Result<()> {
        self.writer.flush().map_err(Error::mcap)
    }
    /// Writes the summary, and returns the output.
    pub fn finish(mut self) -> Result<W> {
        self.writer.finish().map_err(Error::mcap)?;
        Ok(self.writer.into_inner().into_inner())
    }
}

/// Whether messages of a channel have a foreign encoding, which only their file describes.
fn is_foreign(about: &Channel) -> bool {
    about.encoding != "lcm" && about.encoding != "saltus-plain"
}
