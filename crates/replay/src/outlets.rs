//! Where the messages of a log go: a publisher for each channel.

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

/// Which channels of a log are played, as which channels of the domain.
pub struct Choice {
    /// Channels of the log.
    pub pattern: Pattern,
    /// All channels but those of the pattern.
    pub invert: bool,
    /// New names, each rule applied after the one before.
    pub renames: Vec<Rename>,
    /// Put before each name.
    pub prefix: Vec<u8>,
}

/// What was played; a promise to those who read it as JSON. Times are in ns.
#[derive(Serialize)]
pub struct Report {
    /// Messages that were published.
    pub played: u64,
    /// Messages that the domain did not take.
    pub refused: u64,
    /// Messages that could not be read.
    pub unreadable: u64,
    /// Messages that got a later timestamp than their original one; none with present timestamps.
    pub later_timestamps: Option<u64>,
    /// How late messages were published; none that had a time.
    pub late: Option<Late>,
}

/// How late messages were, in ns.
#[derive(Serialize)]
pub struct Late {
    /// Messages.
    pub count: u64,
    /// Half of them were no later.
    pub p50: u64,
    /// 99 %.
    pub p99: u64,
    /// 99.9 %.
    pub p999: u64,
    /// All.
    pub max: u64,
}

/// Publishes events.
pub struct Outlets {
    domain: Domain,
    choice: Choice,
    tell: Tell,
    /// Channels that are not played for now, and names that were given by hand; by the names in the log.
    off: BTreeSet<Vec<u8>>,
    named: HashMap<Vec<u8>, Name>,
    types: Types,
    /// By the channel's name in the log; none for one that is not played.
    all: HashMap<Vec<u8>, Option<Publisher>>,
    /// The channel of the message that was published last, by its name in the log.
    last: Vec<u8>,
    played: u64,
    /// Those who read what is played, where they can be known.
    readers: Option<Readers>,
    /// What gives messages their original timestamps, if they get them.
    restamp: Option<Restamp>,
    /// Messages that the domain did not take.
    refused: u64,
    /// Messages that could not be read.
    unreadable: u64,
    /// How late messages were, in ns.
    late: Histogram<u64>,
}

impl Outlets {
    /// Publishes in this domain. `types` say what messages are that the log does not explain; `restamp` gives them their original
    /// timestamps; `tell` hears of what is not played.
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
            late: Histogram::new(3).expect("three digits are a precision that there is"),
        }
    }

    /// Messages that were published.
    #[must_use]
    pub fn played(&self) -> u64 {
        self.played
    }
    /// What was played so far.
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

    /// The channel of the message that was published last, if there was one.
    pub(crate) fn last(&self) -> Option<&[u8]> {
        (self.played > 0).then_some(&self.last)
    }
    /// Publishes something else of this time of the log, with the timestamp that it is to have.
    pub(crate) fn send(
        &mut self,
        publisher: &mut Publisher,
        data: &[u8],
        time: i64,
    ) -> saltus_domain::Result<()> {
        send(&mut self.restamp, publisher, data, time)
    }
    /// Waits until who reads this publisher's messages would not miss the next one.
    pub(crate) fn wait_for_readers_of(&mut self, publisher: &Publisher) {
        if let Some(readers) = &mut self.readers {
            readers.wait(publisher, &mut self.tell);
        }
    }
    /// Waits until who reads the message that was published last would not miss the next one.
    pub(crate) fn wait_for_readers(&mut self) {
        if let (Some(readers), Some(Some(publisher))) = (&mut self.readers, self.all.get(&self.last)) {
            readers.wait(publisher, &mut self.tell);
        }
    }

    /// Whether a channel of a log was asked for.
    pub(crate) fn has(&self, channel: &[u8]) -> bool {
        // The recorder's own words are none of the robot's.
        self.choice.pattern.matches(channel) != self.choice.invert
            && channel != saltus_record::ACCOUNT.as_bytes()
    }
    /// Whether it is played: it was asked for, and is not off.
    pub(crate) fn plays(&self, channel: &[u8]) -> bool {
        !self.off.contains(channel) && self.has(channel)
    }
    /// Plays a channel no more, or again. Whether it does now.
    pub(crate) fn turn(&mut self, channel: &[u8]) -> bool {
        let was_off = self.off.remove(channel);
        if !was_off {
            self.off.insert(channel.to_vec());
        }
        was_off
    }

    /// What a channel of a log is published as.
    pub(crate) fn name(&self, channel: &[u8]) -> Vec<u8> {
        if let Some(name) = self.named.get(channel) {
            return name.as_bytes().to_vec();
        }
        let renamed =
            self.choice.renames.iter().fold(channel.to_vec(), |name, r| r.apply(&name).into_owned());
        [&self.choice.prefix, &renamed[..]].concat()
    }
    /// Publishes a channel under another name from now on; with an empty one, under the name that it would have.
    ///
    /// # Errors
    /// It is none.
    pub(crate) fn rename(&mut self, channel: &[u8], name: &[u8]) -> saltus_domain::Result<()> {
        match name {
            [] => self.named.remove(channel),
            name => self.named.insert(channel.to_vec(), Name::new(name)?),
        };
        self.all.remove(channel);
        Ok(())
    }

    /// Publishes the event at a spot, which comes so late. What the domain refuses is told once a channel.
    pub(crate) fn publish(&mut self, reel: &mut Reel, spot: &Spot, late: Option<u64>) -> Result {
        let event = match reel.event(spot) {
            Ok(Some(event)) => event,
            Ok(None) => return Ok(()),
            Err(error) => {
                if self.unreadable == 0 {
                    (self.tell)(&format!("passed over: {error}"));
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
                    // It grows as it must; a lateness that no histogram can hold is none of this world.
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

    /// Gets ready to publish what will be due: reads it, and opens its channel, so that neither takes time when it is.
    pub(crate) fn prepare(&mut self, reel: &mut Reel, spot: &Spot) -> Result {
        // What cannot be read is told of when it is due.
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
                "channel `{}` is not played: its new name has no or over 63 bytes",
                escaped(event.channel)
            ));
            return Ok(None);
        };
        let mut publisher = self.domain.publisher(name.as_bytes())?;
        let told = event.about.and_then(|about| about.kind.clone());
        if let Some(kind) = told.or_else(|| self.types.of(event.data).cloned()) {
            publisher.describe(&saltus_domain::description(&kind))?;
        }
        Ok(Some(publisher))
    }
}
