//! The control: the same meter in a process of its own that does nothing else. What it sees too is the machine's doing.

use std::collections::VecDeque;
use std::io::BufReader;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};

use clap::ValueEnum;
use saltus_measure::hlog::{self, Entry};
use saltus_measure::{Histogram, times};
use saltus_os::rt;

use super::{Hiccup, beside};
use crate::failure::{Code, Failure, Outcome};

/// What the control saw in a tenth of a second.
struct Slice {
    /// In seconds since 1970.
    start: f64,
    end: f64,
    max: u64,
}

/// The control's intervals, in seconds.
const SLICE: f64 = 0.1;
/// Slices that are remembered: ten minutes.
const KEPT: usize = 6_000;

/// The process, and what it has told.
pub struct Control {
    child: Child,
    told: Receiver<hlog::Line>,
    slices: VecDeque<Slice>,
    /// All that it measured.
    pub all: Histogram<u64>,
    /// What came since it was asked last.
    recent: Histogram<u64>,
}

impl Control {
    /// Starts it, elsewhere than the meter if that has a processor of its own.
    pub fn start(args: &Hiccup) -> Outcome<Control> {
        let failed =
            |e: std::io::Error| Failure::new(Code::Failed, format!("cannot start the control process: {e}"));
        let mut command = Command::new(std::env::current_exe().map_err(failed)?);
        let meter = args.meter.to_possible_value().map_or_else(String::new, |v| v.get_name().to_string());
        command.args(["hiccup", "--quiet", "--hlog", "-", "--interval", "100ms", "--duration", "90000h"]);
        command.args(["--meter", &meter, "--spike", "1h"]);
        command.arg("--resolution").arg(format!("{}ns", args.resolution.as_nanos()));
        if let Some(priority) = args.fifo {
            command.args(["--fifo", &priority.to_string()]);
        }
        // What is refused to the meter is refused to it, too, and was told.
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let others: Vec<usize> = match args.cpu {
            Some(own) => rt::affinity().into_iter().filter(|cpu| *cpu != own).collect(),
            None => Vec::new(),
        };
        let mut child = beside::spawn_on(&mut command, &others).map_err(failed)?;
        let output = child.stdout.take().ok_or_else(|| failed(std::io::Error::other("it has no output")))?;
        let (teller, told) = mpsc::channel();
        std::thread::spawn(move || {
            hlog::read(BufReader::new(output), |entry| {
                if let Entry::Interval(line) = entry
                    && line.tag.as_deref() == Some("raw")
                {
                    let _ = teller.send(line);
                }
            })
        });
        Ok(Control { child, told, slices: VecDeque::new(), all: times(), recent: times() })
    }

    /// Takes what has come; the times since this was asked last.
    pub fn recent(&mut self) -> Histogram<u64> {
        self.take();
        std::mem::replace(&mut self.recent, times())
    }

    fn take(&mut self) {
        while let Ok(line) = self.told.try_recv() {
            let end = line.start + line.length;
            self.slices.push_back(Slice { start: line.start, end, max: line.times.max() });
            // The bounds are the same on both sides.
            let _ = self.all.add(&line.times);
            let _ = self.recent.add(&line.times);
        }
        self.slices.drain(..self.slices.len().saturating_sub(KEPT));
    }

    /// The longest hiccup that the control saw at that time, in seconds since 1970, give or take a tenth of a second; none
    /// if it did not tell.
    pub fn longest(&mut self, from: f64, to: f64) -> Option<u64> {
        self.take();
        let near = |slice: &&Slice| slice.start <= to + SLICE && slice.end >= from - SLICE / 10.0;
        self.slices.iter().filter(near).map(|slice| slice.max).max()
    }

    /// Ends it; all that it measured.
    pub fn end(mut self) -> Histogram<u64> {
        self.take();
        std::mem::replace(&mut self.all, times())
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
