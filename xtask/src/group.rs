//! Process groups: a step is ended with all processes that it started, by its time limit or by Ctrl-C.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The group that was started last; 0 before.
static GROUP: AtomicI32 = AtomicI32::new(0);
/// The time of the present step is over: it starts no more commands.
static OVER: AtomicBool = AtomicBool::new(false);

const SIGINT: i32 = 2;
const SIGKILL: i32 = 9;
const SIGTERM: i32 = 15;

// From the C library, which the standard library links: three calls need no crate.
unsafe extern "C" {
    fn kill(process: i32, signal: i32) -> i32;
    fn signal(signal: i32, handler: extern "C" fn(i32)) -> usize;
    fn _exit(code: i32) -> !;
}

/// Kills all processes of the last command.
fn kill_group() {
    let group = GROUP.load(SeqCst);
    if group > 0 {
        // SAFETY: passes two integers. The group is ours; if it has ended, nothing happens.
        unsafe { kill(-group, SIGKILL) };
    }
}

extern "C" fn end(signal: i32) {
    kill_group();
    // SAFETY: exits immediately, as a signal handler may.
    unsafe { _exit(128 + signal) }
}

/// Starts a command in a new process group, without input.
///
/// # Errors
/// It cannot be started, or the step's time is over.
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    if OVER.load(SeqCst) {
        return Err(io::Error::new(io::ErrorKind::TimedOut, "the time of the step is over"));
    }
    for number in [SIGINT, SIGTERM] {
        // SAFETY: the handler makes only system calls.
        unsafe { signal(number, end) };
    }
    let child = command.stdin(Stdio::null()).process_group(0).spawn()?;
    GROUP.store(child.id().cast_signed(), SeqCst);
    if OVER.load(SeqCst) {
        kill_group(); // it ended between the two checks
    }
    Ok(child)
}

/// Watches the time of a step until it is dropped.
pub struct Watch {
    _ends: mpsc::Sender<()>,
}

/// From now on, commands are killed after this time, until the next call.
pub fn limit(limit: Duration) -> Watch {
    OVER.store(false, SeqCst);
    let (ends, end) = mpsc::channel::<()>();
    thread::spawn(move || {
        if end.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
            OVER.store(true, SeqCst);
            kill_group();
        }
    });
    Watch { _ends: ends }
}

impl Watch {
    /// Whether the time was over.
    pub fn is_over(&self) -> bool {
        OVER.load(SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn a_step_that_takes_too_long_ends_with_all_that_it_started() {
        let (began, watch) = (Instant::now(), limit(Duration::from_millis(300)));
        let mut shell = Command::new("sh");
        // A grandchild keeps the output open: a reader waits for its end too.
        let child = spawn(shell.args(["-c", "sleep 100 & echo begun; wait"]).stdout(Stdio::piped()));
        let output = child.and_then(Child::wait_with_output).expect("a shell");
        assert_eq!(output.stdout, b"begun\n");
        assert!(!output.status.success() && watch.is_over() && began.elapsed() < Duration::from_secs(60));
        assert!(spawn(&mut Command::new("true")).is_err(), "a step whose time is over starts nothing more");
        drop(watch);
        let watch = limit(Duration::from_secs(60));
        assert!(
            spawn(&mut Command::new("true")).and_then(|mut child| child.wait()).expect("it runs").success()
        );
        assert!(!watch.is_over());
    }
}
