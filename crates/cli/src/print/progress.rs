//! A progress bar on a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use saltus_text::human::bytes;

/// Minimum time between two drawings.
const DRAW: Duration = Duration::from_millis(100);
/// Length of the bar in characters.
const BAR: usize = 30;

/// A progress bar on standard error, if that is a terminal.
pub(crate) struct Progress {
    size: u64,
    drawn: Instant,
    on: bool,
}

impl Progress {
    /// A bar for `size` bytes.
    pub(crate) fn new(size: u64, quiet: bool) -> Progress {
        Progress { size, drawn: Instant::now(), on: !quiet && io::stderr().is_terminal() }
    }
    /// Draws the bar for `done` bytes, if it is time to. Most calls only read the clock.
    pub(crate) fn draw(&mut self, done: u64) {
        if self.on && self.drawn.elapsed() >= DRAW {
            self.drawn = Instant::now();
            let part = done as f64 / self.size.max(done).max(1) as f64;
            let full = "█".repeat((part * BAR as f64) as usize);
            let percent = 100.0 * part;
            let _ =
                write!(io::stderr(), "\r{full:░<BAR$} {percent:3.0} % of {}\x1b[K", bytes(self.size as f64));
        }
    }
    /// Erases the bar.
    pub(crate) fn clear(&self) {
        if self.on {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
