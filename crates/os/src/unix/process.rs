//! Signals of processes, and the name of this machine.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Runs `f` with all signals blocked in the calling thread, except those of faults. A thread that `f` starts never gets a signal sent
/// by another process.
pub fn without_signals<T>(f: impl FnOnce() -> T) -> T {
    // SAFETY: both sets live across the calls; all zeros is a valid set to be filled in.
    let before = unsafe {
        let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = std::mem::zeroed();
        libc::sigfillset(&mut all);
        // A fault while its signal is blocked ends the process, even if a handler is installed.
        for fault in [libc::SIGBUS, libc::SIGSEGV, libc::SIGFPE, libc::SIGILL] {
            libc::sigdelset(&mut all, fault);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        before
    };
    let result = f();
    // SAFETY: the set was filled by the kernel above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()) };
    result
}

/// Asks a child process that was not waited for yet to end: sends SIGTERM. Returns whether it was asked.
pub fn ask_to_end(child: &std::process::Child) -> bool {
    // SAFETY: only sends a signal, to a child that was not waited for yet, so its ID is still its own.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) == 0 }
}

/// Executes a program in place of this one. Returns only if it cannot.
pub fn replace(program: &mut Command) -> io::Error {
    program.exec()
}

/// The name of this machine.
pub fn host_name() -> Option<String> {
    let mut name = [0u8; 256];
    // SAFETY: the buffer has the length passed, less one byte, so that it ends with a zero.
    let result = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    (result == 0).then(|| String::from_utf8_lossy(name).into_owned())
}
