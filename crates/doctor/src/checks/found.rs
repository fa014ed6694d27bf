//! Several findings of one check.

use crate::State;

/// The worse of what was found, each with its words; good only if nothing was.
pub fn worst(found: &[(State, String)]) -> State {
    found.iter().map(|(state, _)| *state).max().unwrap_or(State::Ok)
}

/// The words of all that was found.
pub fn words(found: &[(State, String)]) -> String {
    found.iter().map(|(_, words)| words.as_str()).collect::<Vec<_>>().join("; ")
}
