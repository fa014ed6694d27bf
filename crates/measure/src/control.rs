//! The control: the same meter in a separate, idle process. Spikes that it also measures are caused by the machine.

use std::collections::VecDeque;
use std::io::{self, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::hlog::{self, Entry};
use crate::{beside, times};

/// The control's measurement in a tenth of a second.
pub struct Slice {
    /// In seconds since 1970.
    pub start: f64,
    /// In seconds since 1970.
    pub end: f64,
    /// The longest hiccup, in ns.
    pub max: u64,
}

/// Its recent measurements, in order.
#[derive(Default)]
pub struct Slices {
    all: VecDeque<Slice>,
    /// Whether it has exited: no more measurements follow.
    ended: bool,
}

/// The control's intervals, in seconds.
const SLICE: f64 = 0.1;
/// Most slices that are kept: ten minutes.
const KEPT: usize = 6_000;
/// Most intervals that wait to be received; they are large. Beyond it, the control also waits, and loses nothing.
const WAITING: usize = 16;

/// The process, and its measurements.
pub struct Control {
    child: Child,
    reported: Receiver<hlog::Line>,
    slices: Slices,
    /// All its times.
    pub all: Histogram<u64>,
    /// Its times since the last call of [`Control::recent`].
    recent: Histogram<u64>,
}

impl Control {
    /// Starts the command, on these CPUs, or on all if there are none. It must write an interval log with the tag `raw` to standard output,
    /// with one line per tenth of a second.
    ///
    /// # Errors
    /// The command cannot be started.
    pub fn start(mut command: Command, cpus: &[usize]) -> io::Result<Control> {
        // The system refuses it the same settings as the meter, which reported them.
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = beside::spawn_on(&mut command, cpus)?;
        let output = child.stdout.take().ok_or_else(|| io::Error::other("no standard output"))?;
        let (teller, reported) = mpsc::sync_channel(WAITING);
        std::thread::spawn(move || {
            hlog::try_read(BufReader::new(output), |entry| match entry {
                Entry::Interval(line) if line.tag.as_deref() == Some("raw") => {
                    teller.send(line).map_err(|_| "the receiver is gone".into())
                }
                _ => Ok(()),
            })
        });
        Ok(Control { child, reported, slices: Slices::default(), all: times(), recent: times() })
    }

    /// The times received since the last call.
    pub fn recent(&mut self) -> Histogram<u64> {
        std::mem::replace(&mut self.recent, times())
    }

    /// Receives its measurements; waits up to `patience` for the first.
    pub fn take(&mut self, patience: Duration) {
        let mut next = self.reported.recv_timeout(patience);
        while let Ok(line) = next {
            let end = line.start + line.length;
            self.slices.push(Slice { start: line.start, end, max: line.times.max() });
            // Both histograms have the same bounds.
            let _ = self.all.add(&line.times);
            let _ = self.recent.add(&line.times);
            next = self.reported.recv_timeout(Duration::ZERO);
        }
        self.slices.ended |= matches!(next, Err(RecvTimeoutError::Disconnected));
    }

    /// Its recent measurements.
    pub fn slices(&self) -> &Slices {
        &self.slices
    }

    /// Ends the process, and returns all its times.
    pub fn end(mut self) -> Histogram<u64> {
        self.take(Duration::ZERO);
        std::mem::replace(&mut self.all, times())
    }
}

impl Slices {
    /// Adds the next slice.
    pub fn push(&mut self, slice: Slice) {
        self.all.push_back(slice);
        self.all.drain(..self.all.len().saturating_sub(KEPT));
    }

    /// Whether its report about a spike that ended at this time, in seconds since 1970, is complete.
    pub fn cover(&self, to: f64) -> bool {
        self.ended || self.all.back().is_some_and(|slice| slice.end >= to + SLICE)
    }

    /// The control's longest hiccup within a tenth of a second of the given time, in seconds since 1970; `None` without a report.
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
