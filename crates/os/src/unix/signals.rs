//! Signals that request the end of the program, and waits for its input and output.

use crate::poll;
use crate::request::{OUTPUT_CLOSED, request, requested, wait};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::ptr;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// The number of a signal.
pub type Signal = libc::c_int;
/// The signals that request the end.
pub const ALL: [Signal; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];
/// The signals that request the end, without SIGHUP.
pub const WITHOUT_HANGUP: [Signal; 2] = [libc::SIGINT, libc::SIGTERM];

/// The bytes that a pipe that polls as writable accepts without blocking.
pub const AT_ONCE: usize = libc::PIPE_BUF;

/// Makes the first such signal only request the end, unless it is ignored.
pub fn handle(signal: Signal) -> io::Result<()> {
    let mut before = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: with no new action, sigaction only writes the old one into `before`.
    if unsafe { libc::sigaction(signal, ptr::null(), before.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call above filled it, and all zeros would be valid too.
    let mut action = unsafe { before.assume_init() };
    if action.sa_sigaction == libc::SIG_IGN {
        return Ok(());
    }
    action.sa_sigaction = on_signal as extern "C" fn(libc::c_int) as libc::sighandler_t;
    // No SA_RESTART: a blocked read or write returns. SA_RESETHAND: the second signal kills.
    action.sa_flags = libc::SA_RESETHAND;
    // SAFETY: the handler is a function of the type that these flags require, and does only what is safe there.
    match unsafe { libc::sigaction(signal, &action, ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

extern "C" fn on_signal(_: libc::c_int) {
    // Restored, so that the interrupted code sees its own value.
    let errno = super::errno::errno();
    // SAFETY: errno is this thread's own word.
    let kept = unsafe { *errno };
    request();
    // SAFETY: as above.
    unsafe { *errno = kept };
}

/// Requests the end also when the reader of standard output closes it, even if nothing is being written.
pub fn when_output_closes() {
    // Without a thread, a write to the closed output ends the program, though only with the next line.
    let _ = watch_output("saltus-output", |is_broken| {
        if is_broken {
            OUTPUT_CLOSED.store(true, Relaxed); // `request` publishes it
            request();
        }
    });
}

/// Ends the process when the terminal that standard output is hangs up.
///
/// # Errors
/// No thread can be started.
pub fn exit_when_output_hangs_up() -> io::Result<()> {
    watch_output("saltus-hangup", |_| std::process::exit(0))
}

/// Calls `then` when standard output hangs up or is broken, with whether it is a pipe without a reader.
fn watch_output(name: &str, then: impl FnOnce(bool) + Send + 'static) -> io::Result<()> {
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    let watch = move || {
        // With no events requested, poll returns only for an error or a hang-up.
        let mut poll = poll::entry(Some(output.as_fd()), 0);
        while poll::wait(std::slice::from_mut(&mut poll), None).unwrap_or(0) == 0 {}
        then(poll.revents & libc::POLLERR != 0);
    };
    crate::process::spawn(name, watch).map(drop)
}

/// Waits until the file has data to read, or is at its end; returns false when the end was requested first.
pub fn wait_readable(input: &File) -> bool {
    while !requested() {
        if wait(Some(input.as_fd()), poll::READ, None) {
            return true;
        }
    }
    false
}

/// Waits until the file accepts data, or has an error; returns false when the end was requested first.
pub fn wait_writable(output: &File) -> bool {
    while !requested() {
        if wait(Some(output.as_fd()), poll::WRITE, None) {
            return true;
        }
    }
    false
}

/// Whether the file accepts data, or has an error, within that time, even if the end was requested.
pub fn writable_within(output: &File, time: Duration) -> bool {
    let mut poll = poll::entry(Some(output.as_fd()), poll::WRITE);
    poll::wait(std::slice::from_mut(&mut poll), Some(time)).unwrap_or(0) > 0
}

/// Standard input without a separate buffer, so that waiting for it considers all unread data.
pub fn input() -> io::Result<File> {
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// Standard output without a separate buffer.
pub fn output() -> io::Result<File> {
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}
