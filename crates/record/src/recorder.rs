//! The thread that reads: from all domains into batches.

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
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Messages of one channel that may wait in this process to be taken in. What waits in shared memory is in nobody's way: there the
/// channel's own frames are the limit.
const DEPTH: u64 = 4096;
/// Bytes after which a batch goes to the writer.
const BATCH: usize = 1 << 20;
/// Messages taken from one source before the next one has its turn.
const TURN: usize = 1024;
/// Messages taken from one source at the end.
const LAST: usize = 64 * TURN;
/// While messages come, they are looked for so often, so that no publisher must wake the recorder for each.
const PAUSE: u64 = 100_000;
/// Looks in vain before it sleeps until it is woken.
const LOOKS: u32 = 2;
/// Publishers are asked what their messages are so often at most, in ns.
const ASK: u64 = 100_000_000;
/// It tells how it stands so often, in ns.
const TELL: u64 = 1_000_000_000;

/// A domain of which channels are recorded.
#[derive(Clone)]
pub struct Source {
    /// The domain.
    pub domain: Domain,
    /// What is recorded of it.
    pub pattern: Pattern,
    /// Which of those are wanted: all, if nothing says otherwise.
    pub wants: Option<Wants>,
    /// Where to begin in channels that are there already.
    pub start: Start,
}

/// Says whether a channel is wanted.
pub type Wants = Arc<dyn Fn(&Name) -> bool + Send + Sync>;

/// How to record.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Names of the files.
    pub naming: Naming,
    /// When a file is full.
    pub limits: Limits,
    /// Memory for messages that are not written yet, in bytes.
    pub memory: usize,
    /// Nothing is written but the last moments, whenever [`Control::save`] asks for them.
    pub last: Option<Duration>,
    /// What comes after that is written for so long as well.
    pub after: Duration,
    /// Recording ends after so many messages.
    pub count: Option<u64>,
    /// Recording ends after so much time.
    pub time: Option<Duration>,
}

#[derive(Debug, Default)]
struct Flags {
    stop: AtomicBool,
    new_file: AtomicBool,
    save: AtomicBool,
}

/// Steers a recorder, from other threads or signal handlers.
#[derive(Clone, Debug)]
pub struct Control {
    flags: Arc<Flags>,
    cancel_handles: Arc<[CancelHandle]>,
}

impl Control {
    fn set(&self, flag: &AtomicBool) {
        flag.store(true, Release); // pairs with the acquire in `Recorder::is`
    }
    /// Takes in what has come, writes it, and ends.
    pub fn stop(&self) {
        self.set(&self.flags.stop);
        self.cancel_handles.iter().for_each(CancelHandle::cancel);
    }
    /// Goes on in a new file, within 100 ms.
    pub fn new_file(&self) {
        self.set(&self.flags.new_file);
    }
    /// Writes the last moments, within 100 ms; without [`Settings::last`] it does nothing.
    pub fn save(&self) {
        self.set(&self.flags.save);
    }
}

/// How a recording stands.
#[derive(Clone, Debug)]
pub struct Status {
    /// The sums over all channels.
    pub total: Total,
    /// The files so far.
    pub files: Files,
    /// How many channels have come.
    pub channels: usize,
    /// How many of the last moments were asked for and written.
    pub saved: u32,
}

/// What a recorder tells whoever runs it.
#[derive(Debug)]
pub enum Told<'a> {
    /// How it stands; once a second.
    Status(&'a Status),
    /// A domain has an error, and recording goes on.
    Trouble(saltus_domain::Error),
}

/// What looks at each message, and at what the channel's publishers say of their types, and tells whether the last moments
/// are to be saved. Nothing: it cannot tell, and is asked again about this message if publishers have said more meanwhile.
pub type Trigger = Box<dyn FnMut(&Message<'_>, &[Description]) -> Option<bool> + Send>;

/// Records.
pub struct Recorder {
    sources: Vec<Reading>,
    shared: Arc<Shared>,
    queue: Arc<Queue>,
    control: Control,
    writer: Option<JoinHandle<Result<()>>>,
    batch: Batch,
    /// So many bytes the batch may have without asking the queue again: it only gets emptier by itself.
    room: usize,
    /// When the batch goes to the writer at the latest, monotonic ns.
    due: u64,
    keep: Option<Keep>,
    after: u64,
    /// Until when everything is written though only the last moments are, monotonic ns.
    open_until: Option<u64>,
    trigger: Option<Trigger>,
    /// What the publishers of each channel said of their types when its first message came, or when the trigger asked last.
    types: Vec<Vec<Description>>,
    /// When publishers may be asked again for the trigger, monotonic ns.
    ask: u64,
    flush: u64,
    /// What to add to boot time for ns since 1970. Read once: intervals in a log are true even when the clock is set.
    to_wall: i64,
    saved: u32,
    /// Messages that may still come.
    left: u64,
    /// When recording ends, monotonic ns.
    end: u64,
}

struct Reading {
    source: Source,
    subscriber: Subscriber,
    ended: bool,
    /// Finds channels that the subscriber passes over.
    finder: UnreadFinder,
}

impl Recorder {
    /// Subscribes, makes the first file and starts the thread that writes.
    pub fn new(sources: Vec<Source>, settings: Settings, format: Box<dyn Format>) -> Result<Recorder> {
        let splits = settings.limits.split_bytes.is_some() || settings.limits.split_time.is_some();
        if splits && !settings.naming.has_more() {
            return Err(Error::Options("several files need several names: number them, or rotate them"));
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
        let writer = process::without_signals(|| {
            thread::Builder::new().name("saltus-write".into()).spawn(move || output.run(&orders))
        });
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
            flush: nanos(settings.limits.sync).min(TELL),
            to_wall: now.0.wrapping_sub(now.1) as i64,
            saved: 0,
            left: settings.count.unwrap_or(u64::MAX),
            end: clock::monotonic().saturating_add(settings.time.map_or(u64::MAX, nanos)),
        })
    }

    /// Lets `trigger` look at each message; see [`Settings::last`].
    pub fn save_when(&mut self, trigger: Trigger) {
        self.trigger = Some(trigger);
    }
    /// What steers it.
    pub fn control(&self) -> Control {
        self.control.clone()
    }

    /// Records until it is stopped, until all logs that it reads have ended, or until it cannot write any more. Whatever
    /// happens, what was received is accounted for: [`Recorder::status`] and [`Recorder::report`].
    pub fn run(&mut self, mut tell: impl FnMut(Told<'_>)) -> Result<()> {
        self.record(&mut tell);
        self.find_unread();
        self.hand_over();
        self.queue.end();
        let written = self.writer.take().map(JoinHandle::join);
        // If the writer gave up, nobody writes what still waits.
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
        let (mut vain, mut told) = (LOOKS, clock::monotonic());
        while !self.queue.is_broken() && self.left > 0 {
            // What comes after it was stopped is nobody's business: publishers may never end.
            let stopped = self.is(&self.control.flags.stop);
            let mut got = 0;
            for i in 0..self.sources.len() {
                got += self.take(i, if stopped { LAST } else { TURN }, tell);
            }
            self.obey();
            if stopped || self.sources.iter().all(|r| r.ended) {
                return;
            }
            let now = clock::monotonic();
            if now >= told.saturating_add(TELL) {
                told = now;
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
            if vain <= LOOKS {
                process::sleep_until(now + PAUSE);
            } else {
                self.sleep(self.due.min(self.end).min(now + 100_000_000), tell);
            }
        }
    }

    /// Accounts for channels that are there and are not read.
    fn find_unread(&mut self) {
        for (i, Reading { source, finder, ended, .. }) in self.sources.iter_mut().enumerate() {
            if *ended {
                continue;
            }
            let shared = &self.shared; // locked for moments only: the writer needs the account too
            let unread = finder.look(&source.pattern, |name| {
                shared.account().find(i, name).is_some()
                    || source.wants.as_ref().is_some_and(|wants| !wants(name))
            });
            let url = source.domain.url();
            unread.into_iter().for_each(|unread| shared.account().unread(i, url, unread));
        }
    }

    /// Takes in what source `i` has, but no more than `most`.
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

    /// Logs may end. All else is told, and recording goes on: one domain's trouble is not the others'.
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

    /// Keeps the message that source `i` received last.
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
            self.hand_over();
        }
        if wanted {
            self.control.save();
        }
    }

    /// Whether what the publishers of a channel have said since makes the message that source `i` received last one to save at. They
    /// are not asked for every message.
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

    /// Gives the batch to the writer, or keeps it in memory.
    fn hand_over(&mut self) {
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

    /// Does what was asked for since the last look.
    fn obey(&mut self) {
        let now = clock::monotonic();
        if now >= self.due {
            self.hand_over();
        }
        let flags = self.control.flags.clone();
        if flags.new_file.swap(false, AcqRel) && self.keep.is_none() {
            self.hand_over();
            self.queue.order(Order::NewFile);
        }
        if self.keep.is_some() && flags.save.swap(false, AcqRel) {
            self.hand_over();
            if let Some(keep) = &mut self.keep {
                keep.take().for_each(|batch| drop(self.queue.write(batch)));
            }
            self.saved += 1;
            self.open_until = Some(now.saturating_add(self.after));
        }
        if self.open_until.is_some_and(|end| now >= end) {
            self.hand_over();
            self.open_until = None;
            self.queue.order(Order::NewFile);
        }
    }

    fn is(&self, flag: &AtomicBool) -> bool {
        flag.load(Acquire) // pairs with the release in `Control::set`
    }

    /// Sleeps until something comes, or until `deadline`.
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
            // Which of several has ended, the next look tells.
            (Err(saltus_domain::Error::Canceled | saltus_domain::Error::Ended), _) => {}
            (Err(e), _) => tell(Told::Trouble(e)),
        }
    }

    /// How it stands.
    pub fn status(&self) -> Status {
        let (account, files) = (self.shared.account(), self.shared.files().clone());
        Status { total: account.total(), files, channels: account.lines().len(), saved: self.saved }
    }
    /// Shows the account, channel by channel.
    pub fn report<T>(&self, show: impl FnOnce(&Report<'_>) -> T) -> T {
        show(&Report::new(&self.shared.account()))
    }
    /// What could not be read, and why.
    pub fn unread(&self) -> Vec<crate::UnreadLine> {
        self.shared.account().unread_lines().collect()
    }
    /// The counts, channel by channel.
    pub fn lines(&self) -> Vec<crate::Line> {
        self.shared.account().lines().to_vec()
    }
}
