//! An interval log in a file, with corrected and raw times.

use std::fs::File;
use std::io::{self, LineWriter, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;
use hdrhistogram::serialization::V2DeflateSerializer;

use crate::{corrected, hlog, machine};

type Sink = LineWriter<Box<dyn Write>>;

/// The file. Each line is written when it is complete.
pub struct LogFile(Sink);

/// The log in the file, after its header.
pub struct Log<'a> {
    writer: hlog::Writer<'a, 'a, Sink>,
    resolution: u64,
}

impl LogFile {
    /// Creates the file, or uses standard output for `-`.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create(path: &Path) -> io::Result<LogFile> {
        let sink: Box<dyn Write> = match path.as_os_str() == "-" {
            true => Box::new(io::stdout()),
            false => Box::new(File::create(path)?),
        };
        Ok(LogFile(LineWriter::new(sink)))
    }

    /// Writes the header: the tool, the machine, and the name and resolution (in ns) of the meter.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn begin<'a>(
        &'a mut self,
        serializer: &'a mut V2DeflateSerializer,
        tool: &str,
        (meter, resolution): (&str, u64),
        began: SystemTime,
    ) -> io::Result<Log<'a>> {
        let mut comments = machine::comments();
        comments.push(format!("machine: meter: {meter}, every {:?}", Duration::from_nanos(resolution)));
        comments.push(
            "Values are nanoseconds; without tag: corrected for coordinated omission; Tag=raw: as measured"
                .into(),
        );
        let writer = hlog::Writer::begin(&mut self.0, serializer, tool, &comments, began)?;
        Ok(Log { writer, resolution })
    }
}

impl Log<'_> {
    /// Adds an interval, corrected and raw.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn interval(
        &mut self,
        raw: &Histogram<u64>,
        since: Duration,
        length: Duration,
        tags: [Option<&str>; 2],
    ) -> io::Result<()> {
        let fixed = corrected(raw, self.resolution);
        let both = [&fixed, raw].into_iter().zip(tags);
        both.into_iter().try_for_each(|(times, tag)| self.writer.interval(times, since, length, tag))
    }

    /// Adds a comment.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn comment(&mut self, text: &str) -> io::Result<()> {
        self.writer.comment(text)
    }
}
