//! Builds an index: reads a log once, and sorts its events.

use super::Index;
use super::entry::{Entry, HEAD};
use super::file::{self, Identity, Scratch, side_file};
use super::table::Counter;
use crate::{Error, Format, Reader, Result};
use saltus_os::file::FileExt;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io;
use std::path::Path;

/// Bytes per read of the log.
const PIECE: usize = 1 << 20;
/// Entries sorted in memory.
const RUN: usize = 1 << 20;
/// Entries of a run buffered for merging.
const BUFFER: u64 = 4096;

/// Called with the number of bytes read and the total; returns whether to continue.
pub(crate) type Progress<'a> = &'a mut dyn FnMut(u64, u64) -> bool;

impl Index {
    /// Reads the log; with `keep` the index is stored next to it.
    ///
    /// # Errors
    /// The log cannot be read, there is no space for the index, or `progress` returned false.
    pub fn build(
        log: (&Path, &File),
        format: Format,
        identity: &Identity,
        keep: bool,
        progress: Progress<'_>,
    ) -> Result<Index> {
        let place = side_file(log.0);
        let keep = keep.then_some(place.as_path());
        let room = Error::io("make an index of the log");
        let mut sorter = Scratch::new(keep).map(Sorter::new).map_err(room)?;
        let counter = scan(log.1, format, identity.size, &mut sorter, progress)?;
        let finished = sorter.finish(keep).and_then(|(scratch, count)| {
            file::complete(&scratch.file, identity, count, &counter.summary)?;
            Ok((scratch.keep(&place)?, count))
        });
        let (file, count) = finished.map_err(Error::io("make an index of the log"))?;
        Ok(Index::new(file, count, counter.summary, false))
    }
}

fn scan(
    log: &File,
    format: Format,
    size: u64,
    sorter: &mut Sorter,
    progress: Progress<'_>,
) -> Result<Counter> {
    let (mut reader, mut counter) = (Reader::new(format).stored(true), Counter::default());
    let (mut piece, mut at) = (vec![0; PIECE], 0);
    let room = || Error::io("make an index of the log");
    while at < size {
        let most = (size - at).min(PIECE as u64) as usize;
        let n = log.read_at(&mut piece[..most], at).map_err(Error::io("read the log"))?;
        if n == 0 {
            return Err(Error::Changed);
        }
        at += n as u64;
        reader.feed(&piece[..n]);
        drain(&mut reader, &mut counter, sorter).map_err(room())?;
        if !progress(at, size) {
            return Err(Error::Io("read the log".into(), io::ErrorKind::Interrupted.into()));
        }
    }
    reader.end();
    drain(&mut reader, &mut counter, sorter).map_err(room())?;
    counter.summary.damage = reader.damage();
    counter.summary.metadata = reader.metadata().to_vec();
    Ok(counter)
}

fn drain(reader: &mut Reader, counter: &mut Counter, sorter: &mut Sorter) -> io::Result<()> {
    while let Some(event) = reader.event() {
        let entry = counter.count(&event);
        let (place, inner) = reader.place();
        sorter.add(Entry { place, inner, ..entry })?;
    }
    Ok(())
}

/// Sorts any number of entries in little memory: sorted runs are merged where they overlap.
struct Sorter {
    scratch: Scratch,
    run: Vec<Entry>,
    /// The ends of the runs, in entries.
    ends: Vec<u64>,
    last: Option<Entry>,
    sorted: bool,
}

impl Sorter {
    fn new(scratch: Scratch) -> Sorter {
        Sorter { scratch, run: Vec::new(), ends: Vec::new(), last: None, sorted: true }
    }
    fn add(&mut self, entry: Entry) -> io::Result<()> {
        self.run.push(entry);
        if self.run.len() == RUN { self.spill() } else { Ok(()) }
    }
    fn spill(&mut self) -> io::Result<()> {
        self.run.sort_unstable();
        self.sorted &= self.last.is_none_or(|last| self.run.first().is_none_or(|first| last <= *first));
        self.last = self.run.last().copied().or(self.last);
        let from = self.ends.last().copied().unwrap_or(0);
        write(&self.scratch.file, from, &self.run)?;
        self.ends.push(from + self.run.len() as u64);
        self.run.clear();
        Ok(())
    }
    /// All entries in a file, and their number.
    fn finish(mut self, keep: Option<&Path>) -> io::Result<(Scratch, u64)> {
        self.spill()?;
        let count = self.ends.last().copied().unwrap_or(0);
        if self.sorted {
            return Ok((self.scratch, count));
        }
        let merged = Scratch::new(keep)?;
        let mut from = 0;
        let mut runs = Vec::new();
        for &to in &self.ends {
            runs.push(Run { next: from, to, buffer: Vec::new(), at: 0 });
            from = to;
        }
        let mut heap = BinaryHeap::new();
        for (i, run) in runs.iter_mut().enumerate() {
            heap.extend(run.next(&self.scratch.file)?.map(|entry| Reverse((entry, i))));
        }
        let (mut out, mut written) = (Vec::new(), 0);
        while let Some(Reverse((entry, i))) = heap.pop() {
            heap.extend(runs[i].next(&self.scratch.file)?.map(|entry| Reverse((entry, i))));
            out.push(entry);
            if out.len() as u64 == BUFFER || heap.is_empty() {
                write(&merged.file, written, &out)?;
                written += out.len() as u64;
                out.clear();
            }
        }
        Ok((merged, count))
    }
}

/// A sorted part of the file.
struct Run {
    next: u64,
    to: u64,
    buffer: Vec<u8>,
    at: usize,
}

impl Run {
    fn next(&mut self, file: &File) -> io::Result<Option<Entry>> {
        if self.at == self.buffer.len() {
            let entries = BUFFER.min(self.to - self.next);
            self.buffer.resize(entries as usize * Entry::SIZE, 0);
            file.read_exact_at(&mut self.buffer, HEAD + self.next * Entry::SIZE as u64)?;
            self.next += entries;
            self.at = 0;
        }
        let entry = self.buffer.get(self.at..).and_then(Entry::get);
        self.at += Entry::SIZE * usize::from(entry.is_some());
        Ok(entry)
    }
}

fn write(file: &File, from: u64, entries: &[Entry]) -> io::Result<()> {
    for (i, part) in entries.chunks(BUFFER as usize).enumerate() {
        let mut bytes = Vec::with_capacity(part.len() * Entry::SIZE);
        part.iter().for_each(|entry| entry.put(&mut bytes));
        file.write_all_at(&bytes, HEAD + (from + i as u64 * BUFFER) * Entry::SIZE as u64)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_overlap_are_merged_in_order() {
        let mut sorter = Sorter::new(Scratch::new(None).unwrap());
        for i in 0..50_000u64 {
            let time = (i.wrapping_mul(2_654_435_761) % 1000) as i64;
            sorter.add(Entry { time, place: i, inner: 0, row: 0 }).unwrap();
            if i % 7919 == 0 {
                sorter.spill().unwrap();
            }
        }
        let (scratch, count) = sorter.finish(None).unwrap();
        assert_eq!(count, 50_000);
        let mut all = Run { next: 0, to: count, buffer: Vec::new(), at: 0 };
        let entries: Vec<Entry> = std::iter::from_fn(|| all.next(&scratch.file).unwrap()).collect();
        assert_eq!(entries.len(), 50_000);
        assert!(entries.is_sorted_by(|a, b| a < b), "each is there once, in order");
    }
}
