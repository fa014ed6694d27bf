//! The result of the program, and its messages on standard error.

use std::io::{ErrorKind, Write, stderr};

/// Success, or a failure.
pub type Outcome<T = ()> = Result<T, Failure>;

/// Why the program ends early.
pub enum Failure {
    /// It failed, for this reason.
    Failed(String),
    /// It failed, and the reason was already printed.
    Printed,
    /// The reader of the output has closed it, which counts as success.
    Quiet,
}

impl Failure {
    /// A failure with this reason.
    pub fn new(words: impl Into<String>) -> Failure {
        Failure::Failed(words.into())
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        match error.kind() {
            ErrorKind::BrokenPipe => Failure::Quiet,
            _ => Failure::new(format!("cannot write to standard output: {error}")),
        }
    }
}

/// Prints a sentence on standard error. If that fails, the failure is ignored.
pub fn say(words: impl std::fmt::Display) {
    let _ = writeln!(stderr(), "saltus: {words}");
}
