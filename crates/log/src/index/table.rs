//! A summary of a log.

use super::entry::Entry;
use crate::bytes::{Fields, Map, put, put_map};
use crate::channel::Channel;
use crate::{Damage, Event};
use saltus_decode::{SchemaText, Types};
use std::collections::HashMap;
use std::sync::Arc;

/// A summary of a log's contents.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The channels. One with messages in two encodings, or with two descriptions, is listed twice.
    pub channels: Vec<ChannelSummary>,
    /// Events of channels that are not listed, because the list already has 65,536.
    pub others: u64,
    /// The number of events with an earlier time than their predecessors in the file.
    pub back: u64,
    /// The unreadable parts.
    pub damage: Damage,
    /// Named metadata of the whole file.
    pub metadata: Vec<(String, Map)>,
}

/// A channel of a log.
#[derive(Clone, Debug, Default)]
pub struct ChannelSummary {
    /// Its name; any bytes.
    pub name: Vec<u8>,
    /// The number of messages.
    pub messages: u64,
    /// Their bytes, as stored in the file.
    pub bytes: u64,
    /// The earliest and the latest time, ns since 1970.
    pub times: (i64, i64),
    /// The first bytes of its first message, if it is long enough.
    pub key: Option<[u8; 8]>,
    /// The file's description of it.
    pub about: Option<Arc<Channel>>,
}

/// Most channels listed.
const MOST: usize = 1 << 16;
/// The row of events of unlisted channels.
pub(super) const OTHERS: u32 = u32::MAX;

/// Counts events.
#[derive(Default)]
pub(super) struct Counter {
    pub summary: Summary,
    by_name: HashMap<Vec<u8>, u32>,
    /// By its address in memory; the summary keeps it there.
    by_about: HashMap<*const Channel, u32>,
    last: Option<i64>,
}

impl Counter {
    /// The entry of an event, without its position.
    pub fn count(&mut self, event: &Event<'_>) -> Entry {
        let time = event.log_time;
        if self.last.is_some_and(|last| time < last) {
            self.summary.back += 1;
        }
        self.last = Some(time);
        let row = self.row(event);
        match self.summary.channels.get_mut(row as usize) {
            Some(channel) => channel.count(event),
            None => self.summary.others += 1,
        }
        Entry { time, place: 0, inner: 0, row }
    }

    fn row(&mut self, event: &Event<'_>) -> u32 {
        let known = match event.about {
            Some(about) => self.by_about.get(&Arc::as_ptr(about)),
            None => self.by_name.get(event.channel),
        };
        if let Some(row) = known {
            return *row;
        }
        let row = self.summary.channels.len() as u32;
        if row as usize == MOST {
            return OTHERS;
        }
        match event.about {
            Some(about) => self.by_about.insert(Arc::as_ptr(about), row),
            None => self.by_name.insert(event.channel.into(), row),
        };
        let (name, about) = (event.channel.into(), event.about.cloned());
        let (key, times) = (event.data.first_chunk().copied(), (event.log_time, event.log_time));
        self.summary.channels.push(ChannelSummary { name, about, key, times, ..ChannelSummary::default() });
        row
    }
}

impl ChannelSummary {
    fn count(&mut self, event: &Event<'_>) {
        self.messages += 1;
        self.bytes += event.data.len() as u64;
        self.times = (self.times.0.min(event.log_time), self.times.1.max(event.log_time));
    }

    fn put(&self, out: &mut Vec<u8>) {
        put(out, &self.name);
        for number in [self.messages, self.bytes, self.times.0 as u64, self.times.1 as u64] {
            out.extend(number.to_le_bytes());
        }
        put(out, self.key.as_ref().map_or(&[][..], |key| key));
        let Some(about) = &self.about else { return out.extend(0u16.to_le_bytes()) };
        out.extend(1u16.to_le_bytes());
        put(out, about.encoding.as_bytes());
        put_map(out, &about.metadata);
        let Some(schema) = &about.schema else { return out.extend(0u16.to_le_bytes()) };
        out.extend(1u16.to_le_bytes());
        [schema.name.as_bytes(), schema.encoding.as_bytes(), &schema.text]
            .iter()
            .for_each(|part| put(out, part));
    }
    fn get(fields: &mut Fields<'_>, types: &mut Types) -> Option<ChannelSummary> {
        let name = fields.bytes()?.to_vec();
        let (messages, bytes) = (fields.u64()?, fields.u64()?);
        let times = (fields.i64()?, fields.i64()?);
        let key = fields.bytes()?.first_chunk().copied();
        let mut about = None;
        if fields.u16()? == 1 {
            let (encoding, metadata) = (fields.text()?.to_owned(), fields.map()?);
            let mut schema = None;
            if fields.u16()? == 1 {
                let (name, encoding) = (fields.text()?.into(), fields.text()?.into());
                schema = Some(Arc::new(SchemaText { name, encoding, text: fields.bytes()?.into() }));
            }
            let kind = types.of_metadata(&metadata);
            about = Some(Arc::new(Channel { name: name.clone(), encoding, schema, metadata, kind }));
        }
        Some(ChannelSummary { name, messages, bytes, times, key, about })
    }
}

impl Summary {
    /// Its encoding in a file.
    pub(super) fn put(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend((self.channels.len() as u32).to_le_bytes());
        self.channels.iter().for_each(|channel| channel.put(&mut out));
        let Damage { skipped, chunks, unknown, undecodable, unfinished } = self.damage;
        for number in [self.others, self.back, skipped, chunks, unknown, undecodable, unfinished.into()] {
            out.extend(number.to_le_bytes());
        }
        out.extend((self.metadata.len() as u32).to_le_bytes());
        for (name, values) in &self.metadata {
            put(&mut out, name.as_bytes());
            put_map(&mut out, values);
        }
        out
    }
    pub(super) fn get(bytes: &[u8]) -> Option<Summary> {
        let (mut fields, mut types) = (Fields(bytes), Types::new());
        let mut summary = Summary::default();
        for _ in 0..fields.u32()? {
            summary.channels.push(ChannelSummary::get(&mut fields, &mut types)?);
        }
        (summary.others, summary.back) = (fields.u64()?, fields.u64()?);
        let mut number = || fields.u64();
        summary.damage = Damage {
            skipped: number()?,
            chunks: number()?,
            unknown: number()?,
            undecodable: number()?,
            unfinished: number()? != 0,
        };
        for _ in 0..fields.u32()? {
            summary.metadata.push((fields.text()?.into(), fields.map()?));
        }
        fields.0.is_empty().then_some(summary)
    }
}
