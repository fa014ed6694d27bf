//! One sender, and clients that send everything back: 100 MB in messages of 800 bytes. It records the round trip,
//! since the message was due and since it was sent. Lost are messages that a client did not send back, or that did
//! not arrive.
//!
//! The sender checks for answers while it waits for the next message to be due. Each client answers on a separate
//! connection.

use crate::case::Case;
use crate::clock;
use crate::contender::{Ask, Contender, Link, Receiver};
use crate::control::{Control, Window};
use crate::crew::Crew;
use crate::error::Fallible;
use crate::message::{Head, Tally};
use crate::outcome::Outcome;
use crate::pace::{Time, arrived, offer};
use crate::place::Seat;
use crate::run::{Measured, World, conduct, dismiss, take};
use crate::schedule::Schedule;
use crate::shared::Buffer;
use crate::stop;
use std::cell::RefCell;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Bytes that are sent in total.
const BYTES: u64 = 100_000_000;
/// How long the last answers are waited for, in ns.
const PATIENCE: u64 = 100_000_000;

/// Measures one contender once.
pub fn run(world: &World, contender: &dyn Contender, case: &Case) -> Fallible<Measured> {
    let (ask, one) = (world.ask(case), Case { readers: 1, ..*case });
    let there = contender.link(&ask)?;
    let asks_back: Vec<Ask> = (0..case.readers).map(|_| world.ask(&one)).collect();
    let backs: Vec<Box<dyn Link>> =
        asks_back.iter().map(|ask| contender.link(ask)).collect::<Fallible<_>>()?;
    let period = 1_000_000_000 / u64::from(case.rate.max(1));
    let mut crew = Crew::new()?;
    crew.add(Seat::writer(case, &world.cores, 0), |control| send(case, &*there, &backs, period, control))?;
    for (index, back) in backs.iter().enumerate() {
        let (there, program) = (&*there, contender.client(&ask, &asks_back[index]));
        crew.add(Seat::reader(case, &world.cores, index), move |control| match program {
            Some(program) => other(program, control),
            None => client(case, there, index, &**back, control),
        })?;
    }
    let messages = BYTES / case.size as u64;
    let window = Duration::from_nanos(messages * period).mul_f64(world.scale);
    let mut outcome = conduct(crew, window)?;
    outcome.taken = outcome.received;
    outcome.missed = (outcome.sent * case.readers as u64).saturating_sub(outcome.received);
    Ok(Measured { messages: outcome.sent, outcome, window })
}

/// The answers to one sender.
struct Answers<'a> {
    receivers: Vec<(Box<dyn Receiver>, Tally)>,
    buffer: Buffer,
    window: &'a Window,
    got: Outcome,
}

impl Answers<'_> {
    /// Takes the answers that have arrived, at most one of each client; returns whether there was any.
    fn poll(&mut self) -> Fallible<bool> {
        let mut any = false;
        for (receiver, tally) in &mut self.receivers {
            if receiver.poll(&mut self.buffer)? {
                any = true;
                let head = Head::read(&self.buffer);
                if !tally.take(&head) {
                    return Err(format!("answer {} arrived out of order", head.number).into());
                }
                arrived(&mut self.got, &head, self.window, clock::now());
            }
        }
        Ok(any)
    }
}

/// Polls for answers while it waits. A failed receiver is reported at the end.
struct Looking<'a, 'b>(&'b RefCell<Answers<'a>>, &'b RefCell<Fallible<()>>);

impl Time for Looking<'_, '_> {
    fn now(&self) -> u64 {
        clock::now()
    }

    fn wait_until(&self, at: u64) {
        while clock::now() < at {
            if let Err(error) = self.0.borrow_mut().poll() {
                *self.1.borrow_mut() = Err(error);
                return;
            }
        }
    }

    fn cpu(&self) -> u64 {
        0 // it spins
    }
}

fn send(
    case: &Case,
    there: &dyn Link,
    backs: &[Box<dyn Link>],
    period: u64,
    control: &Control,
) -> Fallible<Outcome> {
    let mut sender = there.sender(0)?;
    let receivers = backs.iter().map(|back| -> Fallible<_> { Ok((back.receiver(0)?, Tally::default())) });
    let receivers = receivers.collect::<Fallible<Vec<_>>>()?;
    let (mut message, buffer) = (Buffer::new(case.size)?, Buffer::new(case.size)?);
    let window = control.start();
    let answers = Answers { receivers, buffer, window: &window, got: Outcome::default() };
    let (answers, failure) = (RefCell::new(answers), RefCell::new(Ok(())));
    let (schedule, mut outcome) = (Schedule::new(clock::now() + period, period), Outcome::default());
    let head = offer(&Looking(&answers, &failure), &schedule, &window, &mut outcome, |head| {
        head.write(&mut message);
        sender.send(&message)?;
        // Check for answers even when late: otherwise a client that waits for space would block forever.
        answers.borrow_mut().poll().map(|_| ())
    })?;
    failure.into_inner()?;
    let mut answers = answers.into_inner();
    let until = clock::now() + PATIENCE;
    while clock::now() < until {
        answers.poll()?;
    }
    dismiss(&mut *sender, head, &mut message, control, case.readers)?;
    outcome.add(&answers.got)?;
    Ok(outcome)
}

fn client(
    case: &Case,
    there: &dyn Link,
    index: usize,
    back: &dyn Link,
    control: &Control,
) -> Fallible<Outcome> {
    let (mut receiver, mut sender) = (there.receiver(index)?, back.sender(0)?);
    let mut buffer = Buffer::new(case.size)?;
    let (mut outcome, mut cpu) = (Outcome::default(), None);
    let window = control.start();
    while let Some(head) = take(case.mode, &mut *receiver, &mut buffer)? {
        if head.due >= window.begin {
            cpu.get_or_insert_with(clock::cpu_used);
        }
        sender.send(&buffer)?;
    }
    let used = clock::cpu_used();
    outcome.cpu = used - cpu.unwrap_or(used);
    control.reader_finished();
    Ok(outcome)
}

/// A client in a separate program. Its processor time is not known.
fn other(mut program: Command, control: &Control) -> Fallible<Outcome> {
    let us = std::process::id();
    let end_with_us = move || {
        stop::end_with(us);
        Ok(())
    };
    // SAFETY: between fork and exec it makes two system calls, and no more.
    unsafe { program.pre_exec(end_with_us) };
    let mut child =
        program.stdout(Stdio::piped()).spawn().map_err(|e| format!("cannot start a client: {e}"))?;
    let mut printed = String::new();
    BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut printed)?;
    if printed.trim() != "ready" {
        return Err(format!("expected `ready` from a client, found {printed:?}").into());
    }
    control.start();
    let status = child.wait()?;
    control.reader_finished();
    if status.success() {
        Ok(Outcome::default())
    } else {
        Err(format!("a client exited with {status}").into())
    }
}
