//! How the program ends, and what it says on standard error.

use std::io::{ErrorKind, Write, stderr};

/// Success, or why not.
pub type Outcome<T = ()> = Result<T, Failure>;

/// Why it ends early.
pub enum Failure {
    /// It could not be done, for this reason.
    Failed(String),
    /// It could not be done, and the reason was printed.
    Printed,
    /// Nobody reads the output any more: a good end.
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

/// A sentence on standard error. Nothing can be done when nobody reads it.
pub fn say(words: impl std::fmt::Display) {
    let _ = writeln!(stderr(), "saltus: {words}");
}
