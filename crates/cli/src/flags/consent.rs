//! Asking before something is removed.

use std::io::{BufRead, BufReader, Write, stderr};

use crate::exit::{Code, Failure, Outcome};
use crate::stop;

/// Asks for consent. Blocks until the user answers; Ctrl-C and the end of the input mean no.
pub(crate) fn given(question: &str) -> Outcome<bool> {
    let _ = write!(stderr(), "{question} [y/N] ");
    let failed = |e| Failure::new(Code::Failed, format!("cannot read the answer: {e}"));
    let input = stop::input().map_err(failed)?;
    let mut answer = String::new();
    if stop::wait_readable(&input) {
        BufReader::new(input).read_line(&mut answer).map_err(failed)?;
    }
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}
