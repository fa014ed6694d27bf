//! What every process says about itself two hundred times a second: that it lives, what its readers counted, and
//! how long every message took that it received since it last said so.
//!
//! ```text
//! kind | pid | started | beat | done | tallies T | spans S | T × tally | S × span | checksum
//! ```
//!
//! The counts are totals, so that a lost report loses nothing of them. A killed process takes with it what it
//! had not reported yet: at most one beat.

use super::{Torn, open, put, seal, words};
use crate::tally::Tally;

const KIND: u64 = 10;
/// Most spans in a report; more are sent at once in a report of their own.
pub const SPANS: usize = 96;
/// Most readers in a process.
pub const READERS: usize = 16;
/// The longest report, bytes.
pub const MOST: usize = 8 * (8 + READERS * Tally::WORDS + SPANS);

/// What a measured time is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanOf {
    /// From the publishing of a message to its receiving, by this reader of the process.
    Hop(usize),
    /// From the publishing of an inertial sample to the motor torque that answers it.
    Reflex,
    /// From the time a step of the world was due to the time it was begun.
    Tick,
}

/// A measured time, ns. Times over two years are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span(pub SpanOf, pub u64);

impl Span {
    const TIME: u64 = (1 << 56) - 1;

    fn word(self) -> u64 {
        let of = match self.0 {
            SpanOf::Hop(reader) => reader as u64,
            SpanOf::Reflex => 254,
            SpanOf::Tick => 255,
        };
        of << 56 | self.1.min(Span::TIME)
    }

    fn of(word: u64) -> Span {
        let of = match word >> 56 {
            254 => SpanOf::Reflex,
            255 => SpanOf::Tick,
            reader => SpanOf::Hop(reader as usize),
        };
        Span(of, word & Span::TIME)
    }
}

/// A report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Who.
    pub pid: u64,
    /// When the process began, boot time, ns.
    pub started: u64,
    /// How many reports it has sent.
    pub beat: u64,
    /// Whether it has nothing left to do (the lidar driver, at the end of its log).
    pub done: bool,
    /// One for each reader.
    pub tallies: Vec<Tally>,
    /// What was measured since the report before.
    pub spans: Vec<Span>,
}

impl Health {
    /// Writes the message into `out`, which is used again and again.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.clear();
        put(out, &[KIND, self.pid, self.started, self.beat, self.done as u64]);
        put(out, &[self.tallies.len() as u64, self.spans.len() as u64]);
        for tally in &self.tallies {
            put(out, &tally.words());
        }
        for span in &self.spans {
            put(out, &[span.word()]);
        }
        seal(out);
    }

    /// Reads it from what was received.
    pub fn parse(bytes: &[u8]) -> Result<Health, Torn> {
        let mut rest = words(open(bytes, KIND)?);
        let mut next = || rest.next().ok_or(Torn);
        let (pid, started, beat, done) = (next()?, next()?, next()?, next()? != 0);
        let (tallies, spans) = (next()? as usize, next()? as usize);
        if tallies > READERS || spans > SPANS {
            return Err(Torn);
        }
        let mut tally = || -> Result<Tally, Torn> {
            let mut words = [0; Tally::WORDS];
            for word in &mut words {
                *word = next()?;
            }
            Ok(Tally::of_words(words))
        };
        let tallies = (0..tallies).map(|_| tally()).collect::<Result<_, _>>()?;
        let spans = (0..spans).map(|_| Ok(Span::of(next()?))).collect::<Result<_, _>>()?;
        Ok(Health { pid, started, beat, done, tallies, spans })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_comes_back() {
        let mut tally = Tally::of(4);
        tally.count(0, 10, 2);
        let spans = vec![Span(SpanOf::Hop(1), 1234), Span(SpanOf::Reflex, 5), Span(SpanOf::Tick, Span::TIME)];
        let health =
            Health { pid: 77, started: 1, beat: 2, done: true, tallies: vec![tally, Tally::of(5)], spans };
        let mut bytes = Vec::new();
        health.write(&mut bytes);
        assert_eq!(Health::parse(&bytes), Ok(health));
        for len in 0..bytes.len() {
            assert_eq!(Health::parse(&bytes[..len]), Err(Torn));
        }
    }

    #[test]
    fn the_longest_report_fits() {
        let health = Health {
            tallies: vec![Tally::of(1); READERS],
            spans: vec![Span(SpanOf::Hop(0), 1); SPANS],
            ..Health::default()
        };
        let mut bytes = Vec::new();
        health.write(&mut bytes);
        assert_eq!(bytes.len(), MOST);
    }

    #[test]
    fn counts_that_lie_are_refused() {
        let mut bytes = Vec::new();
        put(&mut bytes, &[KIND, 1, 1, 1, 0, u64::MAX, u64::MAX]);
        seal(&mut bytes);
        assert_eq!(Health::parse(&bytes), Err(Torn));
    }
}
