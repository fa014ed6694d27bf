//! Who keeps the account of a run, and where it is told while it goes on.

use std::time::Duration;

use saltus_measure::session::{Event, Interval};
use saltus_os::clock;

use super::account::{Account, words};
use super::control::Control;
use super::file::Log;
use super::show::Show;
use crate::failure::Outcome;

/// The account, the control that it asks, the log and the screen.
pub struct Teller<'a> {
    pub account: Account,
    pub control: Option<Control>,
    pub log: Option<Log<'a>>,
    pub show: Show,
}

impl Teller<'_> {
    /// Takes what the meter has to tell.
    pub fn take(&mut self, event: Event) -> Outcome {
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
        if let Some(log) = &mut self.log {
            log.interval(&interval.times, since, length, [None, Some("raw")])?;
            if let Some(control) = &mut self.control {
                control.take(Duration::ZERO);
                log.interval(&control.recent(), since, length, [Some("control"), Some("control-raw")])?;
            }
        }
        self.show.interval(since, length, &interval.times, self.account.settings.resolution)?;
        self.account.interval(interval);
        Ok(())
    }

    /// Takes what the control has to tell, waits so long for it to tell something, and tells the spikes that waited for it.
    pub fn settle(&mut self, patience: Duration) -> Outcome {
        if let Some(control) = &mut self.control {
            control.take(patience);
        }
        let slices = self.control.as_ref().map(Control::slices);
        self.account.settle(slices, clock::monotonic(), |seen| {
            if let Some(log) = &mut self.log {
                log.comment(&format!("spike: {}", words(seen)))?;
            }
            self.show.spike(seen)
        })
    }
}
