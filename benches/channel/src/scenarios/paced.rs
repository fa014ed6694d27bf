//! One way at 1 kHz. A schedule says when each message is due; the sender sleeps until then, as a control loop
//! does. Kept are the time since the message was due and the time since the sender turned to it.

use crate::case::Case;
use crate::clock;
use crate::contender::Contender;
use crate::crew::Crew;
use crate::error::Fallible;
use crate::message::Head;
use crate::outcome::{Metric, Outcome, record};
use crate::place::Seat;
use crate::run::{Measured, World, conduct, dismiss, reader};
use crate::schedule::Schedule;
use crate::shared::Buffer;

/// The period of the schedule.
const PERIOD: u64 = 1_000_000;

/// Measures one contender once.
pub fn run(world: &World, contender: &dyn Contender, case: &Case) -> Fallible<Measured> {
    let link = world.link(contender, case)?;
    let mut crew = Crew::new()?;
    crew.add(Seat::writer(case, &world.cores, 0), |control| {
        let mut sender = link.sender(0)?;
        let mut message = Buffer::new(case.size)?;
        let mut outcome = Outcome::default();
        let window = control.start();
        let schedule = Schedule::new(clock::now() + PERIOD, PERIOD);
        let mut head = Head::default();
        let mut cpu = None;
        for k in 0..schedule.count_before(window.end) {
            head.due = schedule.due(k);
            head.number = k + 1;
            clock::sleep_until(head.due);
            head.sent = clock::now();
            head.write(&mut message);
            sender.send(&message)?;
            if head.due >= window.begin {
                cpu.get_or_insert_with(clock::cpu_used);
                outcome.sent += 1;
            }
        }
        let used = clock::cpu_used();
        outcome.cpu = used - cpu.unwrap_or(used);
        // The last message is given its time before the readers are sent away.
        clock::sleep_until(clock::now() + 2 * PERIOD);
        dismiss(&mut *sender, head, &mut message, control, case.readers)?;
        Ok(outcome)
    })?;
    for index in 0..case.readers {
        crew.add(Seat::reader(case, &world.cores, index), |control| {
            reader(case, &*link, index, control, |outcome, head, window| {
                let now = clock::now();
                if window.has(head.due) {
                    record(outcome.times(Metric::Response), now.saturating_sub(head.due));
                    record(outcome.times(Metric::Service), now.saturating_sub(head.sent));
                    outcome.received += 1;
                }
            })
        })?;
    }
    let window = world.window(500);
    let outcome = conduct(crew, window)?;
    Ok(Measured { messages: outcome.sent, outcome, window })
}
