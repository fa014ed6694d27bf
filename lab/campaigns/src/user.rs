//! Being somebody else.

use crate::report::{Failure, Skip};
use std::io;

/// The user and the group `nobody`.
pub const NOBODY: u32 = 65534;

/// Makes this process run as nobody, for good.
pub fn become_nobody() -> Result<(), Failure> {
    // SAFETY: changes who this process is.
    let done = unsafe {
        libc::setgroups(0, std::ptr::null()) == 0
            && libc::setresgid(NOBODY, NOBODY, NOBODY) == 0
            && libc::setresuid(NOBODY, NOBODY, NOBODY) == 0
    };
    // The wish to die with the parent is forgotten by the kernel when a process becomes another user.
    // SAFETY: asks for a number.
    crate::child::die_with(unsafe { libc::getppid() });
    match done {
        true => Ok(()),
        false => Err(Skip::because(format!(
            "this process may not become another user: {}",
            io::Error::last_os_error()
        ))),
    }
}

/// Makes sure that this process has no privileges: as it is, or as nobody.
pub fn give_up_root() -> Result<(), Failure> {
    // SAFETY: asks for a number.
    if unsafe { libc::geteuid() } == 0 { become_nobody() } else { Ok(()) }
}
