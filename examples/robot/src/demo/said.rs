//! Standard error of the programs: kept for the report, because the screen is in use.

use std::io::{PipeReader, PipeWriter, Read};

use crate::error::{Error, Result};
use crate::sys;

/// Most lines that are kept.
const LINES: usize = 20;
/// Longest line; longer ones are split.
const LONGEST: usize = 1000;

/// The reading end of a pipe, and its last lines.
pub struct Said {
    pipe: PipeReader,
    line: Vec<u8>,
    lines: Vec<String>,
}

impl Said {
    /// Creates a pipe, and returns its writing end too.
    pub fn pipe() -> Result<(Said, PipeWriter)> {
        let (pipe, writer) = std::io::pipe().map_err(Error::system("make a pipe"))?;
        sys::do_not_block(&pipe);
        Ok((Said { pipe, line: Vec::new(), lines: Vec::new() }, writer))
    }

    /// Reads available data. Does not wait.
    pub fn listen(&mut self) {
        let mut some = [0; 1024];
        while let Ok(n @ 1..) = self.pipe.read(&mut some) {
            for byte in &some[..n] {
                if *byte != b'\n' {
                    self.line.push(*byte);
                }
                if *byte == b'\n' || self.line.len() == LONGEST {
                    self.keep();
                }
            }
        }
    }

    /// The lines.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    fn keep(&mut self) {
        let line = String::from_utf8_lossy(&self.line).into_owned();
        self.line.clear();
        // A repeatedly started program repeats its lines.
        if !self.lines.contains(&line) {
            self.lines.push(line);
        }
        if self.lines.len() > LINES {
            self.lines.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_last_lines_are_kept_once() {
        let (mut said, mut pipe) = Said::pipe().expect("a pipe");
        said.listen();
        assert_eq!(said.lines(), &[] as &[String]);
        pipe.write_all(b"half").expect("room");
        said.listen();
        pipe.write_all(b" a line\nagain\nagain\n").expect("room");
        said.listen();
        assert_eq!(said.lines(), ["half a line", "again"]);
        for k in 0..LINES {
            writeln!(pipe, "line {k}").expect("room");
        }
        pipe.write_all(&[b'x'; 3 * LONGEST]).expect("room");
        said.listen();
        assert!(said.lines().len() == LINES && said.lines().iter().all(|line| line.len() <= LONGEST));
    }
}
