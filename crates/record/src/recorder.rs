//! The reading thread: reads from all domains into batches.

use crate::account::Total;
use crate::batch::{Batch, Channel};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::keep::Keep;
use crate::name::Naming;
use crate::output::{DESCRIPTORS, Files, Limits, Output, Shared};
use crate::queue::{Order, Queue};
use crate::report::Report;
use saltus_domain::{
    CancelHandle, Description, Domain, Message, Name, Options, Pattern, Start, Subscriber, Unread,
    UnreadFinder, Until, wait_any,
};
use saltus_os::limits::Reserve;
use saltus_os::{clock, process};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::thread::JoinHandle;
use std::time::Duration;

/// Most messages of one channel that wait in this process. In shared memory, the channel's depth is the limit.
const DEPTH: u64 = 4096;
/// Size of a batch, in bytes, at which it is passed to the writer.
const BATCH: usize = 1 << 20;
/// Most messages received from one source before the next has its turn.
const TURN: usize = 1024;
/// Most messages received from one source at the end.
const LAST: usize = 64 * TURN;
/// Polling period while messages arrive, so that publishers need not wake the recorder for each.
const PAUSE: u64 = 100_000;
/// Polls without a message before it sleeps until it is woken.
const MAX_CHECKS: u32 = 2;
/// Least time between two reads of publishers' descriptions, in ns.
const ASK: u64 = 100_000_000;
/// Time between two status reports, in ns.
const REPORT_INTERVAL: u64 = 1_000_000_000;

/// A domain to record from.
#[derive(Clone)]
pub struct Source {
    /// The domain.
    pub domain: Domain,
    /// The channels to subscribe to.
    pub pattern: Pattern,
    /// A filter for those channels; `None` accepts all.
    pub wants: Option<Wants>,
    /// The start position in existing channels.
    pub start: Start,
}

/// A filter for channels.
pub type Wants = Arc<dyn Fn(&Name) -> bool + Send + Sync>;

/// The settings of a recording.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Names of the files.
    pub naming: Naming,
    /// Limits for files.
    pub limits: Limits,
    /// Memory for unwritten messages, in bytes.
    pub memory: usize,
    /// If set, only the messages of this last time are written, on each [`Control::save`].
    pub last: Option<Duration>,
    /// Messages that arrive within this time after a save are written too.
    pub after: Duration,
    /// Recording ends after this many messages.
    pub count: Option<u64>,
    /// Recording ends after this time.
    pub time: Option<Duration>,
}

#[derive(Debug, Default)]
struct Flags {
    stop: AtomicBool,
    new_file: AtomicBool,
    save: AtomicBool,
}

/// Controls a recorder from other threads or signal handlers.
#[derive(Clone, Debug)]
pub struct Control {
    flags: Arc<Flags>,
    cancel_handles: Arc<[CancelHandle]>,
}

impl Control {
    fn set(&self, flag: &AtomicBool) {
        flag.store(true, Release); // pairs with the acquire in `Recorder::is`
    }
    /// Stops: writes messages that have arrived, and ends.
    pub fn stop(&self) {
        self.set(&self.flags.stop);
        self.cancel_handles.iter().for_each(CancelHandle::cancel);
    }
    /// Starts a new file, within 100 ms.
    pub fn new_file(&self) {
        self.set(&self.flags.new_file);
    }
    /// Writes the kept messages, within 100 ms. Without [`Settings::last`] it does nothing.
    pub fn save(&self) {
        self.set(&self.flags.save);
    }
}

/// The status of a recording.
#[derive(Clone, Debug)]
pub struct Status {
    /// The sums over all channels.
    pub total: Total,
    /// The files so far.
    pub files: Files,
    /// Number of channels.
    pub channels: usize,
    /// Number of completed saves.
    pub saved: u32,
}

/// An event that a recorder reports to its caller.
#[derive(Debug)]
pub enum Told<'a> {
    /// The status, once per second.
    Status(&'a Status),
    /// An error of a domain. Recording continues.
    Trouble(saltus_domain::Error),
}

/// A function that gets each message with the publishers' descriptions, and returns whether to save the kept messages. `None` means that it
/// cannot decide yet. Then it is called again for this message when publishers have stored more descriptions.
pub type Trigger = Box<dyn FnMut(&Message<'_>, &[Description]) -> Option<bool> + Send>;

/// A recorder.
pub struct Recorder {
    sources: Vec<Reading>,
    shared: Arc<Shared>,
    queue: Arc<Queue>,
    control: Control,
    writer: Option<JoinHandle<Result<()>>>,
    batch: Batch,
    /// Size that the batch may reach without checking the queue again. The queue's free memory only grows in the meantime.
    room: usize,
    /// Latest time to pass the batch to the writer, monotonic ns.
    due: u64,
    keep: Option<Keep>,
    after: u64,
    /// End of the time after a save in which all messages are written, monotonic ns.
    open_until: Option<u64>,
    trigger: Option<Trigger>,
    /// The descriptions of each channel, read at its first message, and again for the trigger.
    types: Vec<Vec<Description>>,
    /// Earliest time of the next read of descriptions for the trigger, monotonic ns.
    ask: u64,
    flush: u64,
    /// Offset from boot time to ns since 1970. Read once, so that intervals in a log stay correct when the clock is set.
    to_wall: i64,
    saved: u32,
    /// Messages left before the recording ends.
    left: u64,
    /// End of the recording, monotonic ns.
    end: u64,
}

struct Reading {
    source: Source,
    subscriber: Subscriber,
    ended: bool,
    /// Finds channels that the subscriber cannot read.
    finder: UnreadFinder,
}

impl Recorder {
    /// Subscribes, creates the first file, and starts the writing thread.
    pub fn new(sources: Vec<Source>, settings: Settings, format: Box<dyn Format>) -> Result<Recorder> {
        let splits = settings.limits.split_bytes.is_some() || settings.limits.split_time.is_some();
        if splits && !settings.naming.has_more() {
            return Err(Error::Options("several files need different names: use --increment or --rotate"));
        }
        let (mut reserve, mut reading) = (Reserve::default(), Vec::new());
        reserve.hold(DESCRIPTORS);
        for source in sources {
            let depth = if source.domain.traits().shared_memory { u64::MAX } else { DEPTH };
            let options = Options::next(depth).at_most().start(source.start);
            let finder = UnreadFinder::new(&source.domain);
            let subscriber = source.domain.subscriber_with(source.pattern.clone(), options)?;
            reading.push(Reading { source, subscriber, ended: false, finder });
        }
        let shared = Arc::<Shared>::default();
        let queue = Arc::new(Queue::new(settings.memory));
        let cancel_handles = reading.iter_mut().map(|r| r.subscriber.cancel_handle()).collect();
        let mut output = Output {
            naming: settings.naming,
            limits: settings.limits,
            format,
            shared: shared.clone(),
            channels: Vec::new(),
            open: None,
            reserve,
        };
        if settings.last.is_none() {
            output.begin()?;
        }
        let orders = queue.clone();
        let writer = process::spawn("saltus-write", move || output.run(&orders));
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let now = (clock::now(clock::Clock::Realtime), clock::boottime());
        Ok(Recorder {
            sources: reading,
            shared,
            queue,
            control: Control { flags: Arc::default(), cancel_handles },
            writer: Some(writer.map_err(Error::Thread)?),
            batch: Batch::default(),
            room: 0,
            due: u64::MAX,
            keep: settings.last.map(|time| Keep::new(time, settings.memory)),
            after: nanos(settings.after),
            open_until: None,
            trigger: None,
            types: Vec::new(),
            ask: 0,
            flush: nanos(settings.limits.sync).min(REPORT_INTERVAL),
            to_wall: now.0.wrapping_sub(now.1) as i64,
            saved: 0,
            left: settings.count.unwrap_or(u64::MAX),
            end: clock::monotonic().saturating_add(settings.time.map_or(u64::MAX, nanos)),
        })
    }

    /// Calls `trigger` for each message; see [`Settings::last`].
    pub fn save_when(&mut self, trigger: Trigger) {
        self.trigger = Some(trigger);
    }
    /// A handle that controls it.
    pub fn control(&self) -> Control {
        self.control.clone()
    }

    /// Records until it is stopped, until all logs that it reads have ended, or until it cannot write. In each case, [`Recorder::status`]
    /// and [`Recorder::report`] account for all received messages.
    pub fn run(&mut self, mut tell: impl FnMut(Told<'_>)) -> Result<()> {
        self.record(&mut tell);
        self.find_unread();
        self.send_batch();
        self.queue.end();
        let written = self.writer.take().map(JoinHandle::join);
        // If the writer failed, waiting messages are lost.
        for batch in self.queue.rest() {
            self.shared.account().settle(&batch.counts(), &[]);
        }
        match written {
            Some(Ok(Err(e))) => Err(e),
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            _ => Ok(()),
        }
    }

    fn record(&mut self, tell: &mut impl FnMut(Told<'_>)) {
        let (mut vain, mut reported) = (MAX_CHECKS, clock::monotonic());
        while !self.queue.is_broken() && self.left > 0 {
            // Messages after the stop are not recorded: publishers may never end.
            let stopped = self.is(&self.control.flags.stop);
            let mut got = 0;
            for i in 0..self.sources.len() {
                got += self.take(i, if stopped { LAST } else { TURN }, tell);
            }
            self.handle_commands();
            if stopped || self.sources.iter().all(|r| r.ended) {
                return;
            }
            let now = clock::monotonic();
            if now >= reported.saturating_add(REPORT_INTERVAL) {
                reported = now;
                self.find_unread();
                tell(Told::Status(&self.status()));
            }
            if now >= self.end {
                return;
            }
            if got > 0 {
                vain = 0;
                continue;
            }
            vain += 1;
            if vain <= MAX_CHECKS {
                process::sleep_until(now + PAUSE);
            } else {
                self.sleep(self.due.min(self.end).min(now + 100_000_000), tell);
            }
        }
    }

    /// Accounts for existing channels that cannot be read.
    fn find_unread(&mut self) {
        for (i, Reading { source, finder, ended, .. }) in self.sources.iter_mut().enumerate() {
            if *ended {
                continue;
            }
            let shared = &self.shared; // locked only briefly: the writer also needs the account
            let unread = finder.look(&source.pattern, |name| {
                shared.account().find(i, name).is_some()
                    || source.wants.as_ref().is_some_and(|wants| !wants(name))
            });
            let url = source.domain.url();
            unread.into_iter().for_each(|unread| shared.account().unread(i, url, unread));
        }
    }

    /// Receives waiting messages of source `i`, at most `most`.
    fn take(&mut self, i: usize, most: usize, tell: &mut impl FnMut(Told<'_>)) -> usize {
        for n in 0..most {
            let reading = &mut self.sources[i];
            if reading.ended || self.left == 0 {
                return n;
            }
            match reading.subscriber.receive(Until::Poll) {
                Ok(Some(_)) => self.keep_last(i),
                Ok(None) => return n,
                Err(e) => {
                    self.trouble(i, e, tell);
                    return n;
                }
            }
        }
        most
    }

    /// The end of a log is not an error. Other errors are reported, and recording continues: a domain's error does not affect others.
    fn trouble(&mut self, i: usize, e: saltus_domain::Error, tell: &mut impl FnMut(Told<'_>)) {
        match e {
            saltus_domain::Error::Canceled => {}
            saltus_domain::Error::Ended => self.sources[i].ended = true,
            e => {
                if let saltus_domain::Error::Channel(_) | saltus_domain::Error::System { .. } = e {
                    let unread = Unread { channel: None, why: e.to_string() };
                    self.shared.account().unread(i, self.sources[i].source.domain.url(), unread);
                }
                tell(Told::Trouble(e))
            }
        }
    }

    /// Adds the message that source `i` received last.
    fn keep_last(&mut self, i: usize) {
        let Reading { source, subscriber, .. } = &mut self.sources[i];
        let Some(name) = subscriber.last().map(|message| message.channel) else { return };
        let known = self.shared.account().find(i, name);
        let number = match known {
            Some(number) => number,
            None if source.wants.as_ref().is_some_and(|wants| !wants(name)) => return,
            None => {
                let (name, domain) = (name.clone(), source.domain.url());
                let types = subscriber.descriptions(&name);
                self.types.push(types.clone());
                self.batch.channels.push(Channel { domain: domain.into(), name: name.clone(), types });
                self.shared.account().add(i, domain, name)
            }
        };
        let Some(message) = subscriber.last() else { return };
        let wanted = match &mut self.trigger {
            Some(trigger) => trigger(&message, &self.types[number as usize]),
            None => Some(false),
        };
        let wanted = match wanted {
            Some(wanted) => wanted,
            None => self.ask_publishers(i, number),
        };
        let Some(message) = self.sources[i].subscriber.last() else { return };
        let size = self.batch.size_with(message.data.len());
        self.left -= 1;
        let mut account = self.shared.account();
        account.received(number, &message);
        if self.keep.is_none() && size > self.room {
            self.room = self.queue.room();
            if size > self.room {
                return account.dropped(number);
            }
        }
        drop(account);
        if self.batch.is_empty() {
            self.due = clock::monotonic().saturating_add(self.flush);
        }
        self.batch.push(number, &message, self.to_wall);
        if size >= BATCH {
            self.send_batch();
        }
        if wanted {
            self.control.save();
        }
    }

    /// Whether new descriptions of a channel make the trigger accept the message that source `i` received last. Descriptions are not read
    /// for every message.
    #[cold]
    fn ask_publishers(&mut self, i: usize, number: u32) -> bool {
        let now = clock::monotonic();
        let subscriber = &mut self.sources[i].subscriber;
        let Some(name) = subscriber.last().map(|message| message.channel.clone()) else { return false };
        if now < self.ask {
            return false;
        }
        self.ask = now.saturating_add(ASK);
        let types = subscriber.descriptions(&name);
        if types == self.types[number as usize] {
            return false;
        }
        self.types[number as usize] = types;
        let (Some(trigger), Some(message)) = (&mut self.trigger, subscriber.last()) else { return false };
        trigger(&message, &self.types[number as usize]) == Some(true)
    }

    /// Passes the batch to the writer, or keeps it in memory.
    fn send_batch(&mut self) {
        (self.due, self.room) = (u64::MAX, 0);
        if self.batch.is_empty() {
            return;
        }
        let batch = std::mem::take(&mut self.batch);
        self.batch = match &mut self.keep {
            Some(keep) if self.open_until.is_none() => {
                let shared = &self.shared;
                keep.push(batch, |number| shared.account().dropped(number))
            }
            _ => self.queue.write(batch),
        };
    }

    /// Handles requests since the last call.
    fn handle_commands(&mut self) {
        let now = clock::monotonic();
        if now >= self.due {
            self.send_batch();
        }
        let flags = self.control.flags.clone();
        if flags.new_file.swap(false, AcqRel) && self.keep.is_none() {
            self.send_batch();
            self.queue.order(Order::NewFile);
        }
        if self.keep.is_some() && flags.save.swap(false, AcqRel) {
            self.send_batch();
            if let Some(keep) = &mut self.keep {
                keep.take().for_each(|batch| drop(self.queue.write(batch)));
            }
            self.saved += 1;
            self.open_until = Some(now.saturating_add(self.after));
        }
        if self.open_until.is_some_and(|end| now >= end) {
            self.send_batch();
            self.open_until = None;
            self.queue.order(Order::NewFile);
        }
    }

    fn is(&self, flag: &AtomicBool) -> bool {
        flag.load(Acquire) // pairs with the release in `Control::set`
    }

    /// Sleeps until a message arrives, or until `deadline`.
    fn sleep(&mut self, deadline: u64, tell: &mut impl FnMut(Told<'_>)) {
        let mut awake: Vec<usize> = (0..self.sources.len()).filter(|&i| !self.sources[i].ended).collect();
        let woken = if let [one] = awake[..] {
            self.sources[one].subscriber.wait(Until::At(deadline)).map(drop)
        } else {
            let mut all: Vec<&mut Subscriber> =
                self.sources.iter_mut().filter(|r| !r.ended).map(|r| &mut r.subscriber).collect();
            wait_any(&mut all, Until::At(deadline)).map(drop)
        };
        match (woken, awake.pop()) {
            (Ok(()), _) => {}
            (Err(e), Some(only)) if awake.is_empty() => self.trouble(only, e, tell),
            // With several sources, the next poll finds the one that ended.
            (Err(saltus_domain::Error::Canceled | saltus_domain::Error::Ended), _) => {}
            (Err(e), _) => tell(Told::Trouble(e)),
        }
    }

    /// The status.
    pub fn status(&self) -> Status {
        let (account, files) = (self.shared.account(), self.shared.files().clone());
        Status { total: account.total(), files, channels: account.lines().len(), saved: self.saved }
    }
    /// Calls `show` with the account in the form of JSON reports.
    pub fn report<T>(&self, show: impl FnOnce(&Report<'_>) -> T) -> T {
        show(&Report::new(&self.shared.account()))
    }
    /// Unreadable channels, with the reasons.
    pub fn unread(&self) -> Vec<crate::UnreadLine> {
        self.shared.account().unread_lines().collect()
    }
    /// The counts of each channel.
    pub fn lines(&self) -> Vec<crate::Line> {
        self.shared.account().lines().to_vec()
    }
}
