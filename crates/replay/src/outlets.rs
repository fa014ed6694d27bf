//! Where the messages of a log go: a publisher for each channel.

use std::collections::{BTreeSet, HashMap};

use hdrhistogram::Histogram;
use saltus_domain::{Domain, Name, Pattern, Publisher};
use saltus_log::{Event, Types};
use saltus_play::{Reel, Spot};

use super::Play;
use super::readers::Readers;
use super::stamps::Restamp;
use crate::escape::escaped;
use crate::failure::{Code, Failure, Outcome, say};
use crate::schemas;

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

/// Publishes events.
pub struct Outlets {
    domain: Domain,
    pattern: Pattern,
    /// All channels but those of the pattern.
    invert: bool,
    renames: Vec<saltus_bridge::Rename>,
    prefix: Vec<u8>,
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
    /// What gives messages their original stamps, if they get them.
    restamp: Option<Restamp>,
    /// Messages that the domain did not take.
    refused: u64,
    /// Messages that could not be read.
    unreadable: u64,
    /// How late messages were, in ns.
    late: Histogram<u64>,
}

impl Outlets {
    pub fn new(domain: &Domain, args: &Play, restamp: Option<Restamp>) -> Outcome<Outlets> {
        let types = schemas::types(&args.dirs.include)?;
        Ok(Outlets {
            domain: domain.clone(),
            pattern: args.channels.as_deref().map_or(Ok(Pattern::all()), Pattern::regex)?,
            invert: args.invert,
            renames: args.renames()?,
            prefix: args.prefix.clone().unwrap_or_default().into_bytes(),
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
            late: Histogram::new(3).map_err(|e| Failure::new(Code::Failed, e.to_string()))?,
        })
    }

    pub fn played(&self) -> u64 {
        self.played
    }
    /// Messages that got a later stamp than their original one; none if they are to have present ones.
    pub fn later(&self) -> Option<u64> {
        self.restamp.as_ref().map(Restamp::later)
    }
    pub fn refused(&self) -> u64 {
        self.refused
    }
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }
    pub fn late(&self) -> &Histogram<u64> {
        &self.late
    }

    /// The channel of the message that was published last, if there was one.
    pub fn last(&self) -> Option<&[u8]> {
        (self.played > 0).then_some(&self.last)
    }
    /// Publishes something else of this time of the log, with the stamp that it is to have.
    pub fn send(&mut self, publisher: &mut Publisher, data: &[u8], time: i64) -> saltus_domain::Result<()> {
        send(&mut self.restamp, publisher, data, time)
    }
    /// Waits until who reads this publisher's messages would not miss the next one.
    pub fn wait_for_readers_of(&mut self, publisher: &Publisher) {
        if let Some(readers) = &mut self.readers {
            readers.wait(publisher);
        }
    }
    /// Waits until who reads the message that was published last would not miss the next one.
    pub fn wait_for_readers(&mut self) {
        if let (Some(readers), Some(Some(publisher))) = (&mut self.readers, self.all.get(&self.last)) {
            readers.wait(publisher);
        }
    }

    /// Whether a channel of a log was asked for.
    pub fn has(&self, channel: &[u8]) -> bool {
        // The recorder's own words are none of the robot's.
        self.pattern.matches(channel) != self.invert && channel != saltus_record::ACCOUNT.as_bytes()
    }
    /// Whether it is played: it was asked for, and is not off.
    pub fn plays(&self, channel: &[u8]) -> bool {
        !self.off.contains(channel) && self.has(channel)
    }
    /// Plays a channel no more, or again. Whether it does now.
    pub fn turn(&mut self, channel: &[u8]) -> bool {
        let was_off = self.off.remove(channel);
        if !was_off {
            self.off.insert(channel.to_vec());
        }
        was_off
    }

    /// What a channel of a log is published as.
    pub fn name(&self, channel: &[u8]) -> Vec<u8> {
        if let Some(name) = self.named.get(channel) {
            return name.as_bytes().to_vec();
        }
        let renamed = self.renames.iter().fold(channel.to_vec(), |name, r| r.apply(&name).into_owned());
        [&self.prefix, &renamed[..]].concat()
    }
    /// Publishes a channel under another name from now on; with an empty one, under the name that it would have.
    ///
    /// # Errors
    /// It is none.
    pub fn rename(&mut self, channel: &[u8], name: &[u8]) -> saltus_domain::Result<()> {
        match name {
            [] => self.named.remove(channel),
            name => self.named.insert(channel.to_vec(), Name::new(name)?),
        };
        self.all.remove(channel);
        Ok(())
    }

    /// Publishes the event at a spot, which comes so late. What the domain refuses is told once a channel.
    pub fn publish(&mut self, reel: &mut Reel, spot: &Spot, late: Option<u64>) -> Outcome {
        let event = match reel.event(spot) {
            Ok(Some(event)) => event,
            Ok(None) => return Ok(()),
            Err(error) => {
                if self.unreadable == 0 {
                    say(format_args!("passed over: {error}"));
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
                    say(format_args!("not published on `{}`: {error}", escaped(event.channel)));
                }
                self.refused += 1;
            }
        }
        Ok(())
    }

    /// Gets ready to publish what will be due: reads it, and opens its channel, so that neither takes time when it is.
    pub fn prepare(&mut self, reel: &mut Reel, spot: &Spot) -> Outcome {
        // What cannot be read is told of when it is due.
        let Ok(Some(event)) = reel.event(spot) else { return Ok(()) };
        self.open(&event)
    }

    fn open(&mut self, event: &Event<'_>) -> Outcome {
        if !self.all.contains_key(event.channel) && !self.off.contains(event.channel) {
            let outlet = self.outlet(event)?;
            self.all.insert(event.channel.to_vec(), outlet);
        }
        Ok(())
    }

    /// A publisher for the channel of this event, if it is played.
    fn outlet(&self, event: &Event<'_>) -> Outcome<Option<Publisher>> {
        if !self.has(event.channel) {
            return Ok(None);
        }
        let Ok(name) = Name::new(self.name(event.channel)) else {
            say(format_args!(
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
