//! Type descriptions of a channel's messages, which publishers add to it.
//!
//! ```text
//! types: entries, one after the other
//!   0 magic | 8 length of the name (u32), of the schema (u32) | 16 fingerprint | 24 check | 32 name, schema
//! ```
//!
//! Each entry is added by one appending write, without a lock: no process waits for a stopped publisher. A killed publisher may leave
//! half an entry, and two that describe the same type at the same time add it twice. The check and the reader handle both.
//!
//! The file is read, never mapped, so that a process that may write it harms no reader by truncating it. It has at most 1 MiB, and is
//! trusted no more than a message.

use crate::geometry::TYPES;
use crate::space::check_room;
use crate::{Error, Name, Result};
use saltus_os::file::{self, Mode};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Write};

/// Maximum size of all descriptions of a channel, in bytes.
const MOST: usize = 1 << 20;
/// Maximum length of a type's name, in bytes.
const NAME: usize = 1024;
const MAGIC: [u8; 8] = *b"SALTUSty";
const HEAD: usize = 32;
/// Limit on the bytes checked, in multiples of the file's length: enough for every honest file. A hostile file can consist of headers
/// that each claim the rest of the file.
const EFFORT: usize = 8;

/// A publisher's description of its messages: a type, and its schema.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Description {
    /// Full name of the type, such as `robot.pose_t`.
    pub name: String,
    /// The first bytes of its messages: a fingerprint (read big endian) or the hash of a plain layout (read native).
    pub fingerprint: u64,
    /// The type and all types that it contains, as text.
    pub schema: String,
}

/// Adds `wanted` to the channel whose directory is `dir`, unless it is there already. `false`: the channel has no file for it.
pub(crate) fn append(dir: &File, channel: &Name, wanted: &Description) -> Result<bool> {
    if wanted.name.is_empty() || wanted.name.len() > NAME {
        return Err(Error::invalid(format!(
            "the name of a type that channel `{channel}` is to know has {} bytes: it must have from 1 to {NAME}",
            wanted.name.len()
        )));
    }
    let Some((len, bytes)) = read_bytes(dir, channel)? else { return Ok(false) };
    if parse(&bytes).contains(wanted) {
        return Ok(true);
    }
    let entry = encode(wanted);
    if len.saturating_add(entry.len() as u64) > MOST as u64 {
        return Err(Error::invalid(format!(
            "channel `{channel}` has {len} B of type descriptions and can have {MOST} B; `{}` needs {} B more: \
             give it fewer or shorter types, or replace it to start again",
            wanted.name,
            entry.len()
        )));
    }
    check_room(channel, entry.len() as u64, dir)?;
    let what = || format!("describe type `{}` of channel `{channel}`", wanted.name);
    let mut file = match file::open_at(dir, TYPES, Mode::Append) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false), // the channel was removed since
        other => other.map_err(|e| Error::system(what(), e))?,
    };
    // One write only: in a second write, the rest of an entry would follow an entry of another publisher.
    match file.write(&entry) {
        Ok(n) if n == entry.len() => Ok(true),
        Ok(_) => Err(Error::system(what(), io::Error::from_raw_os_error(libc::ENOSPC))),
        Err(e) => Err(Error::system(what(), e)),
    }
}

/// Copies the descriptions in directory `from` into the empty file of a new channel in `to`.
pub(crate) fn carry(from: &File, to: &File) -> io::Result<()> {
    let file = match file::open_at(from, TYPES, Mode::Read) {
        Ok(file) if file.metadata()?.is_file() => file,
        Ok(_) => return Ok(()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()), // made by a version without this file
        Err(e) => return Err(e),
    };
    let mut bytes = Vec::new();
    bounded(&file).read_to_end(&mut bytes)?;
    let entries = parse(&bytes);
    let mut new = file::open_at(to, TYPES, Mode::Append)?;
    entries.iter().try_for_each(|entry| new.write_all(&encode(entry)))
}

/// The descriptions in the channel's directory, each once, in the order in which they were added. `None`: there is no file.
pub(crate) fn read(dir: &File, channel: &Name) -> Result<Option<Vec<Description>>> {
    Ok(read_bytes(dir, channel)?.map(|(_, bytes)| parse(&bytes)))
}

/// Length of the file, and its bytes up to the permitted maximum.
fn read_bytes(dir: &File, channel: &Name) -> Result<Option<(u64, Vec<u8>)>> {
    let system = |e| Error::system(format!("read the types of channel `{channel}`"), e);
    let file = match file::open_at(dir, TYPES, Mode::Read) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(system(e)),
    };
    let meta = file.metadata().map_err(system)?;
    if !meta.is_file() {
        let what = format!("channel `{channel}`: its types are no file");
        return Err(Error::Damaged { what });
    }
    let mut bytes = Vec::with_capacity((meta.len() as usize).min(MOST));
    bounded(&file).read_to_end(&mut bytes).map_err(system)?;
    Ok(Some((meta.len(), bytes)))
}

fn bounded(file: &File) -> io::Take<&File> {
    file.take(MOST as u64)
}

fn encode(description: &Description) -> Vec<u8> {
    let Description { name, fingerprint, schema } = description;
    let mut entry = Vec::with_capacity(HEAD + name.len() + schema.len());
    entry.extend(MAGIC);
    entry.extend((name.len() as u32).to_le_bytes());
    entry.extend((u32::try_from(schema.len()).unwrap_or(u32::MAX)).to_le_bytes());
    entry.extend(fingerprint.to_le_bytes());
    entry.extend([0; 8]);
    entry.extend(name.as_bytes());
    entry.extend(schema.as_bytes());
    let check = check(&entry);
    entry[24..HEAD].copy_from_slice(&check.to_le_bytes());
    entry
}

/// All whole entries, each once. Other bytes are skipped.
fn parse(bytes: &[u8]) -> Vec<Description> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let (mut at, mut effort) = (0, EFFORT * bytes.len());
    while let Some(skip) = find(&bytes[at..]) {
        at += skip;
        match entry(&bytes[at..], &mut effort) {
            Some((description, len)) => {
                at += len;
                if seen.insert(description.clone()) {
                    found.push(description);
                }
            }
            None if effort == 0 => break,
            None => at += 1,
        }
    }
    found
}

/// The next offset at which an entry may begin.
fn find(bytes: &[u8]) -> Option<usize> {
    bytes.windows(MAGIC.len()).position(|window| window == MAGIC)
}

/// The entry at the beginning, if it is whole, and its length.
fn entry(bytes: &[u8], effort: &mut usize) -> Option<(Description, usize)> {
    let word = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..at + 8)?.first_chunk()?));
    let lengths = word(8)?;
    let (name, schema) = ((lengths & 0xFFFF_FFFF) as usize, (lengths >> 32) as usize);
    let entry = bytes.get(..HEAD.checked_add(name)?.checked_add(schema)?)?;
    *effort = effort.saturating_sub(entry.len());
    if name == 0 || name > NAME || *effort == 0 || word(24)? != check(entry) {
        return None;
    }
    let text = |part: &[u8]| Some(str::from_utf8(part).ok()?.to_owned());
    let (name, schema) = entry[HEAD..].split_at(name);
    let description = Description { name: text(name)?, fingerprint: word(16)?, schema: text(schema)? };
    Some((description, entry.len()))
}

/// FNV-1a over an entry without its check.
fn check(entry: &[u8]) -> u64 {
    let hashed = entry[..24].iter().chain(&entry[HEAD..]);
    hashed.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn description(name: &str, schema: &str) -> Description {
        Description { name: name.into(), fingerprint: 0x0102_0304_0506_0708, schema: schema.into() }
    }

    #[test]
    fn what_is_written_is_read_and_each_thing_once() {
        let (a, b) = (description("a_t", "struct a_t { int8_t x; }"), description("b_t", ""));
        let bytes = [encode(&a), encode(&b), encode(&a)].concat();
        assert_eq!(parse(&bytes), [a, b]);
        assert_eq!(parse(&[]), []);
    }

    /// A writer may be killed in the middle of its write; another may have appended after it.
    #[test]
    fn half_an_entry_hurts_no_other() {
        let (a, b, c) =
            (description("a_t", "one"), description("b_t", "see SALTUSty!"), description("c_t", "three"));
        for cut in 0..encode(&b).len() {
            let torn = [&encode(&a)[..], &encode(&b)[..cut]].concat();
            assert_eq!(parse(&torn), std::slice::from_ref(&a), "cut at {cut}");
            let gone_on = [torn, encode(&c)].concat();
            assert_eq!(parse(&gone_on), [a.clone(), c.clone()], "cut at {cut}, then another");
        }
    }

    #[test]
    fn no_bit_can_change_unseen() {
        let whole = encode(&description("a_t", "struct a_t { int8_t x; }"));
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(parse(&bytes), [], "bit {bit}");
        }
    }

    /// Headers that each claim the rest of the file would make an unbounded reader hash 16 GB.
    #[test]
    fn lies_about_lengths_cost_no_more_than_a_few_passes() {
        let mut bytes = Vec::with_capacity(MOST);
        while bytes.len() + HEAD <= MOST {
            let rest = MOST - bytes.len() - HEAD;
            bytes.extend(MAGIC);
            bytes.extend(1u32.to_le_bytes());
            bytes.extend((rest.saturating_sub(1) as u32).to_le_bytes());
            bytes.resize(bytes.len() + 16, 0);
        }
        let mut effort = EFFORT * bytes.len();
        let mut hashed = 0;
        for at in (0..bytes.len()).step_by(HEAD) {
            let before = effort;
            assert!(entry(&bytes[at..], &mut effort).is_none());
            hashed += before - effort;
        }
        assert!(hashed <= EFFORT * bytes.len());
        assert_eq!(parse(&bytes), []);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..2000), at in 0usize..2000) {
            let mut all = bytes.clone();
            parse(&all);
            let good = description("a_t", "text");
            all.splice(at.min(bytes.len())..at.min(bytes.len()), encode(&good));
            prop_assert!(parse(&all).contains(&good));
        }
    }
}
