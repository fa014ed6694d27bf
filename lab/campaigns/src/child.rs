//! Forked processes that never outlive the campaign.

use crate::report::{Failure, say};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Code(i32),
    Signal(i32),
}

impl End {
    /// The end of a process that `waitpid` reported.
    pub fn of(status: i32) -> Option<End> {
        if libc::WIFEXITED(status) {
            Some(End::Code(libc::WEXITSTATUS(status)))
        } else if libc::WIFSIGNALED(status) {
            Some(End::Signal(libc::WTERMSIG(status)))
        } else {
            None
        }
    }

    /// `Ok` if the process did its work.
    pub fn good(self) -> Result<(), String> {
        match self {
            End::Code(0) => Ok(()),
            End::Code(code) => Err(format!("a process ended with code {code}")),
            End::Signal(signal) => Err(format!("a process was killed by signal {signal}")),
        }
    }
}

/// A forked process; killed and waited for when dropped.
#[derive(Debug)]
pub struct Child {
    pub pid: i32,
    end: Option<End>,
}

/// The exit code of a process whose work failed.
const FAILED: i32 = 1;
/// The exit code of a process that panicked.
const PANICKED: i32 = 101;

/// Forks a process that only does `work`. Its error is printed.
pub fn spawn(work: impl FnOnce() -> Result<(), Failure>) -> io::Result<Child> {
    // SAFETY: returns a number.
    let parent = unsafe { libc::getpid() };
    // SAFETY: this process has one thread; the child runs `work` and leaves by `_exit`.
    let pid = unsafe { libc::fork() };
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    if pid > 0 {
        return Ok(Child { pid, end: None });
    }
    die_with(parent);
    let code = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => 0,
        Ok(Err(failure)) => {
            say(&format!("       process {}: {failure}", std::process::id()));
            FAILED
        }
        Err(_) => PANICKED,
    };
    // SAFETY: exits without running the parent's exit handlers.
    unsafe { libc::_exit(code) }
}

/// Requests that the kernel kills this process when its parent dies.
pub fn die_with(parent: i32) {
    // SAFETY: sets an attribute of this process.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    // SAFETY: returns a number. In its own PID namespace a child sees its parent as 0.
    let now = unsafe { libc::getppid() };
    if now != parent && now != 0 {
        // SAFETY: the parent died before the request; exit too.
        unsafe { libc::_exit(PANICKED) };
    }
}

impl Child {
    /// Sends `signal`.
    pub fn signal(&self, signal: i32) {
        if self.end.is_none() {
            // SAFETY: a child that has not been waited for keeps its PID.
            unsafe { libc::kill(self.pid, signal) };
        }
    }

    /// Kills it and waits until the kernel has cleaned up.
    pub fn kill(&mut self) -> End {
        self.signal(libc::SIGKILL);
        self.wait()
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> End {
        loop {
            if let Some(end) = self.try_wait(0) {
                return end;
            }
        }
    }

    /// Its end, if it ends within `time`.
    pub fn wait_for(&mut self, time: Duration) -> Option<End> {
        let until = Instant::now() + time;
        loop {
            if let Some(end) = self.try_wait(libc::WNOHANG) {
                return Some(end);
            }
            if Instant::now() >= until {
                return None;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Waits for a successful end for at most `time`; a process that takes longer hangs.
    pub fn finish(&mut self, time: Duration) -> Result<(), String> {
        match self.wait_for(time) {
            Some(end) => end.good(),
            None => Err(format!("a process hung for {} s", time.as_secs())),
        }
    }

    /// Freezes it, and returns when it is stopped.
    pub fn freeze(&mut self) {
        self.signal(libc::SIGSTOP);
        while self.end.is_none() && self.state() != Some('T') {
            self.try_wait(libc::WNOHANG);
            std::thread::yield_now();
        }
    }

    /// Its state as reported by the kernel: `R`, `S`, `T`, …
    pub fn state(&self) -> Option<char> {
        state(self.pid)
    }

    /// Records that other code has waited for it.
    pub fn has_ended(&mut self, status: i32) {
        self.end = End::of(status);
    }

    fn try_wait(&mut self, flags: i32) -> Option<End> {
        if self.end.is_none() {
            let mut status = 0;
            // SAFETY: the status stays alive across the call.
            let pid = unsafe { libc::waitpid(self.pid, &mut status, flags) };
            if pid == self.pid {
                self.end = End::of(status);
            } else if pid < 0 && io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                self.end = Some(End::Code(FAILED)); // other code has waited for it
            }
        }
        self.end
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The state of process `pid` as reported by the kernel.
pub fn state(pid: i32) -> Option<char> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    text[text.rfind(')')? + 1..].trim_start().chars().next()
}

/// Waits until `reached` returns true, for at most `time`.
pub fn until(time: Duration, mut reached: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + time;
    loop {
        if reached() {
            return true;
        }
        if Instant::now() >= end {
            return false;
        }
        std::thread::sleep(Duration::from_micros(100));
    }
}
