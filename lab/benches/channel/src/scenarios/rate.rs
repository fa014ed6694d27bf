//! Losses at an offered rate. A schedule determines when each message is due; at high rates the sender spins until
//! then, at low ones it sleeps. Lost are messages that were due in the window and did not arrive.

use crate::case::Case;
use crate::contender::Contender;
use crate::crew::Crew;
use crate::error::Fallible;
use crate::message::{HEAD, Head};
use crate::run::{Measured, World, add_readers, conduct};
use crate::scenarios::scheduled::Scheduled;
use crate::shared::Buffer;
use std::time::Duration;

/// The shortest period for which the sender sleeps.
const SLEEP: u64 = 1_000_000;

/// Measures one contender once.
pub fn run(world: &World, contender: &dyn Contender, case: &Case) -> Fallible<Measured> {
    once(world, contender, case, world.window(1_000), u64::MAX)
}

/// The same in a window of the given length. Messages that are later than `hopeless` ns are not sent and count as
/// lost, so that an impossible rate does not run forever.
pub fn once(
    world: &World,
    contender: &dyn Contender,
    case: &Case,
    window: Duration,
    hopeless: u64,
) -> Fallible<Measured> {
    let link = world.link(contender, case)?;
    let period = 1_000_000_000 / u64::from(case.rate);
    let mut crew = Crew::new()?;
    let writer = Scheduled {
        period,
        spins: period < SLEEP,
        grace: 50_000_000,
        // Short: it must arrive even where long messages do not.
        last_word: HEAD.min(case.size),
        readers: case.readers,
    };
    let is_hopeful = |head: &Head, _: &mut Buffer| head.sent - head.due <= hopeless;
    writer.add_writer(&mut crew, world, case, &*link, is_hopeful)?;
    add_readers(&mut crew, world, case, &*link)?;
    let mut outcome = conduct(crew, window)?;
    // A reader alone cannot count what it missed at the end, or if nothing arrived.
    outcome.taken = outcome.received;
    outcome.missed = (outcome.sent * case.readers as u64).saturating_sub(outcome.received);
    Ok(Measured { messages: outcome.sent, outcome, window })
}
