//! Receiving.

mod place;

use crate::counters::Counters;
use crate::event::EventSource;
use crate::limits::{QUIET_SLICE, SLICE};
use crate::mapping::Shared;
use crate::message::{Sample, Writer};
use crate::until::Until;
use crate::view::View;
use crate::wait;
use crate::{Channel, Error, Result, clock};
use saltus_os::cancel::CancelHandle;
use saltus_os::futex::Word;
use saltus_ring::{Delivered, Fault, Memory, Merge, Pick, Shm, Start, TRIES, Which, reader::Meta};
use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Duration;

/// How a subscriber joins a channel, and what it tells about itself.
#[derive(Clone, Copy, Debug)]
pub struct SubscriberOptions {
    start: Start,
    spin: Duration,
    quiet: Option<Duration>,
    counters: bool,
    latency: bool,
    sample: u32,
    slice: u64,
}

impl Default for SubscriberOptions {
    fn default() -> Self {
        SubscriberOptions::new()
    }
}

impl SubscriberOptions {
    /// Starts at the present newest message, sleeps at once when it waits, is counted.
    pub fn new() -> Self {
        SubscriberOptions {
            start: Start::Newest,
            spin: Duration::ZERO,
            quiet: None,
            counters: true,
            latency: true,
            sample: 16,
            slice: SLICE,
        }
    }
    /// Where to start.
    pub fn start(mut self, start: Start) -> Self {
        self.start = start;
        self
    }
    /// How long a wait looks again and again before it sleeps; for isolated processors.
    pub fn spin(mut self, time: Duration) -> Self {
        self.spin = time;
        self
    }
    /// Never asks a publisher to be woken: a wait looks by itself every `period`. For tools that watch.
    pub fn quiet(mut self, period: Duration) -> Self {
        self.quiet = Some(period);
        self
    }
    /// Whether to keep a file of counters for tools (4 KiB), if permissions and memory allow.
    pub fn counters(mut self, on: bool) -> Self {
        self.counters = on;
        self
    }
    /// Whether these counters include the time from publish to receive.
    ///
    /// It costs a reading of the clock. Each message that was slept for is measured; of those that a poll found, every
    /// 16th, or as [`SubscriberOptions::sample`] says.
    pub fn latency(mut self, on: bool) -> Self {
        self.latency = on;
        self
    }
    /// How long a sleep lasts at most before it looks by itself. For tests that must see whether a wake arrives.
    #[doc(hidden)]
    pub fn slice(mut self, time: Duration) -> Self {
        self.slice = time.as_nanos() as u64;
        self
    }
    /// Of the messages found without sleeping, measure the latency of every `n`-th only (1: of all).
    pub fn sample(mut self, n: u32) -> Self {
        self.sample = n.max(1);
        self
    }
}

/// Receives from a channel. It only reads; no publisher waits for it or even knows it.
///
/// One subscriber belongs to one thread at a time; another thread opens its own. In a forked child it goes on from
/// the place of the fork, independently.
#[derive(Debug)]
pub struct Subscriber {
    pub(crate) shared: Arc<Shared>,
    pub(crate) merge: Merge,
    pub(crate) cancel: Option<CancelHandle>,
    options: SubscriberOptions,
    counters: Option<Counters>,
    event: Option<EventSource>,
    /// The bell's generation that it armed for, while it sleeps.
    armed: Option<u64>,
    /// Whether the message that comes next was slept for.
    slept: bool,
    /// When to look next whether the channel is still there, monotonic ns.
    next_look: u64,
    /// The number of the view that was detached last.
    pub(crate) looked: u64,
    _one_thread: PhantomData<Cell<()>>,
}

impl Subscriber {
    pub(crate) fn open(shared: Arc<Shared>, options: SubscriberOptions) -> Subscriber {
        let merge = Merge::new(&*shared, options.start);
        let counters = if options.counters { Counters::make(&shared.dir) } else { None };
        Subscriber {
            shared,
            merge,
            cancel: None,
            options,
            counters,
            event: None,
            armed: None,
            slept: false,
            next_look: 0,
            looked: 0,
            _one_thread: PhantomData,
        }
    }

    /// Receives into `buf`. `None`: nothing unseen, or the time is up.
    ///
    /// [`Error::TooSmall`] says the size and keeps the place. [`Error::Overrun`]: publishers overtook the copy at
    /// every try; call again. [`Error::Retired`]: the channel is no more, and all of it has been seen.
    #[inline]
    pub fn receive(
        &mut self,
        which: Which,
        until: impl Into<Until>,
        buf: &mut [u8],
    ) -> Result<Option<Sample>> {
        let have = buf.len();
        let buf: *mut [u8] = buf;
        // SAFETY: bytes are a valid form of maybe-initialised bytes; nothing uninitialised is ever written to them.
        let buf = unsafe { &mut *(buf as *mut [MaybeUninit<u8>]) };
        let taken = self.receive_with(which, until.into(), |mem, meta| {
            mem.copy_out(meta.at, buf.get_mut(..meta.len).ok_or(meta.len)?);
            Ok(())
        });
        taken.map_err(|e| e.or_else(|needed| Error::TooSmall { needed, have }))
    }

    /// Receives into `buf`, which grows if it must and gets the length of the message.
    pub fn receive_vec(
        &mut self,
        which: Which,
        until: impl Into<Until>,
        buf: &mut Vec<u8>,
    ) -> Result<Option<Sample>> {
        buf.clear();
        let sample = self.receive_with(which, until.into(), |mem, meta| {
            buf.reserve(meta.len);
            mem.copy_out(meta.at, &mut buf.spare_capacity_mut()[..meta.len]);
            Ok(())
        });
        let sample = sample.map_err(|e| e.or_else(|needed| Error::TooSmall { needed, have: 0 }))?;
        if let Some(sample) = &sample {
            // SAFETY: the copy that was validated has filled this many bytes.
            unsafe { buf.set_len(sample.len) };
        }
        Ok(sample)
    }

    /// Looks at a message where it lies, without copying it. See [`View`].
    pub fn view(&mut self, which: Which, until: impl Into<Until>) -> Result<Option<View<'_>>> {
        let deadline = until.into().deadline();
        let mut first = true;
        loop {
            for attempt in 0..TRIES {
                match self.merge.pick(&*self.shared, which) {
                    Pick::Nothing => break,
                    Pick::Overtaken if attempt + 1 == TRIES => return Err(self.overrun()),
                    Pick::Overtaken => {}
                    Pick::Found(candidate) => return Ok(View::new(self, candidate)),
                }
            }
            let over = !first && deadline.is_some_and(|deadline| clock::monotonic() >= deadline);
            first = false;
            // Over: there was something, but nothing that could be had.
            if over || !self.wait(deadline)? {
                return Ok(None);
            }
        }
    }

    /// The newest message, if it has not been seen. Does not wait.
    #[inline]
    pub fn newest(&mut self, buf: &mut [u8]) -> Result<Option<Sample>> {
        self.receive(Which::Newest, Until::Poll, buf)
    }
    /// The oldest message that has not been seen. Does not wait.
    #[inline]
    pub fn next(&mut self, buf: &mut [u8]) -> Result<Option<Sample>> {
        self.receive(Which::Next, Until::Poll, buf)
    }
    /// The newest message, even if it has been seen. Does not wait.
    #[inline]
    pub fn again(&mut self, buf: &mut [u8]) -> Result<Option<Sample>> {
        self.receive(Which::Again, Until::Poll, buf)
    }
    /// Waits for a newest message that has not been seen.
    #[inline]
    pub fn wait_newest(&mut self, until: impl Into<Until>, buf: &mut [u8]) -> Result<Option<Sample>> {
        self.receive(Which::Newest, until, buf)
    }
    /// Waits for the next message that has not been seen.
    #[inline]
    pub fn wait_next(&mut self, until: impl Into<Until>, buf: &mut [u8]) -> Result<Option<Sample>> {
        self.receive(Which::Next, until, buf)
    }

    /// The channel.
    pub fn channel(&self) -> Channel {
        Channel { shared: self.shared.clone() }
    }

    /// Lets `cancel` cancel this subscriber's waits, instead of the handle that it had.
    pub fn set_cancel_handle(&mut self, cancel: &CancelHandle) {
        self.cancel = Some(cancel.clone());
    }
    /// The handle that cancels this subscriber's waits.
    pub fn cancel_handle(&mut self) -> CancelHandle {
        self.cancel.get_or_insert_with(CancelHandle::new).clone()
    }

    /// A descriptor for `poll`, `epoll` or an event loop: readable while there is something unseen.
    ///
    /// When it is readable, receive until there is nothing more; the receive that finds nothing makes it wait for the
    /// next message. The first call starts a thread in this process that waits on the subscriber's behalf. A forked child
    /// has no such thread: there, ask anew.
    pub fn event_fd(&mut self) -> Result<BorrowedFd<'_>> {
        if !self.event.as_ref().is_some_and(EventSource::is_ours) {
            self.event = Some(EventSource::start(self.shared.clone(), &self.merge)?);
        }
        match &self.event {
            Some(event) => Ok(event.fd()),
            None => Err(Error::invalid("no event source")),
        }
    }

    /// Lowers that descriptor as a receive that finds nothing does: it is raised again if anything is unseen. Does not block.
    #[inline]
    pub fn rearm_event_fd(&mut self) {
        if let Some(event) = &self.event {
            event.rearm(&self.merge);
        }
    }

    #[inline(always)]
    fn receive_with(
        &mut self,
        which: Which,
        until: Until,
        mut take: impl FnMut(&Shm, &Meta) -> std::result::Result<(), usize>,
    ) -> std::result::Result<Option<Sample>, Failure> {
        // The first look comes before the clock is asked.
        let mut deadline = None;
        let mut first = true;
        loop {
            match self.merge.receive(&*self.shared, which, &mut take) {
                Ok(Some(delivered)) => return Ok(Some(self.delivered(delivered))),
                Ok(None) => {}
                Err(Fault::TooSmall(needed)) => return Err(Failure::TooSmall(needed)),
                Err(Fault::Overrun) => return Err(Failure::Other(self.overrun())),
            }
            if first {
                deadline = until.deadline();
                first = false;
            } else if deadline.is_some_and(|deadline| clock::monotonic() >= deadline) {
                return Ok(None); // there was something, but nothing that could be had
            }
            if !self.wait(deadline).map_err(Failure::Other)? {
                return Ok(None);
            }
        }
    }

    /// Counts a delivery, and says what is known of it.
    #[inline(always)]
    pub(crate) fn delivered(&mut self, delivered: Delivered) -> Sample {
        let meta = delivered.meta;
        if self.counters.is_some() && delivered.fresh {
            self.count(&meta);
        }
        Sample {
            len: meta.len,
            seq: meta.seq,
            stamp: meta.stamp,
            writer: Writer { lane: delivered.lane as u32, lease: meta.lease },
            missed: delivered.missed,
        }
    }

    #[inline(always)]
    fn count(&mut self, meta: &Meta) {
        let attributes = &self.shared.geometry.attributes;
        let due = std::mem::take(&mut self.slept) || meta.seq.is_multiple_of(self.options.sample as u64);
        let measured = due && self.options.latency && attributes.stamps;
        let latency = measured.then(|| clock::now(attributes.clock).saturating_sub(meta.stamp));
        let (received, missed) = (self.merge.received(), self.merge.missed());
        if let Some(counters) = self.own_counters() {
            counters.delivered(received, missed, meta.seq, meta.stamp, latency);
        }
    }

    /// The counters; in a forked child, new ones.
    #[inline(always)]
    fn own_counters(&mut self) -> Option<&Counters> {
        if self.counters.as_ref().is_some_and(|c| !c.is_ours()) {
            self.renew_counters();
        }
        self.counters.as_ref()
    }

    #[cold]
    fn renew_counters(&mut self) {
        self.counters = Counters::make(&self.shared.dir);
    }

    /// Called when there was nothing. `true`: look again. `false`: it was a poll, or the time is up.
    #[inline(always)]
    fn wait(&mut self, deadline: Option<u64>) -> Result<bool> {
        match deadline {
            None => self.nothing(),
            Some(deadline) => self.sleep(deadline),
        }
    }

    /// A poll found nothing.
    #[inline(always)]
    fn nothing(&mut self) -> Result<bool> {
        self.rearm_event_fd();
        let gone = self.event.as_ref().and_then(EventSource::vanished);
        match self.shared.retired().or(gone) {
            // What was published before the end is delivered before the end is told.
            Some(how) if !self.has_unseen() => Err(self.shared.retired_error(how)),
            _ => Ok(false),
        }
    }

    #[cold]
    fn sleep(&mut self, deadline: u64) -> Result<bool> {
        self.rearm_event_fd();
        if !self.options.spin.is_zero() {
            let spin = u64::try_from(self.options.spin.as_nanos()).unwrap_or(u64::MAX);
            let end = deadline.min(clock::monotonic().saturating_add(spin));
            let canceled = |s: &Self| s.cancel.as_ref().is_some_and(CancelHandle::is_canceled);
            while clock::monotonic() < end && !canceled(self) && self.shared.retired().is_none() {
                if self.has_unseen() {
                    return Ok(true);
                }
                std::hint::spin_loop();
            }
        }
        // A sleep that ends at the deadline looks once more.
        wait::sleep::<2>(&mut [self], deadline)
    }

    /// Once in a slice: whether the channel is still there, though nobody said otherwise.
    #[inline(always)]
    pub(crate) fn look_for_the_channel(&mut self, now: u64) -> Result<()> {
        if now < self.next_look {
            return Ok(());
        }
        // Not at the very first sleep: most last for less than a slice.
        let first = std::mem::replace(&mut self.next_look, now.saturating_add(SLICE)) == 0;
        match if first { None } else { self.shared.vanished() } {
            Some(how) => Err(self.shared.retired_error(how)),
            None => Ok(()),
        }
    }

    /// How long a sleep lasts at most, in ns.
    pub(crate) fn slice(&self) -> u64 {
        self.options.slice
    }

    /// Arms the bell, unless this subscriber only watches. Returns the word to sleep on.
    pub(crate) fn arm(&mut self) -> Option<Word> {
        let armed = if self.options.quiet.is_some() { None } else { self.shared.arm() };
        self.armed = armed.map(|(at, _)| at);
        armed.map(|(_, word)| word)
    }

    /// How often a wait looks without having armed, in ns.
    pub(crate) fn quiet_slice(&self) -> u64 {
        let period = self.options.quiet.map_or(QUIET_SLICE, |period| period.as_nanos() as u64);
        period.clamp(100_000, SLICE - 1)
    }

    /// After arming: passes the wake on if need be.
    pub(crate) fn disarm(&mut self) {
        if let Some(at) = self.armed.take() {
            self.shared.disarm(at);
        }
    }

    /// Counts a sleep.
    pub(crate) fn slept(&mut self) {
        self.slept = true;
        if let Some(counters) = self.own_counters() {
            counters.slept();
        }
    }

    #[cold]
    pub(crate) fn overrun(&mut self) -> Error {
        if let Some(counters) = self.own_counters() {
            counters.overrun();
        }
        Error::Overrun { channel: self.shared.name.clone() }
    }
}

/// Why a receive failed, before the buffer's size is known to the error.
enum Failure {
    TooSmall(usize),
    Other(Error),
}

impl Failure {
    fn or_else(self, too_small: impl FnOnce(usize) -> Error) -> Error {
        match self {
            Failure::TooSmall(needed) => too_small(needed),
            Failure::Other(error) => error,
        }
    }
}
