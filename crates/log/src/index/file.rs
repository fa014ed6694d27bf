//! The index as a file next to the log.

use super::Index;
use super::entry::{Entry, HEAD};
use super::table::Summary;
use crate::bytes::Fields;
use saltus_os::file::FileExt;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, UNIX_EPOCH};

const MAGIC: [u8; 8] = *b"SALTUSIX";
/// Incremented with every change of the format: an older index is built again.
const VERSION: u32 = 1;
/// Largest table that is read, in bytes.
const TABLE: u64 = 256 << 20;

/// The path of this log's index.
pub(super) fn side_file(log: &Path) -> PathBuf {
    let mut name = log.as_os_str().to_owned();
    name.push(".saltus-index");
    name.into()
}

/// Identifies a log and its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub size: u64,
    modified: i64,
    probes: u32,
}

impl Identity {
    /// Reads size and time of a file, and some of its bytes.
    pub fn of(file: &File) -> io::Result<Identity> {
        const ENDS: u64 = 4096;
        const PROBES: u64 = 16;
        let metadata = file.metadata()?;
        let size = metadata.len();
        let mut hasher = crc32fast::Hasher::new();
        let mut scan = |at: u64, most: u64| {
            let mut bytes = vec![0; most.min(size - at) as usize];
            file.read_exact_at(&mut bytes, at).map(|()| hasher.update(&bytes))
        };
        scan(0, ENDS)?;
        scan(size.saturating_sub(ENDS), ENDS)?;
        (1..PROBES).try_for_each(|i| scan(size / PROBES * i, 256))?;
        Ok(Identity { size, modified: modified(&metadata)?, probes: hasher.finalize() })
    }
}

/// When a file was written, in ns since 1970.
fn modified(metadata: &Metadata) -> io::Result<i64> {
    let ns = |time: Duration| i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
    Ok(match metadata.modified()?.duration_since(UNIX_EPOCH) {
        Ok(since) => ns(since),
        Err(before) => -ns(before.duration()),
    })
}

impl Index {
    /// The index next to this log, if there is one of its present state.
    pub fn find(log: &Path, identity: &Identity) -> Option<Index> {
        load(&side_file(log), identity)
    }
}

/// The index in this file, if it is one of that log.
fn load(path: &Path, identity: &Identity) -> Option<Index> {
    let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|m| m.is_file()))?;
    let mut head = [0; HEAD as usize];
    file.read_exact_at(&mut head, 0).ok()?;
    let mut fields = Fields(head.strip_prefix(&MAGIC)?);
    let (version, checksum) = (fields.u32()?, fields.u32()?);
    let (size, modified, probes, _) = (fields.u64()?, fields.i64()?, fields.u32()?, fields.u32()?);
    let (count, len) = (fields.u64()?, fields.u64()?);
    if version != VERSION || *identity != (Identity { size, modified, probes }) || len > TABLE {
        return None;
    }
    let at = count.checked_mul(Entry::SIZE as u64)?.checked_add(HEAD)?;
    if file.metadata().ok()?.len() != at.checked_add(len)? {
        return None;
    }
    let mut table = vec![0; len as usize];
    file.read_exact_at(&mut table, at).ok()?;
    (crc(&head, &table) == checksum).then_some(())?;
    Some(Index::new(file, count, Summary::get(&table)?, true))
}

fn crc(head: &[u8; HEAD as usize], table: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&head[16..]);
    hasher.update(table);
    hasher.finalize()
}

/// Writes the parts around the entries.
pub(super) fn complete(file: &File, identity: &Identity, count: u64, summary: &Summary) -> io::Result<()> {
    let table = summary.put();
    let mut head = [0; HEAD as usize];
    let mut put = |at: usize, bytes: &[u8]| head[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &MAGIC);
    put(8, &VERSION.to_le_bytes());
    put(16, &identity.size.to_le_bytes());
    put(24, &identity.modified.to_le_bytes());
    put(32, &identity.probes.to_le_bytes());
    put(40, &count.to_le_bytes());
    put(48, &(table.len() as u64).to_le_bytes());
    let checksum = crc(&head, &table);
    head[12..16].copy_from_slice(&checksum.to_le_bytes());
    let at = HEAD + count * Entry::SIZE as u64;
    file.write_all_at(&table, at)?;
    file.set_len(at + table.len() as u64)?;
    file.write_all_at(&head, 0)
}

/// A file in which an index is built. It has a name until it is moved to its place; without a name it is removed
/// when closed.
#[derive(Debug)]
pub(super) struct Scratch {
    pub file: File,
    named: Option<PathBuf>,
}

impl Scratch {
    /// Next to the log if it is to be kept there and that is allowed; otherwise in the temporary directory, without
    /// a name.
    pub fn new(keep: Option<&Path>) -> io::Result<Scratch> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed); // only has to differ
        let part = format!(".{}.{number}.part", std::process::id());
        let create = |path: &Path| File::options().read(true).write(true).create_new(true).open(path);
        if let Some(keep) = keep {
            let mut name = keep.as_os_str().to_owned();
            name.push(&part);
            let path = PathBuf::from(name);
            if let Ok(file) = create(&path) {
                return Ok(Scratch { file, named: Some(path) });
            }
        }
        let path = std::env::temp_dir().join(format!("saltus-index{part}"));
        let file = create(&path)?;
        std::fs::remove_file(&path)?;
        Ok(Scratch { file, named: None })
    }
    /// Moves it to its place, if it has a name; if that is not allowed, it is used all the same.
    pub fn keep(mut self, place: &Path) -> io::Result<File> {
        if let Some(path) = self.named.take()
            && std::fs::rename(&path, place).is_err()
        {
            let _ = std::fs::remove_file(&path);
        }
        self.file.try_clone()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(path) = self.named.take() {
            let _ = std::fs::remove_file(path); // it may be gone already
        }
    }
}
