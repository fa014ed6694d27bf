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

/// The rates that are tried, messages per second: factors of four from the lowest, then the last step is halved until
/// it is within a fifth of the rate.
const RATES: Search = Search { from: 500.0, to: 16e6, step: 4.0, halvings: 3 };
/// The same for messages of at least this size; the lowest is a camera's rate.
const LONG: (usize, Search) = (1 << 18, Search { from: 30.0, ..RATES });
/// The least number of messages in a window.
const MESSAGES: f64 = 20.0;
/// A sender or receiver this late, in ns, at the 99th percentile, does not keep up.
const LATE: u64 = 50_000_000;

/// Measures one contender once: its results at the highest rate without loss. Nothing was received if even the lowest
/// rate is too high.
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
        // A loss in one window of a second may be the machine's; a loss in two is attributed to the rate.
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
