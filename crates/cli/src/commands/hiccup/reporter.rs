//! The account of a run, and its output while the run continues.

use std::path::Path;
use std::time::Duration;

use saltus_measure::account::{Account, words};
use saltus_measure::control::Control;
use saltus_measure::interval_log::Log;
use saltus_measure::session::{Event, Interval};
use saltus_os::clock;

use super::show::Show;
use crate::exit::{Outcome, unwritable};

/// The account, the control process, the log with its path, and the output.
pub(super) struct Reporter<'a> {
    pub(super) account: Account,
    pub(super) control: Option<Control>,
    pub(super) log: Option<(&'a Path, Log<'a>)>,
    pub(super) show: Show,
}

impl Reporter<'_> {
    /// Adds an event of the meter to the account and the output.
    pub(super) fn take(&mut self, event: Event) -> Outcome {
        match event {
            Event::Interval(interval) => self.interval(interval),
            Event::Spike(spike) => {
                self.account.spike(*spike);
                Ok(())
            }
        }
    }

    fn interval(&mut self, interval: Interval) -> Outcome {
        let (since, length) = self.account.place(&interval);
        if let Some((path, log)) = &mut self.log {
            let mut write =
                |times, tags| log.interval(times, since, length, tags).map_err(|e| unwritable(path, &e));
            write(&interval.times, [None, Some("raw")])?;
            if let Some(control) = &mut self.control {
                control.take(Duration::ZERO);
                write(&control.recent(), [Some("control"), Some("control-raw")])?;
            }
        }
        self.show.interval(since, length, &interval.times, self.account.settings.resolution)?;
        self.account.interval(interval);
        Ok(())
    }

    /// Receives reports of the control, waiting up to `patience`, and prints the spikes that waited for them.
    pub(super) fn settle(&mut self, patience: Duration) -> Outcome {
        if let Some(control) = &mut self.control {
            control.take(patience);
        }
        let slices = self.control.as_ref().map(Control::slices);
        self.account.settle(slices, clock::monotonic(), |seen| {
            if let Some((path, log)) = &mut self.log {
                log.comment(&format!("spike: {}", words(seen))).map_err(|e| unwritable(path, &e))?;
            }
            self.show.spike(seen)
        })
    }
}
