//! Kernel locks on bytes of a file. A lock lives exactly as long as the address space of its process.
//!
//! Each lock is placed on a separate open file description. A mapping that cannot be accessed or inherited then holds that description,
//! and the descriptor is closed. So `fork`, `exec`, `close_range`, `pidfd_getfd` and killing cannot pass the lock to another process or
//! free it before its address space ends. There are no thread IDs, and nothing to clean up.

pub use crate::common::lock::*;
use crate::map::{Access, Map};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// A held lock; released when dropped, or when the process ends in whatever way.
#[derive(Debug)]
pub struct Held {
    map: Map,
}

impl Held {
    /// Whether this process acquired the lock. False in a forked child, which inherited this value.
    #[inline(always)]
    pub fn is_ours(&self) -> bool {
        self.map.is_ours()
    }
}

/// Locks byte `at` of the file that `open` returns, without waiting. `None` if another holder has it.
///
/// `open` must return a *fresh* open file description. Its descriptor is closed before this returns; only the mapping keeps the
/// description. `fork` in other threads is delayed until then.
pub fn try_lock(open: impl FnOnce() -> io::Result<File>, at: u64, kind: Kind) -> io::Result<Option<Held>> {
    let _no_fork = crate::fork::hold_off();
    let file = open()?;
    // The mapping is made first: from the moment that the lock is ours, our address space holds it.
    let mut map = Map::new(&file, 0, 1, Access::None, false)?;
    map.keep_from_children()?;
    match control(&file, libc::F_OFD_SETLK, &mut flock(kind, at)?) {
        Ok(()) => Ok(Some(Held { map })),
        Err(e) if matches!(e.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Whether any process holds byte `at` of `file`, in either way. Needs only read permission.
pub fn is_locked(file: &File, at: u64) -> io::Result<bool> {
    let mut lock = flock(Kind::Exclusive, at)?;
    control(file, libc::F_OFD_GETLK, &mut lock)?;
    Ok(lock.l_type as libc::c_int != libc::F_UNLCK as libc::c_int)
}

/// The system call, whose places in files have 64 bits on every processor.
fn control(file: &File, command: libc::c_int, lock: &mut libc::flock64) -> io::Result<()> {
    #[cfg(target_pointer_width = "64")]
    const FCNTL: libc::c_long = libc::SYS_fcntl;
    #[cfg(target_pointer_width = "32")]
    const FCNTL: libc::c_long = libc::SYS_fcntl64;
    // SAFETY: the descriptor is open and the structure lives across the call.
    let result = unsafe { libc::syscall(FCNTL, file.as_raw_fd(), command, std::ptr::from_mut(lock)) };
    super::check(result as libc::c_int).map(drop)
}

fn flock(kind: Kind, at: u64) -> io::Result<libc::flock64> {
    // SAFETY: all zeros is a valid record.
    let mut lock: libc::flock64 = unsafe { std::mem::zeroed() };
    lock.l_type = if kind == Kind::Shared { libc::F_RDLCK } else { libc::F_WRLCK } as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock.l_start = libc::off64_t::try_from(at).map_err(|_| io::ErrorKind::InvalidInput)?;
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
        assert!(
            try_lock(open, 3 + (1 << 40), Kind::Exclusive).unwrap().is_some(),
            "no bit of a place is lost"
        );
        assert!(try_lock(open, 3, Kind::Exclusive).unwrap().is_none());
        assert!(try_lock(open, 4, Kind::Exclusive).unwrap().is_some());
        let reader = File::open(&path).unwrap();
        assert!(is_locked(&reader, 3).unwrap() && !is_locked(&reader, 5).unwrap());
        drop(held);
        assert!(!is_locked(&reader, 3).unwrap());
        std::fs::remove_file(&path).unwrap();
    }
}
