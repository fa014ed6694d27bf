//! The time of the publish call.
//!
//! With readers that poll or are stopped the writer publishes as fast as it can: 64 calls are timed one by one,
//! then 64 together, and so on. The first shows the tail; the second excludes the cost of reading the clock, which
//! is as long as the call. With blocked readers it publishes every millisecond, so that they do block, and waits
//! for that on its own core, so that the call does not include waking up.

use crate::case::{Case, Mode};
use crate::clock;
use crate::contender::{Contender, Link};
use crate::control::Control;
use crate::crew::Crew;
use crate::error::Fallible;
use crate::message::Head;
use crate::outcome::{Metric, Outcome, record};
use crate::place::Seat;
use crate::run::{Measured, World, dismiss, merge, reader};
use crate::shared::Buffer;

/// Calls in a batch.
const BATCH: u64 = 64;
/// Time between two publishes to blocked readers.
const PAUSE: u64 = 1_000_000;

/// Measures one contender once.
pub fn run(world: &World, contender: &dyn Contender, case: &Case) -> Fallible<Measured> {
    let link = world.link(contender, case)?;
    let mut crew = Crew::new()?;
    for index in 0..case.writers {
        let seat = Seat::writer(case, &world.cores, index);
        crew.add(seat, |control| writer(case, &*link, index, control))?;
    }
    let mut readers = Vec::new();
    for index in 0..case.readers {
        readers.push(crew.add(Seat::reader(case, &world.cores, index), |control| {
            reader(case, &*link, index, control, |outcome, head, window| {
                outcome.received += u64::from(head.sent >= window.begin);
            })
        })?);
    }
    crew.wait_ready()?;
    let stopped = case.mode == Mode::Stopped;
    if stopped {
        readers.iter().try_for_each(|pid| crew.freeze(*pid))?;
    }
    let window = world.window(if case.mode == Mode::Sleep { 200 } else { 60 });
    crew.control().go(window);
    if stopped {
        clock::sleep_until(crew.control().end());
        readers.iter().try_for_each(|pid| crew.thaw(*pid))?;
    }
    let outcome = merge(crew.finish()?)?;
    Ok(Measured { messages: outcome.sent, outcome, window })
}

/// A single writer spins. Several would keep each other from their cores, so they sleep.
fn pause(case: &Case, until: u64) {
    if case.writers == 1 {
        clock::spin_until(until);
    } else {
        clock::sleep_until(until);
    }
}

fn writer(case: &Case, link: &dyn Link, index: usize, control: &Control) -> Fallible<Outcome> {
    let mut sender = link.sender(index)?;
    let mut message = Buffer::new(case.size)?;
    let mut outcome = Outcome::default();
    let window = control.start();
    let mut head = Head { writer: index as u64, sent: clock::now(), ..Head::default() };
    let mut cpu = None;
    let mut now = head.sent;
    while now < window.end {
        if case.mode == Mode::Sleep {
            pause(case, now + PAUSE);
        }
        let alone = if case.mode == Mode::Sleep { 1 } else { BATCH };
        for _ in 0..alone {
            head.number += 1;
            head.sent = clock::now();
            head.write(&mut message);
            let before = clock::now();
            sender.send(&message)?;
            now = clock::now();
            if before >= window.begin {
                record(outcome.times(Metric::Call), now - before);
            }
        }
        if case.mode != Mode::Sleep {
            let before = clock::now();
            for _ in 0..BATCH {
                head.number += 1;
                head.write(&mut message);
                sender.send(&message)?;
            }
            now = clock::now();
            if before >= window.begin {
                record(outcome.times(Metric::Batch), (now - before) * 1_000 / BATCH);
            }
        }
        if now >= window.begin {
            cpu.get_or_insert_with(clock::cpu_used);
            outcome.sent += if case.mode == Mode::Sleep { 1 } else { 2 * BATCH };
        }
    }
    let used = clock::cpu_used();
    outcome.cpu = used - cpu.unwrap_or(used);
    if index == 0 {
        dismiss(&mut *sender, head, &mut message, control, case.readers)?;
    }
    Ok(outcome)
}
