//! Publishing without a pause. The result is the rate of received messages, and how many were missed: a rate of
//! sending alone means nothing.

use crate::case::{Case, size_name};
use crate::clock;
use crate::contender::{Contender, Link};
use crate::control::Control;
use crate::crew::Crew;
use crate::error::Fallible;
use crate::message::Head;
use crate::outcome::{Metric, Outcome, record};
use crate::place::Seat;
use crate::run::{Measured, World, conduct, dismiss, reader};
use crate::shared::Buffer;

/// Messages between two clock readings; one reading costs as much as a small message.
fn batch(size: usize) -> u64 {
    match size {
        0..=4_096 => 64,
        4_097..=131_072 => 8,
        _ => 1,
    }
}

/// Measures one contender once.
pub fn run(world: &World, contender: &dyn Contender, case: &Case) -> Fallible<Measured> {
    let link = world.link(contender, case)?;
    let mut crew = Crew::new()?;
    for index in 0..case.writers {
        let seat = Seat::writer(case, &world.cores, index);
        crew.add(seat, |control| writer(case, &*link, index, control))?;
    }
    let batch = batch(case.size);
    for index in 0..case.readers {
        let link = &*link;
        crew.add(Seat::reader(case, &world.cores, index), move |control| {
            let (mut count, mut last) = (0, 0);
            reader(case, link, index, control, move |outcome, _, window| {
                count += 1;
                if count % batch == 0 {
                    let now = clock::now();
                    if window.has(now) {
                        if last >= window.begin {
                            record(outcome.times(Metric::PerMessage), (now - last) * 1_000 / batch);
                        }
                        outcome.received += batch;
                    }
                    last = now;
                }
            })
        })?;
    }
    let window = world.window(200);
    let outcome = conduct(crew, window)?;
    Ok(Measured { messages: outcome.received, outcome, window })
}

fn writer(case: &Case, link: &dyn Link, index: usize, control: &Control) -> Fallible<Outcome> {
    let mut sender = link.sender(index)?;
    let mut message = Buffer::new(case.size)?;
    let mut outcome = Outcome::default();
    let window = control.start();
    let mut head = Head { writer: index as u64, ..Head::default() };
    let (mut cpu, batch) = (None, batch(case.size));
    loop {
        head.sent = clock::now();
        if head.sent >= window.end {
            break;
        }
        for _ in 0..batch {
            head.number += 1;
            head.write(&mut message);
            sender.send(&message)?;
        }
        if head.sent >= window.begin {
            cpu.get_or_insert_with(clock::cpu_used);
            outcome.sent += batch;
        }
    }
    let used = clock::cpu_used();
    outcome.cpu = used - cpu.unwrap_or(used);
    if index == 0 {
        dismiss(&mut *sender, head, &mut message, control, case.readers)
            .map_err(|e| format!("{e} ({})", size_name(case.size)))?;
    }
    Ok(outcome)
}
