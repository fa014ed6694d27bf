//! A log as it is written.

use crate::{Event, Format, Result, Types, Writer, WriterOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// A log that is being written, and what is in it.
pub struct Output<W: Write> {
    writer: Writer<W>,
    channels: BTreeSet<Vec<u8>>,
    unknown: usize,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// How many events.
    pub events: u64,
    /// Of how many channels.
    pub channels: usize,
    /// See [`Writer::kept_raw`].
    pub kept_raw: u64,
    /// See [`Writer::too_early`].
    pub too_early: u64,
    /// On how many channels the first message was neither of a known type nor text.
    pub unknown: usize,
}

impl<W: Write> Output<W> {
    /// Begins a log; see [`Writer::new`].
    ///
    /// # Errors
    /// The output does not take it.
    pub fn new(out: W, format: Format, options: WriterOptions) -> Result<Output<W>> {
        Ok(Output { writer: Writer::new(out, format, options)?, channels: BTreeSet::new(), unknown: 0 })
    }
    /// The types that messages are looked up in.
    pub fn types(&mut self) -> &mut Types {
        self.writer.types()
    }
    /// Appends an event.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub fn add(&mut self, event: &Event<'_>) -> Result<()> {
        if !self.channels.contains(event.channel) {
            self.channels.insert(event.channel.into());
            let told = event.about.is_some_and(|about| about.kind.is_some() || about.schema.is_some());
            let known = told || self.writer.types().of(event.data).is_some();
            self.unknown += usize::from(!known && !saltus_text::escape::is_text(event.data));
        }
        self.writer.write(event)
    }
    /// Appends what is written about a whole file, where the format has a place for it.
    ///
    /// # Errors
    /// The output does not take it.
    pub fn metadata(&mut self, metadata: &[(String, BTreeMap<String, String>)]) -> Result<()> {
        metadata.iter().try_for_each(|(name, values)| self.writer.metadata(name, values).map(drop))
    }
    /// Ends the log.
    ///
    /// # Errors
    /// The output does not take it.
    pub fn finish(mut self) -> Result<Written> {
        self.writer.flush()?;
        let (events, kept_raw, too_early) =
            (self.writer.events(), self.writer.kept_raw(), self.writer.too_early());
        self.writer.finish()?;
        Ok(Written { events, channels: self.channels.len(), kept_raw, too_early, unknown: self.unknown })
    }
}
