//! Adds metadata to a finished MCAP file.
//!
//! The file is copied, the part after its data is rewritten in the copy, and the copy replaces the file in one
//! step. So the file always exists, unchanged or with the metadata.

use super::{MAGIC, op};
use crate::bytes::{Fields, Map, put, put_map};
use crate::{Error, Result};
use saltus_os::file::{self, FileExt, Inode};
use saltus_os::process;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Opcode and length.
const HEAD: usize = 9;
/// The record that ends the data, and the one that ends the file, including the magic after it.
const DATA_END: usize = HEAD + 4;
const FOOTER: usize = HEAD + 20 + MAGIC.len();
/// Longest summary that is rewritten.
const LONGEST: u64 = 256 << 20;

/// Adds named values to an MCAP file. Returns `false` without a change if the file was not finished properly, its
/// summary is not understood, it has several names, or it belongs to another user. Existing metadata of the same
/// name stays; the last counts. Needs as much disk space again while it works, and blocks until the copy is safe on
/// the disk.
///
/// # Errors
/// The file cannot be read, or a copy cannot be written next to it; the file is unchanged.
pub fn add_metadata(path: &Path, name: &str, values: &Map) -> Result<bool> {
    let failed = |e: io::Error| Error::Io(format!("add to {}", path.display()), e);
    let file = File::open(path).map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    let is_plain = fs::symlink_metadata(path).map_err(failed)?.is_file();
    let inode = file::inode(&file).map_err(failed)?;
    // A copy would not be the file that the other names refer to, and would belong to us.
    if !is_plain || inode.links != 1 || inode.user != process::user() {
        return Ok(false);
    }
    let Some((place, tail)) = tail(&file, about.len(), name, values).map_err(failed)? else {
        return Ok(false);
    };
    let mut aside = path.as_os_str().to_owned();
    aside.push(format!(".saltus-{}", std::process::id()));
    let aside = Path::new(&aside);
    let done = copy(&file, aside, place, &tail)
        .and_then(|()| fs::set_permissions(aside, about.permissions()))
        .and_then(|()| unchanged(path, &about, &inode))
        .and_then(|()| fs::rename(aside, path));
    if done.is_err() {
        // The disk may be full; the partial copy may not be removable either.
        let _ = fs::remove_file(aside);
    }
    done.map(|()| true).map_err(failed)
}

/// Whether an MCAP file is finished. `false`: its writer was killed, or still writes. An empty file, or one of
/// another format, counts as finished.
///
/// # Errors
/// The file cannot be read.
pub fn is_finished(path: &Path) -> Result<bool> {
    let failed = |e: io::Error| Error::Io(format!("read {}", path.display()), e);
    let file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    let magic_at = |at: u64| {
        let mut bytes = [0; MAGIC.len()];
        file.read_exact_at(&mut bytes, at).map(|()| bytes == MAGIC)
    };
    let Some(end) = size.checked_sub(MAGIC.len() as u64) else { return Ok(true) };
    let (begun, ended) = (magic_at(0).map_err(failed)?, magic_at(end).map_err(failed)?);
    Ok(!begun || (ended && end > 0))
}

/// Checks that the file has not changed since it was read.
fn unchanged(path: &Path, about: &fs::Metadata, inode: &Inode) -> io::Result<()> {
    let now = fs::metadata(path)?; // without opening it, which waits if it has become a pipe
    let same = file::identity(path)? == (inode.device, inode.number)
        && (now.len(), now.modified()?) == (inode.len, about.modified()?);
    if same { Ok(()) } else { Err(io::Error::other("another process has changed it")) }
}

fn copy(mut from: &File, to: &Path, place: u64, tail: &[u8]) -> io::Result<()> {
    let mut to = File::options().write(true).create_new(true).open(to)?;
    io::copy(&mut from, &mut to)?;
    to.set_len(place)?;
    to.write_all_at(tail, place)?;
    to.sync_all()
}

/// The offset from which the file is rewritten, and its new content; `None` if its end is not understood.
fn tail(file: &File, size: u64, name: &str, values: &Map) -> io::Result<Option<(u64, Vec<u8>)>> {
    let Some(footer_at) = size.checked_sub(FOOTER as u64) else { return Ok(None) };
    let mut footer = [0; FOOTER];
    file.read_exact_at(&mut footer, footer_at)?;
    let mut fields = Fields(&footer[HEAD..]);
    let (Some(start), true) = (fields.u64(), footer.ends_with(&MAGIC)) else { return Ok(None) };
    let begin = if start == 0 { footer_at } else { start };
    let sound = footer[..HEAD] == [op::FOOTER, 20, 0, 0, 0, 0, 0, 0, 0] && begin <= footer_at;
    let (Some(place), true) = (begin.checked_sub(DATA_END as u64), sound && footer_at - begin <= LONGEST)
    else {
        return Ok(None);
    };
    let mut old = vec![0; (footer_at - place) as usize];
    file.read_exact_at(&mut old, place)?;
    let (data_end, summary) = old.split_at(DATA_END);
    if data_end[..HEAD] != [op::DATA_END, 4, 0, 0, 0, 0, 0, 0, 0] {
        return Ok(None);
    }
    let mut out = Vec::new();
    record(&mut out, op::METADATA, |body| {
        put(body, name.as_bytes());
        put_map(body, values);
    });
    let len = out.len() as u64;
    // The checksum of the data would have to be computed again; 0 means none.
    record(&mut out, op::DATA_END, |body| body.extend([0; 4]));
    let summary_at = out.len();
    let mut index = Vec::new();
    record(&mut index, op::METADATA_INDEX, |body| {
        body.extend(place.to_le_bytes());
        body.extend(len.to_le_bytes());
        put(body, name.as_bytes());
    });
    if summarize(&mut out, summary, &index).is_none() {
        return Ok(None);
    }
    let checked = out.len();
    record(&mut out, op::FOOTER, |body| {
        body.extend((place + summary_at as u64).to_le_bytes());
        body.extend([0; 12]); // no offsets, and the checksum, which covers the bytes before it
    });
    let end = out.len() - 4;
    let checksum = crc32fast::hash(&out[summary_at..checked + HEAD + 16]);
    out[end..].copy_from_slice(&checksum.to_le_bytes());
    out.extend(MAGIC);
    Ok(Some((place, out)))
}

fn record(out: &mut Vec<u8>, opcode: u8, fill: impl FnOnce(&mut Vec<u8>)) {
    let mut body = Vec::new();
    fill(&mut body);
    out.push(opcode);
    out.extend((body.len() as u64).to_le_bytes());
    out.extend(body);
}

/// Appends the summary with one more metadata index, which is counted. Offsets of its groups are omitted, as the
/// format allows. `None` if the summary is invalid.
fn summarize(out: &mut Vec<u8>, mut summary: &[u8], index: &[u8]) -> Option<()> {
    let mut put_index = Some(index);
    let mut groups: Vec<(u8, Vec<u8>)> = Vec::new();
    while let [opcode, rest @ ..] = summary {
        let len = usize::try_from(u64::from_le_bytes(*rest.first_chunk()?)).ok()?;
        let mut whole = summary.get(..HEAD.checked_add(len)?)?.to_vec();
        summary = &summary[whole.len()..];
        match *opcode {
            op::SUMMARY_OFFSET => continue,
            op::STATISTICS => {
                // messages (8), schemas (2), channels (4), attachments (4), metadata (4)
                let count = whole.get_mut(HEAD + 18..HEAD + 22)?;
                let more = u32::from_le_bytes(*count.first_chunk()?).checked_add(1)?;
                count.copy_from_slice(&more.to_le_bytes());
            }
            _ => {}
        }
        match groups.iter_mut().find(|(group, _)| group == opcode) {
            Some((_, group)) => group.extend(whole),
            None => groups.push((*opcode, whole)),
        }
    }
    for (opcode, group) in groups {
        out.extend(group);
        if opcode == op::METADATA_INDEX {
            put_index.take().into_iter().for_each(|index| out.extend(index));
        }
    }
    put_index.into_iter().for_each(|index| out.extend(index));
    Some(())
}
