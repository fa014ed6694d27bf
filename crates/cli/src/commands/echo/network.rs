//! Printing what comes through a domain of any kind.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;

use saltus_decode::{Decoder, Meaning};
use saltus_domain::{Domain, Error, Message, Missed, Options, Pattern, Subscriber, Until};

use super::{Echo, From};
use crate::escape::escaped;
use crate::exit::Troubles;
use crate::failure::{Code, Failure, Outcome, say};
use crate::out::Out;
use crate::print::{self, About, print};
use crate::{human, schemas, stop};

/// Messages of a channel that may wait to be printed.
const DEPTH: u64 = 10_000;
/// Senders that are told apart. A network may invent any number of them.
const SENDERS: usize = 4096;

/// What was received so far.
#[derive(Default)]
struct Totals {
    received: u64,
    missed: u64,
    /// Messages before which nobody knows what was missed.
    untold: u64,
    dropped: u64,
    /// Senders that were heard.
    senders: HashSet<u64>,
}

/// Prints until there is enough, or the end is asked for.
pub fn run(domain: &Domain, args: &Echo) -> Outcome {
    stop::on_signals()?;
    stop::when_output_closes();
    args.refuse_what_it_has_not(domain)?;
    let mut meaning = schemas::decoder(args.of.as_deref(), &args.dirs.include)?;
    let mut subscriber = domain.subscriber_with(args.pattern()?, args.options())?;
    let cancel = subscriber.cancel_handle();
    stop::cancel_with(move || cancel.cancel());
    let mut totals = Totals::default();
    let mut out = Out::new()?;
    let outcome = read(&mut subscriber, args, &mut meaning, &mut out, &mut totals);
    let outcome = outcome.and_then(|()| out.flush());
    if !args.quiet && !stop::output_closed() && !matches!(outcome, Err(Failure::Quiet)) {
        drop(out);
        let missed = human::missed(totals.missed, totals.untold, totals.received);
        say(format_args!("received {}, missed {missed}, dropped {}", totals.received, totals.dropped));
    }
    outcome
}

fn read(
    subscriber: &mut Subscriber,
    args: &Echo,
    meaning: &mut Decoder,
    out: &mut Out,
    totals: &mut Totals,
) -> Outcome {
    let mut troubles = Troubles::default();
    let (mut bytes, format) = (Vec::new(), args.printed.format());
    while !stop::requested() && args.count.count.is_none_or(|most| totals.received < most) {
        let channel = match receive(subscriber, args, out, &mut bytes) {
            Ok(Some(channel)) => channel,
            Ok(None) => return Err(args.nothing_came()),
            Err(Stopped::By(Error::Canceled | Error::Ended)) => break,
            Err(Stopped::By(error)) => {
                out.flush()?;
                troubles.pass(error)?;
                continue;
            }
            Err(Stopped::Output(failure)) => return Err(failure),
        };
        let meant = if format.is_bytes() && args.of.is_none() {
            Meaning::Bytes
        } else {
            let descriptions = || schemas::texts(subscriber.descriptions(&channel));
            meaning.meaning(channel.as_bytes(), descriptions, &bytes)?
        };
        let Some(message) = subscriber.last() else { continue };
        let first = totals.count(&message);
        let name = escaped(channel.as_bytes());
        let shown =
            print::Message { channel: &name, about: About::Domain(&message), bytes: &bytes, meaning: &meant };
        print(out, format, &shown)?;
        if args.strict && !(first && message.missed == Missed::Unknown) {
            complete(&name, &message)?;
        }
    }
    Ok(())
}

/// Why nothing was received.
enum Stopped {
    By(Error),
    Output(Failure),
}

/// The channel of the next message, which is left in `bytes`; what is printed already goes out before this sleeps.
fn receive(
    subscriber: &mut Subscriber,
    args: &Echo,
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
    let until = args.timeout.timeout.map_or(Until::Forever, Until::For);
    Ok(subscriber.receive(until).map_err(Stopped::By)?.map(keep))
}

/// Fails if something was lost before this message, or if nobody can tell.
fn complete(channel: &str, message: &Message<'_>) -> Outcome {
    let lost = |words: String| Err(Failure::new(Code::Lost, words));
    match message.missed {
        Missed::Unknown => {
            lost("this transport does not tell what was missed: --strict cannot be promised".into())
        }
        Missed::Exact(n) | Missed::OfSender(n) if n > 0 => {
            lost(format!("{} lost before this one of channel `{channel}`", human::plural(n, "message")))
        }
        _ if message.dropped > 0 => lost(format!(
            "{} of channel `{channel}` dropped: print less, or read faster",
            human::plural(message.dropped, "message")
        )),
        _ => Ok(()),
    }
}

impl Totals {
    /// Counts a message. Whether it is the first of its sender: what was lost before it, nobody need know.
    fn count(&mut self, message: &Message<'_>) -> bool {
        let room = self.senders.len() < SENDERS;
        let first = room && message.sender.is_some_and(|sender| self.senders.insert(sender));
        self.received += 1;
        self.dropped += message.dropped;
        match message.missed.count() {
            Some(missed) => self.missed = self.missed.saturating_add(missed), // a network may say any number
            None => self.untold += 1,
        }
        first
    }
}

impl Echo {
    fn pattern(&self) -> Outcome<Pattern> {
        if !self.regex {
            return Ok(Pattern::name(self.name.as_bytes())?);
        }
        let no_text = || Failure::new(Code::Usage, "the regular expression is not text");
        Ok(Pattern::regex(self.name.to_str().ok_or_else(no_text)?)?)
    }

    fn options(&self) -> Options {
        if self.newest { Options::newest() } else { Options::next(DEPTH).start(self.start()) }
    }

    /// Says which option makes no sense in this domain, and why.
    fn refuse_what_it_has_not(&self, domain: &Domain) -> Outcome {
        let url = domain.url();
        let refuse = |words: String| Err(Failure::new(Code::Usage, words));
        if domain.traits().shared_memory {
            // Channels that appear later, or once more, are read anyhow.
            return Ok(());
        }
        match self {
            Echo { from: From::Oldest | From::Newest, .. } => {
                refuse(format!("--from: {url} keeps nothing that was published before; leave it away"))
            }
            Echo { wait: true, .. } => refuse(format!(
                "--wait: a channel of {url} need not be there before it is read; leave it away, or use --timeout"
            )),
            Echo { follow: true, .. } => {
                refuse(format!("--follow: a channel of {url} is never replaced or removed; leave it away"))
            }
            _ => Ok(()),
        }
    }

    fn nothing_came(&self) -> Failure {
        let time = self.timeout.timeout.unwrap_or_default();
        let words = format!(
            "nothing came on `{}` within {time:?}: `saltus ls` lists the channels that something comes on",
            escaped(self.name.as_bytes())
        );
        Failure::new(Code::TimedOut, words)
    }
}
