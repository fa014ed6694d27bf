//! What is lost of an offered rate. A schedule says when each message is due; at high rates the sender spins until
//! then, at low ones it sleeps. Lost is what was due in the window and did not come.

use crate::case::Case;
use crate::clock;
use crate::contender::Contender;
use crate::crew::Crew;
use crate::error::Fallible;
use crate::message::HEAD;
use crate::outcome::Outcome;
use crate::pace::{Real, offer};
use crate::place::Seat;
use crate::run::{Measured, World, add_readers, conduct, dismiss};
use crate::schedule::Schedule;
use crate::shared::Buffer;
use std::time::Duration;

/// The shortest period that is slept through.
const SLEEP: u64 = 1_000_000;

/// Measures one contender once.
pub fn run(world: &World, contender: &dyn Contender, case: &Case) -> Fallible<Measured> {
    once(world, contender, case, world.window(1_000), u64::MAX)
}

/// The same in a window of so long. What is later than `hopeless` ns is not sent any more, and so is lost: a rate that nobody
/// can keep is not to take for ever.
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
    crew.add(Seat::writer(case, &world.cores, 0), |control| {
        let mut sender = link.sender(0)?;
        let mut message = Buffer::new(case.size)?;
        let mut outcome = Outcome::default();
        let window = control.start();
        let schedule = Schedule::new(clock::now() + period, period);
        let head = offer(&Real { spins: period < SLEEP }, &schedule, &window, &mut outcome, |head| {
            if head.sent - head.due > hopeless {
                return Ok(());
            }
            head.write(&mut message);
            sender.send(&message)
        })?;
        // What is on its way is given its time. The last word is short: it must get through where long messages do not.
        clock::sleep_until(clock::now() + 50_000_000);
        let word = HEAD.min(case.size);
        dismiss(&mut *sender, head, &mut message[..word], control, case.readers)?;
        Ok(outcome)
    })?;
    add_readers(&mut crew, world, case, &*link)?;
    let mut outcome = conduct(crew, window)?;
    // A reader alone does not know what it missed at the end, or if nothing came.
    outcome.taken = outcome.received;
    outcome.missed = (outcome.sent * case.readers as u64).saturating_sub(outcome.received);
    Ok(Measured { messages: outcome.sent, outcome, window })
}
