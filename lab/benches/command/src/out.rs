//! Standard output, buffered.

use crate::outcome::Outcome;
use serde::Serialize;
use std::io::{BufWriter, Stdout, Write, stdout};

/// Where results are printed.
pub struct Out(BufWriter<Stdout>);

impl Out {
    /// Standard output.
    pub fn new() -> Out {
        Out(BufWriter::new(stdout()))
    }

    /// Prints text unchanged.
    pub fn text(&mut self, text: &str) -> Outcome {
        Ok(self.0.write_all(text.as_bytes())?)
    }

    /// A line of text.
    pub fn line(&mut self, text: impl std::fmt::Display) -> Outcome {
        Ok(writeln!(self.0, "{text}")?)
    }

    /// Prints a value as one line of JSON.
    pub fn json(&mut self, value: &impl Serialize) -> Outcome {
        let text = serde_json::to_string(value).map_err(std::io::Error::from)?;
        self.line(text)
    }

    /// Flushes the output.
    pub fn flush(&mut self) -> Outcome {
        Ok(self.0.flush()?)
    }
}
