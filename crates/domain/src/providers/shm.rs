//! `shm://`: channels in shared memory, of all processes of the machine.

use crate::inlet::{self, Meta, Outlet, Place};
use crate::provider::Provider;
use crate::{Error, Missed, Options, Pattern, Result};
use saltus_channel::{
    Attributes, CancelHandle, Description, DetachedView, Domain, Name, Publisher, Sample, Subscriber,
    SubscriberOptions, Until, View, wait_any,
};
use saltus_os::clock;
use saltus_ring::{Start, Which};
use saltus_transport::{Epoll, Timer, Url};
use std::fs;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How often a subscriber looks for channels that have come, in ns. What is published on one until then must not be more than
/// it keeps, or the beginning is missed.
const LOOK: u64 = 20_000_000;
/// A directory that changed so lately may have changed since without saying so: the clock of files goes in steps, of 10 ms at most.
const STEP: Duration = Duration::from_millis(100);
/// How often one that has no channel yet looks for it.
const LOOK_FIRST: u64 = 10_000_000;
/// Channels that the kernel lets one thread sleep on; with more, it looks by itself.
const MOST_SLEPT_ON: usize = 120;
const MILLISECOND: u64 = 1_000_000;

/// A domain of channels in shared memory.
#[derive(Clone, Debug)]
pub(crate) struct Shm {
    domain: Domain,
    frames: u64,
    frame_size: Option<u64>,
}

const OPTIONS: &str = "frames, frame_size";

pub(crate) fn open(url: Url) -> Result<Arc<dyn Provider>> {
    Ok(Arc::new(Shm::open(url)?))
}

impl Shm {
    fn open(mut url: Url) -> Result<Shm> {
        let frames = url.take("frames", "how many messages a new channel keeps, from 1")?;
        let frame_size = url.take("frame_size", "the longest message of a new channel in bytes, from 1")?;
        url.finish(OPTIONS)?;
        let domain = Domain::open(&format!("shm://{}", url.network))?;
        let shm = Shm { domain, frames: frames.unwrap_or(Attributes::new().get_frames()), frame_size };
        if shm.frames == 0 || shm.frame_size == Some(0) {
            return Err(url.invalid("a channel has at least one frame of one byte"));
        }
        Ok(shm)
    }
    /// What a channel is created with whose first message has `len` bytes: room for messages that are a few times longer.
    fn attributes(&self, len: usize) -> Attributes {
        let size = (len as u64).saturating_mul(2).next_power_of_two().max(Attributes::new().get_frame_size());
        Attributes::new().frames(self.frames).frame_size(self.frame_size.unwrap_or(size))
    }
}

impl Provider for Shm {
    fn outlet(&self, name: Name, what: Option<&Description>) -> Result<Box<dyn Outlet>> {
        let described = what.cloned().into_iter().collect();
        Ok(Box::new(ShmOutlet { shm: self.clone(), name, publisher: None, described }))
    }
    fn inlet(&self, pattern: Pattern, options: &Options) -> Result<Box<dyn inlet::Inlet>> {
        Ok(Box::new(ShmInlet::new(self, pattern, options)?))
    }
    /// Whoever receives finds the types with the channel.
    fn learn(&self, _: &Description) {}
    fn names(&self) -> Result<Vec<Name>> {
        Ok(self.domain.list()?)
    }
    fn shared_memory(&self) -> Option<&Domain> {
        Some(&self.domain)
    }
}

/// Publishes in one channel. The channel is opened, or made, by the first message.
#[derive(Debug)]
pub(crate) struct ShmOutlet {
    shm: Shm,
    name: Name,
    publisher: Option<Publisher>,
    described: Vec<Description>,
}

impl ShmOutlet {
    fn open(&mut self, len: usize) -> Result<&mut Publisher> {
        let channel = self.shm.domain.open_or_create(self.name.as_bytes(), &self.shm.attributes(len))?;
        let publisher = channel.publisher()?;
        for d in &self.described {
            publisher.describe(&d.name, d.fingerprint, &d.schema)?;
        }
        Ok(self.publisher.insert(publisher))
    }
}

impl ShmOutlet {
    /// Does something with the publisher, and again if somebody removed or replaced the channel: the name counts, not the files.
    #[inline]
    fn with_publisher<T>(
        &mut self,
        len: usize,
        mut publish: impl FnMut(&mut Publisher) -> saltus_channel::Result<T>,
    ) -> Result<T> {
        let publisher = match &mut self.publisher {
            Some(publisher) => publisher,
            None => self.open(len)?,
        };
        match publish(publisher) {
            Err(saltus_channel::Error::Retired { .. }) => {
                self.publisher = None;
                Ok(publish(self.open(len)?)?)
            }
            other => Ok(other?),
        }
    }
}

impl Outlet for ShmOutlet {
    #[inline]
    fn publish(&mut self, payload: &[u8]) -> Result<()> {
        self.with_publisher(payload.len(), |publisher| publisher.publish(payload)).map(drop)
    }
    fn publish_at(&mut self, payload: &[u8], stamp: i64) -> Result<i64> {
        let stamp =
            u64::try_from(stamp).map_err(|_| Error::invalid("a stamp from before the machine started"))?;
        self.with_publisher(payload.len(), |publisher| {
            let channel = publisher.channel();
            if !channel.attributes().get_stamps()
                || channel.attributes().get_clock() != clock::Clock::Boottime
            {
                let what = format!("channel `{}` has no stamps of boot time", channel.name());
                return Err(saltus_channel::Error::Invalid { what });
            }
            Ok(publisher.publish_stamped(payload, stamp)?.stamp as i64)
        })
    }

    fn sender(&self) -> Option<u64> {
        self.publisher.as_ref().map(|publisher| publisher.writer().lease)
    }

    fn describe(&mut self, what: &Description) -> Result<()> {
        if let Some(publisher) = &self.publisher {
            publisher.describe(&what.name, what.fingerprint, &what.schema)?;
        }
        self.described.push(what.clone());
        Ok(())
    }
}

/// Reads channels in shared memory.
pub(crate) struct ShmInlet {
    domain: Domain,
    pattern: Pattern,
    options: Options,
    readers: Vec<Joined>,
    /// When to look for channels that have come, monotonic ns.
    next_look: u64,
    /// What the domain's directory said of its last change when all that was in it was joined.
    complete: Option<SystemTime>,
    /// Channels are joined as `options` say at the first look, and from their beginning afterwards.
    first: bool,
    cancel: CancelHandle,
    event_loop: Option<EventLoop>,
}

struct Joined {
    name: Name,
    subscriber: Subscriber,
    /// Given up for the depth's sake, and not told yet.
    limited: u64,
}

/// For event loops: the descriptors of all channels, and a clock that says when to look for new ones.
struct EventLoop {
    epoll: Epoll,
    timer: Timer,
}

impl ShmInlet {
    pub fn new(shm: &Shm, pattern: Pattern, options: &Options) -> Result<ShmInlet> {
        let mut inlet = ShmInlet {
            domain: shm.domain.clone(),
            pattern,
            options: *options,
            readers: Vec::new(),
            next_look: 0,
            complete: None,
            first: true,
            cancel: CancelHandle::new(),
            event_loop: None,
        };
        inlet.look_for_channels()?;
        inlet.first = false;
        Ok(inlet)
    }

    /// Joins channels that have come, if it is time to look.
    #[inline]
    fn look_for_channels(&mut self) -> Result<()> {
        // One channel by its name, and it is there: its end is told, and nothing else can come.
        if self.pattern.exact().is_some() && !self.readers.is_empty() {
            return Ok(());
        }
        let now = clock::monotonic();
        if now < self.next_look {
            return Ok(());
        }
        self.next_look = now + if self.pattern.exact().is_some() { LOOK_FIRST } else { LOOK };
        match self.pattern.exact() {
            Some(name) => self.join(name.clone()).map(drop),
            None => self.join_all(),
        }
    }

    /// Joins channels that have come. Where many programs look, the directory must not be read each time: its time of change tells.
    fn join_all(&mut self) -> Result<()> {
        let changed = fs::metadata(self.domain.path()).and_then(|directory| directory.modified()).ok();
        if changed.is_some() && changed == self.complete {
            return Ok(());
        }
        // Judged before the list is read: what comes later changes a time that is old already.
        let is_old = |at: &SystemTime| at.elapsed().is_ok_and(|age| age >= STEP);
        let changed = changed.filter(is_old);
        let mut complete = true;
        for name in self.domain.list()? {
            if self.pattern.matches(name.as_bytes()) && !self.readers.iter().any(|r| r.name == name) {
                complete &= self.join(name)?;
            }
        }
        self.complete = changed.filter(|_| complete);
        Ok(())
    }

    /// Joins a channel. Whether it need not be tried again.
    fn join(&mut self, name: Name) -> Result<bool> {
        let channel = match self.domain.open_channel(name.as_bytes()) {
            Ok(channel) => channel,
            Err(saltus_channel::Error::NotFound { .. }) => return Ok(false),
            // Of many channels one that may not be read, or is damaged, is not the others' trouble.
            Err(_) if self.pattern.exact().is_none() => return Ok(false),
            Err(e) => return Err(e.into()),
        };
        let start = if self.first { self.options.get_start() } else { Start::Beginning };
        let mut subscriber = channel.subscriber_with(SubscriberOptions::new().start(start))?;
        if let Some(all) = &self.event_loop {
            all.epoll.add(subscriber.event_fd()?.as_raw_fd(), false)?;
        }
        self.readers.push(Joined { name, subscriber, limited: 0 });
        Ok(true)
    }

    /// The channel to take from: the one with the oldest message, or the newest.
    fn best(&mut self, which: Which) -> Option<usize> {
        if self.readers.len() == 1 {
            return Some(0);
        }
        let peek = |(i, r): (usize, &mut Joined)| Some((r.subscriber.peek(which)?, i));
        let stamps = self.readers.iter_mut().enumerate().filter_map(peek);
        let best = if which == Which::Next { stamps.min() } else { stamps.max() };
        best.map(|(_, i)| i)
    }

    /// Leaves channels that are no more and have nothing unseen. Those that took their place are looked for at once.
    fn leave_the_retired(&mut self) {
        let before = self.readers.len();
        self.readers.retain(|r| r.subscriber.has_unseen() || !r.subscriber.channel().is_retired());
        if self.readers.len() < before {
            (self.next_look, self.first, self.complete) = (0, false, None);
        }
    }

    /// Chooses a channel to take from and asks that, if there is any. `None`: there was nothing, after all.
    #[inline]
    fn ask<T>(
        &mut self,
        which: Which,
        take: impl FnOnce(&mut Subscriber) -> saltus_channel::Result<Option<T>>,
    ) -> Result<Option<(usize, T)>> {
        self.look_for_channels()?;
        if which == Which::Next {
            let depth = self.options.depth();
            self.readers.iter_mut().for_each(|r| r.limited += r.subscriber.limit(depth));
        }
        let Some(i) = self.best(which) else { return Ok(None) };
        match take(&mut self.readers[i].subscriber) {
            Ok(taken) => Ok(taken.map(|taken| (i, taken))),
            Err(saltus_channel::Error::Overrun { .. }) => Ok(None),
            Err(saltus_channel::Error::Retired { .. }) => {
                self.leave_the_retired();
                Ok(None)
            }
            Err(e) => Err(e.into()),
        }
    }

    /// Says what is known of a message from channel `i`.
    #[inline]
    fn tell(&mut self, i: usize, sample: Sample, which: Which, meta: &mut Meta) {
        let reader = &mut self.readers[i];
        let limited = std::mem::take(&mut reader.limited);
        meta.skip = 0;
        meta.is_of(&reader.name, &self.pattern);
        meta.raw.set_published((sample.stamp != 0).then_some(sample.stamp));
        meta.raw.arrived = sample.stamp;
        meta.raw.set_sender(Some(sample.writer.lease), Some(sample.seq));
        // Whoever asks for the newest gives the others up.
        let given_up = if which == Which::Next { limited } else { sample.missed };
        meta.raw.set_missed(Missed::Exact(sample.missed.saturating_sub(given_up)), given_up);
    }

    /// Sleeps once, at most until `deadline`.
    fn sleep(&mut self, deadline: u64) -> Result<()> {
        let now = clock::monotonic();
        let (joined, exact) = (self.readers.len(), self.pattern.exact().is_some());
        let slice = match joined {
            0 => deadline.min(now + LOOK_FIRST),
            n if n > MOST_SLEPT_ON => deadline.min(now + MILLISECOND),
            _ if exact => deadline,
            _ => deadline.min(self.next_look),
        };
        if joined == 0 || joined > MOST_SLEPT_ON {
            saltus_os::process::sleep_until(slice);
            return Ok(());
        }
        self.readers[0].subscriber.set_cancel_handle(&self.cancel);
        let woken = match &mut self.readers[..] {
            [one] => wait_any(&mut [&mut one.subscriber], Until::At(slice)),
            many => {
                let mut many: Vec<&mut Subscriber> = many.iter_mut().map(|r| &mut r.subscriber).collect();
                wait_any(&mut many, Until::At(slice))
            }
        };
        match woken {
            Err(saltus_channel::Error::Retired { .. }) => self.leave_the_retired(),
            other => drop(other?),
        }
        Ok(())
    }
}

impl inlet::Inlet for ShmInlet {
    fn take(&mut self, which: Which, _: bool, meta: &mut Meta) -> Result<bool> {
        let taken = self.ask(which, |s| s.receive_vec(which, Until::Poll, &mut meta.buf))?;
        let Some((i, sample)) = taken else { return Ok(false) };
        self.tell(i, sample, which, meta);
        Ok(true)
    }

    fn look(&mut self, which: Which, _: bool, meta: &mut Meta) -> Result<Option<Place>> {
        meta.channel = None; // nothing is received yet
        let found = self.ask(which, |s| Ok(s.view(which, Until::Poll)?.map(View::detach)))?;
        Ok(found.map(|(_, view)| Place::Shared(view, which)))
    }

    fn validate(&mut self, view: &DetachedView, which: Which, meta: &mut Meta) -> Result<()> {
        let i = self.readers.iter().position(|r| r.subscriber.is_looking_at(view));
        let i = i.ok_or_else(|| Error::invalid("this view is not of this subscriber"))?;
        let sample = self.readers[i].subscriber.validate(view)?;
        meta.buf.clear();
        self.tell(i, sample, which, meta);
        Ok(())
    }

    fn unseen(&mut self) -> bool {
        self.readers.iter().any(|r| r.subscriber.has_unseen())
    }

    fn wait(&mut self, deadline: u64) -> Result<bool> {
        loop {
            self.look_for_channels()?;
            if self.unseen() {
                return Ok(true);
            }
            if self.cancel.is_canceled() {
                return Err(Error::Canceled);
            }
            if clock::monotonic() >= deadline {
                return Ok(false);
            }
            self.sleep(deadline)?;
        }
    }

    fn fd(&mut self) -> Result<BorrowedFd<'_>> {
        if self.event_loop.is_none() {
            let (epoll, timer) = (Epoll::new()?, Timer::new()?);
            epoll.add(timer.raw(), false)?;
            for reader in &mut self.readers {
                epoll.add(reader.subscriber.event_fd()?.as_raw_fd(), false)?;
            }
            self.event_loop = Some(EventLoop { epoll, timer });
            self.rest()?;
        }
        match &self.event_loop {
            Some(event_loop) => Ok(event_loop.epoll.as_fd()),
            None => Err(Error::unsupported("an event loop without a descriptor")),
        }
    }

    fn rest(&mut self) -> Result<()> {
        let Some(event_loop) = &self.event_loop else { return Ok(()) };
        self.readers.iter_mut().for_each(|r| r.subscriber.rearm_event_fd());
        let waits_for_more = self.pattern.exact().is_none() || self.readers.is_empty();
        event_loop.timer.set(if waits_for_more { Some(self.next_look) } else { None });
        Ok(())
    }

    fn cancel_handle(&mut self) -> CancelHandle {
        self.cancel.clone()
    }

    fn is_canceled(&self) -> bool {
        self.cancel.is_canceled()
    }

    fn channels(&mut self) -> Vec<Name> {
        self.readers.iter().map(|r| r.name.clone()).collect()
    }

    fn descriptions(&mut self, channel: &Name) -> Vec<Description> {
        let reader = self.readers.iter().find(|r| r.name == *channel);
        reader.and_then(|r| r.subscriber.channel().descriptions().ok()).unwrap_or_default()
    }
}
