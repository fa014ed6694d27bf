//! Watching of one channel.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use saltus_channel::{
    Channel, Error, Info, LatencyCounts, Result, Start, Subscriber, SubscriberOptions, Until, Which,
};

use serde::Serialize;

use crate::channel::facts::Facts;
use crate::channel::latency::Latency;
use crate::channel::periods::{Period, Periods};

/// Most messages per reading. Older ones are skipped, so that a fast publisher cannot occupy this thread.
const MOST: usize = 1024;

/// The measurements of a channel in an interval. The JSON fields are a stable interface. Times are in nanoseconds.
#[derive(Serialize, Default)]
pub struct Measured {
    /// Length of the interval.
    pub interval: u64,
    /// Live publishers.
    pub publishers: usize,
    /// Live subscribers.
    pub subscribers: usize,
    /// Messages per second.
    pub rate: Option<f64>,
    /// Bytes per second.
    pub bandwidth: Option<f64>,
    /// Mean size of a message.
    pub size: Option<f64>,
    /// Time between messages of one publisher.
    pub period: Option<Period>,
    /// Age of the newest message.
    pub age: Option<u64>,
    /// Publish-to-receive times of all subscribers.
    pub latency: Option<Latency>,
    /// Messages missed by all subscribers in the interval.
    pub missed: Option<u64>,
    /// Messages missed by all subscribers since they subscribed.
    pub missed_total: Option<u64>,
}

/// Watches a channel: reads counters and the slots of messages, never their bytes.
pub struct Watch {
    channel: Channel,
    reader: Subscriber,
    /// The last message read in each lane: its number and timestamp.
    last: BTreeMap<u32, (u64, u64)>,
    periods: Periods,
    before: Counts,
}

/// The counters at one time.
struct Counts {
    at: Instant,
    facts: Facts,
    /// By process and time of subscription.
    subscribers: BTreeMap<(u32, u64), (u64, LatencyCounts)>,
}

impl Watch {
    /// Starts to watch. Requests no wake-up, and creates no file of counters.
    ///
    /// # Errors
    /// The channel cannot be read.
    pub fn new(channel: Channel) -> Result<Watch> {
        let options = SubscriberOptions::new().start(Start::Now).poll_every(Duration::from_millis(50));
        let reader = channel.subscriber_with(options.counters(false).latency(false))?;
        let before = Counts::of(&channel.info()?);
        Ok(Watch { channel, reader, last: BTreeMap::new(), periods: Periods::default(), before })
    }

    /// Reads the messages published since the last reading, as far as they are kept.
    pub fn poll(&mut self) {
        for _ in 0..MOST {
            match self
                .reader
                .view(Which::Next, Until::Poll)
                .and_then(|view| view.map(|v| v.validate()).transpose())
            {
                Ok(Some(sample)) => {
                    let before = self.last.insert(sample.publisher.lane, (sample.seq, sample.timestamp));
                    if let Some((seq, timestamp)) = before
                        && sample.seq == seq + 1
                        && timestamp > 0
                    {
                        self.periods.add(sample.timestamp.saturating_sub(timestamp) as f64);
                    }
                }
                // Overwritten during the read: newer messages are available immediately.
                Err(Error::Overrun { .. }) => {}
                // No more messages. `measure` notices a removed channel.
                Ok(None) | Err(_) => return,
            }
        }
        self.reader.flush();
    }

    /// The measurements since the last call; `None` if the channel was removed.
    pub fn measure(&mut self) -> Option<Measured> {
        let info = self.channel.info().ok().filter(|info| info.retired.is_none())?;
        let now = Counts::of(&info);
        let before = std::mem::replace(&mut self.before, now);
        let now = &self.before;
        let interval = now.at - before.at;
        let per_second = |n: u64| n as f64 / interval.as_secs_f64();
        let messages = now.facts.published.saturating_sub(before.facts.published);
        let bytes = now.facts.bytes.saturating_sub(before.facts.bytes);

        let (mut latency, mut missed) = (LatencyCounts::default(), 0u64);
        for (who, (now_missed, now_latency)) in &now.subscribers {
            let (before_missed, before_latency) = before.subscribers.get(who).cloned().unwrap_or_default();
            missed = missed.saturating_add(now_missed.saturating_sub(before_missed));
            latency.add(&now_latency.since(&before_latency));
        }
        let known = !now.subscribers.is_empty();
        Some(Measured {
            interval: interval.as_nanos() as u64,
            publishers: now.facts.publishers,
            subscribers: now.facts.subscribers,
            rate: Some(per_second(messages)),
            bandwidth: Some(per_second(bytes)),
            size: (messages > 0).then(|| bytes as f64 / messages as f64),
            period: std::mem::take(&mut self.periods).summary(),
            age: now.facts.age,
            latency: Latency::of(&latency),
            missed: known.then_some(missed),
            missed_total: known
                .then(|| now.subscribers.values().fold(0u64, |sum, (missed, _)| sum.saturating_add(*missed))),
        })
    }
}

impl Counts {
    fn of(info: &Info) -> Counts {
        let living = info.subscribers.iter().filter(|s| s.alive);
        Counts {
            at: Instant::now(),
            facts: Facts::of(info),
            subscribers: living.map(|s| ((s.pid, s.since), (s.missed, s.latency.clone()))).collect(),
        }
    }
}
