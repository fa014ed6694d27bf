//! A workload: each module is a process that publishes by its own schedule, and receives the others' messages in
//! between. It uses domains, or LCM's library, as programs do, with one subscription for all its inputs.

use crate::case::Case;
use crate::clock;
use crate::contender::{Ask, Node};
use crate::control::{Control, Window};
use crate::crew::Crew;
use crate::error::Fallible;
use crate::message::{Head, Tally};
use crate::outcome::Outcome;
use crate::pace::arrived;
use crate::place::Seat;
use crate::run::World;
use crate::scenarios::node::{Over, Place};
use crate::schedule::Schedule;
use crate::shared::{AllAtomic, Buffer, Shared};
use crate::workload::{Module, channel};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

/// Between two calls before the start, in ns.
const PAUSE: u64 = 20_000_000;
/// How long messages in flight are waited for, in ns.
const AFTER: u64 = 200_000_000;

/// Messages that a module still reads when its next period has already begun.
const MOST_LATE: usize = 64;

/// The number of modules that have received a call from each of their inputs.
#[repr(C)]
struct Met(AtomicU32);

// SAFETY: one atomic, for which zero is a value.
unsafe impl AllAtomic for Met {}

/// Runs a workload over one provider or library; returns each module's result, in order. "Sent" counts what was due;
/// "received" and "missed" count the messages of its inputs.
pub fn run(
    world: &World,
    over: Over,
    case: &Case,
    modules: &[Module],
    window: Duration,
) -> Fallible<Vec<Outcome>> {
    let place = over.place(&Ask { readers: modules.len(), ..world.ask(case) })?;
    let met = Shared::<Met>::new()?;
    let mut crew = Crew::new()?;
    for index in 0..modules.len() {
        let role = Role { place: &place, modules, index, met: &met };
        crew.add(Seat::writer(case, &world.cores, index), move |control| role.play(control))?;
    }
    crew.wait_ready()?;
    crew.control().go(window);
    let mut outcomes = crew.finish()?;
    let sent: Vec<u64> = outcomes.iter().map(|outcome| outcome.sent).collect();
    for (outcome, module) in outcomes.iter_mut().zip(modules) {
        let expected: u64 = module.inputs.iter().map(|input| sent[*input]).sum();
        outcome.taken = outcome.received;
        outcome.missed = expected.saturating_sub(outcome.received);
    }
    Ok(outcomes)
}

/// One module.
struct Role<'a> {
    place: &'a Place,
    modules: &'a [Module],
    index: usize,
    met: &'a Shared<Met>,
}

impl Role<'_> {
    fn play(&self, control: &Control) -> Fallible<Outcome> {
        let me = &self.modules[self.index];
        let inputs: Vec<String> = me.inputs.iter().map(|i| channel(self.modules, *i)).collect();
        let mut node = self.place.join(&channel(self.modules, self.index), &inputs)?;
        let mut message = Buffer::new(me.size)?;
        self.meet(&mut *node, &mut message)?;
        let window = control.start();
        self.work(&window, &mut *node, &mut message)
    }

    /// Sends calls, which are messages with the number 0, until every module has received one from each input.
    fn meet(&self, node: &mut dyn Node, message: &mut [u8]) -> Fallible<()> {
        let mut missing = self.modules[self.index].inputs.clone();
        let mut is_counted = false;
        while (self.met.0.load(SeqCst) as usize) < self.modules.len() {
            Head { writer: self.index as u64, ..Head::default() }.write(message);
            node.publish(message)?;
            if missing.is_empty() && !is_counted {
                self.met.0.fetch_add(1, SeqCst);
                is_counted = true;
            }
            listen(node, clock::now() + PAUSE, |data| {
                missing.retain(|input| *input as u64 != Head::read(data).writer);
                Ok(())
            })?;
        }
        Ok(())
    }

    fn work(&self, window: &Window, node: &mut dyn Node, message: &mut [u8]) -> Fallible<Outcome> {
        let me = &self.modules[self.index];
        let (mut outcome, mut tally, mut cpu) = (Outcome::default(), Tally::default(), None);
        // A module's first period in the window begins at the window's start plus the module's offset.
        let lead = window.begin.saturating_sub(clock::now()) / me.period * me.period;
        let schedule = Schedule::new(window.begin - lead + me.phase, me.period);
        let stop = window.end + AFTER;
        let turns = schedule.count_before(window.end);
        let is_published = |k: u64| k.is_multiple_of(me.every);
        outcome.sent = (0..turns).filter(|k| is_published(*k) && window.has(schedule.due(*k))).count() as u64;
        let mut head = Head { writer: self.index as u64, ..Head::default() };
        for k in 0..=turns {
            let until = if k < turns { schedule.due(k).min(stop) } else { stop };
            listen(node, until, |data| {
                let (head, now) = (Head::read(data), clock::now());
                if head.number > 0 && !tally.take(&head) {
                    return Err(
                        format!("message {} of {} arrived out of order", head.number, head.writer).into()
                    );
                }
                if head.number > 0 {
                    arrived(&mut outcome, &head, window, now);
                }
                Ok(())
            })?;
            let now = clock::now();
            if now >= window.begin {
                cpu.get_or_insert_with(clock::cpu_used);
            }
            if now >= stop {
                break; // what it could not send by now is lost
            }
            if is_published(k) {
                head.number += 1;
                (head.due, head.sent) = (schedule.due(k), now);
                head.write(message);
                node.publish(message)?;
            }
        }
        let used = clock::cpu_used();
        outcome.cpu = used - cpu.unwrap_or(used);
        Ok(outcome)
    }
}

/// Passes all messages that arrive until `until` to `each`. After that, passes at most [`MOST_LATE`] waiting ones, so
/// that the next period begins in time.
fn listen(node: &mut dyn Node, until: u64, mut each: impl FnMut(&[u8]) -> Fallible<()>) -> Fallible<()> {
    let mut late = 0;
    while late < MOST_LATE {
        let came = node.receive(until, &mut each)?;
        let is_late = clock::now() >= until;
        if !came && is_late {
            break;
        }
        late += usize::from(is_late);
    }
    Ok(())
}
