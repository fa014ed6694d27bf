//! What is lost of an offered rate. A schedule says when each message is due; at high rates the sender spins until
//! then, at low ones it sleeps. Lost is what was due in the window and did not come.

use crate::case::Case;
use crate::clock;
use crate::contender::Contender;
use crate::crew::Crew;
use crate::error::Fallible;
use crate::message::{HEAD, Head};
use crate::outcome::{Metric, Outcome, record};
use crate::place::Seat;
use crate::run::{Measured, World, conduct, dismiss, reader};
use crate::schedule::Schedule;
use crate::shared::Buffer;

/// The shortest period that is slept through.
const SLEEP: u64 = 1_000_000;

/// Measures one contender once.
pub fn run(world: &World, contender: &dyn Contender, case: &Case) -> Fallible<Measured> {
    let link = world.link(contender, case)?;
    let period = 1_000_000_000 / u64::from(case.rate);
    let mut crew = Crew::new()?;
    crew.add(Seat::writer(case, &world.cores, 0), |control| {
        let mut sender = link.sender(0)?;
        let mut message = Buffer::new(case.size)?;
        let mut outcome = Outcome::default();
        let window = control.start();
        let schedule = Schedule::new(clock::now() + period, period);
        let (mut head, mut cpu) = (Head::default(), None);
        for k in 0..schedule.count_before(window.end) {
            (head.due, head.number) = (schedule.due(k), k + 1);
            if period >= SLEEP {
                clock::sleep_until(head.due)
            } else {
                clock::spin_until(head.due)
            }
            head.sent = clock::now();
            head.write(&mut message);
            sender.send(&message)?;
            if window.has(head.due) {
                cpu.get_or_insert_with(clock::cpu_used);
                outcome.sent += 1;
            }
        }
        if period >= SLEEP {
            let used = clock::cpu_used();
            outcome.cpu = used - cpu.unwrap_or(used);
        }
        // What is on its way is given its time. The last word is short: it must get through where long messages do not.
        clock::sleep_until(clock::now() + 50_000_000);
        dismiss(&mut *sender, head, &mut message[..HEAD], control, case.readers)?;
        Ok(outcome)
    })?;
    for index in 0..case.readers {
        crew.add(Seat::reader(case, &world.cores, index), |control| {
            reader(case, &*link, index, control, |outcome, head, window| {
                if window.has(head.due) {
                    let now = clock::now();
                    record(outcome.times(Metric::Response), now.saturating_sub(head.due));
                    outcome.received += 1;
                }
            })
        })?;
    }
    let window = world.window(1_000);
    let mut outcome = conduct(crew, window)?;
    // A reader alone does not know what it missed at the end, or if nothing came.
    outcome.taken = outcome.received;
    outcome.missed = (outcome.sent * case.readers as u64).saturating_sub(outcome.received);
    Ok(Measured { messages: outcome.sent, outcome, window })
}
