//! `echo` of one channel in shared memory.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use saltus_channel::{
    Channel, Directory, Error, MessageInfo, Start, Subscriber, SubscriberOptions, Until, Which,
};
use saltus_decode::{Decoder, Meaning};
use saltus_printer::{About, Message};

use super::unknown::Unknown;
use super::wanted::Wanted;
use crate::exit::{Code, Failure, Outcome, note};
use crate::flags::{domain, types};
use crate::print::out::Out;
use crate::stop;
use saltus_text::escape::escaped;
use saltus_text::human;

/// Longest wait for a channel between two checks for Ctrl-C.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// Time between two tries to read a message that publishers overwrite at every try.
const PAUSE: Duration = Duration::from_millis(1);

/// Prints messages until `--count`, a failure or a stop signal.
pub(super) fn run(domain: &Directory, name: OsString, wanted: Wanted, meaning: Decoder) -> Outcome {
    let quiet = wanted.quiet;
    let mut reading = Reading {
        domain,
        wanted,
        name,
        meaning,
        out: Out::new()?,
        received: 0,
        missed: 0,
        unknown: Unknown::new(quiet),
    };
    let outcome = reading.run();
    // No totals before an error if nothing was received.
    let nothing = reading.received == 0 && outcome.is_err();
    if !quiet && !nothing && !stop::output_closed() && !matches!(outcome, Err(Failure::Quiet)) {
        note(format_args!("received {}, missed {}", reading.received, reading.missed));
    }
    outcome
}

/// The state and totals over all channels of that name (`--follow` reads several).
struct Reading<'a> {
    domain: &'a Directory,
    wanted: Wanted,
    name: OsString,
    meaning: Decoder,
    out: Out,
    received: u64,
    missed: u64,
    unknown: Unknown,
}

/// The reason why reading one channel ends.
enum End {
    /// `--count` was reached, or a stop was requested.
    Enough,
    /// It was replaced or removed.
    Retired(Error),
}

impl Reading<'_> {
    fn run(&mut self) -> Outcome {
        let mut start = self.wanted.start;
        let mut opened = if self.wanted.wait {
            let there = self.domain.wait_for(self.name.as_encoded_bytes(), Duration::ZERO)?;
            if there.is_none() && start == Start::Now {
                start = Start::Oldest; // all its messages will be newer than this command
            }
            if there.is_some() { there } else { self.appeared()? }
        } else {
            Some(domain::open_named(self.domain, &self.name)?)
        };
        while let Some(channel) = opened {
            let said = channel.descriptions()?;
            if let Some(words) = self.meaning.doubt(|| types::texts(said)) {
                note(format_args!("{words}; waiting for it"));
            }
            let mut subscriber = channel.subscriber_with(SubscriberOptions::new().start(start))?;
            let cancel = subscriber.cancel_handle();
            stop::cancel_with(move || cancel.cancel());
            let end = self.read(&mut subscriber);
            self.missed += subscriber.missed();
            let end = end?;
            // All messages of the next channel were published after this command started.
            start = Start::Oldest;
            // A channel that grew continues in a larger one: that is not a replacement.
            let goes_on = if let End::Retired(_) = end { channel.continuation()? } else { None };
            if goes_on.is_some() {
                // Messages that it loses before they are read count as missed.
                start = Start::Beginning;
                opened = goes_on;
                continue;
            }
            match end {
                End::Enough => break,
                End::Retired(error) if !self.wanted.follow => return Err(error.into()),
                End::Retired(error) => {
                    self.out.flush()?;
                    note(error);
                }
            }
            opened = self.appeared()?;
        }
        self.out.flush()
    }

    /// Waits for a channel with that name. Returns `None` after a stop signal.
    fn appeared(&self) -> Outcome<Option<Channel>> {
        let name = self.name.as_encoded_bytes();
        let deadline = self.wanted.timeout.map(|time| (time, Instant::now() + time));
        while !stop::requested() {
            if let Some(channel) = self.domain.wait_for(name, CHECK_INTERVAL.min(left(deadline)))? {
                return Ok(Some(channel));
            }
            if let Some((time, _)) = deadline.filter(|(_, at)| Instant::now() >= *at) {
                let words = format!(
                    "no channel `{}` appeared in {} within {time:?}: start its publisher, or wait longer",
                    escaped(name),
                    self.domain.url()
                );
                return Err(Failure::new(Code::TimedOut, words));
            }
        }
        Ok(None)
    }

    fn read(&mut self, subscriber: &mut Subscriber) -> Outcome<End> {
        let (format, channel) = (self.wanted.format, subscriber.channel());
        let name = escaped(channel.name().as_bytes());
        let mut message = Vec::new();
        // The deadline for the next message, after one could not be read.
        let mut end = None;
        while !stop::requested() && self.wanted.most.is_none_or(|most| self.received < most) {
            let sample = match self.receive(subscriber, &mut message) {
                Ok(Some(sample)) => sample,
                Ok(None) => return Err(self.silence(&name)),
                // Overwritten at every try: retries with newer messages, and counts those that were lost. In a damaged channel this may
                // never succeed.
                Err(Stopped::By(Error::Overrun { .. })) => {
                    let now = Instant::now();
                    let end = *end.get_or_insert_with(|| self.wanted.timeout.map(|time| now + time));
                    if end.is_some_and(|end| now >= end) {
                        return Err(self.silence(&name));
                    }
                    stop::sleep_until(end.unwrap_or(now + PAUSE).min(now + PAUSE));
                    continue;
                }
                Err(Stopped::By(Error::Canceled)) => break,
                Err(Stopped::By(error @ Error::Retired { .. })) => return Ok(End::Retired(error)),
                Err(Stopped::By(error)) => return Err(error.into()),
                Err(Stopped::Output(failure)) => return Err(failure),
            };
            self.received += 1;
            end = None;
            let meaning = if !self.wanted.looks_into {
                Meaning::Bytes
            } else {
                // A channel that was just removed has no descriptions.
                let descriptions = || types::texts(channel.descriptions().unwrap_or_default());
                self.meaning.meaning(channel.name().as_bytes(), descriptions, &message)?
            };
            if self.wanted.looks_into {
                self.unknown.report(&name, &meaning, &message);
            }
            let about = About::Channel(&sample);
            let shown = Message { channel: &name, about, bytes: &message, meaning: &meaning };
            self.out.message(format, &shown)?;
            if self.wanted.strict && sample.missed > 0 {
                return Err(lost(&name, &sample));
            }
        }
        Ok(End::Enough)
    }

    /// Receives the next message. Flushes the output before it sleeps.
    fn receive(
        &mut self,
        subscriber: &mut Subscriber,
        message: &mut Vec<u8>,
    ) -> Result<Option<MessageInfo>, Stopped> {
        let which = if self.wanted.newest { Which::Newest } else { Which::Next };
        if let Some(sample) = subscriber.receive_vec(which, Until::Poll, message)? {
            return Ok(Some(sample));
        }
        self.out.flush().map_err(Stopped::Output)?;
        let until = self.wanted.timeout.map_or(Until::Forever, Until::For);
        Ok(subscriber.receive_vec(which, until, message)?)
    }

    fn silence(&self, channel: &str) -> Failure {
        let time = self.wanted.timeout.unwrap_or_default();
        let words = format!(
            "no message on channel `{channel}` within {time:?}: `saltus info {channel}` shows its publishers"
        );
        Failure::new(Code::TimedOut, words)
    }
}

/// The reason why no message was received.
enum Stopped {
    By(Error),
    Output(Failure),
}

impl std::convert::From<Error> for Stopped {
    fn from(error: Error) -> Stopped {
        Stopped::By(error)
    }
}

fn lost(channel: &str, sample: &MessageInfo) -> Failure {
    let words = format!(
        "missed {} of channel `{channel}` before number {} of publisher {}.{}: make it with a larger --depth, or read faster",
        human::plural(sample.missed, "message"),
        sample.seq,
        sample.publisher.lane,
        sample.publisher.lease
    );
    Failure::new(Code::Lost, words)
}

fn left(deadline: Option<(Duration, Instant)>) -> Duration {
    deadline.map_or(CHECK_INTERVAL, |(_, at)| at.saturating_duration_since(Instant::now()))
}
