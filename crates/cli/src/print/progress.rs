//! How far it is, on a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use saltus_text::human::bytes;

/// How often it is drawn.
const DRAW: Duration = Duration::from_millis(100);
/// How long the bar is.
const BAR: usize = 30;

/// A bar on standard error, if that is a terminal.
pub(crate) struct Progress {
    size: u64,
    drawn: Instant,
    on: bool,
}

impl Progress {
    /// For so many bytes.
    pub(crate) fn new(size: u64, quiet: bool) -> Progress {
        Progress { size, drawn: Instant::now(), on: !quiet && io::stderr().is_terminal() }
    }
    /// So many are done. Most calls only look at the time.
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
    /// Takes it away.
    pub(crate) fn clear(&self) {
        if self.on {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
