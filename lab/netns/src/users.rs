//! Several users on one machine, in threads: a thread may have a file system and a user of its own.

use std::io;
use std::panic::resume_unwind;
use std::ptr;
use std::thread;

/// Runs `work` in a thread that sees an empty tmpfs as `/dev/shm`. So do the threads and the programs that it starts, and nothing else.
/// `None`, with a line on standard error, if this is not root, who alone may have that and become other users.
///
/// # Panics
/// As `work` does; and if root may not have it.
pub fn own_shm<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    // SAFETY: asks for a number.
    if unsafe { libc::geteuid() } != 0 {
        eprintln!("skipped: several users on one machine need root");
        return None;
    }
    Some(in_thread(|| {
        let none = ptr::null();
        let (root, shm, options) = (c"/".as_ptr(), c"/dev/shm".as_ptr(), c"size=256m,mode=1777".as_ptr());
        // SAFETY: this thread alone has another file system from here on; all strings are C strings. The first mount keeps the second
        // from being seen outside.
        let mounted = unsafe {
            libc::unshare(libc::CLONE_FS | libc::CLONE_NEWNS) == 0
                && libc::mount(none, root, none, libc::MS_REC | libc::MS_PRIVATE, none.cast()) == 0
                && libc::mount(c"tmpfs".as_ptr(), shm, c"tmpfs".as_ptr(), 0, options.cast()) == 0
        };
        assert!(mounted, "no /dev/shm of its own, though this is root: {}", io::Error::last_os_error());
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

/// As [`as_user`], with these groups too.
///
/// # Panics
/// As [`as_user`].
pub fn as_member<T: Send>(id: u32, groups: &[u32], work: impl FnOnce() -> T + Send) -> T {
    in_thread(|| {
        // SAFETY: the list of groups lives across the call. The calls themselves, unlike libc's functions, change this thread alone.
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
