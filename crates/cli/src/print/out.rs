//! Standard output: buffered, quiet when its reader is gone, and not stuck when it is stopped.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::fd::AsFd;
use std::time::Duration;

use serde::Serialize;

use crate::exit::{Code, Failure, Outcome};
use crate::print::json;
use crate::stop;

/// Where commands print. Call [`Out::flush`] at the end, to learn of errors; what a failed command printed before it
/// failed goes out when this is dropped.
pub(crate) struct Out {
    file: BufWriter<Stoppable>,
}

impl Out {
    /// Standard output.
    pub(crate) fn new() -> Outcome<Out> {
        let file = io::stdout().as_fd().try_clone_to_owned().map_err(failure)?;
        let file = Stoppable { file: File::from(file), broken: false };
        Ok(Out { file: BufWriter::with_capacity(64 << 10, file) })
    }

    /// Bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Outcome {
        self.file.write_all(bytes).map_err(failure)
    }

    /// A line of text.
    pub(crate) fn line(&mut self, text: impl std::fmt::Display) -> Outcome {
        writeln!(self.file, "{text}").map_err(failure)
    }

    /// A value as one line of JSON, in which nothing is left that a terminal would obey, and no number that others would round.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Outcome {
        let text = json::text(value).map_err(|e| failure(e.into()))?;
        let mut rest = text.as_str();
        // Those that JSON lets through stand in strings.
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| c.is_control()) {
            self.bytes(&rest.as_bytes()[..at])?;
            self.bytes(format!("\\u{:04x}", u32::from(c)).as_bytes())?;
            rest = &rest[at + c.len_utf8()..];
        }
        self.line(rest)
    }

    /// What was printed is out.
    pub(crate) fn flush(&mut self) -> Outcome {
        self.file.flush().map_err(failure)
    }
}

fn failure(error: io::Error) -> Failure {
    match error.kind() {
        ErrorKind::BrokenPipe => Failure::Quiet,
        _ => Failure::new(
            Code::Failed,
            format!("cannot write to standard output: {error}; free some space or send it elsewhere"),
        ),
    }
}

/// How long after Ctrl-C the reader of a full pipe may take to make room for what is still to be printed.
const GRACE: Duration = Duration::from_secs(1);

/// A file whose write gives up when a signal asked for the end, rather than trying again for ever.
struct Stoppable {
    file: File,
    /// After an error nothing more is tried, so that dropping the buffer does not get stuck once more.
    broken: bool,
}

impl Write for Stoppable {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.broken {
            return Err(ErrorKind::BrokenPipe.into());
        }
        // So much goes into a pipe that has room, without blocking; before the end, blocking is fine.
        let at_once = &bytes[..bytes.len().min(libc::PIPE_BUF)];
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
