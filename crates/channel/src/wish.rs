//! The depth that subscribers request for channels that do not exist yet: a file in the domain for each, locked while its subscriber lives.
//!
//! Each process that may create channels in the domain may add a file. Files are never read: the name holds all data, so that a hostile
//! one can do no more harm than its name. The creator of a channel decides whether to follow a request.

use crate::{Name, place};
use saltus_os::file::{self, Mode};
use saltus_os::lock::{self, Held, Kind};
use saltus_os::process;
use std::fs::File;
use std::io;

/// The prefix of their names. No channel's file name begins with a dot.
const PREFIX: &[u8] = b".deep-";

/// A subscriber's request for the depth of a channel that does not exist yet. It ends when this is dropped or its process ends.
#[derive(Debug)]
pub struct DepthWish {
    dir: File,
    file: Vec<u8>,
    held: Held,
}

impl DepthWish {
    pub(crate) fn make(dir: File, name: &Name, depth: u64) -> io::Result<DepthWish> {
        sweep(&dir);
        let mut file = prefix(name);
        file.extend(format!("{depth}.{:016x}", process::random()).as_bytes());
        let made = file::open_at(&dir, &file, Mode::Create)?;
        let make = || -> io::Result<Option<Held>> {
            file::reserve(&made, 0, 1)?;
            file::set_mode(&made, 0o644)?;
            lock::try_lock(|| file::open_at(&dir, &file, Mode::Write), 0, Kind::Exclusive)
        };
        match make() {
            Ok(Some(held)) => Ok(DepthWish { dir, file, held }),
            other => {
                let _ = file::remove_at(&dir, &file, false); // it means nothing without its lock
                Err(other.err().unwrap_or(io::ErrorKind::WouldBlock.into()))
            }
        }
    }
}

impl Drop for DepthWish {
    fn drop(&mut self) {
        if self.held.is_ours() {
            let _ = file::remove_at(&self.dir, &self.file, false); // otherwise swept later
        }
    }
}

/// The prefix of the names of requests for `name`. No two channels share one, since `=` is in no file name.
fn prefix(name: &Name) -> Vec<u8> {
    [PREFIX, name.file_name().as_bytes(), b"="].concat()
}

/// The greatest depth requested for `name` that is possible and whose subscriber lives.
pub(crate) fn read(dir: &File, name: &Name, is_possible: impl Fn(u64) -> bool) -> Option<u64> {
    let prefix = prefix(name);
    let depth = |file: &Vec<u8>| -> Option<u64> {
        let rest = file.strip_prefix(&prefix[..])?;
        let depth = str::from_utf8(rest.split(|b| *b == b'.').next()?).ok()?.parse().ok()?;
        (is_possible(depth) && is_held(dir, file)).then_some(depth)
    };
    file::first_names(dir).iter().filter_map(depth).max()
}

fn is_held(dir: &File, file: &[u8]) -> bool {
    let open = file::open_at(dir, file, Mode::Read);
    open.and_then(|file| lock::is_locked(&file, 0)).unwrap_or(false)
}

/// Removes the wishes of dead subscribers: this user's, of root everybody's. Returns how many.
pub(crate) fn sweep(dir: &File) -> usize {
    let is_dead = |name: &[u8]| {
        name.starts_with(PREFIX)
            && file::stat_at(dir, name).is_ok_and(|there| place::is_ours(there.user))
            && !is_held(dir, name)
            && file::open_at(dir, name, Mode::Read).is_ok_and(|file| file::is_old(&file))
    };
    let names = file::first_names(dir);
    names.iter().filter(|name| is_dead(name) && file::remove_at(dir, name, false).is_ok()).count()
}
