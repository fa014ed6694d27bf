//! Combines several findings of one check.

use crate::State;

/// The worst of the findings, each with its text; good only if there are none.
pub fn worst(found: &[(State, String)]) -> State {
    found.iter().map(|(state, _)| *state).max().unwrap_or(State::Ok)
}

/// The texts of all findings.
pub fn words(found: &[(State, String)]) -> String {
    found.iter().map(|(_, words)| words.as_str()).collect::<Vec<_>>().join("; ")
}
