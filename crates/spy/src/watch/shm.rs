//! Watches shared memory: reads counters, and messages in place.

use super::peers::Peers;
use super::shared::{Shared, Source};
use crate::opened::LONGEST;
use crate::{ChannelId, Counted, Published, Seen};
use saltus_channel::{
    Channel, Directory, Error, Info, LaneInfo, LatencyCounts, MessageInfo, Name, Start, Subscriber,
    SubscriberOptions, Until, Which,
};
use saltus_domain::Missed;
use saltus_os::clock::{self, Clock};
use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

/// Time between two readings of messages.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// Time between two readings of counters, and searches for channels.
const COUNT: Duration = Duration::from_millis(250);
/// Most messages of a channel per reading, if it keeps more than that; older ones are skipped. So a fast publisher cannot occupy this
/// thread, and its reads do not repeatedly hit messages that are about to be overwritten.
const MOST: usize = 1024;

pub(super) struct Shm {
    source: Source,
    domain: Directory,
    channels: BTreeMap<Name, One>,
    peers: Peers,
    buffer: Vec<u8>,
}

/// A watched channel.
struct One {
    id: ChannelId,
    channel: Channel,
    reader: Subscriber,
    /// Number of messages it keeps, of all publishers.
    kept: usize,
}

impl Shm {
    pub fn new(source: Source, domain: Directory) -> Shm {
        Shm { source, domain, channels: BTreeMap::new(), peers: Peers::new(), buffer: Vec::new() }
    }

    pub fn run(&mut self, shared: &Shared) {
        let mut due = Instant::now();
        while !shared.is_stopped() {
            if Instant::now() >= due {
                due = Instant::now() + COUNT;
                self.find(shared);
                self.count(shared);
            }
            let Shm { channels, buffer, .. } = self;
            channels.values_mut().for_each(|one| one.poll(shared, buffer));
            let vain = shared.model().opened_in_vain();
            if !vain.is_empty() {
                let in_vain = channels.values_mut().filter(|one| vain.contains(&one.id));
                in_vain.for_each(|one| one.poll_again(shared, buffer));
            }
            thread::park_timeout(CHECK_INTERVAL);
        }
    }

    /// Adds new channels, and removes those that no longer exist.
    fn find(&mut self, shared: &Shared) {
        let names = match self.domain.list() {
            Ok(names) => names,
            Err(error) => return shared.trouble(self.source.domain.url(), error.to_string()),
        };
        self.channels.retain(|name, one| {
            let there = !one.channel.is_retired() && names.contains(name);
            if !there {
                shared.model().gone(one.id);
            }
            there
        });
        for name in names {
            if self.channels.contains_key(&name) || !self.source.wants(&name) {
                continue;
            }
            // A channel that is unreadable, or was just removed, is retried the next time.
            let Ok(channel) = self.domain.open_channel(name.as_bytes()) else { continue };
            // Requests no wake-up, and creates no file of counters.
            let options = SubscriberOptions::new()
                .start(Start::Newest)
                .counters(false)
                .latency(false)
                .poll_every(CHECK_INTERVAL);
            let Ok(reader) = channel.subscriber_with(options) else { continue };
            let Some(id) = shared.model().channel(self.source.domain.url(), name.as_bytes()) else { return };
            let kept = kept(&channel, 1);
            self.channels.insert(name, One { id, channel, reader, kept });
        }
    }

    /// Reads the counters of all channels, and missing types.
    fn count(&mut self, shared: &Shared) {
        for one in self.channels.values_mut() {
            // Messages published after this time may be included. The error is smaller than the delay of the reading itself.
            let now = clock::boottime();
            let Ok(info) = one.channel.info() else { continue };
            one.kept = kept(&one.channel, info.lanes.len());
            let counted = counted(&info, &mut self.peers);
            let mut model = shared.model();
            model.counted(now, one.id, counted);
            if !model.wants_type(one.id) {
                continue;
            }
            drop(model);
            if let Ok(descriptions) = one.channel.descriptions()
                && !descriptions.is_empty()
            {
                shared.model().learn(one.id, &descriptions);
            }
        }
    }
}

/// Number of messages that a channel with this many lanes keeps.
fn kept(channel: &Channel, lanes: usize) -> usize {
    let frames = usize::try_from(channel.attributes().get_depth()).unwrap_or(usize::MAX);
    frames.saturating_mul(lanes.max(1))
}

/// Converts a timestamp of the channel's clock to boot time.
fn to_boot(info_clock: Clock, timestamp: u64) -> Option<u64> {
    let boot = match info_clock {
        Clock::Boottime => timestamp,
        other => {
            let age = clock::now(other).saturating_sub(timestamp);
            clock::boottime().saturating_sub(age)
        }
    };
    (timestamp > 0).then_some(boot)
}

fn counted(info: &Info, peers: &mut Peers) -> Counted {
    let newest = info.lanes.iter().filter(|lane| lane.published > 0).max_by_key(|lane| lane.last_timestamp);
    let mut latency = LatencyCounts::default();
    let alive: Vec<_> = info.subscribers.iter().filter(|subscriber| subscriber.alive).collect();
    alive.iter().for_each(|subscriber| latency.add(&subscriber.latency));
    let published = |lane: &LaneInfo| {
        let newest = to_boot(info.attributes.get_clock(), lane.last_timestamp);
        (u64::from(lane.publisher.lane), Published { count: lane.published, bytes: lane.bytes, newest })
    };
    let lanes = info.lanes.iter().filter(|lane| lane.alive);
    Counted {
        published: info.lanes.iter().map(published).collect(),
        owner: Some((peers.user(info.owner), info.owner)),
        size: newest.map(|lane| lane.last_len),
        publishers: lanes.map(|lane| peers.local(lane.pid, lane.uid, &lane.process)).collect(),
        subscribers: alive.iter().map(|s| peers.local(s.pid, s.uid, &s.process)).collect(),
        missed: (!alive.is_empty()).then(|| alive.iter().fold(0u64, |sum, s| sum.saturating_add(s.missed))),
        latencies: latency.buckets().collect(),
    }
}

impl One {
    /// Reads the messages published since the last reading, as far as they are kept.
    fn poll(&mut self, shared: &Shared, buffer: &mut Vec<u8>) {
        if !self.reader.has_unseen() {
            return;
        }
        let mut model = shared.model();
        for _ in 0..self.kept.min(MOST) {
            let whole = model.wants_whole(self.id);
            match open_if_new(&mut self.reader, Which::Next, whole, buffer) {
                Ok(Some((size, sample))) => {
                    let now = clock::boottime();
                    model.message(now, self.id, &self.seen(now, size, &sample, buffer));
                }
                // Overwritten during the read: newer messages are available immediately.
                Err(Error::Overrun { .. }) => {}
                // No more messages. `find` notices a removed channel.
                Ok(None) | Err(_) => return,
            }
        }
        self.reader.flush();
    }

    /// Reads the newest message again, completely, because the channel was opened.
    fn poll_again(&mut self, shared: &Shared, buffer: &mut Vec<u8>) {
        // Failures are retried the next time.
        if let Ok(Some((size, sample))) = open_if_new(&mut self.reader, Which::Current, true, buffer) {
            let seen = self.seen(clock::boottime(), size, &sample, buffer);
            shared.model().note_contents(self.id, &seen);
        }
    }

    fn seen<'a>(&self, now: u64, size: usize, sample: &MessageInfo, data: &'a [u8]) -> Seen<'a> {
        let published = to_boot(self.channel.attributes().get_clock(), sample.timestamp);
        Seen {
            data,
            size,
            published,
            arrived: published.unwrap_or(now),
            sender: Some(sample.publisher.lease),
            sequence: Some(sample.seq),
            missed: Missed::Unknown,
            dropped: 0,
        }
    }
}

/// Reads a message: returns its length, and stores all of it or its first bytes in the buffer.
fn open_if_new(
    reader: &mut Subscriber,
    which: Which,
    whole: bool,
    buffer: &mut Vec<u8>,
) -> std::result::Result<Option<(usize, MessageInfo)>, Error> {
    let Some(view) = reader.view(which, Until::Poll)? else { return Ok(None) };
    let size = view.len();
    buffer.resize(if whole { size.min(LONGEST) } else { size.min(8) }, 0);
    view.copy_to(0, buffer);
    let sample = view.validate()?;
    Ok(Some((size, sample)))
}
