//! Ctrl-C abandons the running measurement, reports the finished ones and cleans up.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

static ASKED: AtomicBool = AtomicBool::new(false);

extern "C" fn ask(_signal: libc::c_int) {
    ASKED.store(true, SeqCst);
}

/// From now on the first Ctrl-C or SIGTERM only requests a stop; the second kills.
pub fn catch_interrupts() {
    // SAFETY: the handler stores one atomic. SA_RESTART, so that no wait of the harness is cut short.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = ask as extern "C" fn(libc::c_int) as usize;
        action.sa_flags = libc::SA_RESTART | libc::SA_RESETHAND;
        libc::sigaction(libc::SIGINT, &action, std::ptr::null_mut());
        libc::sigaction(libc::SIGTERM, &action, std::ptr::null_mut());
    }
}

/// Whether a stop was requested.
pub fn asked() -> bool {
    ASKED.load(SeqCst)
}

/// From now on this process, a child of `parent`, is killed when the thread that created it ends, for whatever
/// reason.
pub fn end_with(parent: u32) {
    // SAFETY: sets an attribute of this process, asks for a number, and leaves without running what belongs to the parent.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong);
        // The parent may have exited before.
        if libc::getppid() as u32 != parent {
            libc::_exit(1);
        }
    }
}
