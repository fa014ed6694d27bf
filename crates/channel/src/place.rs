//! Directories on the path to a channel: creating them, and explaining errors.

use crate::{Error, Result};
use saltus_os::file::{self, Kind, Rename, Stat};
use saltus_os::{process, users};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The prefix of a directory's name while it is created.
const ASIDE: &str = ".saltus-new-";

/// The reason to refuse a file whose owner has no number here.
pub(crate) const UNKNOWN: &str = "its owner is unknown in this user namespace (that of a container, perhaps), and could replace every channel in it; \
     map that owner into the namespace, or use another directory";

/// Whether `user` is really this process's user.
pub(crate) fn is_me(user: u32) -> bool {
    process::user() == user && !users::is_unknown(user)
}

/// Whether this process may treat files of `user` as its own: it runs as `user` or as root.
pub(crate) fn is_ours(user: u32) -> bool {
    process::user() == 0 || is_me(user)
}

/// `a FIFO of anna (user 1000)`
pub(crate) fn kind_and_owner(there: &Stat) -> String {
    let what = match there.kind {
        Kind::Directory => "a directory",
        Kind::File => "a file",
        Kind::Link => "a symbolic link",
        Kind::Fifo => "a FIFO",
        Kind::Socket => "a socket",
        Kind::Device => "a device",
    };
    format!("{what} of {}", users::user_for_people(there.user))
}

/// The URL of the domain at `path`, as one word of a shell.
pub(crate) fn url_for_shell(path: &Path) -> String {
    format!("'shm://{}'", path.display().to_string().replace('\'', "'\\''"))
}

/// The part of `path` that prevents opening it as a directory, with its status: the first part that is not a directory or that this process
/// may not enter; the whole path if there is none.
fn culprit(path: &Path) -> Option<(PathBuf, Stat)> {
    let mut last = None;
    let mut parts: Vec<&Path> = path.ancestors().filter(|part| !part.as_os_str().is_empty()).collect();
    parts.reverse();
    for part in parts {
        match file::stat_path(part.as_os_str()) {
            Ok(there) if there.kind != Kind::Directory => return Some((part.into(), there)),
            Ok(there) => last = Some((part.into(), there)),
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => return last,
            Err(_) => return None,
        }
    }
    last
}

/// An error for `what` was done to the directory `path`: the object found, its owner, and the remedy. `closed` is the remedy for a
/// directory that this process may not enter.
pub(crate) fn error(what: &str, path: &Path, e: io::Error, closed: &str) -> Error {
    let is_denied = e.kind() == io::ErrorKind::PermissionDenied;
    let is_other = matches!(e.raw_os_error(), Some(libc::ELOOP | libc::ENOTDIR));
    let Some((part, there)) = culprit(path).filter(|_| is_denied || is_other) else {
        return Error::system(what, e);
    };
    let to = std::fs::read_link(&part).unwrap_or_default();
    let part = part.display();
    let words = if there.kind == Kind::Link {
        format!(
            "{what}: {part} is {} to {}, and links are not followed: name the directory itself, or remove the link",
            kind_and_owner(&there),
            to.to_string_lossy().escape_debug() // another user may have chosen it
        )
    } else if there.kind != Kind::Directory {
        format!("{what}: {part} is {}, not a directory: remove it, or name another", kind_and_owner(&there))
    } else {
        format!(
            "{what}: {part} belongs to {} and {}, and is closed to this user (mode {:o}): {closed}",
            users::user_for_people(there.user),
            users::group_for_people(there.group),
            there.mode
        )
    };
    Error::Forbidden { what: words }
}

/// Makes directory `name` in `parent`, unless it exists. It appears with its permissions, in one step.
pub(crate) fn make_dir(parent: &File, name: &[u8], mode: u32, group: Option<u32>) -> io::Result<()> {
    match file::stat_at(parent, name) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        other => return other.map(drop),
    }
    sweep_dirs(parent);
    let mut made = name_dir(parent, name, mode, group);
    for _ in 0..3 {
        match made {
            // Another process assumed this one dead and swept the directory before it got its name.
            Err(e) if e.kind() == io::ErrorKind::NotFound => made = name_dir(parent, name, mode, group),
            other => return other,
        }
    }
    made
}

/// A temporary name for a directory that is created or removed.
pub(crate) fn name_aside() -> String {
    format!("{ASIDE}{:016x}", process::random())
}

/// Whether it is a temporary name.
pub(crate) fn is_aside(name: &[u8]) -> bool {
    name.starts_with(ASIDE.as_bytes())
}

/// Makes a directory under a temporary name, then renames it, unless the name was used since.
fn name_dir(parent: &File, name: &[u8], mode: u32, group: Option<u32>) -> io::Result<()> {
    let aside = name_aside();
    file::make_dir_at(parent, aside.as_bytes())?;
    let made = file::open_dir_at(parent, aside.as_bytes())
        .and_then(|dir| {
            group.map_or(Ok(()), |group| file::set_group(&dir, group))?;
            file::set_mode(&dir, mode)
        })
        .and_then(|()| file::rename_at(parent, aside.as_bytes(), name, Rename::NoReplace));
    if let Err(e) = made {
        let _ = file::remove_at(parent, aside.as_bytes(), true);
        if e.kind() != io::ErrorKind::AlreadyExists {
            return Err(e);
        }
    }
    Ok(())
}

/// Removes this user's directories whose makers died before naming them; for root, those of all users. Returns how many.
pub(crate) fn sweep_dirs(parent: &File) -> usize {
    let names = file::first_names(parent);
    let is_left = |name: &[u8]| {
        file::stat_at(parent, name).is_ok_and(|there| is_ours(there.user))
            && file::open_dir_at(parent, name).is_ok_and(|dir| file::is_old(&dir))
    };
    // They are empty, and rmdir cannot remove anything else.
    let gone = |name: &[u8]| is_left(name) && file::remove_at(parent, name, true).is_ok();
    names.iter().filter(|name| is_aside(name) && gone(name)).count()
}

/// Opens the parent directory of `path`, and returns the name of the last part.
pub(crate) fn parent_of(path: &Path) -> Result<(File, &[u8])> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let (Some(parent), Some(name)) = (parent, path.file_name()) else {
        return Err(Error::invalid(format!("{} is not a directory of its own", path.display())));
    };
    let what = format!("open {}", parent.display());
    let dir = file::open_dir_no_links(parent.as_os_str()).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => Error::System {
            what: format!("make {}", path.display()),
            source: io::Error::new(
                io::ErrorKind::NotFound,
                format!("there is no directory {}: make it first", parent.display()),
            ),
        },
        _ => error(&what, parent, e, CLOSED),
    })?;
    Ok((dir, name.as_encoded_bytes()))
}

/// The remedy for a directory that its owner has closed.
pub(crate) const CLOSED: &str = "its owner or root can open it with `chmod`; or name another";
