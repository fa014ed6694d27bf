//! Counts what a forked child executes between two marks, one instruction at a time under ptrace.
//!
//! A count depends on the code, not on the machine's speed or load. Calls into libraries are counted, but not the instructions there,
//! which differ between processors (copies) and from run to run (the clock). A library must not call back, and an operation has one thread.
//!
//! Tracer and tracee run on the same processor: a step then costs two switches and no interrupt to another one.

use crate::outcome::{Outcome, Result};
use std::fmt;
use std::io;
use std::ops::{AddAssign, Range};

/// Rounds that are not counted: pages are mapped and buffers have grown by then.
const WARM: u64 = 6;
/// Rounds that are counted.
const ROUNDS: u64 = 10;
/// More instructions than any operation has.
const MOST: u64 = 5_000_000;

const INT3: u64 = 0xCC;
const SYSCALL: u64 = 0x050F;
/// Repeated moves and fills, whose every round would be a step: their bytes, the mask of these, and how many they are.
const STRING: [(u64, u64, u64); 4] =
    [(0xA4F3, 0xFFFF, 2), (0xAAF3, 0xFFFF, 2), (0xA5_48F3, 0xFF_FFFF, 3), (0xAB_48F3, 0xFF_FFFF, 3)];

/// What an operation executes, on average over its rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Count {
    /// Instructions of this program. A repeated string move counts as one.
    pub instructions: f64,
    /// Calls from this program into libraries.
    pub calls: f64,
    /// System calls.
    pub system_calls: f64,
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count { instructions, calls, system_calls } = self;
        write!(f, "{instructions:.1} instructions, {calls:.1} calls, {system_calls:.1} system calls")
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.instructions += other.instructions;
        self.calls += other.calls;
        self.system_calls += other.system_calls;
    }
}

impl Count {
    fn over(self, rounds: u64) -> Count {
        let rounds = rounds as f64;
        Count {
            instructions: self.instructions / rounds,
            calls: self.calls / rounds,
            system_calls: self.system_calls / rounds,
        }
    }
}

/// Runs all rounds of an operation. Each calls [`counted`] once. In the child.
pub fn rounds(mut round: impl FnMut() -> Outcome) -> Outcome {
    (0..WARM + ROUNDS).try_for_each(|_| round())
}

/// Does what is counted in a round.
#[inline(always)]
pub fn counted<T>(act: impl FnOnce() -> T) -> T {
    mark();
    let done = apart(act);
    mark();
    done
}

/// Compiled by itself, so that the count does not depend on the code around it.
#[inline(never)]
fn apart<T>(act: impl FnOnce() -> T) -> T {
    act()
}

#[inline(always)]
fn mark() {
    // SAFETY: stops this process for its tracer, which continues behind it.
    unsafe { core::arch::asm!("int3") };
}

/// Counts one operation, which calls [`rounds`].
///
/// # Errors
/// The operation failed, or this process may not trace.
pub fn count(operation: impl FnOnce() -> Outcome) -> Result<Count> {
    let child = Child::start(operation)?;
    let (mut sum, mut rounds) = (Count::default(), 0);
    let mut program = None;
    while child.goes_on()? {
        let program = match &program {
            Some(program) => program,
            None => program.insert(child.program()?),
        };
        if rounds >= WARM {
            sum += child.step_to_mark(program)?;
        }
        if !child.goes_on()? {
            return Err("the operation ended before its second mark".into());
        }
        rounds += 1;
    }
    match rounds == WARM + ROUNDS {
        true => Ok(sum.over(ROUNDS)),
        false => Err(format!("{rounds} rounds, not {}", WARM + ROUNDS).into()),
    }
}

/// A traced child; killed when dropped.
struct Child(libc::pid_t);

impl Child {
    fn start(work: impl FnOnce() -> Outcome) -> Result<Child> {
        // SAFETY: this process has one thread; the child leaves by `_exit`.
        let pid = unsafe { libc::fork() };
        if pid < 0 {
            return Err(io::Error::last_os_error().into());
        }
        if pid > 0 {
            let child = Child(pid);
            if !stopped_by(child.wait()?, libc::SIGSTOP) {
                return Err("this process may not trace another".into());
            }
            let options = libc::PTRACE_O_TRACESYSGOOD | libc::PTRACE_O_EXITKILL;
            // SAFETY: concerns our own stopped child.
            check(unsafe { libc::ptrace(libc::PTRACE_SETOPTIONS, pid, 0, options as libc::c_long) })?;
            return Ok(child);
        }
        // SAFETY: the child asks to die with its parent and to be traced, and stops. Without a tracer a mark would kill it.
        let traced = unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) == 0 && libc::raise(libc::SIGSTOP) == 0
        };
        let work = || if traced { work() } else { Err("this process may not be traced".into()) };
        let code = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
            Ok(Ok(())) => 0,
            Ok(Err(why)) => {
                eprintln!("{why}");
                1
            }
            Err(_) => 2,
        };
        // SAFETY: ends the child without the parent's exit handlers.
        unsafe { libc::_exit(code) }
    }

    /// Lets it run behind its next mark; `false` if it has ended well.
    fn goes_on(&self) -> Result<bool> {
        loop {
            let status = self.proceed(libc::PTRACE_CONT)?;
            match status {
                _ if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0 => return Ok(false),
                // A program that the operation ran to prepare itself has ended.
                _ if stopped_by(status, libc::SIGCHLD) => {}
                _ if stopped_by(status, libc::SIGTRAP) => return Ok(true),
                _ => return Err(format!("the operation failed, with status {status:#x}").into()),
            }
        }
    }

    /// Steps to the next mark, without passing it.
    fn step_to_mark(&self, program: &Range<u64>) -> Result<Count> {
        let (mut count, mut steps) = (Count::default(), 0);
        loop {
            let registers = self.registers()?;
            let (at, code) = (registers.rip, self.peek(registers.rip)?);
            if !program.contains(&at) {
                // The stack's top is where the program goes on, whether the library was called or jumped to.
                count.calls += 1.0;
                count.system_calls += self.run_to(self.peek(registers.rsp)?)?;
                continue;
            }
            if code & 0xFF == INT3 {
                return Ok(count);
            }
            count.instructions += 1.0;
            count.system_calls += f64::from(u8::from(code & 0xFFFF == SYSCALL));
            match STRING.iter().find(|(bytes, mask, _)| code & mask == *bytes) {
                Some((_, _, len)) => drop(self.run_to(at + len)?),
                None => self.step()?,
            }
            steps += 1;
            if steps > MOST {
                return Err("the operation does not end".into());
            }
        }
    }

    /// Executes one instruction.
    fn step(&self) -> Outcome {
        match self.proceed(libc::PTRACE_SINGLESTEP)? {
            status if stopped_by(status, libc::SIGTRAP) => Ok(()),
            status => Err(format!("the operation failed, with status {status:#x}").into()),
        }
    }

    /// Lets it run up to the instruction at `address`; returns how many system calls it makes.
    fn run_to(&self, address: u64) -> Result<f64> {
        let word = self.peek(address)?;
        self.poke(address, word & !0xFF | INT3)?;
        let mut stops = 0.0; // two for each call
        loop {
            match self.proceed(libc::PTRACE_SYSCALL)? {
                status if stopped_by(status, libc::SIGTRAP | 0x80) => stops += 1.0,
                status if stopped_by(status, libc::SIGTRAP) => break,
                status => return Err(format!("the operation failed, with status {status:#x}").into()),
            }
        }
        self.poke(address, word)?;
        let registers = self.registers()?;
        if registers.rip != address + 1 {
            return Err(format!("a mark is in a library's function, at {:#x}", registers.rip).into());
        }
        let back = libc::user_regs_struct { rip: address, ..registers };
        // SAFETY: the registers stay alive across the call; the child is ours and is stopped.
        check(unsafe { libc::ptrace(libc::PTRACE_SETREGS, self.0, 0, &back) })?;
        Ok(stops / 2.0)
    }

    /// Continues it until its next stop, or its end.
    fn proceed(&self, how: libc::c_uint) -> Result<libc::c_int> {
        // SAFETY: continues our stopped child.
        check(unsafe { libc::ptrace(how, self.0, 0, 0) })?;
        self.wait()
    }

    /// Waits for its next stop, or its end.
    fn wait(&self) -> Result<libc::c_int> {
        let mut status = 0;
        loop {
            // SAFETY: the status stays alive across the call.
            let pid = unsafe { libc::waitpid(self.0, &mut status, 0) };
            if pid == self.0 {
                return Ok(status);
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error.into());
            }
        }
    }

    fn registers(&self) -> Result<libc::user_regs_struct> {
        // SAFETY: all zeros is a valid set of registers, filled by the call.
        unsafe {
            let mut registers = std::mem::zeroed();
            check(libc::ptrace(libc::PTRACE_GETREGS, self.0, 0, &mut registers))?;
            Ok(registers)
        }
    }

    fn poke(&self, address: u64, word: u64) -> Outcome {
        // SAFETY: changes the child's own copy of its code, to set and to remove a breakpoint.
        check(unsafe { libc::ptrace(libc::PTRACE_POKETEXT, self.0, address, word) })
    }

    fn peek(&self, address: u64) -> Result<u64> {
        // SAFETY: errno is this thread's own; the call reads the child's memory.
        let (word, error) = unsafe {
            *libc::__errno_location() = 0;
            let word = libc::ptrace(libc::PTRACE_PEEKTEXT, self.0, address, 0);
            (word, *libc::__errno_location())
        };
        if word == -1 && error != 0 {
            return Err(io::Error::from_raw_os_error(error).into());
        }
        Ok(word as u64)
    }

    /// The addresses of this program's own code. Another thread would run into breakpoints there.
    fn program(&self) -> Result<Range<u64>> {
        if std::fs::read_dir(format!("/proc/{}/task", self.0))?.count() > 1 {
            return Err("the operation has several threads".into());
        }
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.0))?;
        let own = std::fs::read_link(format!("/proc/{}/exe", self.0))?;
        let own = own.to_str().ok_or("this program's path is not UTF-8")?;
        let line = maps.lines().find(|line| line.ends_with(own) && line.contains(" r-xp "));
        let range = line.and_then(|line| line.split(' ').next()?.split_once('-'));
        let (from, to) = range.ok_or("this program has no code in /proc/PID/maps")?;
        Ok(u64::from_str_radix(from, 16)?..u64::from_str_radix(to, 16)?)
    }
}

fn stopped_by(status: libc::c_int, signal: libc::c_int) -> bool {
    libc::WIFSTOPPED(status) && libc::WSTOPSIG(status) == signal
}

fn check(result: libc::c_long) -> Outcome {
    if result < 0 { Err(io::Error::last_os_error().into()) } else { Ok(()) }
}

impl Drop for Child {
    fn drop(&mut self) {
        // SAFETY: our child; if it has been waited for, the first call fails.
        unsafe {
            if libc::waitpid(self.0, std::ptr::null_mut(), libc::WNOHANG) == 0 {
                libc::kill(self.0, libc::SIGKILL);
                libc::waitpid(self.0, std::ptr::null_mut(), 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many instructions, and a call if there is one.
    fn spin(times: u64) {
        // SAFETY: counts a register down.
        unsafe { core::arch::asm!("2:", "dec {0}", "jnz 2b", inout(reg) times => _) };
    }

    fn of(act: impl Fn()) -> Count {
        count(|| {
            rounds(|| {
                counted(&act);
                Ok(())
            })
        })
        .expect("a count")
    }

    #[test]
    fn every_instruction_is_counted_and_every_count_is_the_same() {
        let (few, many) = (of(|| spin(10)), of(|| spin(110)));
        assert_eq!(many.instructions - few.instructions, 200.0, "{few:?} {many:?}");
        assert_eq!(few, of(|| spin(10)));
        assert_eq!((few.calls, few.system_calls), (0.0, 0.0));
    }

    #[test]
    fn calls_into_libraries_and_the_kernel_are_counted_but_not_what_they_execute() {
        let id = of(|| {
            // SAFETY: returns a number.
            std::hint::black_box(unsafe { libc::getppid() });
        });
        assert_eq!((id.calls, id.system_calls), (1.0, 1.0));
        let fill = |bytes: usize| of(move || std::hint::black_box(&mut vec![1u8; bytes]).clear());
        assert_eq!(fill(100).instructions, fill(100_000).instructions);
    }

    #[test]
    fn an_operation_that_fails_or_ends_early_is_an_error() {
        let failed = |why: Result<Count>| why.expect_err("an error").to_string();
        assert!(failed(count(|| Err("planted".into()))).contains("0x100"));
        assert!(failed(count(|| rounds(|| Ok(())))).contains("0 rounds"));
        let early = count(|| {
            mark();
            Ok(())
        });
        assert!(failed(early).contains("second mark"));
    }
}
