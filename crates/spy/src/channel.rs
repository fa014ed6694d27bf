//! The state of one channel in a model.

use crate::latency::Latencies;
use crate::mismatch;
use crate::opened::Opened;
use crate::rate::{Mark, Rate, Track};
use crate::row::{ChannelId, Peer, Row};
use crate::text::{escaped, harmless};
use crate::window::Window;
use saltus_domain::Missed;
use saltus_log::{Kind, Types};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

const SECOND: u64 = 1_000_000_000;
/// Most senders of one channel that are distinguished.
const SENDERS: usize = 64;
/// A sender that is silent for this time no longer counts as a publisher.
const SILENT_AFTER: u64 = 10 * SECOND;
/// Most types of one channel's messages that are remembered.
const KEYS: usize = 4;

/// A message, as received from a transport.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen<'a> {
    /// The bytes. The first 8 are enough while the channel is not opened ([`Model::wants_whole`](crate::Model::wants_whole)).
    pub data: &'a [u8],
    /// Its length in bytes.
    pub size: usize,
    /// Time of publication, boot time in ns.
    pub published: Option<u64>,
    /// Time of arrival at this machine.
    pub arrived: u64,
    /// Identifies its sender.
    pub sender: Option<u64>,
    /// Its sequence number by sender and channel; `None` if the transport counts otherwise.
    pub sequence: Option<u64>,
    /// Messages missed before it.
    pub missed: Missed,
    /// Messages dropped in this process before it.
    pub dropped: u64,
}

/// The counts of publishers and subscribers, if the transport has them. Then the model does not count messages itself.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    /// The counts of each lane or sender, by a stable number.
    pub published: Vec<(u64, Published)>,
    /// The user who owns the channel: name, or number where there is none; and number.
    pub owner: Option<(String, u32)>,
    /// Bytes of the newest message.
    pub size: Option<u64>,
    /// Publishers.
    pub publishers: Vec<Peer>,
    /// Subscribers.
    pub subscribers: Vec<Peer>,
    /// Messages missed by all subscribers, if there are any.
    pub missed: Option<u64>,
    /// Histogram of publication-to-reception times: ns and count.
    pub latencies: Vec<(u64, u64)>,
}

/// Totals of one sender.
#[derive(Clone, Copy, Debug, Default)]
pub struct Published {
    /// Messages.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Time of the newest publication, boot time in ns.
    pub newest: Option<u64>,
}

/// A publisher that is known only from its messages.
#[derive(Debug)]
struct Sender {
    time: u64,
    sequence: Option<u64>,
    received: u64,
    track: Track,
}

#[derive(Debug)]
pub(crate) struct Channel {
    pub id: ChannelId,
    pub domain: Arc<str>,
    /// Escaped.
    pub name: String,
    /// Whether it is gone.
    pub gone: bool,
    window: Window,
    /// Window for rates, in ns.
    length: u64,
    /// The publishers' counts, by lane, and the time at which they were read.
    counted: Option<(BTreeMap<u64, Track>, u64)>,
    /// Messages of senders beyond the limit.
    others: Track,
    latencies: Latencies,
    count: u64,
    size: Option<u64>,
    newest: Option<u64>,
    senders: HashMap<Option<u64>, Sender>,
    publishers: Vec<Peer>,
    subscribers: Vec<Peer>,
    owner: Option<(String, u32)>,
    missed: Option<u64>,
    missed_of_sender: bool,
    dropped: u64,
    pub undecodable: u64,
    /// Type keys of messages, newest first, with the time of the last message of each.
    keys: Vec<([u8; 8], u64)>,
    /// The last known period, in ns.
    usual: Option<f64>,
    /// The differences from the type of the same name in the type directories.
    pub local: Option<String>,
    pub opened: Option<Box<Opened>>,
}

impl Channel {
    pub fn new(id: ChannelId, domain: Arc<str>, name: &[u8], now: u64, window: u64) -> Channel {
        Channel {
            id,
            domain,
            name: escaped(name),
            gone: false,
            window: Window::new(now, window),
            length: window,
            counted: None,
            others: Track::new(window),
            latencies: Latencies::default(),
            count: 0,
            size: None,
            newest: None,
            senders: HashMap::new(),
            publishers: Vec::new(),
            subscribers: Vec::new(),
            owner: None,
            missed: None,
            missed_of_sender: false,
            dropped: 0,
            undecodable: 0,
            keys: Vec::new(),
            usual: None,
            local: None,
            opened: None,
        }
    }

    /// Adds a message. Returns whether its type key is new on this channel.
    pub fn message(&mut self, now: u64, seen: &Seen<'_>) -> bool {
        self.window.tick(now);
        let time = seen.published.unwrap_or(seen.arrived);
        self.newest = self.newest.max(Some(time));
        self.size = Some(seen.size as u64);
        self.dropped = self.dropped.saturating_add(seen.dropped);
        if self.counted.is_none() {
            self.count = self.count.saturating_add(1 + seen.dropped);
            self.missed_of_sender |= matches!(seen.missed, Missed::OfSender(_));
            if let Some(missed) = seen.missed.count() {
                self.missed = Some(self.missed.unwrap_or(0).saturating_add(missed));
            }
            if let Some(latency) = seen.published.and_then(|at| seen.arrived.checked_sub(at)) {
                self.latencies.add(latency, 1);
            }
        }
        self.period(now, time, seen);
        self.key(now, seen)
    }

    /// Measures the time since the sender's previous message. Counts the message if the transport has no counts.
    fn period(&mut self, now: u64, time: u64, seen: &Seen<'_>) {
        if !self.senders.contains_key(&seen.sender) && self.senders.len() >= SENDERS {
            self.senders.retain(|_, sender| now.saturating_sub(sender.received) < SILENT_AFTER);
            if self.senders.len() >= SENDERS {
                return add(&mut self.others, seen);
            }
        }
        let track = Track::new(self.length);
        let sender =
            self.senders.entry(seen.sender).or_insert(Sender { time: 0, sequence: None, received: 0, track });
        let whole = match (seen.sequence, sender.sequence) {
            (Some(this), Some(before)) => this == before.wrapping_add(1),
            _ => seen.dropped == 0 && seen.missed.count().unwrap_or(0) == 0,
        };
        if sender.time > 0 && whole && time >= sender.time {
            self.window.period(time - sender.time);
        }
        (sender.time, sender.sequence, sender.received) = (time, seen.sequence, now);
        if self.counted.is_none() {
            add(&mut sender.track, seen);
        }
    }

    fn key(&mut self, now: u64, seen: &Seen<'_>) -> bool {
        let Some(key) = seen.data.first_chunk::<8>() else { return false };
        match self.keys.iter().position(|(known, _)| known == key) {
            Some(0) => {
                self.keys[0].1 = now;
                false
            }
            Some(i) => {
                self.keys[..=i].rotate_right(1);
                self.keys[0].1 = now;
                false
            }
            None => {
                self.keys.insert(0, (*key, now));
                self.keys.truncate(KEYS);
                true
            }
        }
    }

    /// Adds the counts of publishers and subscribers.
    pub fn counted(&mut self, now: u64, counted: Counted) {
        self.window.tick(now);
        let (tracks, read) = self.counted.get_or_insert_with(|| (BTreeMap::new(), now));
        *read = now;
        tracks.retain(|lane, _| counted.published.iter().any(|(known, _)| known == lane));
        for (lane, Published { count, bytes, newest: published }) in &counted.published {
            let track = tracks.entry(*lane).or_insert_with(|| Track::new(self.length));
            track.mark(Mark { seen: now, published: *published, count: *count, bytes: *bytes });
        }
        let all = || counted.published.iter().map(|(_, published)| published);
        self.count = all().fold(0, |sum, published| sum.saturating_add(published.count));
        self.newest = all().filter_map(|published| published.newest).max().or(self.newest);
        self.size = counted.size.or(self.size);
        self.missed = counted.missed;
        self.latencies = Latencies::default();
        counted.latencies.iter().for_each(|(ns, times)| self.latencies.add(*ns, *times));
        (self.publishers, self.subscribers) = (counted.publishers, counted.subscribers);
        self.owner = counted.owner;
    }

    /// Messages and bytes per second of all senders.
    fn rate(&self, now: u64) -> Rate {
        let sum = |tracks: &mut dyn Iterator<Item = &Track>, now| {
            tracks.map(|track| track.rate(now)).fold(Rate::default(), |sum, one| Rate {
                hz: sum.hz + one.hz,
                bytes_per_s: sum.bytes_per_s + one.bytes_per_s,
            })
        };
        match &self.counted {
            // Publications after the counts were read are unknown.
            Some((tracks, read)) => sum(&mut tracks.values(), *read),
            None => sum(&mut self.senders.values().map(|sender| &sender.track).chain([&self.others]), now),
        }
    }

    /// Histogram of publication-to-reception times: upper bound in ns, and count.
    pub fn latencies(&self) -> Vec<(u64, u64)> {
        self.latencies.buckets()
    }

    /// The type key of the newest message.
    pub fn newest_key(&self) -> Option<[u8; 8]> {
        self.keys.first().map(|(key, _)| *key)
    }

    /// Advances the time.
    pub fn tick(&mut self, now: u64) {
        self.window.tick(now);
        if let Some(period) = self.window.sums().period_ns {
            self.usual = Some(period);
        }
    }

    pub fn row(&self, now: u64, types: &Types) -> Row {
        let (sums, rate) = (self.window.sums(), self.rate(now));
        let age = self.newest.map(|newest| now.saturating_sub(newest));
        let key = self.newest_key();
        let kind = key.and_then(|key| types.of(&key));
        let patience = self.usual.map_or(5.0 * SECOND as f64, |usual| (5.0 * usual).max(SECOND as f64));
        let received =
            self.senders.iter().filter(|(_, sender)| now.saturating_sub(sender.received) < SILENT_AFTER);
        let mut publishers = self.publishers.clone();
        if self.counted.is_none() {
            let sender = |id: &Option<u64>| id.map(|id| format!("{id:x}"));
            publishers.extend(received.map(|(id, _)| Peer { sender: sender(id), ..Peer::default() }));
            publishers.sort();
        }
        Row {
            id: self.id,
            domain: self.domain.to_string(),
            channel: self.name.clone(),
            type_name: kind.map(|kind| harmless(&kind.name())),
            fingerprint: key.map(mismatch::digits),
            publishers,
            subscribers: self.subscribers.clone(),
            owner: self.owner.as_ref().map(|(name, _)| name.clone()),
            owner_uid: self.owner.as_ref().map(|(_, number)| *number),
            count: self.count,
            rate_hz: rate.hz,
            period_s: sums.period_ns.map(|ns| ns / 1e9),
            jitter_s: sums.jitter_ns.map(|ns| ns / 1e9),
            bytes_per_s: rate.bytes_per_s,
            size: self.size,
            age_s: age.map(|ns| ns as f64 / 1e9),
            latency_us: self.latencies.summary(),
            missed: self.missed,
            missed_of_sender: self.missed_of_sender,
            missed_by_subscribers: self.counted.is_some(),
            dropped: self.dropped,
            undecodable: self.undecodable,
            stale: age.is_none_or(|age| age as f64 > patience),
            open: self.opened.is_some(),
            mismatch: self.mismatch(now, types).map(|words| harmless(&words)),
        }
    }

    /// The differences between types, if two arrived recently, or if the local type differs.
    fn mismatch(&self, now: u64, types: &Types) -> Option<String> {
        let lately = |at: u64| now.saturating_sub(at) < SILENT_AFTER;
        match self.keys.as_slice() {
            [(new, _), (old, at), ..] if lately(*at) => {
                let kind = |key: &[u8; 8]| types.of(key);
                let (first, second): (Option<&Arc<Kind>>, _) = (kind(old), kind(new));
                // Untyped messages can begin with any bytes.
                (first.is_some() || second.is_some()).then(|| mismatch::two(first, second, [*old, *new]))
            }
            _ => self.local.clone(),
        }
    }
}

/// Counts a message, and those dropped before it.
fn add(track: &mut Track, seen: &Seen<'_>) {
    let messages = seen.dropped.saturating_add(1);
    track.mark(Mark {
        seen: seen.arrived,
        published: seen.published,
        count: track.count().saturating_add(messages),
        bytes: track.bytes().saturating_add((seen.size as u64).saturating_mul(messages)),
    });
}
