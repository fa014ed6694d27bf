//! A process that is executed one instruction at a time.
//!
//! The child runs freely up to a trap instruction, [`begin`]; from there on its parent steps it. [`end`] is an
//! illegal instruction, which the parent sees as another signal. Both are single instructions, so that only the
//! operation is between them.
//!
//! Tracer and tracee run on the same processor: a step then costs two switches and no interrupt to another one.

use super::processor::{self, Registers};
use crate::child::{self, Child};
use crate::report::Failure;
use std::io;
use std::time::{Duration, Instant};

/// Where the operation begins. Only in a traced child.
#[inline(always)]
pub fn begin() {
    processor::stop();
}

/// The end of the operation. The tracer never continues after it.
#[inline(always)]
pub fn end() {
    processor::end();
}

/// Why the tracee stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Before the next instruction.
    Before(u64),
    /// At the end of the operation.
    End,
}

/// The next instruction of the tracee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Address of the instruction.
    pub at: u64,
    /// Whether it is a system call.
    pub call: bool,
}

/// A traced child.
pub struct Tracee {
    child: Child,
}

/// Called when the operation has blocked the tracee in the kernel; `None` if it never blocks.
pub type Asleep<'a> = Option<&'a mut dyn FnMut()>;

/// Longer than any step takes, including any wait in an operation.
const PATIENCE: Duration = Duration::from_secs(20);

impl Tracee {
    /// Forks a child that runs `work` up to its [`begin`].
    pub fn start(work: impl FnOnce() -> Result<(), Failure>) -> Result<Tracee, Failure> {
        let child = child::spawn(|| {
            // SAFETY: requests to be traced by the parent.
            unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) };
            work()?;
            Err("an operation went on behind its end".into())
        })?;
        let mut tracee = Tracee { child };
        match tracee.wait(None)? {
            libc::SIGTRAP => {
                // On some processors it stands before the trap, and would meet it again.
                let registers = tracee.registers()?;
                let at = processor::at(&registers);
                if tracee.peek(at)? & processor::BREAKPOINT_BITS == processor::BREAKPOINT
                    && processor::PASSED == 0
                {
                    tracee.set_registers(&processor::moved(registers, at + 4))?;
                }
                Ok(tracee)
            }
            signal => Err(format!("signal {signal} before the operation").into()),
        }
    }

    pub fn pid(&self) -> i32 {
        self.child.pid
    }

    /// Kills it.
    pub fn kill(mut self) {
        self.child.kill();
    }

    /// Executes one instruction. Calls `asleep` when that instruction has blocked in the kernel.
    pub fn step(&mut self, asleep: Asleep) -> Result<Stop, Failure> {
        self.go(libc::PTRACE_SINGLESTEP, asleep)
    }

    /// Executes up to `n` rounds of the repeated string instruction that is next, but never the last one: the same
    /// as that many single steps, in two. Returns how many; 0 if the instruction is another.
    pub fn leap(&mut self, n: u64) -> Result<u64, Failure> {
        let before = self.registers()?;
        let at = processor::at(&before);
        let Some((rounds, len)) = processor::rounds(&before, self.peek(at)?) else { return Ok(0) };
        let n = n.min(rounds.saturating_sub(1));
        if n == 0 {
            return Ok(0);
        }
        self.set_registers(&processor::with_rounds(before, n))?;
        self.run_to(at + len, None)?;
        let after = processor::moved(self.registers()?, at);
        self.set_registers(&processor::with_rounds(after, rounds - n))?;
        Ok(n)
    }

    /// Lets it run up to the instruction at `address`, or to the end of the operation.
    pub fn run_to(&mut self, address: u64, asleep: Asleep) -> Result<Stop, Failure> {
        let word = self.peek(address)?;
        self.poke(address, word & !processor::BREAKPOINT_BITS | processor::BREAKPOINT)?;
        let stop = self.go(libc::PTRACE_CONT, asleep)?;
        self.poke(address, word)?;
        if stop == Stop::Before(address + processor::PASSED) {
            self.set_registers(&processor::moved(self.registers()?, address))?;
            return Ok(Stop::Before(address));
        }
        Ok(stop)
    }

    /// Where it stands.
    pub fn position(&self) -> Result<Position, Failure> {
        let at = processor::at(&self.registers()?);
        Ok(Position { at, call: processor::is_call(self.peek(at)?) })
    }

    fn go(&mut self, how: libc::c_uint, asleep: Asleep) -> Result<Stop, Failure> {
        // SAFETY: continues the stopped child.
        check(unsafe { libc::ptrace(how, self.pid(), 0, 0) })?;
        match self.wait(asleep)? {
            libc::SIGTRAP => Ok(Stop::Before(processor::at(&self.registers()?))),
            libc::SIGILL => Ok(Stop::End),
            signal => Err(format!("the operation itself stopped with signal {signal}").into()),
        }
    }

    /// Waits for the next stop and returns its signal.
    fn wait(&mut self, mut asleep: Asleep) -> Result<i32, Failure> {
        let start = Instant::now();
        // Without blocking, the wait is a plain one, which the worker's timer interrupts periodically.
        let (flags, mut looks) = (if asleep.is_some() { libc::WNOHANG } else { 0 }, 0u32);
        loop {
            let mut status = 0;
            // SAFETY: the status stays alive across the call.
            let pid = unsafe { libc::waitpid(self.pid(), &mut status, flags) };
            if pid < 0 && io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                return Err(io::Error::last_os_error().into());
            }
            if pid > 0 {
                if libc::WIFSTOPPED(status) {
                    return Ok(libc::WSTOPSIG(status));
                }
                self.child.has_ended(status);
                return Err(format!("the operation ended by itself, with status {status:#x}").into());
            }
            if start.elapsed() > PATIENCE {
                return Err("the operation hangs".into());
            }
            looks += 1;
            match &mut asleep {
                Some(tell) if looks > 20 && self.child.state() == Some('S') => {
                    tell();
                    looks = 0;
                }
                Some(_) if looks > 20 => std::thread::sleep(Duration::from_micros(50)),
                _ => std::thread::yield_now(),
            }
        }
    }

    fn registers(&self) -> Result<Registers, Failure> {
        // SAFETY: all zeros is a valid set of registers, filled by the call.
        let mut registers: Registers = unsafe { std::mem::zeroed() };
        self.transfer(libc::PTRACE_GETREGSET, &mut registers)?;
        Ok(registers)
    }

    fn set_registers(&self, registers: &Registers) -> Result<(), Failure> {
        self.transfer(libc::PTRACE_SETREGSET, &mut { *registers })
    }

    fn transfer(&self, how: libc::c_uint, registers: &mut Registers) -> Result<(), Failure> {
        let len = size_of::<Registers>();
        let mut all = libc::iovec { iov_base: std::ptr::from_mut(registers).cast(), iov_len: len };
        // SAFETY: the registers and their description stay alive across the call; the child is ours and is stopped.
        check(unsafe { libc::ptrace(how, self.pid(), libc::NT_PRSTATUS as usize, &mut all) })
    }

    fn peek(&self, address: u64) -> Result<u64, Failure> {
        // SAFETY: errno is this thread's own; the call reads the child's memory.
        let (word, error) = unsafe {
            *libc::__errno_location() = 0;
            let word = libc::ptrace(libc::PTRACE_PEEKTEXT, self.pid(), address, 0);
            (word, *libc::__errno_location())
        };
        if word == -1 && error != 0 {
            return Err(io::Error::from_raw_os_error(error).into());
        }
        Ok(word as u64)
    }

    fn poke(&self, address: u64, word: u64) -> Result<(), Failure> {
        // SAFETY: changes the child's own copy of its code, to set and to remove a breakpoint.
        check(unsafe { libc::ptrace(libc::PTRACE_POKETEXT, self.pid(), address, word) })
    }
}

fn check(result: libc::c_long) -> Result<(), Failure> {
    if result < 0 { Err(io::Error::last_os_error().into()) } else { Ok(()) }
}
