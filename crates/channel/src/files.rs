//! Helpers for all kinds of channel files.

use crate::place;
use saltus_os::{file, process};
use std::fs::File;

/// Maximum depth to which root removes directories that other users may have made.
pub(crate) const DEEP: u32 = 64;

/// Whether both are the same file.
pub(crate) fn same_file(a: &File, b: &File) -> bool {
    let id = |file: &File| file::inode(file).ok().map(|m| (m.device, m.number));
    id(a).is_some_and(|a| Some(a) == id(b))
}

/// Limit on the rounds of moving deeper directories up and removing them. Each round removes [`DEEP`] levels, unless another process adds more.
const ROUNDS: u32 = 1 << 16;

/// Removes `name`, a file or a directory, down to `depth` levels; as root with [`DEEP`], without limit. Follows no link. Another process may
/// remove parts of it first.
pub(crate) fn remove_all(dir: &File, name: &[u8], depth: u32) -> bool {
    remove_all_if(dir, name, depth, |_| true)
}

/// Removes a file, or a directory of this user, like [`remove_all`]. A directory that another user's has replaced meanwhile stays.
pub(crate) fn remove_all_of(user: u32, dir: &File, name: &[u8], depth: u32) -> bool {
    remove_all_if(dir, name, depth, |top| file::inode(top).is_ok_and(|m| m.user == user))
}

fn remove_all_if(dir: &File, name: &[u8], depth: u32, may: impl Fn(&File) -> bool) -> bool {
    if file::remove_at(dir, name, false).is_ok() {
        return true;
    }
    let Ok(top) = file::open_dir_at(dir, name) else { return false };
    if !may(&top) {
        return false;
    }
    let to = Some(&top).filter(|_| depth == DEEP && process::user() == 0);
    for _ in 0..ROUNDS {
        let is_moved = empty(&top, depth, to);
        if file::remove_at(dir, name, true).is_ok() {
            return true;
        }
        if !is_moved {
            break;
        }
    }
    false
}

/// Removes everything in `dir` down to this depth. Moves directories with deeper contents to `top`, if given. Returns
/// whether there was one, or too many names for one round: another round may remove more.
fn empty(dir: &File, depth: u32, top: Option<&File>) -> bool {
    if depth == 0 {
        return false;
    }
    let names = file::first_names(dir);
    let is_full = names.len() == file::MOST_NAMES;
    let mut is_moved = false;
    for each in names {
        if file::remove_at(dir, &each, false).is_ok() {
            is_moved |= is_full; // there may be more names
            continue;
        }
        if let Ok(inner) = file::open_dir_at(dir, &each) {
            is_moved |= empty(&inner, depth - 1, top);
        }
        if file::remove_at(dir, &each, true).is_err()
            && depth == 1
            && let Some(top) = top
        {
            is_moved |= file::move_at(dir, &each, top, place::name_aside().as_bytes()).is_ok();
        }
    }
    is_moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_of_another_user_in_the_place_of_a_users_own_stays() {
        let dir = std::env::temp_dir().join(format!("saltus-files-{:016x}", process::random()));
        std::fs::create_dir_all(dir.join("a/b")).unwrap();
        std::fs::write(dir.join("a/b/file"), "").unwrap();
        let parent = file::open_dir(dir.as_os_str()).unwrap();
        let user = file::inode(&parent).unwrap().user;
        assert!(!remove_all_of(user + 1, &parent, b"a", DEEP));
        assert!(dir.join("a/b/file").exists());
        assert!(remove_all_of(user, &parent, b"a", DEEP));
        assert!(!dir.join("a").exists());
        std::fs::remove_dir(dir).unwrap();
    }
}
