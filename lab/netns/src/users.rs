//! Several users on one machine, as threads: a thread may have a separate file system and user.

use std::io;
use std::panic::resume_unwind;
use std::ptr;
use std::thread;

/// Runs `work` in a thread that sees an empty tmpfs as `/dev/shm`, like all threads and programs that it starts. Other threads keep
/// theirs. Returns `None`, with a line on standard error, if this is not root: only root may do this and become other users.
///
/// # Panics
/// As `work` does; and if root is not permitted to do it.
pub fn own_shm<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    // SAFETY: only returns a number.
    if unsafe { libc::geteuid() } != 0 {
        eprintln!("skipped: several users on one machine need root");
        return None;
    }
    Some(in_thread(|| {
        let none = ptr::null();
        let (root, shm, options) = (c"/".as_ptr(), c"/dev/shm".as_ptr(), c"size=256m,mode=1777".as_ptr());
        // SAFETY: only this thread has another file system from here on; all strings are C strings. The first mount hides the second
        // from other namespaces.
        let mounted = unsafe {
            libc::unshare(libc::CLONE_FS | libc::CLONE_NEWNS) == 0
                && libc::mount(none, root, none, libc::MS_REC | libc::MS_PRIVATE, none.cast()) == 0
                && libc::mount(c"tmpfs".as_ptr(), shm, c"tmpfs".as_ptr(), 0, options.cast()) == 0
        };
        assert!(mounted, "no separate /dev/shm, although this is root: {}", io::Error::last_os_error());
        work()
    }))
}

/// Runs `work` in a thread whose user and group are number `id`, without other groups.
///
/// # Panics
/// As `work` does; and if this is not root.
pub fn as_user<T: Send>(id: u32, work: impl FnOnce() -> T + Send) -> T {
    as_member(id, &[], work)
}

/// Runs `work` in a thread whose user and group are number `id`, with these other groups.
///
/// # Panics
/// As `work` does; and if this is not root.
pub fn as_member<T: Send>(id: u32, groups: &[u32], work: impl FnOnce() -> T + Send) -> T {
    in_thread(|| {
        // SAFETY: the list of groups lives across the call. The calls themselves, unlike libc's functions, change only this thread.
        let became = unsafe {
            libc::syscall(libc::SYS_setgroups, groups.len(), groups.as_ptr()) == 0
                && libc::syscall(libc::SYS_setresgid, id, id, id) == 0
                && libc::syscall(libc::SYS_setresuid, id, id, id) == 0
        };
        assert!(became, "this thread may not become user {id}: {}", io::Error::last_os_error());
        work()
    })
}

fn in_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| match scope.spawn(work).join() {
        Ok(done) => done,
        Err(panic) => resume_unwind(panic),
    })
}
