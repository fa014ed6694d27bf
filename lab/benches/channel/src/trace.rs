//! Counts the system calls or instructions of another process with ptrace, independently of its own counters.

use crate::control::Control;
use crate::error::{Fallible, check};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::SeqCst;

/// What a process writes to `Control::counting` when the part begins in which calls are counted.
pub const COUNTED: u32 = 1;
/// And when that part ends.
pub const AFTER: u32 = 2;

/// Calls by name.
pub type Calls = BTreeMap<String, u64>;

/// A traced process. The tracer must stay attached until it exits.
pub struct Traced(libc::pid_t);

impl Traced {
    /// Attaches to a child and stops it.
    pub fn attach(pid: libc::pid_t) -> Fallible<Traced> {
        let options = libc::PTRACE_O_TRACESYSGOOD | libc::PTRACE_O_EXITKILL;
        // SAFETY: concerns our own child; the arguments are numbers.
        unsafe {
            check("ptrace(PTRACE_SEIZE)", libc::ptrace(libc::PTRACE_SEIZE, pid, 0usize, options as usize))?;
            check("ptrace(PTRACE_INTERRUPT)", libc::ptrace(libc::PTRACE_INTERRUPT, pid, 0usize, 0usize))?;
        }
        let traced = Traced(pid);
        traced.wait()?;
        Ok(traced)
    }

    /// Runs it until it has left the part it marks, and counts the calls made in that part.
    pub fn count(&self, control: &Control) -> Fallible<Calls> {
        let mut calls = Calls::new();
        self.lead(libc::PTRACE_SYSCALL, control, |signal| {
            // 0x80 marks a system call.
            if signal & 0x80 != 0
                && let Some(number) = self.entered()?
            {
                *calls.entry(name(number)).or_default() += 1;
            }
            Ok(())
        })?;
        Ok(calls)
    }

    /// The same for instructions executed outside the kernel. Each takes some microseconds.
    pub fn steps(&self, control: &Control) -> Fallible<u64> {
        let mut steps = 0;
        self.lead(libc::PTRACE_SINGLESTEP, control, |signal| {
            steps += u64::from(signal == libc::SIGTRAP);
            Ok(())
        })?;
        Ok(steps)
    }

    /// Runs it from stop to stop until it has left the part it marks; calls `each` with the signal of every stop
    /// within.
    fn lead(
        &self,
        request: libc::c_uint,
        control: &Control,
        mut each: impl FnMut(libc::c_int) -> Fallible<()>,
    ) -> Fallible<()> {
        let mut deliver = 0;
        loop {
            // SAFETY: continues our own stopped tracee until its next stop.
            check("ptrace", unsafe { libc::ptrace(request, self.0, 0usize, deliver as usize) })?;
            let status = self.wait()?;
            if !libc::WIFSTOPPED(status) {
                return Err("the traced writer died".into());
            }
            let signal = libc::WSTOPSIG(status);
            // A stop with an event in the high bits is the kernel's own, and so is one that we requested.
            let ours = signal & 0x80 != 0 || signal == libc::SIGTRAP || status >> 16 != 0;
            deliver = if ours { 0 } else { signal };
            match control.counting.load(SeqCst) {
                AFTER => break,
                COUNTED => each(signal)?,
                _ => {}
            }
        }
        // SAFETY: lets our own stopped tracee go.
        check("ptrace(PTRACE_DETACH)", unsafe { libc::ptrace(libc::PTRACE_DETACH, self.0, 0usize, 0usize) })?;
        Ok(())
    }

    fn wait(&self) -> Fallible<libc::c_int> {
        let mut status = 0;
        // SAFETY: waits for our own child.
        check("waitpid", unsafe { libc::waitpid(self.0, &mut status, libc::__WALL) })?;
        Ok(status)
    }

    /// The number of the system call it is about to make; `None` when a call returns.
    fn entered(&self) -> Fallible<Option<u64>> {
        // SAFETY: all-zero is a value; the kernel fills at most as many bytes as it is told.
        unsafe {
            let mut info: libc::ptrace_syscall_info = std::mem::zeroed();
            let size = std::mem::size_of_val(&info);
            check(
                "ptrace(PTRACE_GET_SYSCALL_INFO)",
                libc::ptrace(libc::PTRACE_GET_SYSCALL_INFO, self.0, size, &mut info),
            )?;
            Ok((info.op == libc::PTRACE_SYSCALL_INFO_ENTRY).then_some(info.u.entry.nr))
        }
    }
}

fn name(number: u64) -> String {
    let known = [
        (libc::SYS_futex, "futex"),
        (libc::SYS_write, "write"),
        (libc::SYS_writev, "writev"),
        (libc::SYS_read, "read"),
        (libc::SYS_sendto, "sendto"),
        (libc::SYS_sendmsg, "sendmsg"),
        (libc::SYS_mq_timedsend, "mq_timedsend"),
        (libc::SYS_clock_nanosleep, "clock_nanosleep"),
        (libc::SYS_poll, "poll"),
        (libc::SYS_epoll_wait, "epoll_wait"),
        (libc::SYS_sched_yield, "sched_yield"),
        (libc::SYS_madvise, "madvise"),
        (libc::SYS_fcntl, "fcntl"),
    ];
    let found = known.iter().find(|(known, _)| *known as u64 == number);
    found.map_or_else(|| format!("#{number}"), |(_, name)| name.to_string())
}
