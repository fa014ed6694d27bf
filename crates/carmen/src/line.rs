//! Lines of a file that may be compressed, damaged, or contain a line without an end.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;

/// Longest line in bytes; longer ones are skipped.
pub const LINE: usize = 8000;

/// The result of reading a line.
pub(crate) enum Next {
    /// A line; it is in `Lines::text`.
    Line,
    /// A line longer than [`LINE`] was skipped.
    TooLong,
    /// The end of the file.
    End,
    /// The rest of the file cannot be read, for this reason.
    CutShort(String),
}

/// A text, line by line.
pub(crate) struct Lines {
    from: Box<dyn BufRead + Send>,
    /// The line, without its end.
    pub text: Vec<u8>,
    /// Its number, from 1.
    pub number: u64,
}

impl Lines {
    /// The first bytes show whether it is compressed.
    pub fn new(mut bytes: impl BufRead + Send + 'static) -> io::Result<Lines> {
        let from: Box<dyn BufRead + Send> = if bytes.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
            Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(bytes)))
        } else {
            Box::new(bytes)
        };
        Ok(Lines { from, text: Vec::with_capacity(LINE), number: 0 })
    }

    /// Reads the next line into `text`.
    pub fn next(&mut self) -> Next {
        self.text.clear();
        self.number += 1;
        match (&mut self.from).take(LINE as u64 + 1).read_until(b'\n', &mut self.text) {
            Ok(0) => return Next::End,
            Ok(_) => {}
            // The last line is incomplete, and so does not count.
            Err(e) => return Next::CutShort(e.to_string()),
        }
        if self.text.last() == Some(&b'\n') {
            self.text.pop();
            return Next::Line;
        }
        if self.text.len() <= LINE {
            return Next::Line; // the last line of a file needs no newline
        }
        self.skip_rest();
        Next::TooLong
    }

    /// Skips the rest of a line that is too long, without keeping it.
    fn skip_rest(&mut self) {
        loop {
            let Ok(chunk) = self.from.fill_buf() else { return };
            let (used, ended) = match chunk.iter().position(|b| *b == b'\n') {
                Some(at) => (at + 1, true),
                None => (chunk.len(), chunk.is_empty()),
            };
            self.from.consume(used);
            if ended {
                return;
            }
        }
    }
}
