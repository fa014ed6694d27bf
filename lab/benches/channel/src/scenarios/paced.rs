//! One way, at 1 kHz or as often as the case requires. A schedule determines when each message is due; the sender
//! sleeps until then, as a control loop does, or spins where a sleep would take longer. It records the time since
//! the message was due and the time since the sender began to send it.

use crate::case::Case;
use crate::contender::Contender;
use crate::crew::Crew;
use crate::error::Fallible;
use crate::run::{Measured, World, add_readers, conduct};
use crate::scenarios::scheduled::Scheduled;

/// The period of the schedule, unless the case says how often.
const PERIOD: u64 = 1_000_000;
/// The shortest period for which the sender sleeps, in ns.
const SLEEP: u64 = 100_000;
/// The least number of periods in a window.
const PERIODS: u64 = 100;

/// Measures one contender once.
pub fn run(world: &World, contender: &dyn Contender, case: &Case) -> Fallible<Measured> {
    let link = world.link(contender, case)?;
    let period = if case.rate == 0 { PERIOD } else { 1_000_000_000 / u64::from(case.rate) };
    let mut crew = Crew::new()?;
    let writer = Scheduled {
        period,
        spins: period < SLEEP,
        grace: 2 * PERIOD,
        last_word: case.size,
        readers: case.readers,
    };
    writer.add_writer(&mut crew, world, case, &*link, |_, _| true)?;
    add_readers(&mut crew, world, case, &*link)?;
    let window = world.window(500.max(PERIODS * period / 1_000_000));
    let outcome = conduct(crew, window)?;
    Ok(Measured { messages: outcome.sent, outcome, window })
}
