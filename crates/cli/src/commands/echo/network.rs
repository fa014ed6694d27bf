//! `echo` of channels in a domain of any kind.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use saltus_decode::{Decoder, Meaning};
use saltus_domain::{Domain, Error, Message, Missed, Options, Pattern, Start, Subscriber, Until};
use saltus_printer::About;

use super::unknown::Unknown;
use super::wanted::{Channels, Wanted};
use crate::exit::{Code, Failure, Outcome, Troubles, note};
use crate::flags::selection::Wants;
use crate::flags::types;
use crate::print::out::Out;
use crate::stop;
use saltus_text::escape::escaped;
use saltus_text::human;

/// Most messages of a channel that wait to be printed.
const DEPTH: u64 = 10_000;
/// Most senders that are distinguished. A network can invent any number of senders.
const SENDERS: usize = 4096;

/// Totals so far.
#[derive(Default)]
struct Totals {
    received: u64,
    missed: u64,
    /// Messages for which the number of missed messages before them is unknown.
    untold: u64,
    dropped: u64,
    /// Senders of messages so far.
    senders: HashSet<u64>,
}

/// Prints messages until `--count`, a failure, the end of the source, or a stop signal.
pub(super) fn run(domain: &Domain, wanted: &Wanted, mut meaning: Decoder) -> Outcome {
    let (pattern, wants) = match &wanted.channels {
        Channels::One(name) => (Pattern::name(name.as_encoded_bytes())?, None),
        Channels::Several(selection, _) => selection.subscription()?,
    };
    let options =
        if wanted.newest { Options::newest() } else { Options::next(DEPTH).at_most().start(wanted.start) };
    let mut subscriber = domain.subscriber_with(pattern, options)?;
    let cancel = subscriber.cancel_handle();
    stop::cancel_with(move || cancel.cancel());
    let mut totals = Totals::default();
    let mut out = Out::new()?;
    let outcome = read(&mut subscriber, wanted, wants.as_ref(), &mut meaning, &mut out, &mut totals);
    let outcome = outcome.and_then(|()| out.flush());
    let nothing = totals.received == 0 && outcome.is_err();
    if !wanted.quiet && !nothing && !stop::output_closed() && !matches!(outcome, Err(Failure::Quiet)) {
        drop(out);
        let missed = human::missed(totals.missed, totals.untold, totals.received);
        note(format_args!("received {}, missed {missed}, dropped {}", totals.received, totals.dropped));
    }
    outcome
}

/// Refuses options that have no meaning in a domain that keeps no messages.
pub(super) fn refuse_what_it_has_not(domain: &Domain, wanted: &Wanted) -> Outcome {
    let url = domain.url();
    let words = if wanted.start != Start::Now && !wanted.newest {
        format!("--start: {url} keeps no earlier messages; omit it")
    } else if wanted.wait {
        format!("--wait: {url} accepts subscribers before there is a channel; omit it, or use --timeout")
    } else if wanted.follow {
        format!("--follow: channels of {url} are never replaced or removed; omit it")
    } else {
        return Ok(());
    };
    Err(Failure::new(Code::Usage, words))
}

fn nothing_arrived(wanted: &Wanted) -> Failure {
    let time = wanted.timeout.unwrap_or_default();
    let shown = match &wanted.channels {
        Channels::One(name) => escaped(name.as_encoded_bytes()),
        Channels::Several(_, words) => words.clone(),
    };
    let words = format!(
        "no message on channel `{shown}` within {time:?}: `saltus ls` lists the channels with traffic"
    );
    Failure::new(Code::TimedOut, words)
}

fn read(
    subscriber: &mut Subscriber,
    wanted: &Wanted,
    wants: Option<&Wants>,
    meaning: &mut Decoder,
    out: &mut Out,
    totals: &mut Totals,
) -> Outcome {
    let (mut troubles, mut unknown) = (Troubles::default(), Unknown::new(wanted.quiet));
    let (mut bytes, mut silent) = (Vec::new(), None);
    while !stop::requested() && wanted.most.is_none_or(|most| totals.received < most) {
        let channel = match receive(subscriber, wanted.timeout, &mut silent, out, &mut bytes) {
            Ok(Some(channel)) => channel,
            Ok(None) => return Err(nothing_arrived(wanted)),
            Err(Stopped::By(Error::Canceled | Error::Ended)) => break,
            Err(Stopped::By(error)) => {
                out.flush()?;
                troubles.pass(error)?;
                continue;
            }
            Err(Stopped::Output(failure)) => return Err(failure),
        };
        if wants.is_some_and(|wants| !wants(&channel)) {
            continue;
        }
        silent = None;
        let meant = if !wanted.looks_into {
            Meaning::Bytes
        } else {
            let descriptions = || types::texts(subscriber.descriptions(&channel));
            meaning.meaning(channel.as_bytes(), descriptions, &bytes)?
        };
        let Some(message) = subscriber.last() else { continue };
        let first = totals.count(&message);
        let name = escaped(channel.as_bytes());
        if wanted.looks_into {
            unknown.report(&name, &meant, &bytes);
        }
        let shown = saltus_printer::Message {
            channel: &name,
            about: About::Domain(&message),
            bytes: &bytes,
            meaning: &meant,
        };
        out.message(wanted.format, &shown)?;
        if wanted.strict && !(first && message.missed == Missed::Unknown) {
            complete(&name, &message)?;
        }
    }
    Ok(())
}

/// The reason why no message was received.
enum Stopped {
    By(Error),
    Output(Failure),
}

/// Receives the next message into `bytes`, and returns its channel. Flushes the output before it sleeps. The timeout counts from `silent`:
/// the start of the wait for a message of a selected channel.
fn receive(
    subscriber: &mut Subscriber,
    timeout: Option<Duration>,
    silent: &mut Option<Instant>,
    out: &mut Out,
    bytes: &mut Vec<u8>,
) -> Result<Option<saltus_domain::Name>, Stopped> {
    let mut keep = |message: Message<'_>| {
        bytes.clear();
        bytes.extend_from_slice(message.data);
        message.channel.clone()
    };
    if let Some(message) = subscriber.receive(Until::Poll).map_err(Stopped::By)? {
        return Ok(Some(keep(message)));
    }
    out.flush().map_err(Stopped::Output)?;
    let waited = silent.get_or_insert_with(Instant::now).elapsed();
    let until = timeout.map_or(Until::Forever, |time| Until::For(time.saturating_sub(waited)));
    Ok(subscriber.receive(until).map_err(Stopped::By)?.map(keep))
}

/// Fails if messages were lost before this one, or if the transport does not report losses.
fn complete(channel: &str, message: &Message<'_>) -> Outcome {
    let lost = |words: String| Err(Failure::new(Code::Lost, words));
    match message.missed {
        Missed::Unknown => lost("this transport does not report missed messages: omit --strict".into()),
        Missed::Exact(n) | Missed::OfSender(n) if n > 0 => {
            lost(format!("missed {} of channel `{channel}`", human::plural(n, "message")))
        }
        _ if message.dropped > 0 => lost(format!(
            "dropped {} of channel `{channel}`: print less, or read faster",
            human::plural(message.dropped, "message")
        )),
        _ => Ok(()),
    }
}

impl Totals {
    /// Counts a message. Returns whether it is the first of its sender; losses before it do not count.
    fn count(&mut self, message: &Message<'_>) -> bool {
        let room = self.senders.len() < SENDERS;
        let first = room && message.sender.is_some_and(|sender| self.senders.insert(sender));
        self.received += 1;
        self.dropped += message.dropped;
        match message.missed.count() {
            Some(missed) => self.missed = self.missed.saturating_add(missed), // a network can report any number
            None => self.untold += 1,
        }
        first
    }
}
