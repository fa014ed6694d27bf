//! Reads events from bytes.

use super::frames::Frames;
use super::{Chunk, op};
use crate::Event;
use crate::bytes::{Fields, Map};
use crate::channel::{self, Channel};
use crate::damage::Damage;
use saltus_decode::{SchemaText, Types};
use saltus_types::cdr::Dialect;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Reads the events of an MCAP file in the order of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reader {
    frames: Frames,
    /// The chunk being read.
    chunk: Option<Chunk>,
    /// Position of the last message: the offset of its record, or of its chunk's, and how many messages precede it
    /// there.
    place: (u64, u32),
    next: u32,
    schemas: HashMap<u16, Arc<SchemaText>>,
    channels: HashMap<u16, Arc<Channel>>,
    types: Types,
    records: Vec<(String, Map)>,
    /// Bytes of schemas, channels and metadata kept.
    kept: usize,
    /// The last message as it was published, if it is stored differently in the file.
    published: Vec<u8>,
    /// Messages are returned as stored in the file, not as published.
    stored: bool,
    finished: bool,
    damage: Damage,
}

/// The header of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub channel: u16,
    sequence: u32,
    pub log_time: i64,
    publish_time: i64,
}

impl Head {
    pub const SIZE: usize = 22;

    pub fn of(record: &[u8]) -> Option<Head> {
        let mut fields = Fields(record);
        let (channel, sequence) = (fields.u16()?, fields.u32()?);
        let mut time = || fields.u64().map(|time| i64::try_from(time).unwrap_or(i64::MAX));
        Some(Head { channel, sequence, log_time: time()?, publish_time: time()? })
    }
    pub fn event<'a>(self, about: &'a Arc<Channel>, data: &'a [u8]) -> Event<'a> {
        Event {
            channel: &about.name,
            data,
            log_time: self.log_time,
            publish_time: Some(self.publish_time),
            sequence: (self.sequence > 0).then_some(self.sequence.into()),
            about: Some(about),
        }
    }
}

/// The location of a message's bytes.
enum Location {
    Chunk(Range<usize>),
    Frame(Range<usize>),
    Published,
}

/// Most bytes kept of a file's schemas, channels and metadata.
const KEPT: usize = 64 << 20;

impl Reader {
    /// See [`Reader::stored`](crate::Reader::stored).
    pub fn stored(self, stored: bool) -> Reader {
        Reader { stored, ..self }
    }
    pub fn feed(&mut self, bytes: &[u8]) {
        self.frames.feed(bytes);
    }
    pub fn end(&mut self) {
        self.frames.end();
    }
    pub fn place(&self) -> (u64, u32) {
        self.place
    }
    /// Metadata of the file read so far.
    pub fn records(&self) -> &[(String, Map)] {
        &self.records
    }
    pub fn damage(&self) -> Damage {
        let skipped = self.damage.skipped + self.frames.skipped;
        Damage { skipped, unfinished: !self.finished, ..self.damage }
    }

    /// The next event; `None` until more is fed.
    pub fn event(&mut self) -> Option<Event<'_>> {
        let (head, lies) = self.step()?;
        let data = match lies {
            Location::Chunk(range) => self.chunk.as_ref()?.bytes(range),
            Location::Frame(range) => self.frames.bytes(range),
            Location::Published => &self.published,
        };
        Some(head.event(self.channels.get(&head.channel)?, data))
    }

    /// The next message whose channel is known.
    fn step(&mut self) -> Option<(Head, Location)> {
        loop {
            let (opcode, body, in_chunk) = self.record()?;
            let bytes = match &self.chunk {
                Some(chunk) if in_chunk => chunk.bytes(body.clone()),
                _ => self.frames.bytes(body.clone()),
            };
            if opcode != op::MESSAGE {
                let bytes = bytes.to_vec();
                if self.learn(opcode, &bytes).is_none() {
                    self.damage.skipped += bytes.len() as u64;
                }
                continue;
            }
            let Some(head) = Head::of(bytes) else {
                self.damage.skipped += bytes.len() as u64;
                continue;
            };
            let Some(channel) = self.channels.get(&head.channel) else {
                self.damage.unknown += 1;
                continue;
            };
            let range = body.start + Head::SIZE..body.end;
            let published = if self.stored { None } else { published(channel, &bytes[Head::SIZE..]) };
            match published {
                None if in_chunk => return Some((head, Location::Chunk(range))),
                None => return Some((head, Location::Frame(range))),
                Some(Ok(bytes)) => {
                    self.published = bytes;
                    return Some((head, Location::Published));
                }
                Some(Err(_)) => self.damage.undecodable += 1,
            }
        }
    }

    /// The next record used here: its opcode, its body, and whether that is in the chunk.
    fn record(&mut self) -> Option<(u8, Range<usize>, bool)> {
        loop {
            if let Some(chunk) = &mut self.chunk {
                if let Some(part) = chunk.next() {
                    if part.opcode == op::MESSAGE {
                        self.place.1 = self.next;
                        self.next += 1;
                    }
                    return Some((part.opcode, part.body, true));
                }
                self.damage.skipped += chunk.left() as u64;
                self.chunk = None;
            }
            let frame = self.frames.next()?;
            match frame.opcode {
                op::CHUNK => {
                    (self.place, self.next) = ((frame.place, 0), 0);
                    self.chunk = Chunk::open(self.frames.bytes(frame.body), frame.cut);
                    self.damage.chunks += u64::from(frame.cut || self.chunk.is_none());
                }
                op::MESSAGE => {
                    self.place = (frame.place, 0);
                    return Some((op::MESSAGE, frame.body, false));
                }
                op::DATA_END => self.finished = true,
                op::SCHEMA | op::CHANNEL | op::METADATA => return Some((frame.opcode, frame.body, false)),
                _ => {}
            }
        }
    }

    /// Stores the content of a record; `None` if it is invalid.
    fn learn(&mut self, opcode: u8, record: &[u8]) -> Option<()> {
        let mut fields = Fields(record);
        match opcode {
            op::SCHEMA => {
                let id = fields.u16()?;
                let (name, encoding) = (fields.text()?.into(), fields.text()?.into());
                let schema = SchemaText { name, encoding, text: fields.bytes()?.into() };
                if self.schemas.get(&id).is_none_or(|known| **known != schema) {
                    self.afford(record)?;
                    self.schemas.insert(id, Arc::new(schema));
                }
            }
            op::CHANNEL => {
                let (id, schema) = (fields.u16()?, fields.u16()?);
                let (topic, encoding) = (fields.text()?, fields.text()?.to_owned());
                let metadata = fields.map()?;
                let name = channel::name(topic, &metadata);
                let same = |known: &Arc<Channel>| {
                    known.name == name && known.encoding == encoding && known.metadata == metadata
                };
                if self.channels.get(&id).is_none_or(|known| !same(known)) {
                    self.afford(record)?;
                    let kind = self.types.of_metadata(&metadata);
                    let schema = self.schemas.get(&schema).cloned();
                    let channel = Channel { name, encoding, schema, metadata, kind };
                    self.channels.insert(id, Arc::new(channel));
                }
            }
            _ => {
                let metadata = (fields.text()?.to_owned(), fields.map()?);
                self.afford(record)?;
                self.records.push(metadata);
            }
        }
        Some(())
    }
    fn afford(&mut self, record: &[u8]) -> Option<()> {
        self.kept = self.kept.saturating_add(record.len());
        (self.kept <= KEPT).then_some(())
    }
}

/// A message of the channel as it was published, if it is stored differently in the file.
pub(crate) fn published(channel: &Channel, stored: &[u8]) -> Option<Result<Vec<u8>, String>> {
    let kind = channel.kind.as_ref().filter(|_| channel.encoding == "cdr")?;
    let dialect = match channel.schema.as_ref()?.encoding.as_str() {
        "omgidl" => Dialect::OmgIdl,
        "ros2msg" => Dialect::Ros2Msg,
        _ => return None,
    };
    Some(kind.from_cdr(dialect, stored))
}
