//! A program that runs during a measurement.

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use saltus_os::rt;

/// Time for it to exit after SIGTERM.
const GRACE: Duration = Duration::from_secs(5);

/// Receives a message if a program has to be killed.
pub type Tell = fn(&str);

/// A running program.
pub struct Companion {
    name: String,
    tell: Tell,
    child: Child,
    ended: Option<ExitStatus>,
}

impl Companion {
    /// Starts a program, on this CPU if one is given and allowed. With `output_is_ours`, its standard output goes to standard error.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn start(
        program: &OsStr,
        arguments: &[OsString],
        cpu: Option<usize>,
        output_is_ours: bool,
        tell: Tell,
    ) -> io::Result<Companion> {
        let name = program.to_string_lossy().into_owned();
        let mut command = Command::new(program);
        command.args(arguments);
        if output_is_ours {
            command.stdout(Stdio::from(io::stderr()));
        }
        let child = spawn_on(&mut command, cpu.as_slice())?;
        Ok(Companion { name, tell, child, ended: None })
    }

    /// Its process ID.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it is still running.
    pub fn runs(&mut self) -> bool {
        self.ended = self.ended.or_else(|| self.child.try_wait().ok().flatten());
        self.ended.is_none()
    }

    /// Ends it, if it is running.
    ///
    /// # Errors
    /// It failed. The text is the error.
    pub fn end(mut self) -> Result<(), String> {
        self.runs();
        match self.ended {
            Some(status) if !status.success() => Err(format!("{} failed: {status}", self.name)),
            _ => Ok(()),
        }
    }
}

impl Drop for Companion {
    /// Ends it: first with SIGTERM, then with SIGKILL.
    fn drop(&mut self) {
        if !self.runs() {
            return;
        }
        let (can_end, asked) = (saltus_os::process::ask_to_end(&self.child), Instant::now());
        while can_end && self.runs() && asked.elapsed() < GRACE {
            std::thread::sleep(Duration::from_millis(10));
        }
        if self.runs() {
            (self.tell)(&format!("{} did not exit within {GRACE:?} after SIGTERM: killed", self.name));
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Starts a program on these CPUs. If there are none, or if they are refused (which the meter reports), it may run on all.
///
/// # Errors
/// The program cannot be started.
pub fn spawn_on(command: &mut Command, cpus: &[usize]) -> io::Result<Child> {
    if cpus.is_empty() {
        return command.spawn();
    }
    // A child inherits the affinity of the thread that starts it, so a separate thread starts it.
    std::thread::scope(|scope| {
        let starter = scope.spawn(|| {
            let _ = rt::set_affinity(cpus);
            command.spawn()
        });
        starter.join().map_err(|_| io::Error::other("the starting thread failed"))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_gets_a_stop_request_even_after_output_ends() {
        let file = std::env::temp_dir().join(format!("saltus-hiccup-beside-{}", std::process::id()));
        let script =
            "trap 'echo ended > \"$0\"; exit' TERM; echo begun > \"$0\"; while :; do sleep 0.02; done";
        let arguments = ["-c".into(), script.into(), file.clone().into_os_string()];
        let beside = Companion::start("sh".as_ref(), &arguments, None, false, |_| {}).expect("it starts");
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
