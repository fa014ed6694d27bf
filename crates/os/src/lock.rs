//! Kernel locks on bytes of a file that live exactly as long as a process's address space.
//!
//! The lock is taken on an open file description of its own, which is then held by a mapping that cannot be
//! touched and is not inherited, and its descriptor is closed. So killing, `fork`, `exec`, `close_range` and
//! `pidfd_getfd` all leave it where it belongs; there are no thread ids, and nothing to clean up.

use crate::map::{Access, Map};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// How a byte is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// By many at once.
    Shared,
    /// By one alone.
    Exclusive,
}

/// A held lock; released when dropped, or when the process ends in whatever way.
#[derive(Debug)]
pub struct Held {
    map: Map,
}

impl Held {
    /// Whether this process holds the lock, rather than having inherited this value by `fork`.
    #[inline(always)]
    pub fn is_ours(&self) -> bool {
        self.map.is_ours()
    }
}

/// Locks byte `at` of the file that `open` gives, without waiting. `None` if somebody else holds it.
///
/// `open` must give a *fresh* open file description; it is closed before this returns, but for the mapping.
/// `fork` in other threads is held off meanwhile.
pub fn try_lock(open: impl FnOnce() -> io::Result<File>, at: u64, kind: Kind) -> io::Result<Option<Held>> {
    let _no_fork = crate::fork::hold_off();
    let file = open()?;
    // The mapping goes first: from the moment that the lock is ours, our address space holds it.
    let mut map = Map::new(&file, 0, 1, Access::None, false)?;
    map.keep_from_children()?;
    let lock = flock(kind, at)?;
    // SAFETY: the descriptor is open and the structure lives across the call.
    match crate::check(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &lock) }) {
        Ok(_) => Ok(Some(Held { map })),
        Err(e) if matches!(e.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Whether anybody holds byte `at` of `file` in any way. Reading permission is enough.
pub fn is_locked(file: &File, at: u64) -> io::Result<bool> {
    let mut lock = flock(Kind::Exclusive, at)?;
    // SAFETY: the descriptor is open and the structure lives across the call.
    crate::check(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_GETLK, &mut lock) })?;
    Ok(lock.l_type as libc::c_int != libc::F_UNLCK as libc::c_int)
}

fn flock(kind: Kind, at: u64) -> io::Result<libc::flock> {
    // SAFETY: all zeros is a valid flock.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = if kind == Kind::Shared { libc::F_RDLCK } else { libc::F_WRLCK } as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock.l_start = libc::off_t::try_from(at).map_err(|_| io::ErrorKind::InvalidInput)?;
    lock.l_len = 1;
    Ok(lock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_lives_as_long_as_its_holder() {
        let path = std::env::temp_dir().join(format!("saltus-lock-{}", std::process::id()));
        std::fs::write(&path, b"x").unwrap();
        let open = || File::options().read(true).write(true).open(&path);
        let held = try_lock(open, 3, Kind::Exclusive).unwrap().expect("free");
        assert!(try_lock(open, 3, Kind::Exclusive).unwrap().is_none());
        assert!(try_lock(open, 4, Kind::Exclusive).unwrap().is_some());
        let reader = File::open(&path).unwrap();
        assert!(is_locked(&reader, 3).unwrap() && !is_locked(&reader, 5).unwrap());
        drop(held);
        assert!(!is_locked(&reader, 3).unwrap());
        std::fs::remove_file(&path).unwrap();
    }
}
