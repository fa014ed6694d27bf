//! How many subscribers of one channel are possible: one after the other, each with a separate domain as in a
//! program, until one is refused, or receives nothing, or the limit is reached. All are in one process, so its
//! limits (`ulimit -n`) count, and none is closed before the end.

use crate::case::Case;
use crate::clock;
use crate::contender::Ask;
use crate::contenders::net::domain::Domains;
use crate::crew::Crew;
use crate::error::Fallible;
use crate::outcome::{Metric, Outcome, record};
use crate::place::Seat;
use crate::privilege;
use crate::run::{Measured, World};
use saltus_domain::{Domain, Options, Pattern, Start, Subscriber, Until};
use std::time::Duration;

/// How long opening may take in total, in ns, at full scale; and how long one subscriber is waited for.
const PATIENCE: f64 = 10e9;
const HEARS: u64 = 5_000_000_000;

/// Measures one provider once: the time from opening each subscriber to its first message, and what ended the run, in
/// words.
pub fn run(world: &World, kind: Domains, case: &Case) -> Fallible<(Measured, String)> {
    let place = kind.place(&Ask { readers: case.readers, ..world.ask(case) })?;
    let patience = (PATIENCE * world.scale) as u64;
    let mut crew = Crew::new()?;
    let (url, note) = (place.url(), note::Note::new()?);
    crew.add(Seat::writer(case, &world.cores, 0), |control| {
        privilege::as_a_user()?;
        let mut outcome = Outcome::default();
        control.start();
        let why = open_all(url, case, patience, &mut outcome);
        note.leave(&why);
        Ok(outcome)
    })?;
    let began = clock::now();
    crew.wait_ready()?;
    crew.control().go(Duration::from_nanos(patience + HEARS));
    let outcomes = crew.finish()?;
    let outcome = crate::run::merge(outcomes)?;
    let window = Duration::from_nanos(clock::now() - began);
    Ok((Measured { messages: outcome.received, outcome, window }, note.read()))
}

/// Opens the subscribers; returns why it stopped.
fn open_all(url: &str, case: &Case, patience: u64, outcome: &mut Outcome) -> String {
    let mut all: Vec<(Subscriber, Domain)> = Vec::new();
    let began = clock::now();
    let mut publisher = match Domain::open(url).and_then(|domain| Ok((domain.publisher("many")?, domain))) {
        Ok(publisher) => publisher,
        Err(error) => return error.to_string(),
    };
    while all.len() < case.readers {
        if clock::now() - began > patience {
            return format!("stopped opening after {} s", patience as f64 / 1e9);
        }
        let before = clock::now();
        let opened = Domain::open(url).and_then(|domain| {
            let options = Options::next(1).start(Start::Now);
            Ok((domain.subscriber_with(Pattern::name("many")?, options)?, domain))
        });
        match opened {
            Ok(one) => all.push(one),
            Err(error) => return format!("refused: {error}"),
        }
        let newest = all.len() - 1;
        loop {
            if let Err(error) = publisher.0.publish(&[0; 50]) {
                return format!("publishing failed: {error}");
            }
            match all[newest].0.receive(Until::For(Duration::from_millis(5))) {
                Ok(Some(_)) => break,
                Ok(None) if clock::now() - before > HEARS => {
                    return format!("number {} received nothing for {} s", newest + 1, HEARS / 1_000_000_000);
                }
                Ok(None) => {}
                Err(error) => return format!("number {} failed: {error}", newest + 1),
            }
        }
        record(outcome.times(Metric::Call), clock::now() - before);
        outcome.received += 1;
    }
    format!("reached the limit of {}", case.readers)
}

mod note {
    //! A text that a child returns to its parent.

    use crate::error::Fallible;
    use crate::shared::Pages;

    /// The longest text, in bytes.
    const ROOM: usize = 1_024;

    /// See the module. A child writes before it exits, and the parent reads after that.
    pub struct Note(Pages);

    impl Note {
        pub fn new() -> Fallible<Note> {
            Ok(Note(Pages::shared(ROOM)?))
        }

        pub fn leave(&self, words: &str) {
            let len = words.len().min(self.0.len() - 1);
            // SAFETY: as many bytes fit, with a zero behind them; nobody else looks while the child lives.
            unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), self.0.start(), len) };
        }

        pub fn read(&self) -> String {
            // SAFETY: as long as said; the child has ended.
            let bytes = unsafe { std::slice::from_raw_parts(self.0.start(), self.0.len()) };
            let end = bytes.iter().position(|b| *b == 0).unwrap_or(0);
            String::from_utf8_lossy(&bytes[..end]).into_owned()
        }
    }
}
