//! Buffered standard output that ends quietly when its reader is gone, and does not block after Ctrl-C.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::time::Duration;

use saltus_printer::{Format, Message};
use serde::Serialize;

use crate::exit::{Code, Failure, Outcome};
use crate::stop;

/// Standard output of commands. Call [`Out::flush`] at the end to get errors. If a command fails, dropping this flushes its earlier output.
pub(crate) struct Out {
    file: BufWriter<Stoppable>,
}

impl Out {
    /// Standard output.
    pub(crate) fn new() -> Outcome<Out> {
        let file = Stoppable { file: stop::output().map_err(failure)?, broken: false };
        Ok(Out { file: BufWriter::with_capacity(64 << 10, file) })
    }

    /// Writes bytes unchanged.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Outcome {
        self.file.write_all(bytes).map_err(failure)
    }

    /// Writes a line of text.
    pub(crate) fn line(&mut self, text: impl std::fmt::Display) -> Outcome {
        writeln!(self.file, "{text}").map_err(failure)
    }

    /// Writes a value as one line of JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Outcome {
        saltus_printer::json(&mut self.file, value).map_err(failure)
    }

    /// Writes a message.
    pub(crate) fn message(&mut self, format: Format, message: &Message<'_>) -> Outcome {
        saltus_printer::print(&mut self.file, format, message).map_err(failure)
    }

    /// Flushes the buffer.
    pub(crate) fn flush(&mut self) -> Outcome {
        self.file.flush().map_err(failure)
    }
}

fn failure(error: io::Error) -> Failure {
    match error.kind() {
        ErrorKind::BrokenPipe => Failure::Quiet,
        _ => Failure::new(
            Code::Failed,
            format!("cannot write to standard output: {error}; free some space, or redirect the output"),
        ),
    }
}

/// Time after Ctrl-C for the reader of a full pipe to make space for the remaining output.
const GRACE: Duration = Duration::from_secs(1);

/// A file whose `write` fails after a stop signal instead of retrying forever.
struct Stoppable {
    file: File,
    /// Set after an error: nothing more is written, so that dropping the buffer does not block again.
    broken: bool,
}

impl Write for Stoppable {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.broken {
            return Err(ErrorKind::BrokenPipe.into());
        }
        // Before a stop signal, blocking is fine.
        let at_once = &bytes[..bytes.len().min(stop::AT_ONCE)];
        let written = if stop::wait_writable(&self.file) {
            self.file.write(bytes)
        } else if stop::writable_within(&self.file, GRACE) {
            self.file.write(at_once)
        } else {
            Err(ErrorKind::BrokenPipe.into())
        };
        self.broken = written.as_ref().is_err_and(|e| e.kind() != ErrorKind::Interrupted);
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
