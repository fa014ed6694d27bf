//! One way, at 1 kHz or as often as the case says. A schedule says when each message is due; the sender sleeps until then, as a
//! control loop does, or spins where a sleep would take longer. Kept are the time since the message was due and the time since
//! the sender turned to it.

use crate::case::Case;
use crate::clock;
use crate::contender::Contender;
use crate::crew::Crew;
use crate::error::Fallible;
use crate::outcome::Outcome;
use crate::pace::{Real, offer};
use crate::place::Seat;
use crate::run::{Measured, World, add_readers, conduct, dismiss};
use crate::schedule::Schedule;
use crate::shared::Buffer;

/// The period of the schedule, unless the case says how often.
const PERIOD: u64 = 1_000_000;
/// The shortest period that is slept through, in ns.
const SLEEP: u64 = 100_000;
/// The least number of periods in a window.
const PERIODS: u64 = 100;

/// Measures one contender once.
pub fn run(world: &World, contender: &dyn Contender, case: &Case) -> Fallible<Measured> {
    let link = world.link(contender, case)?;
    let period = if case.rate == 0 { PERIOD } else { 1_000_000_000 / u64::from(case.rate) };
    let mut crew = Crew::new()?;
    crew.add(Seat::writer(case, &world.cores, 0), |control| {
        let mut sender = link.sender(0)?;
        let mut message = Buffer::new(case.size)?;
        let mut outcome = Outcome::default();
        let window = control.start();
        let schedule = Schedule::new(clock::now() + period, period);
        let head = offer(&Real { spins: period < SLEEP }, &schedule, &window, &mut outcome, |head| {
            head.write(&mut message);
            sender.send(&message)
        })?;
        // The last message is given its time before the readers are sent away.
        clock::sleep_until(clock::now() + 2 * PERIOD);
        dismiss(&mut *sender, head, &mut message, control, case.readers)?;
        Ok(outcome)
    })?;
    add_readers(&mut crew, world, case, &*link)?;
    let window = world.window(500.max(PERIODS * period / 1_000_000));
    let outcome = conduct(crew, window)?;
    Ok(Measured { messages: outcome.sent, outcome, window })
}
