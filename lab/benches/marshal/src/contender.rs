//! The contenders: code in this process, or a program controlled through pipes (see `programs/measure.h`).

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A result, or an error in words.
pub type Result<T> = std::result::Result<T, String>;

/// The operation that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Message to bytes, into an existing buffer (Python: into new `bytes`).
    Encode,
    /// Bytes to a new message, which is then freed.
    Decode,
    /// Bytes to a message that was used before.
    Reuse,
    /// As many bytes, copied.
    Copy,
}

impl Operation {
    /// All of them.
    pub const ALL: [Operation; 4] = [Operation::Encode, Operation::Decode, Operation::Reuse, Operation::Copy];

    /// Its name in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Encode => "encode",
            Operation::Decode => "decode",
            Operation::Reuse => "reuse",
            Operation::Copy => "copy",
        }
    }
}

/// A way to encode and decode the messages.
pub trait Work {
    /// The time of `count` operations in ns; `None` if not supported.
    fn time(&mut self, operation: Operation, case: &str, count: u64) -> Result<Option<u64>>;
    /// The message, decoded and encoded again, as LCM's bytes.
    fn verify(&mut self, case: &str) -> Result<Vec<u8>>;
}

/// A contender.
pub struct Contender {
    /// `C++ -O2`
    pub name: String,
    /// LCM's contender, with which it is compared.
    pub rival: &'static str,
    /// Whether it becomes faster as it runs.
    pub warms: bool,
    /// What it does.
    pub work: Box<dyn Work>,
}

/// A program controlled through pipes. It exits when this is dropped.
pub struct Program {
    name: String,
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Program {
    /// Starts it.
    pub fn start(name: &str, command: &mut Command) -> Result<Program> {
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|e| format!("{name}: {e}"))?;
        let to = child.stdin.take();
        let from = child.stdout.take().ok_or_else(|| format!("{name}: no output"))?;
        Ok(Program { name: name.into(), child, to, from: BufReader::new(from) })
    }

    fn ask(&mut self, line: &str) -> Result<String> {
        let reported = |e: std::io::Error| format!("{} ended when asked to `{line}`: {e}", self.name);
        let to = self.to.as_mut().ok_or("no input")?;
        writeln!(to, "{line}").and_then(|()| to.flush()).map_err(reported)?;
        let mut answer = String::new();
        self.from.read_line(&mut answer).map_err(reported)?;
        match answer.trim() {
            "" => Err(format!("{} ended when asked to `{line}`", self.name)),
            answer => Ok(answer.into()),
        }
    }
}

impl Work for Program {
    fn time(&mut self, operation: Operation, case: &str, count: u64) -> Result<Option<u64>> {
        match self.ask(&format!("{} {case} {count}", operation.name()))?.as_str() {
            "-" => Ok(None),
            answer => answer.parse().map(Some).map_err(|_| format!("{} says `{answer}`", self.name)),
        }
    }
    fn verify(&mut self, case: &str) -> Result<Vec<u8>> {
        let answer = self.ask(&format!("verify {case}"))?;
        saltus_conformance_types::canonical::unhex(&answer).ok_or_else(|| format!("{}: {answer}", self.name))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // The end of its input makes it exit; one that hangs is killed.
        drop(self.to.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
