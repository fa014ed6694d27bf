//! What the environment says of the terminal.

use std::env::var_os;

/// Whether the terminal can move its cursor: `TERM` is set, and is not `dumb`.
pub fn moves() -> bool {
    var_os("TERM").is_some_and(|term| term != "dumb")
}

/// Whether to use colors on the terminal: it is not `dumb`, and `NO_COLOR` is unset or empty (<https://no-color.org>).
pub fn colors() -> bool {
    moves() && var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
