//! System calls of a publish, counted from outside: the writer runs under ptrace, which stops it at every call.

use crate::case::{Case, Mode};
use crate::clock;
use crate::contender::Contender;
use crate::crew::Crew;
use crate::error::Fallible;
use crate::message::Head;
use crate::outcome::Outcome;
use crate::place::Seat;
use crate::run::{World, dismiss, reader};
use crate::shared::Buffer;
use crate::trace::{AFTER, COUNTED, Calls, Traced};
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

/// The result of a count.
#[derive(Clone, Debug)]
pub struct Counted {
    /// Conditions.
    pub case: Case,
    /// The contender.
    pub contender: &'static str,
    /// Publishes made.
    pub publishes: u64,
    /// Calls made in them, by name.
    pub calls: Calls,
}

impl Counted {
    /// All calls per publish, whatever their names.
    pub fn per_publish(&self) -> f64 {
        self.calls.values().sum::<u64>() as f64 / self.publishes as f64
    }
}

/// Time that readers get to block again before each publish.
const PAUSE: u64 = 2_000_000;

/// Counts for one contender.
pub fn run(world: &World, contender: &dyn Contender, case: &Case) -> Fallible<Counted> {
    let publishes = ((200.0 * world.scale) as u64).max(20);
    let link = world.link(contender, case)?;
    let mut crew = Crew::new()?;
    let pid = crew.add(Seat::writer(case, &world.cores, 0), |control| {
        let mut sender = link.sender(0)?;
        let mut message = Buffer::new(case.size)?;
        let mut head = Head::default();
        control.start();
        let mut publish = |head: &mut Head, message: &mut Buffer| {
            clock::spin_until(clock::now() + PAUSE);
            head.number += 1;
            head.write(message);
            sender.send(message)
        };
        // The first publish includes setup, so it is not counted.
        (0..3).try_for_each(|_| publish(&mut head, &mut message))?;
        control.counting.store(COUNTED, SeqCst);
        (0..publishes).try_for_each(|_| publish(&mut head, &mut message))?;
        control.counting.store(AFTER, SeqCst);
        dismiss(&mut *sender, head, &mut message, control, case.readers)?;
        Ok(Outcome::default())
    })?;
    let mut readers = Vec::new();
    for index in 0..case.readers {
        let link = &*link;
        readers.push(crew.add(Seat::reader(case, &world.cores, index), move |control| {
            reader(case, link, index, control, |_, _, _| {})
        })?);
    }
    crew.wait_ready()?;
    let stopped = case.mode == Mode::Stopped;
    if stopped {
        readers.iter().try_for_each(|pid| crew.freeze(*pid))?;
    }
    let traced = Traced::attach(pid)?;
    crew.control().go(Duration::from_millis(1));
    let calls = traced.count(crew.control())?;
    if stopped {
        readers.iter().try_for_each(|pid| crew.thaw(*pid))?;
    }
    crew.finish()?;
    Ok(Counted { case: *case, contender: contender.name(), publishes, calls })
}
