//! A line that is redrawn in place, on a terminal.

use std::fmt::Display;
use std::io::{IsTerminal, Write, stderr};

use saltus_text::terminal;

/// A line on standard error, if that is a terminal that can move its cursor. Write errors are ignored: there is nowhere to report them.
#[derive(Clone, Copy)]
pub(crate) struct Live {
    on: bool,
}

impl Live {
    /// A line that is drawn if `wanted`.
    pub(crate) fn new(wanted: bool) -> Live {
        Live { on: wanted && stderr().is_terminal() && terminal::moves() }
    }

    /// Whether it is drawn.
    pub(crate) fn is_on(self) -> bool {
        self.on
    }

    /// Draws it, without the end that does not fit: of a line that wraps, the next drawing would leave the beginning. One call writes all, so
    /// that a process that is killed leaves the terminal as it was.
    pub(crate) fn draw(self, line: impl Display) {
        if self.on {
            let _ = stderr().write_all(format!("\r\x1b[?7l{line}\x1b[K\x1b[?7h").as_bytes());
        }
    }

    /// Erases it.
    pub(crate) fn clear(self) {
        self.draw("");
    }

    /// Prints text in place of it; the line continues below.
    pub(crate) fn replace(self, words: &str) {
        if self.on {
            let _ = writeln!(stderr(), "\r\x1b[K{words}");
        }
    }
}
