//! The output of `hiccup`: a live line, and the report.

use std::time::{Duration, Instant};

use saltus_measure::Histogram;
use saltus_measure::account::{Account, Seen};
use saltus_measure::shown::{self, Line};

use crate::exit::Outcome;
use crate::print::live::Live;
use crate::print::out::Out;

/// Time between two drawings of the live line.
const DRAW: Duration = Duration::from_millis(200);

/// Prints the measurement.
pub(crate) struct Show {
    out: Out,
    json: bool,
    quiet: bool,
    live: Live,
    drawn: Instant,
}

impl Show {
    pub(crate) fn new(json: bool, quiet: bool, to_stdout: bool) -> Outcome<Show> {
        let quiet = quiet || to_stdout;
        let live = Live::new(!quiet && !json);
        Ok(Show { out: Out::new()?, json: json && !to_stdout, quiet, live, drawn: Instant::now() })
    }

    /// Redraws the live line.
    pub(crate) fn live(&mut self, account: &Account) -> Outcome {
        if self.live.is_on() && self.drawn.elapsed() >= DRAW {
            self.drawn = Instant::now();
            self.live.draw(shown::live(account));
        }
        Ok(())
    }

    /// Prints an interval with `--json`.
    pub(crate) fn interval(
        &mut self,
        since: Duration,
        length: Duration,
        raw: &Histogram<u64>,
        resolution: u64,
    ) -> Outcome {
        if !self.json {
            return Ok(());
        }
        self.out.json(&Line::interval(since, length, raw, resolution))?;
        self.out.flush()
    }

    /// Prints a spike with `--json`.
    pub(crate) fn spike(&mut self, seen: &Seen) -> Outcome {
        if !self.json {
            return Ok(());
        }
        self.out.json(&Line::spike(seen))?;
        self.out.flush()
    }

    pub(crate) fn report(&mut self, account: &Account) -> Outcome {
        self.live.clear();
        if self.json {
            self.out.json(&Line::report(account))?;
        } else if !self.quiet {
            shown::report(account).iter().try_for_each(|line| self.out.line(line))?;
        }
        self.out.flush()
    }
}
