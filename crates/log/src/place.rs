//! Reads the event at a position in a file.

use crate::channel::{Channel, harmless};
use crate::index::Entry;
use crate::mcap::{self, Chunk};
use crate::{Error, Event, Format, Result, lcm};
use saltus_os::file::FileExt;
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Bytes per read of the file.
const WINDOW: u64 = 256 << 10;
/// Most chunks kept, and most bytes of them, unless one has more.
const CHUNKS: usize = 8;
const BYTES: usize = 64 << 20;

/// Reads events at given positions, and caches the data around them.
#[derive(Debug, Default)]
pub(crate) struct Places {
    bytes: Vec<u8>,
    /// Offset of the first of `bytes` in the file.
    from: u64,
    /// Open chunks by their offsets, with the ranges of their messages; the most recently used first.
    chunks: VecDeque<(u64, Chunk, Vec<Range<usize>>)>,
    published: Vec<u8>,
}

/// Where an event was found.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    /// In the window: an event of LCM, its channel name and its data.
    Lcm(i64, Range<usize>, Range<usize>),
    /// In the window: an MCAP record outside of any chunk.
    Record(Range<usize>),
    /// In the first of the chunks.
    Chunk(Range<usize>),
}

impl Places {
    /// The event of an index entry.
    pub fn event<'a>(
        &'a mut self,
        file: &File,
        size: u64,
        format: Format,
        entry: Entry,
        about: Option<&'a Arc<Channel>>,
    ) -> Result<Event<'a>> {
        let record = match self.find(file, size, format, entry, about.is_some())? {
            Found::Lcm(time, channel, data) => {
                let (channel, data) = (&self.bytes[channel], &self.bytes[data]);
                return Ok(lcm::Event { number: 0, time, channel, data }.into());
            }
            Found::Record(range) => &self.bytes[range],
            Found::Chunk(range) => self.chunks[0].1.bytes(range),
        };
        let (Some(about), Some(head)) = (about, mcap::Head::of(record)) else { return Err(Error::Changed) };
        let stored = &record[mcap::Head::SIZE..];
        let data = match mcap::published(about, stored) {
            None => stored,
            Some(Ok(published)) => {
                self.published = published;
                &self.published
            }
            Some(Err(why)) => return Err(Error::DecodeFailed { channel: harmless(&about.name), why }),
        };
        Ok(head.event(about, data))
    }

    /// Finds the event of an index entry. [`Error::Changed`]: it is not there.
    pub fn find(
        &mut self,
        file: &File,
        size: u64,
        format: Format,
        entry: Entry,
        described: bool,
    ) -> Result<Found> {
        let time = |found: i64| if found == entry.time { Ok(()) } else { Err(Error::Changed) };
        if format == Format::Lcm {
            let bytes = self.read(file, size, entry.place, lcm::Head::SIZE as u64)?;
            let head = self.bytes[bytes].first_chunk().and_then(lcm::Head::of).ok_or(Error::Changed)?;
            time(head.time.saturating_mul(1000))?;
            let len = lcm::Head::SIZE + head.channel + head.data;
            let bytes = self.read(file, size, entry.place, len as u64)?;
            let channel = bytes.start + lcm::Head::SIZE;
            let data = channel + head.channel;
            return Ok(Found::Lcm(head.time, channel..data, data..bytes.end));
        }
        if !described {
            return Err(Error::Changed);
        }
        let found = match self.chunks.iter().position(|(place, ..)| *place == entry.place) {
            Some(at) => {
                let used = self.chunks.remove(at);
                used.into_iter().for_each(|chunk| self.chunks.push_front(chunk));
                None
            }
            None => self.open(file, size, entry.place)?,
        };
        let (found, record) = match found {
            Some(range) => (Found::Record(range.clone()), &self.bytes[range]),
            None => {
                let (_, chunk, messages) = self.chunks.front().ok_or(Error::Changed)?;
                let range = messages.get(entry.inner as usize).ok_or(Error::Changed)?.clone();
                (Found::Chunk(range.clone()), chunk.bytes(range))
            }
        };
        time(mcap::Head::of(record).ok_or(Error::Changed)?.log_time)?;
        Ok(found)
    }

    /// Opens the chunk at an offset, as the first; if there is a message instead, returns its range in the window.
    fn open(&mut self, file: &File, size: u64, place: u64) -> Result<Option<Range<usize>>> {
        const HEAD: u64 = 9;
        let range = self.read(file, size, place, HEAD)?;
        let opcode = self.bytes[range.start];
        let len = self.bytes[range.start + 1..].first_chunk().map(|len| u64::from_le_bytes(*len));
        let len = len.filter(|len| *len <= mcap::LONGEST as u64).ok_or(Error::Changed)?;
        let cut = len > size - place - HEAD;
        let len = len.min(size - place - HEAD);
        let range = self.read(file, size, place, HEAD + len)?;
        let body = range.start + HEAD as usize..range.end;
        match opcode {
            mcap::op::MESSAGE if !cut => return Ok(Some(body)),
            mcap::op::CHUNK => {}
            _ => return Err(Error::Changed),
        }
        let mut chunk = Chunk::open(&self.bytes[body], cut).ok_or(Error::Changed)?;
        let mut messages = Vec::new();
        while let Some(part) = chunk.next() {
            if part.opcode == mcap::op::MESSAGE {
                messages.push(part.body);
            }
        }
        let kept: usize = self.chunks.iter().map(|(_, chunk, _)| chunk.len()).sum();
        if self.chunks.len() == CHUNKS || kept + chunk.len() > BYTES {
            self.chunks.truncate(if kept + chunk.len() > BYTES { 0 } else { CHUNKS - 1 });
        }
        self.chunks.push_front((place, chunk, messages));
        Ok(None)
    }

    /// Ensures that these bytes of the file are in the window, and returns their position there.
    fn read(&mut self, file: &File, size: u64, at: u64, len: u64) -> Result<Range<usize>> {
        let end = at.checked_add(len).filter(|end| *end <= size).ok_or(Error::Changed)?;
        let to = self.from + self.bytes.len() as u64;
        if at < self.from || end > to {
            // When moving back, the data before it is likely to be needed next.
            let back = at < self.from && end > self.from.saturating_sub(WINDOW);
            let from = if back { end.saturating_sub(WINDOW).min(at) } else { at };
            let to = end.max(from.saturating_add(WINDOW)).min(size);
            self.bytes.clear();
            self.bytes.shrink_to(2 * WINDOW as usize);
            self.bytes.resize((to - from) as usize, 0);
            if let Err(e) = file.read_exact_at(&mut self.bytes, from) {
                self.bytes.clear();
                return Err(match e.kind() {
                    io::ErrorKind::UnexpectedEof => Error::Changed,
                    _ => Error::Io("read the log".into(), e),
                });
            }
            self.from = from;
        }
        let start = (at - self.from) as usize;
        Ok(start..start + len as usize)
    }
}
