//! The publishers for the channels of a log.

use std::collections::{BTreeSet, HashMap};

use hdrhistogram::Histogram;
use saltus_bridge::Rename;
use saltus_domain::{Domain, Name, Pattern, Publisher};
use saltus_log::{Event, Types};
use saltus_play::{Reel, Spot};

use saltus_text::escape::escaped;
use serde::Serialize;

use crate::Result;
use crate::readers::{Readers, Tell};
use crate::timestamps::Restamp;

fn send(
    restamp: &mut Option<Restamp>,
    publisher: &mut Publisher,
    data: &[u8],
    time: i64,
) -> saltus_domain::Result<()> {
    match restamp {
        Some(restamp) => restamp.publish(publisher, data, time),
        None => publisher.publish(data),
    }
}

/// The selection of channels of a log, and their names in the domain.
pub struct Choice {
    /// Channels of the log.
    pub pattern: Pattern,
    /// All channels but those of the pattern.
    pub invert: bool,
    /// Rules for new names, applied one after the other.
    pub renames: Vec<Rename>,
    /// Prefix of each name.
    pub prefix: Vec<u8>,
}

/// Totals of playback. Its JSON fields are a stable interface. Times are in ns.
#[derive(Serialize)]
pub struct Report {
    /// Published messages.
    pub played: u64,
    /// Messages that the domain refused.
    pub refused: u64,
    /// Messages that could not be read.
    pub unreadable: u64,
    /// Messages that got a later timestamp than the original; `None` with current timestamps.
    pub later_timestamps: Option<u64>,
    /// Delay of publication; `None` if no message was timed.
    pub late: Option<Late>,
}

/// Delays of messages, in ns.
#[derive(Serialize)]
pub struct Late {
    /// Messages.
    pub count: u64,
    /// The median.
    pub p50: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The 99.9th percentile.
    pub p999: u64,
    /// The maximum.
    pub max: u64,
}

/// Publishers for events.
pub struct Outlets {
    domain: Domain,
    choice: Choice,
    tell: Tell,
    /// Channels that are off, and names typed by the user; by the names in the log.
    off: BTreeSet<Vec<u8>>,
    named: HashMap<Vec<u8>, Name>,
    types: Types,
    /// By the channel's name in the log; `None` for one that is not played.
    all: HashMap<Vec<u8>, Option<Publisher>>,
    /// The channel of the last published message, by its name in the log.
    last: Vec<u8>,
    played: u64,
    /// The subscribers, in domains that list them.
    readers: Option<Readers>,
    /// Sets original timestamps, if requested.
    restamp: Option<Restamp>,
    /// Messages that the domain refused.
    refused: u64,
    /// Messages that could not be read.
    unreadable: u64,
    /// Delays of messages, in ns.
    late: Histogram<u64>,
}

impl Outlets {
    /// Publishers in this domain. `types` are for logs that store no types. `restamp` sets original timestamps. `tell` receives messages
    /// about events that are not played.
    #[must_use]
    pub fn new(
        domain: &Domain,
        choice: Choice,
        types: Types,
        restamp: Option<Restamp>,
        tell: Tell,
    ) -> Outlets {
        Outlets {
            domain: domain.clone(),
            choice,
            tell,
            off: BTreeSet::new(),
            named: HashMap::new(),
            types,
            all: HashMap::new(),
            last: Vec::new(),
            played: 0,
            readers: Readers::of(domain),
            restamp,
            refused: 0,
            unreadable: 0,
            late: Histogram::new(3).expect("three digits are supported"),
        }
    }

    /// Published messages.
    #[must_use]
    pub fn played(&self) -> u64 {
        self.played
    }
    /// The totals so far.
    #[must_use]
    pub fn report(&self) -> Report {
        let late = &self.late;
        Report {
            played: self.played,
            refused: self.refused,
            unreadable: self.unreadable,
            later_timestamps: self.restamp.as_ref().map(Restamp::later),
            late: (!late.is_empty()).then(|| Late {
                count: late.len(),
                p50: late.value_at_quantile(0.5),
                p99: late.value_at_quantile(0.99),
                p999: late.value_at_quantile(0.999),
                max: late.max(),
            }),
        }
    }

    /// The channel of the last published message, if any.
    pub(crate) fn last(&self) -> Option<&[u8]> {
        (self.played > 0).then_some(&self.last)
    }
    /// Publishes another message for this time of the log, with the corresponding timestamp.
    pub(crate) fn send(
        &mut self,
        publisher: &mut Publisher,
        data: &[u8],
        time: i64,
    ) -> saltus_domain::Result<()> {
        send(&mut self.restamp, publisher, data, time)
    }
    /// Waits until the subscribers of this publisher would not miss its next message.
    pub(crate) fn wait_for_readers_of(&mut self, publisher: &Publisher) {
        if let Some(readers) = &mut self.readers {
            readers.wait(publisher, &mut self.tell);
        }
    }
    /// Waits until the subscribers of the last published channel would not miss its next message.
    pub(crate) fn wait_for_readers(&mut self) {
        if let (Some(readers), Some(Some(publisher))) = (&mut self.readers, self.all.get(&self.last)) {
            readers.wait(publisher, &mut self.tell);
        }
    }

    /// Whether a channel of a log is selected.
    pub(crate) fn has(&self, channel: &[u8]) -> bool {
        // The recorder's account is not a channel of the robot.
        self.choice.pattern.matches(channel) != self.choice.invert
            && channel != saltus_record::ACCOUNT.as_bytes()
    }
    /// Whether a channel is played: it is selected, and not off.
    pub(crate) fn plays(&self, channel: &[u8]) -> bool {
        !self.off.contains(channel) && self.has(channel)
    }
    /// Switches a channel off or on. Returns whether it is on.
    pub(crate) fn turn(&mut self, channel: &[u8]) -> bool {
        let was_off = self.off.remove(channel);
        if !was_off {
            self.off.insert(channel.to_vec());
        }
        was_off
    }

    /// The published name of a channel of a log.
    pub(crate) fn name(&self, channel: &[u8]) -> Vec<u8> {
        if let Some(name) = self.named.get(channel) {
            return name.as_bytes().to_vec();
        }
        let renamed =
            self.choice.renames.iter().fold(channel.to_vec(), |name, r| r.apply(&name).into_owned());
        [&self.choice.prefix, &renamed[..]].concat()
    }
    /// Renames a channel. An empty name restores the name by the rules.
    ///
    /// # Errors
    /// The name is invalid.
    pub(crate) fn rename(&mut self, channel: &[u8], name: &[u8]) -> saltus_domain::Result<()> {
        match name {
            [] => self.named.remove(channel),
            name => self.named.insert(channel.to_vec(), Name::new(name)?),
        };
        self.all.remove(channel);
        Ok(())
    }

    /// Publishes the event at a spot with this delay. A refusal by the domain is reported once per channel.
    pub(crate) fn publish(&mut self, reel: &mut Reel, spot: &Spot, late: Option<u64>) -> Result {
        let event = match reel.event(spot) {
            Ok(Some(event)) => event,
            Ok(None) => return Ok(()),
            Err(error) => {
                if self.unreadable == 0 {
                    (self.tell)(&format!("skipped: {error}"));
                }
                self.unreadable += 1;
                return Ok(());
            }
        };
        if self.off.contains(event.channel) {
            return Ok(());
        }
        self.open(&event)?;
        let Some(Some(publisher)) = self.all.get_mut(event.channel) else { return Ok(()) };
        match send(&mut self.restamp, publisher, event.data, spot.time) {
            Ok(()) => {
                self.played += 1;
                self.last.clear();
                self.last.extend_from_slice(event.channel);
                if let Some(ns) = late {
                    // The histogram grows as needed. A delay that does not fit is impossible.
                    let _ = self.late.record(ns);
                }
            }
            Err(error) => {
                if self.refused == 0 {
                    (self.tell)(&format!("not published on `{}`: {error}", escaped(event.channel)));
                }
                self.refused += 1;
            }
        }
        Ok(())
    }

    /// Prepares the next event: reads it, and opens its channel, so that this takes no time when it is due.
    pub(crate) fn prepare(&mut self, reel: &mut Reel, spot: &Spot) -> Result {
        // A read error is reported when the event is due.
        let Ok(Some(event)) = reel.event(spot) else { return Ok(()) };
        self.open(&event)
    }

    fn open(&mut self, event: &Event<'_>) -> Result {
        if !self.all.contains_key(event.channel) && !self.off.contains(event.channel) {
            let outlet = self.outlet(event)?;
            self.all.insert(event.channel.to_vec(), outlet);
        }
        Ok(())
    }

    /// A publisher for the channel of this event, if it is played.
    fn outlet(&mut self, event: &Event<'_>) -> Result<Option<Publisher>> {
        if !self.has(event.channel) {
            return Ok(None);
        }
        let Ok(name) = Name::new(self.name(event.channel)) else {
            (self.tell)(&format!(
                "channel `{}` is not played: its new name must have 1 to 63 bytes",
                escaped(event.channel)
            ));
            return Ok(None);
        };
        let mut publisher = self.domain.publisher(name.as_bytes())?;
        let reported = event.about.and_then(|about| about.kind.clone());
        if let Some(kind) = reported.or_else(|| self.types.of(event.data).cloned()) {
            publisher.describe(&saltus_domain::description(&kind))?;
        }
        Ok(Some(publisher))
    }
}
