//! The program that is measured beside.

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use saltus_os::rt;

/// How long it may take to end when it is asked to.
const GRACE: Duration = Duration::from_secs(5);

/// Hears that a program had to be killed.
pub type Tell = fn(&str);

/// A program that runs.
pub struct Beside {
    name: String,
    tell: Tell,
    child: Child,
    ended: Option<ExitStatus>,
}

impl Beside {
    /// Starts it, on this processor if one is told and may be had. If standard output is for others alone it writes to
    /// standard error.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(
        program: &OsStr,
        arguments: &[OsString],
        cpu: Option<usize>,
        output_is_ours: bool,
        tell: Tell,
    ) -> io::Result<Beside> {
        let name = program.to_string_lossy().into_owned();
        let mut command = Command::new(program);
        command.args(arguments);
        if output_is_ours {
            command.stdout(Stdio::from(io::stderr()));
        }
        let child = spawn_on(&mut command, cpu.as_slice())?;
        Ok(Beside { name, tell, child, ended: None })
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has not ended yet.
    pub fn runs(&mut self) -> bool {
        self.ended = self.ended.or_else(|| self.child.try_wait().ok().flatten());
        self.ended.is_none()
    }

    /// Ends it, if it runs.
    ///
    /// # Errors
    /// It failed by itself: in words.
    pub fn end(mut self) -> Result<(), String> {
        self.runs();
        match self.ended {
            Some(status) if !status.success() => Err(format!("{} failed: {status}", self.name)),
            _ => Ok(()),
        }
    }
}

impl Drop for Beside {
    /// Ends it: politely, then by force.
    fn drop(&mut self) {
        if !self.runs() {
            return;
        }
        // SAFETY: only sends a signal, to a child that was not waited for yet, so its id is still its own.
        unsafe { libc::kill(self.child.id() as libc::pid_t, libc::SIGTERM) };
        let asked = Instant::now();
        while self.runs() && asked.elapsed() < GRACE {
            std::thread::sleep(Duration::from_millis(10));
        }
        if self.runs() {
            (self.tell)(&format!("{} did not end {GRACE:?} after SIGTERM, and is killed", self.name));
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Starts a program that may run on these processors; on all, if there are none or they are refused, which the meter tells.
///
/// # Errors
/// It cannot be started.
pub fn spawn_on(command: &mut Command, cpus: &[usize]) -> io::Result<Child> {
    if cpus.is_empty() {
        return command.spawn();
    }
    // A child runs where the thread runs that starts it; this one is only for that.
    std::thread::scope(|scope| {
        let starter = scope.spawn(|| {
            let _ = rt::set_affinity(cpus);
            command.spawn()
        });
        starter.join().map_err(|_| io::Error::other("the thread that starts it failed"))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_asked_to_end_even_where_nothing_is_told_any_more() {
        let file = std::env::temp_dir().join(format!("saltus-hiccup-beside-{}", std::process::id()));
        let script =
            "trap 'echo ended > \"$0\"; exit' TERM; echo begun > \"$0\"; while :; do sleep 0.02; done";
        let arguments = ["-c".into(), script.into(), file.clone().into_os_string()];
        let beside = Beside::start("sh".as_ref(), &arguments, None, false, |_| {}).expect("it starts");
        let said = || std::fs::read_to_string(&file).unwrap_or_default();
        let start = Instant::now();
        while said() != "begun\n" {
            assert!(start.elapsed() < Duration::from_secs(60), "it does not begin");
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(beside);
        assert_eq!(said(), "ended\n");
        std::fs::remove_file(&file).expect("removed");
    }
}
