//! Every byte of every message that arrives is compared with the original: whether an adapter carries messages at
//! all, and whole. The rate is one that every contender can keep; some messages must arrive, and their number is
//! reported.

use crate::case::Case;
use crate::clock;
use crate::contender::Contender;
use crate::control::Control;
use crate::crew::Crew;
use crate::error::Fallible;
use crate::message::{HEAD, Head, Tally};
use crate::outcome::Outcome;
use crate::pace::arrived;
use crate::place::Seat;
use crate::run::{Measured, World, conduct, take};
use crate::scenarios::scheduled::Scheduled;
use crate::shared::Buffer;
use std::time::Duration;

/// The length of the window, which is not scaled.
const WINDOW: Duration = Duration::from_millis(500);

/// Runs one contender once.
pub fn run(world: &World, contender: &dyn Contender, case: &Case) -> Fallible<Measured> {
    let link = world.link(contender, case)?;
    let period = 1_000_000_000 / u64::from(case.rate.max(1));
    let mut crew = Crew::new()?;
    let writer = Scheduled { period, spins: false, grace: 2 * period, last_word: HEAD, readers: 1 };
    writer.add_writer(&mut crew, world, case, &*link, |head, message| {
        fill(head.number, message);
        true
    })?;
    crew.add(Seat::reader(case, &world.cores, 0), |control| {
        let mut receiver = link.receiver(0)?;
        compare(case, control, |buffer| take(case.mode, &mut *receiver, buffer))
    })?;
    let mut outcome = conduct(crew, WINDOW)?;
    if outcome.received == 0 {
        return Err(format!("none of {} messages arrived", outcome.sent).into());
    }
    outcome.taken = outcome.received;
    outcome.missed = outcome.sent.saturating_sub(outcome.received);
    Ok(Measured { messages: outcome.sent, outcome, window: WINDOW })
}

/// The reader's role; `next` puts a message into the buffer.
fn compare(
    case: &Case,
    control: &Control,
    mut next: impl FnMut(&mut Buffer) -> Fallible<Option<Head>>,
) -> Fallible<Outcome> {
    let (mut buffer, mut wanted) = (Buffer::new(case.size)?, Buffer::new(case.size)?);
    let (mut outcome, mut tally) = (Outcome::default(), Tally::default());
    let window = control.start();
    while let Some(head) = next(&mut buffer)? {
        arrived(&mut outcome, &head, &window, clock::now());
        if !tally.take(&head) {
            return Err(format!("message {} arrived twice or out of order", head.number).into());
        }
        fill(head.number, &mut wanted);
        if let Some(at) = (HEAD..case.size).find(|&at| buffer[at] != wanted[at]) {
            return Err(format!("message {}: byte {at} of {} is wrong", head.number, case.size).into());
        }
    }
    control.reader_finished();
    Ok(outcome)
}

/// Bytes that differ by position and by message.
fn fill(number: u64, message: &mut [u8]) {
    for (at, byte) in message.iter_mut().enumerate() {
        *byte = (number as usize * 31 + at * 7 + at / 251) as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Scenario;
    use crate::shared::Shared;

    /// The reader's result for a few messages, of which `spoil` may change one, and a last message.
    fn read(spoil: impl Fn(&mut Head, &mut [u8])) -> Fallible<Outcome> {
        let case = Case { size: 1_500, ..Case::new(Scenario::Whole) };
        let control: Shared<Control> = Shared::new()?;
        control.go(WINDOW);
        let mut numbers = 1..=3;
        compare(&case, &control, |buffer| {
            let Some(number) = numbers.next() else { return Ok(None) };
            let mut head = Head { number, due: control.end() - 1, ..Head::default() };
            fill(number, buffer);
            spoil(&mut head, buffer);
            Ok(Some(head))
        })
    }

    #[test]
    fn a_wrong_byte_and_a_duplicate_message_are_detected() {
        let read = |spoil: &dyn Fn(&mut Head, &mut [u8])| read(spoil).map_err(|e| e.to_string());
        assert_eq!(read(&|_, _| {}).expect("whole").received, 3);
        let spoilt = read(&|head, bytes| bytes[1_499] ^= u8::from(head.number == 2));
        assert_eq!(spoilt.expect_err("spoilt"), "message 2: byte 1499 of 1500 is wrong");
        let swapped = read(&|head, bytes| fill(head.number + 1, bytes));
        assert!(swapped.expect_err("another's").starts_with("message 1: byte 64 "));
        assert!(read(&|head, _| head.number = 1).expect_err("twice").contains("twice"));
    }
}
