//! How the program ends, and its messages on standard error.

use std::io::{ErrorKind, Write, stderr};

/// Success, or why not.
pub type Outcome<T = ()> = Result<T, Failure>;

/// Why it ends early.
pub enum Failure {
    /// It could not be done, for this reason.
    Failed(String),
    /// It could not be done, and the reason was printed.
    Printed,
    /// The output was closed: a successful end.
    Quiet,
}

impl Failure {
    /// It could not be done.
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

/// Prints a sentence on standard error. An error of that is ignored.
pub fn say(words: impl std::fmt::Display) {
    let _ = writeln!(stderr(), "saltus: {words}");
}
