//! A subscriber's counters for tools: a file that only the subscriber writes.
//!
//! ```text
//! subs/<pid>-<random>, one page, u64 at 8 * index
//!   0 magic | 1 pid | 2 since | 3 uid | 4..8 process name
//!   8 received | 9 missed | 10 last sequence number | 11 last timestamp | 12 sleeps | 13 overruns
//!   16..336 latency: messages whose publish-to-receive time fell into each bucket
//! ```
//!
//! The file is locked while its subscriber lives. The data path reads no word of it.

use crate::geometry::SUBSCRIBERS;
use saltus_os::file::FileExt;
use saltus_os::file::{self, Mode};
use saltus_os::lock::{self, Held, Kind};
use saltus_os::map::{Access, Map};
use saltus_ring::{Memory, Shm};
use std::fs::File;
use std::sync::atomic::Ordering::Relaxed;

const MAGIC: u64 = u64::from_le_bytes(*b"SALTUSsb");
const PAGE: usize = 4096;
const RECEIVED: usize = 8;
const MISSED: usize = 9;
const LAST_SEQ: usize = 10;
const LAST_TIMESTAMP: usize = 11;
const SLEEPS: usize = 12;
const OVERRUNS: usize = 13;
const LATENCY: usize = 16;
const BUCKETS: usize = 320;
/// The most files that are read: every user with read permission may fill the directory.
const MOST: usize = 4096;

/// A subscriber's counters, being written.
#[derive(Debug)]
pub(crate) struct Counters {
    mem: Shm,
    map: Map,
    _lock: Held,
    dir: File,
    name: String,
}

/// A subscriber's counters, as a tool reads them.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub pid: u32,
    pub since: u64,
    pub uid: u32,
    pub process: [u8; 32],
    pub alive: bool,
    pub received: u64,
    pub missed: u64,
    pub last_seq: u64,
    pub last_timestamp: u64,
    pub sleeps: u64,
    pub overruns: u64,
    pub latency: LatencyCounts,
}

impl Counters {
    /// Makes a file for a new subscriber. `None` if permissions or memory do not allow it: the subscriber then has no counters.
    pub fn make(channel: &File) -> Option<Counters> {
        sweep(channel);
        let dir = file::open_dir_at(channel, SUBSCRIBERS).ok()?;
        let name = format!("{}-{:016x}", saltus_os::process::id(), saltus_os::process::random());
        let mut counters = Counters::fill(&dir, &name).ok().flatten();
        match &mut counters {
            Some(counters) => counters.dir = dir,
            None => drop(file::remove_at(&dir, name.as_bytes(), false)),
        }
        counters
    }

    fn fill(dir: &File, name: &str) -> std::io::Result<Option<Counters>> {
        let new = file::open_at(dir, name.as_bytes(), Mode::Create)?;
        // The lock comes first: a file without one is a dead subscriber's.
        let open = || file::open_at(dir, name.as_bytes(), Mode::Write);
        let Some(lock) = lock::try_lock(open, 0, Kind::Exclusive)? else { return Ok(None) };
        file::reserve(&new, 0, PAGE as u64)?;
        let mut map = Map::surviving(&new, 0, PAGE, Access::Write, true, None)?;
        map.keep_from_children()?; // a child must not count in its parent's file
        // SAFETY: mapped for writing as long as `map` lives, which is as long as `mem`.
        let mem = unsafe { Shm::new(map.base(), PAGE) };
        let (pid, uid) = (saltus_os::process::id() as u64, saltus_os::process::user() as u64);
        for (i, word) in [MAGIC, pid, saltus_os::clock::boottime(), uid].into_iter().enumerate() {
            mem.store(8 * i, word, Relaxed); // Relaxed, as all here: numbers for tools that publish nothing
        }
        mem.copy_in(32, &saltus_os::process::name());
        file::set_mode(&new, 0o644)?;
        Ok(Some(Counters { mem, map, _lock: lock, dir: new, name: name.into() }))
    }

    /// Whether this process may write the file, rather than having inherited this value by `fork`.
    #[inline(always)]
    pub fn is_ours(&self) -> bool {
        self.map.is_ours()
    }

    /// Records a delivery: two more stores, and one to a histogram if `latency` is known.
    #[inline(always)]
    pub fn delivered(&self, received: u64, missed: u64, seq: u64, timestamp: u64, latency: Option<u64>) {
        self.put(RECEIVED, received);
        self.put(MISSED, missed);
        self.put(LAST_SEQ, seq);
        self.put(LAST_TIMESTAMP, timestamp);
        if let Some(latency) = latency {
            self.count(LATENCY + bucket(latency));
        }
    }
    pub fn slept(&self) {
        self.count(SLEEPS);
    }
    pub fn overrun(&self) {
        self.count(OVERRUNS);
    }
    pub fn missed(&self, missed: u64) {
        self.put(MISSED, missed);
    }

    #[inline(always)]
    fn put(&self, word: usize, value: u64) {
        self.mem.store(8 * word, value, Relaxed);
    }
    #[inline(always)]
    fn count(&self, word: usize) {
        self.put(word, self.mem.load(8 * word, Relaxed).wrapping_add(1));
    }
}

impl Drop for Counters {
    fn drop(&mut self) {
        if self.is_ours() {
            let _ = file::remove_at(&self.dir, self.name.as_bytes(), false);
        }
    }
}

/// Removes the files of dead subscribers. Returns how many.
pub(crate) fn sweep(channel: &File) -> usize {
    let Ok(dir) = file::open_dir_at(channel, SUBSCRIBERS) else { return 0 };
    let dead = |name: &&Vec<u8>| {
        let Ok(file) = file::open_at(&dir, name, Mode::Read) else { return false };
        // An empty file is new: its lock follows immediately, unless its maker has died.
        let made = file::inode(&file).is_ok_and(|m| m.len > 0) || file::is_old(&file);
        made && !lock::is_locked(&file, 0).unwrap_or(true)
    };
    let names = file::names_at_most(&dir, MOST).unwrap_or_default();
    names.iter().filter(dead).filter(|name| file::remove_at(&dir, name, false).is_ok()).count()
}

/// Reads all subscribers' counters. Their values are only displayed: no decision depends on them.
pub(crate) fn read_all(channel: &File) -> Vec<Seen> {
    let Ok(dir) = file::open_dir_at(channel, SUBSCRIBERS) else { return Vec::new() };
    let names = file::names_at_most(&dir, MOST).unwrap_or_default();
    names.iter().filter_map(|name| read(&file::open_at(&dir, name, Mode::Read).ok()?)).collect()
}

fn read(file: &File) -> Option<Seen> {
    let mut page = [0; PAGE];
    file.read_exact_at(&mut page, 0).ok()?; // not mapped: truncation by another process must not kill this one
    let words = page.as_chunks::<8>().0;
    let word = |i: usize| u64::from_le_bytes(words[i]);
    if word(0) != MAGIC {
        return None;
    }
    let mut process = [0; 32];
    process.copy_from_slice(&page[32..64]);
    let mut latency = LatencyCounts::default();
    for (i, count) in latency.counts.iter_mut().enumerate() {
        *count = word(LATENCY + i);
    }
    Some(Seen {
        pid: word(1) as u32,
        since: word(2),
        uid: word(3) as u32,
        process,
        alive: lock::is_locked(file, 0).unwrap_or(false),
        received: word(RECEIVED),
        missed: word(MISSED),
        last_seq: word(LAST_SEQ),
        last_timestamp: word(LAST_TIMESTAMP),
        sleeps: word(SLEEPS),
        overruns: word(OVERRUNS),
        latency,
    })
}

/// A histogram of publish-to-receive times, with eight buckets for each doubling: accurate within 12.5 %.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatencyCounts {
    counts: [u64; BUCKETS],
}

impl Default for LatencyCounts {
    fn default() -> Self {
        LatencyCounts { counts: [0; BUCKETS] }
    }
}

impl LatencyCounts {
    /// Messages counted.
    pub fn count(&self) -> u64 {
        self.counts.iter().fold(0, |sum, n| sum.saturating_add(*n))
    }

    /// The time in ns that the fraction `p` (0 to 1) of messages did not exceed; the upper end of the bucket. `None` if there are none.
    pub fn percentile(&self, p: f64) -> Option<u64> {
        let count = self.count();
        let rank = ((count as f64 * p.clamp(0.0, 1.0)).ceil() as u64).max(1);
        let mut seen = 0u64;
        let found = self.counts.iter().position(|n| {
            seen = seen.saturating_add(*n);
            seen >= rank
        });
        (count > 0).then(|| upper_end(found.unwrap_or(BUCKETS - 1)))
    }

    /// The time of the slowest message in ns; the upper end of its bucket.
    pub fn max(&self) -> Option<u64> {
        self.counts.iter().rposition(|n| *n > 0).map(upper_end)
    }

    /// The counts since `earlier`, an earlier copy of the same subscriber's.
    pub fn since(&self, earlier: &LatencyCounts) -> LatencyCounts {
        let mut counts = self.counts;
        for (count, before) in counts.iter_mut().zip(earlier.counts) {
            *count = count.saturating_sub(before);
        }
        LatencyCounts { counts }
    }

    /// Adds the counts of another subscriber.
    pub fn add(&mut self, other: &LatencyCounts) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count = count.saturating_add(more);
        }
    }

    /// The buckets that are not empty: (upper end in ns, messages).
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.counts.iter().enumerate().filter(|(_, n)| **n > 0).map(|(i, n)| (upper_end(i), *n))
    }
}

/// The bucket of a time: its value below 8, else its exponent and its three bits after the leading one.
#[inline(always)]
fn bucket(ns: u64) -> usize {
    if ns < 8 {
        return ns as usize;
    }
    let exponent = 63 - ns.leading_zeros() as usize;
    (((exponent - 2) << 3) | ((ns >> (exponent - 3)) & 7) as usize).min(BUCKETS - 1)
}

/// The longest time that falls into a bucket.
fn upper_end(bucket: usize) -> u64 {
    if bucket < 8 {
        return bucket as u64;
    }
    let (exponent, mantissa) = ((bucket >> 3) + 2, (bucket & 7) as u64);
    ((8 + mantissa + 1) << (exponent - 3)) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_hold_what_they_say() {
        let mut last = 0;
        for ns in (0..5000).chain((13..41).flat_map(|e| [(1u64 << e) - 1, 1 << e, (1 << e) + (1 << (e - 1))]))
        {
            let bucket = bucket(ns);
            assert!(bucket >= last && ns <= upper_end(bucket), "{ns}");
            assert!(bucket == 0 || ns > upper_end(bucket - 1), "{ns}");
            assert!(upper_end(bucket) <= ns + ns / 8 + 1, "{ns}");
            last = bucket;
        }
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn percentiles_are_those_of_the_counts() {
        let mut counts = LatencyCounts::default();
        assert_eq!((counts.percentile(0.5), counts.max()), (None, None));
        for ns in 1..=100 {
            counts.counts[bucket(ns)] += 1;
        }
        assert_eq!((counts.count(), counts.percentile(0.0)), (100, Some(1)));
        assert_eq!(
            (counts.percentile(0.5), counts.percentile(1.0), counts.max()),
            (Some(51), Some(103), Some(103))
        );
        assert_eq!(counts.since(&counts).count(), 0);
    }
}
