//! A contender: a program that executes commands, and reports the time of each repetition.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// A result, or an error in words.
pub type Result<T> = std::result::Result<T, String>;

/// A running program.
pub struct Program {
    /// Its name in the table.
    pub name: String,
    /// The commands that it supports, by their first word or completely.
    does: &'static [&'static str],
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Program {
    /// Starts it, and waits until it reports that it is ready.
    pub fn start(name: &str, does: &'static [&'static str], command: &mut Command) -> Result<Program> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{name}: {command:?}: {e}"))?;
        let (to, from) = (child.stdin.take(), child.stdout.take());
        let from = BufReader::new(from.ok_or("no pipe")?);
        let mut program = Program { name: name.into(), does, child, to, from };
        match program.line()?.as_str() {
            "ready" => Ok(program),
            other => Err(format!("{name} is not ready: {other}")),
        }
    }

    /// Whether it supports the command.
    pub fn does(&self, what: &str) -> bool {
        let word = what.split(' ').next();
        self.does.iter().any(|can| *can == what || Some(*can) == word)
    }

    /// Executes the command `count` times; returns the time of each repetition, in ns.
    pub fn run(&mut self, what: &str, count: usize) -> Result<Vec<f64>> {
        let to = self.to.as_mut().ok_or("it was ended")?;
        writeln!(to, "{count} {what}").map_err(|e| format!("{}: {e}", self.name))?;
        let line = self.line()?;
        let times: std::result::Result<Vec<f64>, _> = line.split_whitespace().map(str::parse).collect();
        match times {
            Ok(times) if times.len() == count => Ok(times),
            _ => Err(format!("{}: {what}: {}", self.name, line.chars().take(200).collect::<String>())),
        }
    }

    /// Closes its input, which makes it exit, and waits for that.
    pub fn end(mut self) -> Result<()> {
        drop(self.to.take());
        let status = self.child.wait().map_err(|e| format!("{}: {e}", self.name))?;
        if status.success() { Ok(()) } else { Err(format!("{} exited with {status}", self.name)) }
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        match self.from.read_line(&mut line) {
            Ok(0) => Err(format!("{} has exited", self.name)),
            Ok(_) => Ok(line.trim_end().into()),
            Err(e) => Err(format!("{}: {e}", self.name)),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.to.take());
        // The benchmark failed. Closing its input makes the program remove its files and exit. If it does not, kill it.
        let start = Instant::now();
        let ended = |child: &mut Child| matches!(child.try_wait(), Ok(Some(_)));
        while !ended(&mut self.child) && start.elapsed() < Duration::from_secs(2) {
            std::thread::sleep(Duration::from_millis(5));
        }
        if !ended(&mut self.child) {
            let _ = self.child.kill(); // it may have ended since
            let _ = self.child.wait();
        }
    }
}
