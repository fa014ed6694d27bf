//! Kernel namespaces, as far as the kernel allows them.

use crate::child::{Child, spawn};
use crate::report::{Failure, Skip};
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Moves this process, or with PID and time namespaces its future children, into new namespaces. Without privileges
/// it first becomes root of a new user namespace.
pub fn enter(what: libc::c_int) -> Result<(), Failure> {
    // SAFETY: changes only this process's view; returns numbers.
    let (result, user, group) = unsafe { (libc::unshare(what), libc::geteuid(), libc::getegid()) };
    if result == 0 {
        return Ok(());
    }
    // SAFETY: as above.
    if unsafe { libc::unshare(what | libc::CLONE_NEWUSER) } != 0 {
        return Err(Skip::because(format!("the kernel refuses namespaces: {}", io::Error::last_os_error())));
    }
    std::fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/gid_map", format!("0 {group} 1"))?;
    Ok(())
}

/// Mounts a tmpfs with `options` at `path`, visible only to this process and its children.
pub fn mount_tmpfs(path: &Path, options: &str) -> Result<(), Failure> {
    enter(libc::CLONE_NEWNS)?;
    let (path, options) = (CString::new(path.as_os_str().as_bytes())?, CString::new(options)?);
    let none = std::ptr::null();
    // SAFETY: all strings are C strings. The first call prevents the second from being visible outside.
    let mounted = unsafe {
        libc::mount(none, c"/".as_ptr(), none, libc::MS_REC | libc::MS_PRIVATE, none.cast()) == 0
            && libc::mount(c"tmpfs".as_ptr(), path.as_ptr(), c"tmpfs".as_ptr(), 0, options.as_ptr().cast())
                == 0
    };
    match mounted {
        true => Ok(()),
        false => {
            Err(Skip::because(format!("the kernel refuses to mount a tmpfs: {}", io::Error::last_os_error())))
        }
    }
}

/// Whether namespaces of kind `what` are available, tried in a separate process.
pub fn available(what: libc::c_int) -> Result<(), Failure> {
    let mut child = spawn(move || enter(what))?;
    match child.wait().good() {
        Ok(()) => Ok(()),
        Err(_) => Err(Skip::because("the kernel refuses such namespaces to this process")),
    }
}

/// Runs `work` as the first process of a new PID namespace. The returned child represents it: it ends as `work`
/// does, and killing it kills `work`.
pub fn spawn_in_pid_namespace(work: impl FnOnce() -> Result<(), Failure>) -> io::Result<Child> {
    spawn(|| {
        enter(libc::CLONE_NEWPID)?;
        let mut first = spawn(work)?;
        Ok(first.wait().good()?)
    })
}
