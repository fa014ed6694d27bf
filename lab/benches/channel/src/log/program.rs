//! Programs that are measured from outside.

use crate::clock;
use crate::error::{Fallible, check};
use std::fs::{read_dir, read_to_string};
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Directories with the programs.
pub struct Programs {
    saltus: PathBuf,
    /// LCM's programs.
    lcm: PathBuf,
}

/// The command `saltus`, built next to this harness.
pub fn saltus() -> Fallible<PathBuf> {
    let saltus = std::env::current_exe()?.with_file_name("saltus");
    if !saltus.is_file() {
        let words = "`cargo build --profile dist -p saltus-cli` makes it";
        return Err(format!("no program {}: {words}", saltus.display()).into());
    }
    Ok(saltus)
}

/// LCM's programs come with the Python environment of the conformance tests.
const ENVIRONMENT: &str = "target/python-types/lib";

impl Programs {
    /// Finds them.
    pub fn find() -> Fallible<Programs> {
        let saltus = saltus()?;
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(ENVIRONMENT);
        let pythons = read_dir(root).into_iter().flatten().flatten();
        let lcm = pythons
            .map(|python| python.path().join("site-packages/bin"))
            .find(|bin| bin.join("lcm-logger").is_file());
        let lcm = lcm.ok_or("no lcm-logger: `python3 lab/conformance/types/environment.py` fetches LCM")?;
        Ok(Programs { saltus, lcm })
    }
    /// A Saltus command.
    pub fn ours(&self, verb: &str) -> Command {
        let mut command = Command::new(&self.saltus);
        command.arg(verb);
        command
    }
    /// An LCM program.
    pub fn lcm(&self, name: &str) -> Command {
        Command::new(self.lcm.join(name))
    }
}

fn threads(pid: u32) -> impl Iterator<Item = PathBuf> {
    let tasks = read_dir(format!("/proc/{pid}/task"));
    tasks.into_iter().flatten().flatten().map(|task| task.path())
}

/// Processor time of a process's threads so far, in ns, from the scheduler's own statistics.
pub fn cpu_of(pid: u32) -> u64 {
    let of = |task: PathBuf| {
        let text = read_to_string(task.join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    };
    threads(pid).filter_map(of).sum()
}

/// A running program. Dropping it kills the process if it still runs.
pub struct Program(Child);

impl Program {
    /// Starts it, pinned to one core.
    pub fn start_on(command: &mut Command, core: usize) -> Fallible<Program> {
        // SAFETY: a system call on the child's own behalf; nothing is allocated or locked unless it fails.
        unsafe {
            command.pre_exec(move || {
                saltus_os::rt::set_affinity(&[core]).map_err(|_| std::io::Error::last_os_error())
            });
        }
        Program::start(command)
    }

    /// Starts it and captures its standard output.
    pub fn start(command: &mut Command) -> Fallible<Program> {
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        Ok(Program(child.map_err(|e| format!("cannot start {name}: {e}"))?))
    }

    /// Processor time of its threads so far, in ns.
    pub fn cpu(&self) -> u64 {
        cpu_of(self.0.id())
    }

    /// Waits at most 10 s until the program has created this file and has at least `threads` threads.
    pub fn ready(&mut self, file: &Path, threads_wanted: usize) -> Fallible<()> {
        let end = clock::now() + 10_000_000_000;
        while !(file.exists() && threads(self.0.id()).count() >= threads_wanted) {
            if let Some(status) = self.0.try_wait()? {
                return Err(format!("it exited with {status} before it was ready").into());
            }
            if clock::now() > end {
                return Err("it was not ready within 10 s".into());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Interrupts it, as Ctrl-C does.
    pub fn interrupt(&self) -> Fallible<()> {
        // SAFETY: sends a signal to our own child, which has not been waited for.
        check("kill", unsafe { libc::kill(self.0.id() as libc::pid_t, libc::SIGINT) }).map(drop)
    }

    /// Waits at most `patience` for it to exit, and returns its output: a line or two. This process is idle in the
    /// meantime.
    pub fn end(mut self, patience: Duration) -> Fallible<String> {
        // SAFETY: a child of ours that has not been waited for; the descriptor is new, and nobody else's.
        let fd = unsafe {
            let fd = libc::syscall(libc::SYS_pidfd_open, self.0.id(), 0);
            OwnedFd::from_raw_fd(check("pidfd_open", fd as i32)?)
        };
        let mut poll = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let end = clock::now() + patience.as_nanos() as u64;
        while self.0.try_wait()?.is_none() {
            let left = end.saturating_sub(clock::now());
            if left == 0 {
                return Err(format!("it did not exit within {patience:?}").into());
            }
            // SAFETY: one entry, which lives across the call. A signal only makes it look again.
            unsafe { libc::poll(&mut poll, 1, (left / 1_000_000 + 1) as i32) };
        }
        let mut printed = String::new();
        if let Some(out) = &mut self.0.stdout {
            out.read_to_string(&mut printed)?;
        }
        Ok(printed)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
