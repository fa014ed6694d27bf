//! Writes events to a log of either format.

use crate::options::WriterOptions;
use crate::{Error, Event, Format, Result, lcm, mcap};
use saltus_decode::Types;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a log. Written bytes never change, so a writer that is killed leaves everything that was flushed.
///
/// Events are collected, and written together when there are enough of them ([`WriterOptions::chunk`]), when one of
/// them has waited long enough ([`WriterOptions::interval`]), and on [`flush`](Writer::flush). The output is
/// flushed at the same time. Compression happens there, in the calling thread. It is not suitable for a control
/// loop: it allocates, and blocks as long as the output does. It keeps in memory one chunk, the names and types of
/// the channels, and about 100 bytes of index for each MCAP chunk and 30 for each channel in it.
///
/// After an error of the output, nothing more can be written; the bytes [`flushed`](Writer::flushed) before are
/// valid.
///
/// ```
/// # use saltus_log::{Event, Format, Writer, WriterOptions};
/// let mut writer = Writer::new(Vec::new(), Format::Mcap, WriterOptions::new())?;
/// writer.write(&Event { channel: b"POSE", data: b"...", log_time: 1_000_000_000, ..Event::default() })?;
/// let bytes = writer.finish()?;
/// # Ok::<(), saltus_log::Error>(())
/// ```
pub struct Writer<W: Write> {
    inner: Inner<W>,
    types: Types,
    options: WriterOptions,
    /// Bytes of events not written yet.
    waiting: usize,
    /// When the oldest of them was logged.
    oldest: Option<i64>,
    events: u64,
    flushed: u64,
    written: Arc<AtomicU64>,
}

enum Inner<W: Write> {
    Lcm(lcm::Writer, Vec<u8>, Counted<W>),
    Mcap(Box<mcap::Writer<Counted<W>>>),
}

impl<W: Write> Writer<W> {
    /// Starts a log. For an MCAP file the output must be at the start of an empty file; an LCM log can be appended
    /// to, but its events are numbered from 0 again.
    ///
    /// # Errors
    /// The output failed.
    pub fn new(out: W, format: Format, options: WriterOptions) -> Result<Writer<W>> {
        let written = Arc::new(AtomicU64::new(0));
        let out = Counted { out, written: written.clone() };
        let inner = match format {
            Format::Lcm => Inner::Lcm(lcm::Writer::new(), Vec::new(), out),
            Format::Mcap => Inner::Mcap(Box::new(mcap::Writer::new(out, options)?)),
        };
        let types = Types::new();
        Ok(Writer { inner, types, options, waiting: 0, oldest: None, events: 0, flushed: 0, written })
    }

    /// The types in which messages are looked up, by their first bytes. Types added later apply from then on.
    pub fn types(&mut self) -> &mut Types {
        &mut self.types
    }

    /// Appends an event. It may be written later; see [`Writer`].
    ///
    /// # Errors
    /// The output failed, or the event cannot be in a log of this format ([`Error::Unwritable`]): the log is then
    /// unchanged, and writing can continue.
    pub fn write(&mut self, event: &Event<'_>) -> Result<()> {
        let full = self.waiting > 0 && self.waiting.saturating_add(event.data.len()) > self.options.chunk;
        if full {
            self.flush()?;
        }
        self.tick(event.log_time)?;
        match &mut self.inner {
            Inner::Lcm(writer, bytes, out) => {
                let time = event.log_time.div_euclid(1000);
                if event.data.len() >= DIRECT {
                    writer.head(bytes, time, event.channel, event.data.len())?;
                    let all = out.write_all(bytes).and_then(|()| out.write_all(event.data));
                    all.and_then(|()| out.flush()).map_err(Error::io("write the log"))?;
                    bytes.clear();
                    (self.events, self.waiting, self.oldest) = (self.events + 1, 0, None);
                    self.flushed = self.bytes();
                    return Ok(());
                }
                writer.event(bytes, time, event.channel, event.data)?;
            }
            Inner::Mcap(writer) => writer.write(event, &self.types)?,
        }
        self.events += 1;
        self.waiting += event.channel.len() + event.data.len() + HEAD;
        self.oldest = Some(self.oldest.map_or(event.log_time, |oldest| oldest.min(event.log_time)));
        Ok(())
    }

    /// Sets the present time, ns since 1970: events that have waited long enough are written. A program that writes
    /// rarely calls it after each [`interval`](WriterOptions::interval).
    ///
    /// # Errors
    /// The output failed.
    pub fn tick(&mut self, now: i64) -> Result<()> {
        let waited = self.oldest.map_or(0, |oldest| now.saturating_sub(oldest));
        if i128::from(waited) >= self.options.interval.as_nanos() as i128 && self.waiting > 0 {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes all events to the output, and flushes it. For MCAP this ends a chunk.
    ///
    /// # Errors
    /// The output failed.
    pub fn flush(&mut self) -> Result<()> {
        match &mut self.inner {
            Inner::Lcm(_, bytes, out) => {
                out.write_all(bytes).and_then(|()| out.flush()).map_err(Error::io("write the log"))?;
                bytes.clear();
                bytes.shrink_to(2 * self.options.chunk);
            }
            Inner::Mcap(writer) => writer.flush()?,
        }
        (self.waiting, self.oldest) = (0, None);
        self.flushed = self.bytes();
        Ok(())
    }

    /// Appends named values for the whole file, such as the messages missed of each channel. `false`: not supported
    /// by the format.
    ///
    /// # Errors
    /// The output failed.
    pub fn metadata(&mut self, name: &str, values: &BTreeMap<String, String>) -> Result<bool> {
        match &mut self.inner {
            Inner::Lcm(..) => Ok(false),
            Inner::Mcap(writer) => writer.metadata(name, values).map(|()| true),
        }
    }

    /// Whether all events were written to the output.
    pub fn is_out(&self) -> bool {
        self.waiting == 0
    }
    /// The number of events appended.
    pub fn events(&self) -> u64 {
        self.events
    }
    /// How many messages of a known type MCAP stores as published, because conversion to CDR would not restore all
    /// bytes: damaged ones, some with trailing bytes, and those of recursive types.
    pub fn kept_raw(&self) -> u64 {
        match &self.inner {
            Inner::Lcm(..) => 0,
            Inner::Mcap(writer) => writer.kept_raw,
        }
    }
    /// How many events have a time before 1970, which MCAP cannot store: there it is 0. LCM's logs store it
    /// unchanged.
    pub fn too_early(&self) -> u64 {
        match &self.inner {
            Inner::Lcm(..) => 0,
            Inner::Mcap(writer) => writer.too_early,
        }
    }
    /// The number of bytes that the output has accepted.
    pub fn bytes(&self) -> u64 {
        self.written.load(Ordering::Relaxed) // written by this thread
    }
    /// The number of valid bytes of the output. After an error, such as a full disk, the bytes after them can be
    /// cut off.
    pub fn flushed(&self) -> u64 {
        self.flushed
    }

    /// Ends the log, and returns the output, flushed. Without this, an MCAP file has no summary: it can be read,
    /// but not quickly.
    ///
    /// # Errors
    /// The output failed.
    pub fn finish(mut self) -> Result<W> {
        self.flush()?;
        let mut counted = match self.inner {
            Inner::Lcm(_, _, out) => out,
            Inner::Mcap(writer) => writer.finish()?,
        };
        counted.flush().map_err(Error::io("write the log"))?;
        Ok(counted.out)
    }
}

/// Messages of this size are written to an LCM log without a copy, together with all waiting events.
const DIRECT: usize = 64 << 10;
/// Approximate bytes of an event's header.
const HEAD: usize = 31;

/// Counts the bytes that the output accepts.
struct Counted<W> {
    out: W,
    written: Arc<AtomicU64>,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        self.written.fetch_add(n as u64, Ordering::Relaxed); // read by the thread that writes
        Ok(n)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
