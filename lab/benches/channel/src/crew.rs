//! The processes of one measurement: forked, started together, watched, collected.
//!
//! Each runs in a separate process, because that is the purpose of the channel: threads would share page tables,
//! descriptors and futex hashing. The parent has one thread and opens no contender itself, so a plain `fork` is
//! safe and the child has everything it needs.

use crate::clock;
use crate::control::Control;
use crate::error::{Fallible, check};
use crate::outcome::Outcome;
use crate::place::Seat;
use crate::shared::Shared;
use crate::stop;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// How long a process may take to start, and to report after the end of the window, before it is killed. On a
/// machine that real-time processes keep busy this can take seconds.
const GRACE: Duration = Duration::from_secs(60);

struct Member {
    pid: libc::pid_t,
    result: OwnedFd,
}

/// The processes of one measurement. Dropping it kills and reaps those that still run.
pub struct Crew {
    control: Shared<Control>,
    members: Vec<Member>,
}

impl Crew {
    /// Without processes yet.
    pub fn new() -> Fallible<Crew> {
        Ok(Crew { control: Shared::new()?, members: Vec::new() })
    }

    /// The memory that all of them share.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Forks one process. Its role attaches, calls [`Control::start`], measures, and returns its results. Everything
    /// that the role opened must be closed when it returns. Returns the process ID.
    pub fn add(
        &mut self,
        seat: Seat,
        role: impl FnOnce(&Control) -> Fallible<Outcome>,
    ) -> Fallible<libc::pid_t> {
        let ((result, sink), us) = (pipe()?, std::process::id());
        // SAFETY: no other thread exists in this process, so the child's copy is consistent.
        let pid = check("fork", unsafe { libc::fork() })?;
        if pid == 0 {
            stop::end_with(us);
            drop(result);
            let bytes = child(seat, &self.control, role);
            // If the parent is gone, there is nothing to report to.
            let _ = File::from(sink).write_all(&bytes);
            // SAFETY: leaves without running the parent's destructors a second time.
            unsafe { libc::_exit(0) };
        }
        self.members.push(Member { pid, result });
        Ok(pid)
    }

    /// Waits until all are attached. Reports a process that fails before that immediately.
    pub fn wait_ready(&mut self) -> Fallible<()> {
        let deadline = clock::now() + GRACE.as_nanos() as u64;
        while !self.control.all_ready(self.members.len(), Duration::from_millis(20)) {
            if let Some(index) = self.first_with_result(Duration::ZERO)? {
                self.take(index)?;
                return Err("a process exited before it was ready".into());
            }
            if clock::now() > deadline {
                return Err("a process was not ready in time".into());
            }
        }
        Ok(())
    }

    /// Stops one process and waits until it has stopped.
    pub fn freeze(&self, pid: libc::pid_t) -> Fallible<()> {
        let mut status = 0;
        // SAFETY: `pid` is a child of ours that has not been reaped.
        unsafe {
            check("kill(SIGSTOP)", libc::kill(pid, libc::SIGSTOP))?;
            check("waitpid", libc::waitpid(pid, &mut status, libc::WUNTRACED))?;
        }
        if libc::WIFSTOPPED(status) { Ok(()) } else { Err("a reader died instead of stopping".into()) }
    }

    /// Lets it continue.
    pub fn thaw(&self, pid: libc::pid_t) -> Fallible<()> {
        // SAFETY: as above.
        check("kill(SIGCONT)", unsafe { libc::kill(pid, libc::SIGCONT) })?;
        Ok(())
    }

    /// Waits for all results, in the order in which the processes were added.
    pub fn finish(mut self) -> Fallible<Vec<Outcome>> {
        let deadline = self.control.end().max(clock::now()) + GRACE.as_nanos() as u64;
        let mut outcomes: Vec<Option<Outcome>> = self.members.iter().map(|_| None).collect();
        let order: Vec<libc::pid_t> = self.members.iter().map(|m| m.pid).collect();
        while !self.members.is_empty() {
            let left = Duration::from_nanos(deadline.saturating_sub(clock::now()));
            let Some(index) = self.first_with_result(left)? else {
                return Err(format!("{} processes did not finish in time", self.members.len()).into());
            };
            let pid = self.members[index].pid;
            let place = order.iter().position(|p| *p == pid).ok_or("a result of an unknown process")?;
            outcomes[place] = Some(self.take(index)?);
        }
        Ok(outcomes.into_iter().flatten().collect())
    }

    /// Which process has a result or has exited; waits for at most the given time.
    fn first_with_result(&self, wait: Duration) -> Fallible<Option<usize>> {
        use std::os::fd::AsRawFd;
        let mut polls: Vec<libc::pollfd> = (self.members.iter())
            .map(|m| libc::pollfd { fd: m.result.as_raw_fd(), events: libc::POLLIN, revents: 0 })
            .collect();
        // SAFETY: the array is as long as said and lives through the call.
        let found = unsafe { libc::poll(polls.as_mut_ptr(), polls.len() as _, wait.as_millis() as _) };
        check("poll", found)?;
        Ok(polls.iter().position(|p| p.revents != 0))
    }

    /// Reads one result and reaps the process.
    fn take(&mut self, index: usize) -> Fallible<Outcome> {
        let member = self.members.swap_remove(index);
        let mut bytes = Vec::new();
        let read = File::from(member.result).read_to_end(&mut bytes);
        reap(member.pid);
        read?;
        match bytes.split_first() {
            Some((0, rest)) => Outcome::from_bytes(rest),
            Some((_, words)) => Err(String::from_utf8_lossy(words).into_owned().into()),
            None => Err("a process died without a result".into()),
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        for member in &self.members {
            // SAFETY: a child of ours that has not been reaped, so the id is still its own.
            unsafe { libc::kill(member.pid, libc::SIGKILL) };
        }
        for member in self.members.drain(..) {
            reap(member.pid);
        }
    }
}

fn reap(pid: libc::pid_t) {
    // SAFETY: waits for our own child; an interrupted wait is repeated.
    while unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) } < 0
        && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted
    {}
}

/// Runs the child's role and encodes the result for the parent: 0 and the outcome, or 1 and the error.
fn child(seat: Seat, control: &Control, role: impl FnOnce(&Control) -> Fallible<Outcome>) -> Vec<u8> {
    let run = || -> Fallible<Vec<u8>> {
        // SAFETY: asks not to be killed by a closed pipe; Ctrl-C is the parent's.
        unsafe {
            libc::signal(libc::SIGPIPE, libc::SIG_IGN);
            libc::signal(libc::SIGINT, libc::SIG_IGN);
        }
        seat.take()?;
        role(control)?.to_bytes()
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(bytes)) => [vec![0], bytes].concat(),
        Ok(Err(error)) => [vec![1], error.to_string().into_bytes()].concat(),
        Err(_) => [vec![1], b"panicked (see above)".to_vec()].concat(),
    }
}

fn pipe() -> Fallible<(OwnedFd, OwnedFd)> {
    let mut fds = [0; 2];
    // SAFETY: the call fills two descriptors, which are ours from then on.
    unsafe {
        check("pipe2", libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC))?;
        Ok((OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1])))
    }
}
