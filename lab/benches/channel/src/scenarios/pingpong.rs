//! There and back between two processes. Half of the round trip is reported, as is usual; that hides nothing here,
//! since both directions are the same. Polled, the whole trip may be shorter than a few steps of the clock, so runs
//! of 16 trips are recorded as well.

use crate::case::{Case, Mode};
use crate::clock;
use crate::contender::Contender;
use crate::crew::Crew;
use crate::error::Fallible;
use crate::message::Head;
use crate::outcome::{Metric, Outcome, record};
use crate::place::Seat;
use crate::run::{Measured, World, conduct, dismiss, take};
use crate::shared::Buffer;

/// Round trips in a run.
const TRIPS: u64 = 16;

/// Measures one contender once.
pub fn run(world: &World, contender: &dyn Contender, case: &Case) -> Fallible<Measured> {
    let [there, back] = world.pair(contender, case)?;
    let mut crew = Crew::new()?;
    let seats = (Seat::writer(case, &world.cores, 0), Seat::reader(case, &world.cores, 0));
    crew.add(seats.0, |control| {
        let (mut sender, mut receiver) = (there.sender(0)?, back.receiver(0)?);
        let (mut message, mut buffer) = (Buffer::new(case.size)?, Buffer::new(case.size)?);
        let mut outcome = Outcome::default();
        let window = control.start();
        let mut head = Head::default();
        let (mut cpu, mut sent) = (None, clock::now());
        let mut run_began = sent;
        while sent < window.end {
            head.number += 1;
            head.sent = sent;
            head.write(&mut message);
            sender.send(&message)?;
            let answer = take(case.mode, &mut *receiver, &mut buffer)?.ok_or("the partner left")?;
            let now = clock::now();
            if answer.number != head.number {
                return Err("an answer to another message".into());
            }
            if sent >= window.begin {
                cpu.get_or_insert_with(clock::cpu_used);
                record(outcome.times(Metric::OneWay), (now - sent) / 2);
                outcome.sent += 1;
            }
            if head.number % TRIPS == 0 {
                if case.mode == Mode::Poll && run_began >= window.begin {
                    record(outcome.times(Metric::Batch), (now - run_began) * 1_000 / (2 * TRIPS));
                }
                run_began = now;
            }
            sent = now;
        }
        let used = clock::cpu_used();
        outcome.cpu = used - cpu.unwrap_or(used);
        // Some contenders lose messages that are still being sent when they are closed.
        dismiss(&mut *sender, head, &mut message, control, 1)?;
        Ok(outcome)
    })?;
    crew.add(seats.1, |control| {
        let (mut receiver, mut sender) = (there.receiver(0)?, back.sender(0)?);
        let mut buffer = Buffer::new(case.size)?;
        let mut outcome = Outcome::default();
        let window = control.start();
        let mut cpu = None;
        while let Some(head) = take(case.mode, &mut *receiver, &mut buffer)? {
            sender.send(&buffer)?;
            if head.sent >= window.begin {
                cpu.get_or_insert_with(clock::cpu_used);
                outcome.received += 1;
            }
        }
        let used = clock::cpu_used();
        outcome.cpu = used - cpu.unwrap_or(used);
        control.reader_finished();
        Ok(outcome)
    })?;
    let window = world.window(100);
    let outcome = conduct(crew, window)?;
    // Each round trip is two messages.
    Ok(Measured { messages: 2 * outcome.sent, outcome, window })
}
