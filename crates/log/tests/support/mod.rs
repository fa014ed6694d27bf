//! Events and logs that tests share.

#![allow(dead_code)] // Each test uses a part of it.

use saltus_log::{Compression, Damage, Event, Format, Reader, Writer, WriterOptions};
use saltus_types::{Loader, Schema};
use std::path::{Path, PathBuf};

/// All conformance types, in the order of the file names: random messages depend on this order.
pub fn conformance_types() -> Schema {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/conformance/types/schemas");
    let mut files: Vec<_> = std::fs::read_dir(schemas).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().fold(Loader::new(), Loader::file).load().unwrap().schema
}

/// An event that owns its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    pub channel: Vec<u8>,
    pub data: Vec<u8>,
    pub log_time: i64,
    pub publish_time: Option<i64>,
    pub sequence: Option<u64>,
}

impl Owned {
    pub fn new(channel: &str, data: &[u8], log_time: i64) -> Owned {
        let (channel, data) = (channel.into(), data.into());
        Owned { channel, data, log_time, publish_time: Some(log_time), sequence: None }
    }
    pub fn of(event: &Event<'_>) -> Owned {
        Owned {
            channel: event.channel.into(),
            data: event.data.into(),
            log_time: event.log_time,
            publish_time: event.publish_time,
            sequence: event.sequence,
        }
    }
    pub fn event(&self) -> Event<'_> {
        Event {
            channel: &self.channel,
            data: &self.data,
            log_time: self.log_time,
            publish_time: self.publish_time,
            sequence: self.sequence,
            about: None,
        }
    }
}

/// This many events, on three channels, a millisecond apart, of growing size.
pub fn events(count: usize) -> Vec<Owned> {
    let event = |i: usize| {
        let data: Vec<u8> = (0..i % 97).map(|j| (i * 31 + j * 7) as u8).collect();
        let log_time = 1_700_000_000_000_000_000 + i as i64 * 1_000_000;
        let channel = format!("CHANNEL_{}", i % 3).into_bytes();
        Owned { channel, data, log_time, publish_time: Some(log_time - 500), sequence: Some(i as u64 + 1) }
    };
    (0..count).map(event).collect()
}

/// A log of these events.
pub fn log(format: Format, options: WriterOptions, events: &[Owned]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), format, options).unwrap();
    events.iter().for_each(|event| writer.write(&event.event()).unwrap());
    assert_eq!(writer.events(), events.len() as u64);
    writer.finish().unwrap()
}

/// MCAP in chunks of this many bytes.
pub fn mcap(compression: Compression, chunk: usize, events: &[Owned]) -> Vec<u8> {
    log(Format::Mcap, WriterOptions::new().compression(compression).chunk(chunk), events)
}

/// The events of a reader that is fed pieces of this many bytes.
pub fn read(format: Format, bytes: &[u8], piece: usize) -> (Vec<Owned>, Damage) {
    let (mut reader, mut events) = (Reader::new(format), Vec::new());
    for piece in bytes.chunks(piece) {
        reader.feed(piece);
        while let Some(event) = reader.event() {
            events.push(Owned::of(&event));
        }
    }
    reader.end();
    while let Some(event) = reader.event() {
        events.push(Owned::of(&event));
    }
    (events, reader.damage())
}

/// A test's own directory, removed at its end.
pub struct Directory(pub PathBuf);

impl Directory {
    pub fn new(name: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("saltus-log-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Directory(path)
    }
    pub fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
