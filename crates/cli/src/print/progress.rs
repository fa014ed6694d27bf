//! A progress bar on a terminal.

use std::time::{Duration, Instant};

use saltus_text::human::bytes;

use crate::print::live::Live;

/// Minimum time between two drawings.
const DRAW: Duration = Duration::from_millis(100);
/// Length of the bar in characters.
const BAR: usize = 30;

/// A progress bar on standard error, if that is a terminal.
pub(crate) struct Progress {
    size: u64,
    drawn: Instant,
    live: Live,
}

impl Progress {
    /// A bar for `size` bytes.
    pub(crate) fn new(size: u64, quiet: bool) -> Progress {
        Progress { size, drawn: Instant::now(), live: Live::new(!quiet) }
    }
    /// Draws the bar for `done` bytes, if it is time to. Most calls only read the clock.
    pub(crate) fn draw(&mut self, done: u64) {
        if self.live.is_on() && self.drawn.elapsed() >= DRAW {
            self.drawn = Instant::now();
            let part = done as f64 / self.size.max(done).max(1) as f64;
            let full = "█".repeat((part * BAR as f64) as usize);
            let percent = 100.0 * part;
            let size = bytes(self.size as f64);
            self.live.draw(format_args!("{full:░<BAR$} {percent:3.0} % of {size}"));
        }
    }
    /// Erases the bar.
    pub(crate) fn clear(&self) {
        self.live.clear();
    }
}
