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

/// Where the programs are.
pub struct Programs {
    saltus: PathBuf,
    /// The directory with LCM's.
    lcm: PathBuf,
}

/// The command `saltus`, built beside this harness.
pub fn saltus() -> Fallible<PathBuf> {
    let saltus = std::env::current_exe()?.with_file_name("saltus");
    if !saltus.is_file() {
        let words = "`cargo build --profile dist -p saltus-cli` makes it";
        return Err(format!("there is no {}: {words}", saltus.display()).into());
    }
    Ok(saltus)
}

/// LCM's programs come with the Python environment of the conformance tests.
const ENVIRONMENT: &str = "target/python-types/lib";

impl Programs {
    /// Looks for them.
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
    /// One of ours.
    pub fn ours(&self, verb: &str) -> Command {
        let mut command = Command::new(&self.saltus);
        command.arg(verb);
        command
    }
    /// One of LCM's.
    pub fn lcm(&self, name: &str) -> Command {
        Command::new(self.lcm.join(name))
    }
}

fn threads(pid: u32) -> impl Iterator<Item = PathBuf> {
    let tasks = read_dir(format!("/proc/{pid}/task"));
    tasks.into_iter().flatten().flatten().map(|task| task.path())
}

/// Processor time of a process's threads so far, in ns, to the nanosecond as the scheduler keeps it.
pub fn cpu_of(pid: u32) -> u64 {
    let of = |task: PathBuf| {
        let text = read_to_string(task.join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    };
    threads(pid).filter_map(of).sum()
}

/// A program that runs. It is killed if it still does when this goes.
pub struct Program(Child);

impl Program {
    /// Starts it on one core and no other.
    pub fn start_on(command: &mut Command, core: usize) -> Fallible<Program> {
        // SAFETY: a system call on the child's own behalf; nothing is allocated or locked unless it fails.
        unsafe {
            command.pre_exec(move || {
                saltus_os::rt::set_affinity(&[core]).map_err(|_| std::io::Error::last_os_error())
            });
        }
        Program::start(command)
    }

    /// Starts it; its standard output is kept.
    pub fn start(command: &mut Command) -> Fallible<Program> {
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        Ok(Program(child.map_err(|e| format!("cannot start {name}: {e}"))?))
    }

    /// Processor time of its threads so far, in ns.
    pub fn cpu(&self) -> u64 {
        cpu_of(self.0.id())
    }

    /// Waits until it has made this file and has so many threads at least, at most 10 s.
    pub fn ready(&mut self, file: &Path, least: usize) -> Fallible<()> {
        let end = clock::now() + 10_000_000_000;
        while !(file.exists() && threads(self.0.id()).count() >= least) {
            if let Some(status) = self.0.try_wait()? {
                return Err(format!("it ended with {status} before it had begun").into());
            }
            if clock::now() > end {
                return Err("it did not begin within 10 s".into());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Asks it to end, as Ctrl-C does.
    pub fn interrupt(&self) -> Fallible<()> {
        // SAFETY: sends a signal to our own child, which has not been waited for.
        check("kill", unsafe { libc::kill(self.0.id() as libc::pid_t, libc::SIGINT) }).map(drop)
    }

    /// Waits for its end, at most so long, and gives what it has said: a line or two. Nothing runs here meanwhile.
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
                return Err(format!("it did not end within {patience:?}").into());
            }
            // SAFETY: one entry, which lives across the call. A signal only makes it look again.
            unsafe { libc::poll(&mut poll, 1, (left / 1_000_000 + 1) as i32) };
        }
        let mut said = String::new();
        if let Some(out) = &mut self.0.stdout {
            out.read_to_string(&mut said)?;
        }
        Ok(said)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
