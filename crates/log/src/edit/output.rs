//! A log being written, and counts of its contents.

use crate::{Event, Format, Result, Types, Writer, WriterOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// A log being written, and counts of its contents.
pub struct Output<W: Write> {
    writer: Writer<W>,
    channels: BTreeSet<Vec<u8>>,
    unknown: usize,
}

/// Counts of a written log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The number of events.
    pub events: u64,
    /// The number of channels.
    pub channels: usize,
    /// See [`Writer::kept_raw`].
    pub kept_raw: u64,
    /// See [`Writer::too_early`].
    pub too_early: u64,
    /// The number of channels whose first message was neither of a known type nor text.
    pub unknown: usize,
}

impl<W: Write> Output<W> {
    /// Starts a log; see [`Writer::new`].
    ///
    /// # Errors
    /// The output failed.
    pub fn new(out: W, format: Format, options: WriterOptions) -> Result<Output<W>> {
        Ok(Output { writer: Writer::new(out, format, options)?, channels: BTreeSet::new(), unknown: 0 })
    }
    /// The types in which messages are looked up.
    pub fn types(&mut self) -> &mut Types {
        self.writer.types()
    }
    /// Appends an event.
    ///
    /// # Errors
    /// Those of [`Writer::write`].
    pub fn add(&mut self, event: &Event<'_>) -> Result<()> {
        if !self.channels.contains(event.channel) {
            self.channels.insert(event.channel.into());
            let reported = event.about.is_some_and(|about| about.kind.is_some() || about.schema.is_some());
            let known = reported || self.writer.types().of(event.data).is_some();
            self.unknown += usize::from(!known && !saltus_text::escape::is_text(event.data));
        }
        self.writer.write(event)
    }
    /// Appends metadata of a whole file, if the format supports it.
    ///
    /// # Errors
    /// The output failed.
    pub fn metadata(&mut self, metadata: &[(String, BTreeMap<String, String>)]) -> Result<()> {
        metadata.iter().try_for_each(|(name, values)| self.writer.metadata(name, values).map(drop))
    }
    /// Ends the log.
    ///
    /// # Errors
    /// The output failed.
    pub fn finish(mut self) -> Result<Written> {
        self.writer.flush()?;
        let (events, kept_raw, too_early) =
            (self.writer.events(), self.writer.kept_raw(), self.writer.too_early());
        self.writer.finish()?;
        Ok(Written { events, channels: self.channels.len(), kept_raw, too_early, unknown: self.unknown })
    }
}
