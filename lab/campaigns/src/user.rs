//! Running as another user.

use crate::report::{Failure, Skip};
use std::io;

/// The user and the group `nobody`.
pub const NOBODY: u32 = 65534;

/// Makes this process run as nobody, permanently.
pub fn become_nobody() -> Result<(), Failure> {
    // SAFETY: changes the user of this process.
    let done = unsafe {
        libc::setgroups(0, std::ptr::null()) == 0
            && libc::setresgid(NOBODY, NOBODY, NOBODY) == 0
            && libc::setresuid(NOBODY, NOBODY, NOBODY) == 0
    };
    // The kernel resets the parent-death signal when a process changes its user. SAFETY: returns a number.
    crate::child::die_with(unsafe { libc::getppid() });
    match done {
        true => Ok(()),
        false => Err(Skip::because(format!(
            "this process may not become another user: {}",
            io::Error::last_os_error()
        ))),
    }
}

/// Ensures that this process has no privileges: as it is, or as nobody.
pub fn drop_root() -> Result<(), Failure> {
    // SAFETY: returns a number.
    if unsafe { libc::geteuid() } == 0 { become_nobody() } else { Ok(()) }
}
