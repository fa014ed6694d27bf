//! The control: the same meter in a process of its own that does nothing else. What it sees too is the machine's doing.

use std::collections::VecDeque;
use std::io::{self, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::hlog::{self, Entry};
use crate::{beside, times};

/// What the control saw in a tenth of a second.
pub struct Slice {
    /// In seconds since 1970.
    pub start: f64,
    /// In seconds since 1970.
    pub end: f64,
    /// The longest hiccup, in ns.
    pub max: u64,
}

/// What it saw lately, in order.
#[derive(Default)]
pub struct Slices {
    all: VecDeque<Slice>,
    /// Whether it has ended: there will be no more.
    ended: bool,
}

/// The control's intervals, in seconds.
const SLICE: f64 = 0.1;
/// Slices that are remembered: ten minutes.
const KEPT: usize = 6_000;
/// Intervals that may wait to be taken, which are large; then the control waits, too, and loses nothing.
const WAITING: usize = 16;

/// The process, and what it has told.
pub struct Control {
    child: Child,
    told: Receiver<hlog::Line>,
    slices: Slices,
    /// All that it measured.
    pub all: Histogram<u64>,
    /// What came since it was asked last.
    recent: Histogram<u64>,
}

impl Control {
    /// Starts the command, which writes an interval log with the tag `raw` on standard output, a tenth of a second a line; on
    /// these processors, or on all if there are none.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(mut command: Command, cpus: &[usize]) -> io::Result<Control> {
        // What is refused to the meter is refused to it, too, and was told.
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = beside::spawn_on(&mut command, cpus)?;
        let output = child.stdout.take().ok_or_else(|| io::Error::other("it has no output"))?;
        let (teller, told) = mpsc::sync_channel(WAITING);
        std::thread::spawn(move || {
            hlog::try_read(BufReader::new(output), |entry| match entry {
                Entry::Interval(line) if line.tag.as_deref() == Some("raw") => {
                    teller.send(line).map_err(|_| "nobody wants it any more".into())
                }
                _ => Ok(()),
            })
        });
        Ok(Control { child, told, slices: Slices::default(), all: times(), recent: times() })
    }

    /// The times that were taken since this was asked last.
    pub fn recent(&mut self) -> Histogram<u64> {
        std::mem::replace(&mut self.recent, times())
    }

    /// Takes what has come; waits so long for something to come.
    pub fn take(&mut self, patience: Duration) {
        let mut next = self.told.recv_timeout(patience);
        while let Ok(line) = next {
            let end = line.start + line.length;
            self.slices.push(Slice { start: line.start, end, max: line.times.max() });
            // The bounds are the same on both sides.
            let _ = self.all.add(&line.times);
            let _ = self.recent.add(&line.times);
            next = self.told.recv_timeout(Duration::ZERO);
        }
        self.slices.ended |= matches!(next, Err(RecvTimeoutError::Disconnected));
    }

    /// What it saw lately.
    pub fn slices(&self) -> &Slices {
        &self.slices
    }

    /// Ends it; all that it measured.
    pub fn end(mut self) -> Histogram<u64> {
        self.take(Duration::ZERO);
        std::mem::replace(&mut self.all, times())
    }
}

impl Slices {
    /// Adds the next.
    pub fn push(&mut self, slice: Slice) {
        self.all.push_back(slice);
        self.all.drain(..self.all.len().saturating_sub(KEPT));
    }

    /// Whether it has told all that it will about a spike that was over then, in seconds since 1970.
    pub fn cover(&self, to: f64) -> bool {
        self.ended || self.all.back().is_some_and(|slice| slice.end >= to + SLICE)
    }

    /// The longest hiccup that the control saw at that time, in seconds since 1970, give or take a tenth of a second; none
    /// if it did not tell.
    pub fn longest(&self, from: f64, to: f64) -> Option<u64> {
        let near = |slice: &&Slice| slice.start <= to + SLICE && slice.end >= from - SLICE / 10.0;
        self.all.iter().filter(near).map(|slice| slice.max).max()
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
