//! Reads events from bytes of either format.

use crate::{Damage, Event, Format, lcm, mcap};
use std::collections::BTreeMap;

/// Reads events from bytes that arrive in pieces of any size, in the order of the file.
///
/// MCAP messages that [`Writer`](crate::Writer) converted to CDR are returned as they were published.
///
/// ```
/// # use saltus_log::{Event, Format, Reader, Writer, WriterOptions};
/// # let mut writer = Writer::new(Vec::new(), Format::Mcap, WriterOptions::new()).unwrap();
/// # writer.write(&Event { channel: b"POSE", data: b"...", log_time: 1000, ..Event::default() }).unwrap();
/// # let bytes = writer.finish().unwrap();
/// let mut reader = Reader::new(Format::of_bytes(&bytes).unwrap());
/// for piece in bytes.chunks(7) {
///     reader.feed(piece);
///     while let Some(event) = reader.event() {
///         assert_eq!((event.log_time, event.channel), (1000, &b"POSE"[..]));
///     }
/// }
/// reader.end();
/// assert!(reader.event().is_none());
/// assert!(reader.damage().is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Reader {
    inner: Inner,
}

#[derive(Clone, Debug)]
enum Inner {
    Lcm(lcm::Reader),
    Mcap(Box<mcap::Reader>),
}

impl Reader {
    /// A reader of a log in this format; [`Format::of_bytes`] detects it.
    pub fn new(format: Format) -> Reader {
        let inner = match format {
            Format::Lcm => Inner::Lcm(lcm::Reader::new()),
            Format::Mcap => Inner::Mcap(Box::default()),
        };
        Reader { inner }
    }
    /// Whether MCAP messages are returned as stored in the file, for instance as CDR. By default they are returned
    /// as published. An LCM log stores messages as published.
    pub fn stored(self, stored: bool) -> Reader {
        let inner = match self.inner {
            Inner::Lcm(reader) => Inner::Lcm(reader),
            Inner::Mcap(reader) => Inner::Mcap(Box::new(reader.stored(stored))),
        };
        Reader { inner }
    }
    /// The format.
    pub fn format(&self) -> Format {
        match self.inner {
            Inner::Lcm(_) => Format::Lcm,
            Inner::Mcap(_) => Format::Mcap,
        }
    }
    /// Adds the next bytes. Before feeding more, call [`event`](Reader::event) until it returns `None`.
    pub fn feed(&mut self, bytes: &[u8]) {
        match &mut self.inner {
            Inner::Lcm(reader) => reader.feed(bytes),
            Inner::Mcap(reader) => reader.feed(bytes),
        }
    }
    /// Marks the end of the log.
    pub fn end(&mut self) {
        match &mut self.inner {
            Inner::Lcm(reader) => reader.end(),
            Inner::Mcap(reader) => reader.end(),
        }
    }
    /// The next event; `None` until more is fed.
    pub fn event(&mut self) -> Option<Event<'_>> {
        match &mut self.inner {
            Inner::Lcm(reader) => reader.event().map(Event::from),
            Inner::Mcap(reader) => reader.event(),
        }
    }
    /// The unreadable parts so far.
    pub fn damage(&self) -> Damage {
        match &self.inner {
            Inner::Lcm(reader) => Damage { skipped: reader.skipped(), ..Damage::default() },
            Inner::Mcap(reader) => reader.damage(),
        }
    }
    /// Named metadata of the whole file read so far; an LCM log has none.
    pub fn metadata(&self) -> &[(String, BTreeMap<String, String>)] {
        match &self.inner {
            Inner::Lcm(_) => &[],
            Inner::Mcap(reader) => reader.records(),
        }
    }
    /// The position of the last event: an offset in the file, and a number within the chunk there.
    pub(crate) fn place(&self) -> (u64, u32) {
        match &self.inner {
            Inner::Lcm(reader) => (reader.place(), 0),
            Inner::Mcap(reader) => reader.place(),
        }
    }
}

impl<'a> From<lcm::Event<'a>> for Event<'a> {
    fn from(event: lcm::Event<'a>) -> Event<'a> {
        let log_time = event.time.saturating_mul(1000);
        Event { channel: event.channel, data: event.data, log_time, ..Event::default() }
    }
}
