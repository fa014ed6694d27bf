//! Reading lines from an input that may pause between them; a stop signal interrupts the wait.

use std::fs::File;
use std::io::{self, ErrorKind, Read};

use crate::stop;

/// The size of one read, in bytes.
const CHUNK: usize = 64 << 10;

/// The lines of a file, without their line ends. A last line without an end counts too.
pub struct Lines {
    input: File,
    longest: usize,
    buffer: Vec<u8>,
    /// The part of the buffer that was already returned.
    used: usize,
    ended: bool,
}

impl Lines {
    /// Splits a line longer than `longest` into pieces, so that a line without end does not fill the memory.
    pub fn new(input: File, longest: usize) -> Lines {
        Lines { input, longest, buffer: Vec::new(), used: 0, ended: false }
    }

    /// The next line; `None` at the end of the input, or when a stop was requested.
    #[allow(clippy::should_implement_trait)] // the line borrows the buffer
    pub fn next(&mut self) -> io::Result<Option<&[u8]>> {
        // The bytes already searched for a line end are not searched again.
        let mut searched = 0;
        loop {
            let rest = &self.buffer[self.used..];
            if let Some(length) = rest[searched..].iter().position(|b| *b == b'\n') {
                return Ok(Some(self.take(searched + length, 1)));
            }
            searched = rest.len();
            if searched > self.longest || (self.ended && searched > 0) {
                return Ok(Some(self.take(searched, 0)));
            }
            if self.ended || !self.read()? {
                return Ok(None);
            }
        }
    }

    fn take(&mut self, length: usize, end: usize) -> &[u8] {
        let from = self.used;
        self.used += length + end;
        &self.buffer[from..from + length]
    }

    /// Reads more bytes; returns false when a stop was requested.
    fn read(&mut self) -> io::Result<bool> {
        self.buffer.drain(..self.used);
        self.used = 0;
        if !stop::wait_readable(&self.input) {
            return Ok(false);
        }
        let kept = self.buffer.len();
        self.buffer.resize(kept + CHUNK, 0);
        let read = self.input.read(&mut self.buffer[kept..]);
        self.buffer.truncate(kept + *read.as_ref().unwrap_or(&0));
        match read {
            Ok(0) => self.ended = true,
            Ok(_) => {}
            Err(e) if matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
            Err(e) => return Err(e),
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::OwnedFd;

    fn lines(text: &[u8], longest: usize) -> Vec<Vec<u8>> {
        let (reader, mut writer) = io::pipe().unwrap();
        let text = text.to_vec();
        let feeder = std::thread::spawn(move || writer.write_all(&text).unwrap());
        let mut lines = Lines::new(File::from(OwnedFd::from(reader)), longest);
        let all = std::iter::from_fn(|| lines.next().unwrap().map(<[u8]>::to_vec)).collect();
        feeder.join().unwrap();
        all
    }

    #[test]
    fn lines_lose_their_ends_and_nothing_else() {
        assert_eq!(lines(b"a\n\n\xff\r\nlast", 100), [&b"a"[..], b"", b"\xff\r", b"last"]);
        assert_eq!(lines(b"", 100), [b""; 0]);
        assert_eq!(lines(b"a\n", 100), [b"a"]);
    }

    #[test]
    fn lines_of_any_length_come_whole() {
        let text: Vec<u8> = (0..2000).flat_map(|n| [vec![b'x'; n % 700], vec![b'\n']].concat()).collect();
        let expected: Vec<Vec<u8>> = (0..2000).map(|n| vec![b'x'; n % 700]).collect();
        assert_eq!(lines(&text, 700), expected);
        let long = vec![b'y'; 300_000];
        assert_eq!(lines(&long, 1 << 20), [long]);
    }

    #[test]
    fn a_line_without_end_does_not_fill_the_memory() {
        let pieces = lines(&vec![b'z'; 10 << 20], 1000);
        assert!(pieces.iter().all(|p| p.len() > 1000 && p.len() <= 1000 + CHUNK), "pieces of bounded size");
        assert_eq!(pieces.iter().map(Vec::len).sum::<usize>(), 10 << 20);
    }
}
