//! The highest rate at which every reader receives everything, in time: offered rates rise until something is lost,
//! and the last step is halved a few times.

use crate::case::Case;
use crate::contender::Contender;
use crate::error::Fallible;
use crate::outcome::Metric;
use crate::run::{Measured, World};
use crate::scenarios::rate;
use crate::search::Search;
use crate::stop;
use std::time::Duration;

/// Messages a second that are tried: from the lowest on, in steps of four, and the last step halved to a fifth of the rate.
const RATES: Search = Search { from: 500.0, to: 16e6, step: 4.0, halvings: 3 };
/// The same for long messages, from this size on: a camera's rate is the lowest.
const LONG: (usize, Search) = (1 << 18, Search { from: 30.0, ..RATES });
/// The least number of messages in a window.
const MESSAGES: f64 = 20.0;
/// A sender or receiver this late, in ns, at the 99th percentile, does not keep up.
const LATE: u64 = 50_000_000;

/// Measures one contender once: what it did at that rate. Where even the lowest rate is too much, nothing was received.
pub fn run(world: &World, contender: &dyn Contender, case: &Case) -> Fallible<Measured> {
    let rates = if case.size < LONG.0 { RATES } else { LONG.1 };
    let mut longest = Duration::ZERO;
    let found = rates.highest(|rate| {
        if stop::asked() {
            return Err("interrupted".into());
        }
        let case = Case { rate: rate as u32, ..*case };
        let window = world.window(200).max(Duration::from_secs_f64(MESSAGES / rate));
        let hopeless = window.as_nanos() as u64 / 2;
        longest = longest.max(window);
        let once = || rate::once(world, contender, &case, window, hopeless);
        let measured = once()?;
        // One loss of a second may be the machine's: what is lost in two is the rate's.
        let measured = if is_whole(&measured) { measured } else { once()? };
        Ok((is_whole(&measured), measured))
    })?;
    Ok(found.best.unwrap_or(Measured { window: longest, ..Measured::default() }))
}

fn is_whole(measured: &Measured) -> bool {
    let outcome = &measured.outcome;
    let in_time = |metric| {
        let times = outcome.times.get(&metric);
        times.is_some_and(|times| times.value_at_quantile(0.99) <= LATE)
    };
    outcome.missed == 0 && outcome.sent > 0 && in_time(Metric::Response)
}
