//! Through a chain of processes, each of which receives from one channel and publishes to the next. A schedule
//! determines when the first sends; the last records the time since then.

use crate::case::Case;
use crate::clock;
use crate::contender::{Contender, Link};
use crate::control::Control;
use crate::crew::Crew;
use crate::error::{Fallible, check};
use crate::message::{Head, Tally};
use crate::outcome::Outcome;
use crate::pace::{Real, arrived, offer};
use crate::place::Seat;
use crate::run::{Measured, World, conduct, dismiss, reader, take};
use crate::schedule::Schedule;
use crate::shared::Buffer;

/// Descriptors of one connection, and those that are open in any case.
const DESCRIPTORS: (u64, u64) = (4, 256);

/// Measures one contender once.
pub fn run(world: &World, contender: &dyn Contender, case: &Case) -> Fallible<Measured> {
    room_for(case.hops)?;
    let links: Vec<Box<dyn Link>> =
        (0..case.hops).map(|_| world.link(contender, case)).collect::<Fallible<_>>()?;
    let (first, last) = (&*links[0], &*links[case.hops - 1]);
    let period = 1_000_000_000 / u64::from(case.rate.max(1));
    let mut crew = Crew::new()?;
    crew.add(Seat::writer(case, &world.cores, 0), |control| {
        let mut sender = first.sender(0)?;
        let mut message = Buffer::new(case.size)?;
        let mut outcome = Outcome::default();
        let window = control.start();
        let schedule = Schedule::new(clock::now() + period, period);
        let head = offer(&Real { spins: false }, &schedule, &window, &mut outcome, |head| {
            head.write(&mut message);
            sender.send(&message)
        })?;
        clock::sleep_until(clock::now() + 2 * period);
        dismiss(&mut *sender, head, &mut message, control, case.hops)?;
        Ok(outcome)
    })?;
    for (index, pair) in links.windows(2).enumerate() {
        crew.add(Seat::reader(case, &world.cores, index), |control| {
            pass_on(case, &*pair[0], &*pair[1], control)
        })?;
    }
    crew.add(Seat::reader(case, &world.cores, case.hops - 1), |control| {
        reader(case, last, 0, control, |outcome, head, window| {
            arrived(outcome, head, window, clock::now());
        })
    })?;
    let window = world.window(500);
    let mut outcome = conduct(crew, window)?;
    outcome.taken = outcome.received;
    outcome.missed = outcome.sent.saturating_sub(outcome.received);
    Ok(Measured { messages: outcome.sent, outcome, window })
}

/// A process within the chain.
fn pass_on(case: &Case, from: &dyn Link, to: &dyn Link, control: &Control) -> Fallible<Outcome> {
    let (mut receiver, mut sender) = (from.receiver(0)?, to.sender(0)?);
    let mut buffer = Buffer::new(case.size)?;
    let (mut outcome, mut tally, mut cpu) = (Outcome::default(), Tally::default(), None);
    let window = control.start();
    let mut last = Head::default();
    while let Some(head) = take(case.mode, &mut *receiver, &mut buffer)? {
        if !tally.take(&head) {
            return Err(format!("message {} arrived out of order", head.number).into());
        }
        sender.send(&buffer)?;
        if head.due >= window.begin {
            cpu.get_or_insert_with(clock::cpu_used);
        }
        last = head;
    }
    let used = clock::cpu_used();
    outcome.cpu = used - cpu.unwrap_or(used);
    // It has stopped, and sends the last message to the next process until all have stopped.
    control.reader_finished();
    dismiss(&mut *sender, last, &mut buffer, control, case.hops)?;
    Ok(outcome)
}

/// The parent holds every connection of the chain, so it raises its limit of open descriptors.
fn room_for(hops: usize) -> Fallible<()> {
    let wanted = hops as u64 * DESCRIPTORS.0 + DESCRIPTORS.1;
    // SAFETY: the calls read and write one structure, which lives across them.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        check("getrlimit", libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit))?;
        if limit.rlim_cur < wanted {
            limit.rlim_cur = wanted.min(limit.rlim_max);
            check("setrlimit", libc::setrlimit(libc::RLIMIT_NOFILE, &limit))?;
        }
    }
    Ok(())
}
