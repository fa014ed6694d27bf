//! Shared by the scenarios: their environment, and the roles that most of them consist of.

use crate::case::{Case, Mode};
use crate::clock;
use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::control::{Control, Window};
use crate::crew::Crew;
use crate::error::Fallible;
use crate::message::{Head, Tally};
use crate::outcome::Outcome;
use crate::pace::arrived;
use crate::place::Seat;
use crate::shared::Buffer;
use std::cell::Cell;
use std::time::Duration;

/// The environment of a run of the harness.
pub struct World {
    /// The cores to use.
    pub cores: Vec<usize>,
    /// Scales the measured windows.
    pub scale: f64,
    /// Numbers the connections.
    pub links: Cell<u64>,
}

/// The result of one contender in one case, measured once.
#[derive(Debug, Default)]
pub struct Measured {
    /// All processes together.
    pub outcome: Outcome,
    /// Messages that the processor time is divided by.
    pub messages: u64,
    /// The measured window.
    pub window: Duration,
}

impl World {
    /// The measured window: the given number of milliseconds, scaled.
    pub fn window(&self, millis: u64) -> Duration {
        Duration::from_millis(millis).mul_f64(self.scale)
    }

    /// A fresh connection.
    pub fn link(&self, contender: &dyn Contender, case: &Case) -> Fallible<Box<dyn Link>> {
        contender.link(&self.ask(case))
    }

    /// Fresh connections for both directions.
    pub fn pair(&self, contender: &dyn Contender, case: &Case) -> Fallible<[Box<dyn Link>; 2]> {
        if case.one_group {
            return contender.pair(&self.ask(case), &self.ask(case));
        }
        Ok([self.link(contender, case)?, self.link(contender, case)?])
    }

    /// The requirements of a fresh connection.
    pub fn ask(&self, case: &Case) -> Ask {
        let number = self.links.get() + 1;
        self.links.set(number);
        Ask::of(case, format!("saltus-bench-{}-{number}", std::process::id()), number)
    }
}

/// Receives the next message as the case requires; `None` when it is the last.
#[inline]
pub fn take(mode: Mode, receiver: &mut dyn Receiver, buffer: &mut Buffer) -> Fallible<Option<Head>> {
    loop {
        let got = if mode == Mode::Sleep { receiver.wait(buffer)? } else { receiver.poll(buffer)? };
        if got {
            let head = Head::read(buffer);
            return Ok((!head.end).then_some(head));
        }
    }
}

/// A reader's role: receives everything until the end, and calls `seen` for each message with its arrival time and
/// whether that was in the window.
pub fn reader(
    case: &Case,
    link: &dyn Link,
    index: usize,
    control: &Control,
    mut seen: impl FnMut(&mut Outcome, &Head, &Window),
) -> Fallible<Outcome> {
    let mut receiver = link.receiver(index)?;
    let mut buffer = Buffer::new(case.size)?;
    let (mut outcome, mut tally) = (Outcome::default(), Tally::default());
    let window = control.start();
    let mut cpu = None;
    while let Some(head) = take(case.mode, &mut *receiver, &mut buffer)? {
        if !tally.take(&head) {
            return Err(
                format!("message {} of writer {} arrived out of order", head.number, head.writer).into()
            );
        }
        if cpu.is_none() && head.sent >= window.begin {
            cpu = Some(clock::cpu_used());
        }
        seen(&mut outcome, &head, &window);
    }
    let used = clock::cpu_used();
    outcome.cpu = used - cpu.unwrap_or(used);
    outcome.missed = tally.missed;
    outcome.taken = tally.received;
    control.reader_finished();
    Ok(outcome)
}

/// Adds all readers of a case to one connection; each records the time since a message was due, and since it was
/// sent.
pub fn add_readers(crew: &mut Crew, world: &World, case: &Case, link: &dyn Link) -> Fallible<()> {
    (0..case.readers).try_for_each(|index| {
        let role = |control: &Control| {
            reader(case, link, index, control, |outcome, head, window| {
                arrived(outcome, head, window, clock::now());
            })
        };
        crew.add(Seat::reader(case, &world.cores, index), role).map(drop)
    })
}

/// The end of a writer's role: asks the readers to exit and waits for them. If messages may be overwritten or lost,
/// the last message is repeated. In a queue it is sent once, since the queue might be full after its reader has
/// exited.
pub fn dismiss(
    sender: &mut dyn Sender,
    mut head: Head,
    message: &mut [u8],
    control: &Control,
    readers: usize,
) -> Fallible<()> {
    const PATIENCE: u64 = 40_000_000_000;
    head.end = true;
    let until = clock::now() + PATIENCE;
    let pause = if sender.keeps_all() { PATIENCE } else { 2_000_000 };
    while control.readers_finished() < readers {
        if clock::now() > until {
            return Err("the readers did not exit".into());
        }
        head.number += 1;
        head.write(message);
        sender.send(message)?;
        let next = clock::now() + pause;
        while control.readers_finished() < readers && clock::now() < next {
            clock::sleep_until(clock::now() + 50_000);
        }
    }
    Ok(())
}

/// Starts everybody, waits for the end, and merges: the first `senders` outcomes sent, the others received.
pub fn conduct(mut crew: Crew, window: Duration) -> Fallible<Outcome> {
    crew.wait_ready()?;
    crew.control().go(window);
    merge(crew.finish()?)
}

/// All outcomes as one.
pub fn merge(outcomes: Vec<Outcome>) -> Fallible<Outcome> {
    let mut all = Outcome::default();
    for outcome in &outcomes {
        all.add(outcome)?;
    }
    Ok(all)
}
