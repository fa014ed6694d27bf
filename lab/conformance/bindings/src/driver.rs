//! Runs the driver program of a language.

use crate::languages::Language;
use saltus_conformance_types::tools::Result;
use saltus_netns::Space;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Longest wait for an answer: longer than any step waits.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running driver. It is killed when it is dropped.
pub struct Driver {
    /// The language, for people.
    pub language: String,
    child: Child,
    stdin: Option<ChildStdin>,
    answers: Receiver<String>,
    complaints: PathBuf,
}

impl Driver {
    /// Starts it in a separate network, or in this one. `dir` is for its error output.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(language: &Language, dir: &Path, space: Option<&Space>) -> Result<Driver> {
        static STARTED: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let number = STARTED.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let complaints = dir.join(format!("complaints-{number}"));
        let reported = |e: std::io::Error| format!("{}: {}: {e}", language.name, language.command.join(" "));
        let mut command = Command::new(&language.command[0]);
        command
            .args(&language.command[1..])
            .envs(language.environment.iter().map(|(key, value)| (key, value)))
            .env_remove("SALTUS_DOMAIN")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(&complaints).map_err(reported)?);
        let mut child = match space {
            Some(space) => space.run(|| command.spawn()),
            None => command.spawn(),
        }
        .map_err(reported)?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().ok_or("a child without pipes")?);
        let (send, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(|line| line.ok()) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Driver { language: language.name.clone(), child, stdin, answers, complaints })
    }

    /// Sends a line, without waiting for the answer.
    pub fn say(&mut self, line: &str) -> Result<()> {
        let stdin = self.stdin.as_mut().ok_or("it was asked to exit")?;
        stdin.write_all(format!("{line}\n").as_bytes()).map_err(|e| self.why(&e.to_string()))
    }

    /// The answer to the last line without one.
    ///
    /// # Errors
    /// It exited, or does not answer in time.
    pub fn answer(&mut self) -> Result<String> {
        self.answers.recv_timeout(PATIENCE).map_err(|e| match e {
            RecvTimeoutError::Timeout => {
                format!("no answer from {} for {} s", self.language, PATIENCE.as_secs())
            }
            RecvTimeoutError::Disconnected => self.why("it said no more"),
        })
    }

    /// Sends a line, and returns the answer.
    pub fn ask(&mut self, line: &str) -> Result<String> {
        self.say(line)?;
        self.answer()
    }

    /// Sends a command that must succeed.
    pub fn must(&mut self, line: &str) -> Result<()> {
        match self.ask(line)?.as_str() {
            "ok" => Ok(()),
            other => Err(format!("{}: `{line}`: {other}", self.language)),
        }
    }

    /// Its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Kills it, as only the kernel can.
    pub fn kill(mut self) -> Result<()> {
        self.child.kill().and_then(|()| self.child.wait()).map(drop).map_err(|e| e.to_string())
    }

    /// Lets it exit, which must succeed.
    pub fn end(mut self) -> Result<()> {
        self.stdin = None; // there are no more commands
        let until = Instant::now() + PATIENCE;
        loop {
            match self.child.try_wait().map_err(|e| e.to_string())? {
                Some(status) if status.success() => return Ok(()),
                Some(_) => return Err(self.why("at its end")),
                None if Instant::now() > until => return Err(self.why("it was to end, and did not")),
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    /// How it ended, and its error output.
    fn why(&mut self, what: &str) -> String {
        let _ = self.child.kill();
        let status = self.child.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
        let complaints = std::fs::read_to_string(&self.complaints).unwrap_or_default();
        format!("the program in {} ended: {what}, {status}\n{}", self.language, complaints.trim_end())
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have exited already
        let _ = self.child.wait();
    }
}
