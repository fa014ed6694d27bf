//! The interval log that `hiccup` writes.

use std::fs::File;
use std::io::{self, LineWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::ValueEnum;
use hdrhistogram::serialization::V2DeflateSerializer;
use saltus_measure::{Histogram, corrected, hlog, machine};

use super::{Hiccup, nanos};
use crate::failure::{Code, Failure, Outcome};

type Sink = LineWriter<Box<dyn Write>>;

/// The file: a line is in it as soon as it is whole.
pub struct LogFile {
    path: PathBuf,
    sink: Sink,
}

/// The log in it, begun.
pub struct Log<'a> {
    path: &'a Path,
    writer: hlog::Writer<'a, 'a, Sink>,
    resolution: u64,
}

impl LogFile {
    /// Makes the file, or takes standard output.
    pub fn create(path: &Path) -> Outcome<LogFile> {
        let sink: Box<dyn Write> = match path.as_os_str() == "-" {
            true => Box::new(io::stdout()),
            false => Box::new(File::create(path).map_err(|e| failure(path, e))?),
        };
        Ok(LogFile { path: path.to_path_buf(), sink: LineWriter::new(sink) })
    }

    /// Writes the head: the machine, and how it is measured.
    pub fn begin<'a>(
        &'a mut self,
        serializer: &'a mut V2DeflateSerializer,
        args: &Hiccup,
        began: SystemTime,
    ) -> Outcome<Log<'a>> {
        let meter = args.meter.to_possible_value().map_or_else(String::new, |v| v.get_name().to_string());
        let mut comments: Vec<String> =
            machine::facts().into_iter().map(|(name, value)| format!("machine: {name}: {value}")).collect();
        comments.push(format!("machine: meter: {meter}, every {:?}", args.resolution));
        comments.push(
            "Values are nanoseconds; without tag: corrected for coordinated omission; Tag=raw: as measured"
                .into(),
        );
        let tool = concat!("saltus hiccup ", env!("CARGO_PKG_VERSION"));
        let writer = hlog::Writer::begin(&mut self.sink, serializer, tool, &comments, began)
            .map_err(|e| failure(&self.path, e))?;
        Ok(Log { path: &self.path, writer, resolution: nanos(args.resolution) })
    }
}

impl Log<'_> {
    /// Adds an interval, corrected and raw.
    pub fn interval(
        &mut self,
        raw: &Histogram<u64>,
        since: Duration,
        length: Duration,
        tags: [Option<&str>; 2],
    ) -> Outcome {
        let fixed = corrected(raw, self.resolution);
        for (times, tag) in [&fixed, raw].into_iter().zip(tags) {
            self.writer.interval(times, since, length, tag).map_err(|e| failure(self.path, e))?;
        }
        Ok(())
    }

    /// Adds a remark.
    pub fn comment(&mut self, text: &str) -> Outcome {
        self.writer.comment(text).map_err(|e| failure(self.path, e))
    }
}

fn failure(path: &Path, error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Quiet,
        _ => Failure::new(
            Code::Failed,
            format!("cannot write {}: {error}; free some space or write elsewhere", path.display()),
        ),
    }
}
