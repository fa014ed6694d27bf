//! The code that all programs of the robot share: opening channels, heartbeats, counting messages, and stopping on request.
//!
//! A program looks like this:
//!
//! ```text
//! let mut life = Life::begin("balance")?;              signals, domain, heartbeat
//! let mut estimates = life.reader("estimate")?;        a subscriber that counts
//! let mut commands = life.writer("wheel/left/cmd")?;   a publisher
//! while life.goes_on()? {                              beats every 5 ms; false after Ctrl-C
//!     …receive, think, publish…
//! }
//! ```

use std::marker::PhantomData;
use std::time::Duration;

use saltus_channel::Error::Overrun;
use saltus_channel::{
    Directory, LaneInfo, MessageInfo, Publisher, Start, Subscriber, SubscriberOptions, Until, Which, clock,
    rt,
};

use crate::channels::{self, CHANNELS, HEALTH, Place, place};
use crate::error::Result;
use crate::sys;
use crate::tally::Tally;
use crate::wire::types::{Health, Span};
use crate::wire::{self, Message, SPANS, Torn};

/// Longest time between two heartbeats.
pub const BEAT: Duration = Duration::from_millis(5);
/// Priority of the reflex: the programs without which the robot falls.
pub const REFLEX: i32 = 50;
/// Priority of the logger, which must not lose messages because others are busy.
pub const WITNESS: i32 = 10;
/// Without a supervisor, a predecessor's state is continued only if it is not older than this. An older one belongs to an earlier run.
const INHERIT: Duration = Duration::from_secs(30);

/// The life of a program.
pub struct Life {
    domain: Directory,
    health: Writer<Health>,
    report: Health,
    beat_due: u64,
}

impl Life {
    /// Starts: names the process, handles signals and the supervisor's death, and starts the heartbeat.
    ///
    /// The domain is that of `SALTUS_DOMAIN`, as for every program that uses Saltus.
    pub fn begin(name: &str) -> Result<Life> {
        // The parent may have real-time priority, which this process does not need. This call is never refused.
        let _ = rt::set_other();
        Life::begin_here(name)
    }

    /// Starts a program with this priority under `SCHED_FIFO`, so that it runs before others on a busy machine.
    ///
    /// If the system refuses that (it needs permission, see `ulimit -r`), the program runs with normal priority, and is late on a busy
    /// machine. The demo's report shows the scheduling.
    pub fn begin_urgent(name: &str, priority: i32) -> Result<Life> {
        let _ = rt::set_fifo(priority);
        Life::begin_here(name)
    }

    fn begin_here(name: &str) -> Result<Life> {
        sys::set_name(name);
        sys::catch_stop_signals();
        sys::die_with_supervisor();
        let domain = Directory::from_env()?;
        // Many processes publish on `health`. Each has its own lane there, so none waits for another.
        let health = Writer::open(place(HEALTH)?, &domain)?;
        let report =
            Health { pid: std::process::id() as i64, started: clock::boottime() as i64, ..Health::default() };
        let mut life = Life { domain, health, report, beat_due: 0 };
        life.beat()?;
        Ok(life)
    }

    /// Whether to continue. Sends a heartbeat when it is time to.
    pub fn continues(&mut self) -> Result<bool> {
        if clock::monotonic() >= self.beat_due {
            self.beat()?;
        }
        Ok(!sys::stop_asked())
    }

    /// Time until which a program may wait without being considered dead.
    pub fn next_beat(&self) -> Until {
        Until::At(self.beat_due)
    }

    /// Sleeps until this monotonic time, ns, and sends heartbeats. Returns `false` if a stop was requested.
    pub fn sleep_until(&mut self, when: u64) -> Result<bool> {
        while clock::monotonic() < when {
            if !self.continues()? {
                return Ok(false);
            }
            saltus_os::process::sleep_until(when.min(self.beat_due));
        }
        self.continues()
    }

    /// A publisher of one of the robot's channels.
    ///
    /// If its predecessor was killed, this takes over the predecessor's lane, and its sequence numbers continue.
    pub fn writer<M: Message>(&self, channel: &str) -> Result<Writer<M>> {
        Writer::open(place(channel)?, &self.domain)
    }

    /// A reader of one of the robot's channels that begins with the current newest message.
    pub fn reader(&mut self, channel: &str) -> Result<Reader> {
        self.reader_with(channel, SubscriberOptions::new())
    }

    /// A reader that begins with the oldest kept message, published before it started.
    pub fn reader_from_oldest(&mut self, channel: &str) -> Result<Reader> {
        self.reader_with(channel, SubscriberOptions::new().start(Start::Oldest))
    }

    /// A reader with custom options.
    pub fn reader_with(&mut self, channel: &str, options: SubscriberOptions) -> Result<Reader> {
        let place = place(channel)?;
        let subscriber = place.open(&self.domain)?.subscriber_with(options)?;
        let slot = self.report.tallies.len();
        self.report.tallies.push(Tally::of(channels::index(channel).unwrap_or(CHANNELS.len())));
        Ok(Reader { subscriber, slot, buf: vec![0; place.size] })
    }

    /// The newest message of a channel, even without live publishers, and its timestamp.
    ///
    /// This is how a process that replaces a dead one inherits its state: published messages stay readable.
    pub fn inherited<M: Message>(&self, channel: &str) -> Result<Option<(M, u64)>> {
        let place = place(channel)?;
        let mut buf = vec![0; place.size];
        let mut subscriber = place.open(&self.domain)?.subscriber()?;
        let Some(sample) = subscriber.current(&mut buf)? else { return Ok(None) };
        let fresh = sys::supervised() || sample.timestamp + INHERIT.as_nanos() as u64 > clock::boottime();
        let message = wire::read(&buf[..sample.len]).ok().filter(|_| fresh);
        Ok(message.map(|message| (message, sample.timestamp)))
    }

    /// Records a measured time: [`Span::REFLEX`], [`Span::TICK`], or a reader's publish-to-receive time.
    pub fn measured(&mut self, of: i16, ns: u64) -> Result<()> {
        self.report.spans.push(Span { of, took: ns as i64 });
        if self.report.spans.len() == SPANS { self.beat() } else { Ok(()) }
    }

    /// Reports that there is nothing left to do.
    pub fn set_done(&mut self) {
        self.report.done = true;
    }

    /// Start of this process, boot time, ns.
    pub fn started(&self) -> u64 {
        self.report.started as u64
    }

    /// Publishes a report: the heartbeat with counts and measured times.
    fn beat(&mut self) -> Result<()> {
        self.beat_due = clock::monotonic() + BEAT.as_nanos() as u64;
        self.report.beat += 1;
        self.report.set_sizes();
        self.health.publish(&self.report)?;
        self.report.spans.clear();
        Ok(())
    }
}

impl Drop for Life {
    /// The last report has the counts since the previous one. If it cannot be sent, there is no reader any more.
    fn drop(&mut self) {
        let _ = self.beat();
    }
}

/// A publisher of one type of message, which it encodes and seals.
///
/// It stores the type with the channel, so that every tool can show the fields of the messages.
pub struct Writer<M> {
    publisher: Publisher,
    bytes: Vec<u8>,
    of: PhantomData<M>,
}

impl<M: Message> Writer<M> {
    /// A publisher of this channel, which is created if it is missing.
    pub fn open(place: &Place, domain: &Directory) -> Result<Writer<M>> {
        let publisher = place.open(domain)?.publisher()?;
        publisher.describe(M::NAME, M::FINGERPRINT, M::SCHEMA)?;
        Ok(Writer { publisher, bytes: Vec::with_capacity(place.size), of: PhantomData })
    }

    /// Publishes a message. Ignores the value in its checksum field.
    pub fn publish(&mut self, message: &M) -> Result<()> {
        wire::write(message, &mut self.bytes);
        self.publisher.publish(&self.bytes)?;
        Ok(())
    }
}

/// A subscriber with a buffer, which checks Saltus's guarantees at every message.
pub struct Reader {
    subscriber: Subscriber,
    slot: usize,
    buf: Vec<u8>,
}

impl Reader {
    /// Receives a message. `None` if there is no new one, or after the timeout.
    pub fn receive<M: Message>(
        &mut self,
        which: Which,
        until: impl Into<Until>,
        life: &mut Life,
    ) -> Result<Option<(M, MessageInfo)>> {
        self.receive_with(which, until, life, wire::read)
    }

    /// Receives a message and reads it with `parse`, in the buffer.
    pub fn receive_with<'a, T>(
        &'a mut self,
        which: Which,
        until: impl Into<Until>,
        life: &mut Life,
        parse: impl FnOnce(&'a [u8]) -> Result<T, Torn>,
    ) -> Result<Option<(T, MessageInfo)>> {
        let sample = match self.subscriber.receive(which, until, &mut self.buf) {
            Ok(Some(sample)) => sample,
            // Overrun: publishers were faster than the copy, several times in a row. The next receive will succeed.
            Ok(None) | Err(Overrun { .. }) => return Ok(None),
            Err(e) => return Err(e.into()),
        };
        let took = clock::boottime().saturating_sub(sample.timestamp);
        // Messages published before this process started waited for the process, not for the channel.
        if sample.timestamp >= life.started() {
            life.measured(self.slot as i16, took)?;
        }
        let tally = &mut life.report.tallies[self.slot];
        tally.count(sample.publisher.lane, sample.seq, sample.missed);
        match parse(&self.buf[..sample.len]) {
            Ok(message) => Ok(Some((message, sample))),
            Err(Torn) => {
                tally.torn += 1;
                Ok(None)
            }
        }
    }

    /// Records how far a received message was behind the published ones, per lane, at the time of the call.
    pub fn compare(&self, published: &[LaneInfo], sample: &MessageInfo, life: &mut Life) {
        let newest = published.get(sample.publisher.lane as usize).map_or(0, |lane| lane.published);
        let tally = &mut life.report.tallies[self.slot];
        tally.behind = tally.behind.max(newest.saturating_sub(sample.seq) as i64);
    }

    /// The subscriber itself.
    pub fn subscriber(&self) -> &Subscriber {
        &self.subscriber
    }
}
