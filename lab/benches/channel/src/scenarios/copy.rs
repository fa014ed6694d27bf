//! In and out in one process: the cost of copying a message, without crossing to another core. The lower bound is
//! `memcpy` through as many buffers, measured by the same loop.

use crate::case::Case;
use crate::clock;
use crate::contender::Contender;
use crate::crew::Crew;
use crate::error::Fallible;
use crate::message::Head;
use crate::outcome::{Metric, Outcome, record};
use crate::place::Seat;
use crate::run::{Measured, World, conduct};
use crate::shared::Buffer;

/// Measures one contender once.
pub fn run(world: &World, contender: &dyn Contender, case: &Case) -> Fallible<Measured> {
    let link = world.link(contender, case)?;
    let mut crew = Crew::new()?;
    crew.add(Seat::writer(case, &world.cores, 0), |control| {
        let (mut sender, mut receiver) = (link.sender(0)?, link.receiver(0)?);
        let (mut message, mut buffer) = (Buffer::new(case.size)?, Buffer::new(case.size)?);
        let mut outcome = Outcome::default();
        let window = control.start();
        let mut head = Head::default();
        let mut cpu = None;
        loop {
            head.number += 1;
            head.write(&mut message);
            let before = clock::now();
            sender.send(&message)?;
            let between = clock::now();
            let got = receiver.poll(&mut buffer)?;
            let after = clock::now();
            if !got || Head::read(&buffer).number != head.number {
                return Err("did not receive what was just published".into());
            }
            if before >= window.end {
                break;
            }
            if before >= window.begin {
                cpu.get_or_insert_with(clock::cpu_used);
                record(outcome.times(Metric::In), between - before);
                record(outcome.times(Metric::Out), after - between);
                outcome.sent += 1;
                outcome.received += 1;
            }
        }
        let used = clock::cpu_used();
        outcome.cpu = used - cpu.unwrap_or(used);
        Ok(outcome)
    })?;
    let window = world.window(60);
    let outcome = conduct(crew, window)?;
    Ok(Measured { messages: outcome.sent, outcome, window })
}
