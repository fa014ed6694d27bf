//! Counts of the messages of a domain, by channel and sender.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use saltus_domain::{Domain, Error, Message, Missed, Name, Options, Pattern, Result, Subscriber, Until};
use saltus_os::{clock, stop};

use crate::Wants;

/// Most messages of a channel that wait to be counted. Further ones count as dropped.
const DEPTH: u64 = 10_000;
/// Time after the deadline for counting messages that arrived before it.
const LATE: Duration = Duration::from_millis(500);

/// A subscriber that counts.
pub struct Tally {
    subscriber: Subscriber,
    wants: Option<Wants>,
    seen: BTreeMap<(Name, Option<u64>), Seen>,
    lost: HashMap<Option<u64>, Lost>,
}

/// The counts of one sender on one channel.
#[derive(Clone, Default)]
pub struct Seen {
    /// Messages that arrived at this process, including dropped ones.
    pub messages: u64,
    /// Of those, messages dropped because this process was slow.
    pub dropped: u64,
    /// Bytes of those that were not dropped.
    pub bytes: u64,
    /// Bytes of the last one.
    pub last: usize,
}

/// Missed messages of one sender, over all its channels; `None` if the transport does not report them.
#[derive(Clone, Copy, Default)]
pub struct Lost {
    /// Since the last report.
    pub lately: Option<u64>,
    /// Since the start.
    pub ever: Option<u64>,
}

/// The reason why listening ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// The time is up.
    Enough,
    /// A stop was requested.
    Stopped,
    /// The domain has no more messages.
    All,
}

impl Tally {
    /// Starts to count messages of the selected channels. A stop request of the process ([`stop`]) ends it.
    pub fn new(domain: &Domain, wants: Option<Wants>) -> Result<Tally> {
        let mut subscriber = domain.subscriber_with(Pattern::all(), Options::next(DEPTH))?;
        let cancel = subscriber.cancel_handle();
        stop::cancel_with(move || cancel.cancel());
        let (seen, lost) = (BTreeMap::new(), HashMap::new());
        Ok(Tally { subscriber, wants, seen, lost })
    }

    /// Listens until `end`. Counts all messages that arrived by then, even if this process is late. Continues after errors that `pass`
    /// accepts.
    pub fn listen<E>(
        &mut self,
        end: Instant,
        mut pass: impl FnMut(Error) -> std::result::Result<(), E>,
    ) -> std::result::Result<Heard, E> {
        let mut over = None;
        while !stop::requested() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() && over.is_none() {
                over = Some((Instant::now(), clock::boottime()));
            }
            // More messages may arrive than this process can count.
            if over.is_some_and(|(at, _)| at.elapsed() > LATE) {
                return Ok(Heard::Enough);
            }
            match self.subscriber.receive(if over.is_some() { Until::Poll } else { Until::For(left) }) {
                Ok(None) if over.is_some() => return Ok(Heard::Enough),
                Ok(None) => {}
                Ok(Some(message)) => {
                    count(&mut self.seen, &mut self.lost, self.wants.as_ref(), &message);
                    if over.is_some_and(|(_, now)| message.arrived > now) {
                        return Ok(Heard::Enough);
                    }
                }
                Err(Error::Canceled) => return Ok(Heard::Stopped),
                Err(Error::Ended) => return Ok(Heard::All),
                Err(error) => pass(error)?,
            }
        }
        Ok(Heard::Stopped)
    }

    /// The counts since the last call, in the order of channels and senders.
    pub fn take(&mut self) -> BTreeMap<(Name, Option<u64>), Seen> {
        std::mem::take(&mut self.seen)
    }

    /// Missed messages by sender.
    pub fn lost(&mut self) -> HashMap<Option<u64>, Lost> {
        let lost = self.lost.clone();
        self.lost.values_mut().for_each(|lost| lost.lately = lost.lately.map(|_| 0));
        lost
    }
}

fn count(
    seen: &mut BTreeMap<(Name, Option<u64>), Seen>,
    lost: &mut HashMap<Option<u64>, Lost>,
    wants: Option<&Wants>,
    message: &Message<'_>,
) {
    if let Missed::OfSender(n) = message.missed {
        let lost = lost.entry(message.sender).or_default();
        lost.lately = Some(lost.lately.unwrap_or(0).saturating_add(n));
        lost.ever = Some(lost.ever.unwrap_or(0).saturating_add(n));
    }
    if wants.is_some_and(|wants| !wants(message.channel)) {
        return;
    }
    let seen = seen.entry((message.channel.clone(), message.sender)).or_default();
    seen.messages += 1 + message.dropped;
    seen.dropped += message.dropped;
    seen.bytes += message.data.len() as u64;
    seen.last = message.data.len();
}
