//! The text of type files, and locations in it.

use std::path::{Path, PathBuf};

/// A range of bytes in one source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Index of the file in [`Sources`].
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// From the start of `self` to the end of `other`, which is in the same file.
    pub fn to(self, other: Span) -> Span {
        Span { end: other.end.max(self.end), ..self }
    }
}

/// One type file.
#[derive(Clone, Debug)]
pub struct Source {
    path: PathBuf,
    text: String,
    not_utf8: Vec<u32>,
}

impl Source {
    /// Longest file that is read, in bytes: 16 MiB.
    pub const MAX: usize = 16 << 20;

    /// Accepts the bytes of a file. Bytes that are not UTF-8 (old comments in Latin-1) become `?`, one for one; a
    /// byte order mark becomes blanks.
    pub fn new(path: impl Into<PathBuf>, bytes: &[u8]) -> Source {
        let mut text = String::with_capacity(bytes.len());
        let mut not_utf8 = Vec::new();
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            for _ in chunk.invalid() {
                not_utf8.push(text.len() as u32);
                text.push('?');
            }
        }
        if text.starts_with('\u{feff}') {
            text.replace_range(..3, "   ");
        }
        Source { path: path.into(), text, not_utf8 }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// Whether a byte between `start` and `end` was not UTF-8.
    pub(crate) fn garbled(&self, start: u32, end: u32) -> bool {
        let first = self.not_utf8.partition_point(|&at| at < start);
        self.not_utf8.get(first).is_some_and(|&at| at < end)
    }
    /// Line number of a byte, from 1.
    pub fn line_of(&self, at: u32) -> usize {
        let end = (at as usize).min(self.text.len());
        self.text.as_bytes()[..end].iter().filter(|&&b| b == b'\n').count() + 1
    }
    /// Column of a byte, from 1, in characters; `None` if it is outside the text, or within a character.
    pub fn column_of(&self, at: u32) -> Option<usize> {
        let before = self.text.get(..at as usize)?;
        Some(before.chars().rev().take_while(|c| *c != '\n').count() + 1)
    }
}

/// All files of a schema.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// Adds a file and returns its index.
    pub fn add(&mut self, source: Source) -> u32 {
        self.files.push(source);
        (self.files.len() - 1) as u32
    }
    /// All files, in the order in which they were read.
    pub fn files(&self) -> &[Source] {
        &self.files
    }
    /// The file with index `file`.
    pub fn get(&self, file: u32) -> Option<&Source> {
        self.files.get(file as usize)
    }
    /// `path:line` of a location.
    pub fn place(&self, span: Span) -> String {
        match self.get(span.file) {
            Some(s) => format!("{}:{}", s.path.display(), s.line_of(span.start)),
            None => String::from("?"),
        }
    }
    /// The text of a location.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).and_then(|s| s.text.get(span.start as usize..span.end as usize)).unwrap_or("")
    }
}
