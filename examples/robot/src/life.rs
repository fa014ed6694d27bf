//! What every program of the robot has in common: it opens its channels, says that it lives, counts what it
//! receives, and stops when it is asked to.
//!
//! A program reads like this:
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

/// How often a process says that it lives, at least.
pub const BEAT: Duration = Duration::from_millis(5);
/// Priority of the reflex: the programs without which the robot falls.
pub const REFLEX: i32 = 50;
/// Priority of the witness: the logger, that shall not lose a message because others are busy.
pub const WITNESS: i32 = 10;
/// Without a supervisor, a state that a predecessor left is continued if it is not older than this: what lies there
/// from yesterday belongs to another robot.
const INHERIT: Duration = Duration::from_secs(30);

/// The life of a program.
pub struct Life {
    domain: Directory,
    health: Writer<Health>,
    report: Health,
    beat_due: u64,
}

impl Life {
    /// Begins: names the process, minds signals and the supervisor's death, and starts the heartbeat.
    ///
    /// The domain is the one that `SALTUS_DOMAIN` names, as for every program that uses Saltus.
    pub fn begin(name: &str) -> Result<Life> {
        // Whoever started us may run before everything else. We need not. This is never refused.
        let _ = rt::set_other();
        Life::begin_here(name)
    }

    /// Begins a program that runs before others on a busy machine, with this priority under `SCHED_FIFO`.
    ///
    /// If the system refuses that (it needs a right, see `ulimit -r`), it runs like others, and later when they are
    /// many. The demo's report says which of the two it was.
    pub fn begin_urgent(name: &str, priority: i32) -> Result<Life> {
        let _ = rt::set_fifo(priority);
        Life::begin_here(name)
    }

    fn begin_here(name: &str) -> Result<Life> {
        sys::set_name(name);
        sys::catch_stop_signals();
        sys::die_with_supervisor();
        let domain = Directory::from_env()?;
        // Many processes publish into `health`. Each has a lane of its own there, so none waits for another.
        let health = Writer::open(place(HEALTH)?, &domain)?;
        let report =
            Health { pid: std::process::id() as i64, started: clock::boottime() as i64, ..Health::default() };
        let mut life = Life { domain, health, report, beat_due: 0 };
        life.beat()?;
        Ok(life)
    }

    /// Whether to go on. Beats when it is time to.
    pub fn goes_on(&mut self) -> Result<bool> {
        if clock::monotonic() >= self.beat_due {
            self.beat()?;
        }
        Ok(!sys::stop_asked())
    }

    /// Until when a program may wait without being taken for dead.
    pub fn next_beat(&self) -> Until {
        Until::At(self.beat_due)
    }

    /// Sleeps until this point of the monotonic clock, ns, beating meanwhile. False: stop was asked for.
    pub fn sleep_until(&mut self, when: u64) -> Result<bool> {
        while clock::monotonic() < when {
            if !self.goes_on()? {
                return Ok(false);
            }
            saltus_os::process::sleep_until(when.min(self.beat_due));
        }
        self.goes_on()
    }

    /// A publisher of one of the robot's channels.
    ///
    /// If its predecessor was killed, this takes over the predecessor's lane: the numbers go on.
    pub fn writer<M: Message>(&self, channel: &str) -> Result<Writer<M>> {
        Writer::open(place(channel)?, &self.domain)
    }

    /// A reader of one of the robot's channels that begins with the present newest message.
    pub fn reader(&mut self, channel: &str) -> Result<Reader> {
        self.reader_with(channel, SubscriberOptions::new())
    }

    /// A reader that begins with the oldest message that is kept: what was published before its time.
    pub fn reader_from_oldest(&mut self, channel: &str) -> Result<Reader> {
        self.reader_with(channel, SubscriberOptions::new().start(Start::Oldest))
    }

    /// A reader with options of its own.
    pub fn reader_with(&mut self, channel: &str, options: SubscriberOptions) -> Result<Reader> {
        let place = place(channel)?;
        let subscriber = place.open(&self.domain)?.subscriber_with(options)?;
        let slot = self.report.tallies.len();
        self.report.tallies.push(Tally::of(channels::index(channel).unwrap_or(CHANNELS.len())));
        Ok(Reader { subscriber, slot, buf: vec![0; place.size] })
    }

    /// The newest message of a channel, even if nobody publishes any more, and its timestamp.
    ///
    /// This is how a process that replaces a dead one inherits its state: what was published stays readable.
    pub fn inherited<M: Message>(&self, channel: &str) -> Result<Option<(M, u64)>> {
        let place = place(channel)?;
        let mut buf = vec![0; place.size];
        let mut subscriber = place.open(&self.domain)?.subscriber()?;
        let Some(sample) = subscriber.current(&mut buf)? else { return Ok(None) };
        let fresh = sys::supervised() || sample.timestamp + INHERIT.as_nanos() as u64 > clock::boottime();
        let message = wire::read(&buf[..sample.len]).ok().filter(|_| fresh);
        Ok(message.map(|message| (message, sample.timestamp)))
    }

    /// Notes a measured time: [`Span::REFLEX`], [`Span::TICK`], or from publish to receive by a reader.
    pub fn measured(&mut self, of: i16, ns: u64) -> Result<()> {
        self.report.spans.push(Span { of, took: ns as i64 });
        if self.report.spans.len() == SPANS { self.beat() } else { Ok(()) }
    }

    /// Says that there is nothing left to do.
    pub fn set_done(&mut self) {
        self.report.done = true;
    }

    /// When this process began, boot time, ns.
    pub fn started(&self) -> u64 {
        self.report.started as u64
    }

    /// Publishes a report: here I am, this is what I counted and measured.
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
    /// The last report holds what came after the one before. If it cannot be sent, nobody listens any more.
    fn drop(&mut self) {
        let _ = self.beat();
    }
}

/// A publisher of one type of message, which it encodes and seals.
///
/// It leaves the type with the channel, so that every tool can show the messages field by field.
pub struct Writer<M> {
    publisher: Publisher,
    bytes: Vec<u8>,
    of: PhantomData<M>,
}

impl<M: Message> Writer<M> {
    /// A publisher of this channel, which is created if nobody has yet.
    pub fn open(place: &Place, domain: &Directory) -> Result<Writer<M>> {
        let publisher = place.open(domain)?.publisher()?;
        publisher.describe(M::NAME, M::FINGERPRINT, M::SCHEMA)?;
        Ok(Writer { publisher, bytes: Vec::with_capacity(place.size), of: PhantomData })
    }

    /// Publishes a message. Its own checksum is not looked at.
    pub fn publish(&mut self, message: &M) -> Result<()> {
        wire::write(message, &mut self.bytes);
        self.publisher.publish(&self.bytes)?;
        Ok(())
    }
}

/// A subscriber with a buffer, that proves at every message that Saltus keeps its word.
pub struct Reader {
    subscriber: Subscriber,
    slot: usize,
    buf: Vec<u8>,
}

impl Reader {
    /// Receives a message of a kind. `None`: there is nothing unseen, or the time is up.
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
            // Overrun: publishers were faster than the copy, several times in a row. The next look will do.
            Ok(None) | Err(Overrun { .. }) => return Ok(None),
            Err(e) => return Err(e.into()),
        };
        let took = clock::boottime().saturating_sub(sample.timestamp);
        // What was published before this process began did not wait for the channel but for the process.
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

    /// Notes how far a received message was behind what had been published, lane by lane, when it was asked for.
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
