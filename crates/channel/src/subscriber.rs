//! Receiving.

pub(crate) mod any;
mod place;

use crate::event::EventSource;
use crate::limits::SLICE;
use crate::mapping::Mapping;
use crate::message::MessageInfo;
use crate::receiver::Receiver;
use crate::stats::Stats;
use crate::until::Until;
use crate::view::{DetachedView, View};
use crate::wait::{self, Sleeper, Waiter};
use crate::{Error, Result};
use saltus_os::cancel::CancelHandle;
use saltus_os::clock;
use saltus_ring::{Fault, Memory, Pick, Shm, Start, TRIES, Which, reader::Meta};
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
    poll_every: Option<Duration>,
    counters: bool,
    latency: bool,
    latency_sampling: u32,
    slice: Duration,
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
            poll_every: None,
            counters: true,
            latency: true,
            latency_sampling: 16,
            slice: Duration::from_nanos(SLICE),
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
    pub fn poll_every(mut self, period: Duration) -> Self {
        self.poll_every = Some(period);
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
    /// 16th, or as [`SubscriberOptions::latency_sampling`] says.
    pub fn latency(mut self, on: bool) -> Self {
        self.latency = on;
        self
    }
    /// How long a sleep lasts at most before it looks by itself. For tests that must see whether a wake arrives.
    #[doc(hidden)]
    pub fn slice(mut self, time: Duration) -> Self {
        self.slice = time;
        self
    }
    /// Of the messages found without sleeping, measure the latency of every `n`-th only (1: of all).
    pub fn latency_sampling(mut self, n: u32) -> Self {
        self.latency_sampling = n.max(1);
        self
    }
}

/// Receives from a channel. It only reads; no publisher waits for it or even knows it.
///
/// One subscriber belongs to one thread at a time; another thread opens its own. In a forked child it goes on from
/// the place of the fork, independently.
#[derive(Debug)]
pub struct Subscriber {
    receiver: Receiver,
    waiter: Waiter,
    event: Option<EventSource>,
    /// A subscriber that two threads used at once would lose its place.
    _one_thread: PhantomData<Cell<()>>,
}

impl Sleeper for Subscriber {
    fn parts(&mut self) -> (&mut Receiver, &mut Waiter) {
        (&mut self.receiver, &mut self.waiter)
    }
}

impl Subscriber {
    pub(crate) fn open(mapping: Arc<Mapping>, options: SubscriberOptions) -> Result<Subscriber> {
        if mapping.geometry.attributes.lock_memory {
            mapping.page.map.lock().map_err(|e| mapping.lock_refused(e))?;
        }
        let SubscriberOptions { start, spin, poll_every, counters, latency, latency_sampling, slice } =
            options;
        let stats = Stats::new(&mapping, counters, latency, latency_sampling);
        let receiver = Receiver::new(mapping, start, stats);
        let waiter = Waiter::new(spin, poll_every, slice);
        Ok(Subscriber { receiver, waiter, event: None, _one_thread: PhantomData })
    }
    pub(crate) fn mapping(&self) -> &Arc<Mapping> {
        self.receiver.mapping()
    }

    /// Receives into `buf`. `None`: nothing unseen, or the time is up.
    ///
    /// [`Error::TooSmall`] says the size and keeps the place. [`Error::Overrun`]: publishers overtook the copy at
    /// every try; call again. [`Error::Retired`]: the channel is no more, and all of it has been seen.
    ///
    /// ```
    /// use saltus_channel::{Until, Which};
    /// use std::time::Duration;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish(b"tilt 0.02")?;
    /// let mut buf = [0; 512];
    /// let info = subscriber.receive(Which::Next, Duration::from_secs(1), &mut buf)?.expect("a message");
    /// assert_eq!((&buf[..info.len], info.seq), (&b"tilt 0.02"[..], 1));
    /// assert!(subscriber.receive(Which::Next, Until::Poll, &mut buf)?.is_none());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    #[inline]
    pub fn receive(
        &mut self,
        which: Which,
        until: impl Into<Until>,
        buf: &mut [u8],
    ) -> Result<Option<MessageInfo>> {
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
    ///
    /// ```
    /// use saltus_channel::{Until, Which};
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish(b"tilt 0.02")?;
    /// let mut buf = Vec::new();
    /// subscriber.receive_vec(Which::Next, Until::Poll, &mut buf)?;
    /// assert_eq!(buf, b"tilt 0.02");
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn receive_vec(
        &mut self,
        which: Which,
        until: impl Into<Until>,
        buf: &mut Vec<u8>,
    ) -> Result<Option<MessageInfo>> {
        buf.clear();
        let info = self.receive_with(which, until.into(), |mem, meta| {
            buf.reserve(meta.len);
            mem.copy_out(meta.at, &mut buf.spare_capacity_mut()[..meta.len]);
            Ok(())
        });
        let info = info.map_err(|e| e.or_else(|needed| Error::TooSmall { needed, have: 0 }))?;
        if let Some(info) = &info {
            // SAFETY: the copy that was validated has filled this many bytes.
            unsafe { buf.set_len(info.len) };
        }
        Ok(info)
    }

    /// Looks at a message where it lies, without copying it. See [`View`].
    ///
    /// ```
    /// use saltus_channel::{Until, Which};
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish(&[1, 2, 3])?;
    /// let view = subscriber.view(Which::Newest, Until::Poll)?.expect("a message");
    /// let first = view.byte(0);
    /// view.validate()?; // only now may it be believed
    /// assert_eq!(first, 1);
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn view(&mut self, which: Which, until: impl Into<Until>) -> Result<Option<View<'_>>> {
        let deadline = until.into().deadline();
        let mut first = true;
        loop {
            for attempt in 0..TRIES {
                match self.receiver.pick(which) {
                    Pick::Nothing => break,
                    Pick::Overtaken if attempt + 1 == TRIES => return Err(self.receiver.overrun()),
                    Pick::Overtaken => {}
                    Pick::Found(candidate) => return Ok(View::new(&mut self.receiver, candidate)),
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

    /// Looks at a message in place through `look`, and hands out its result only if the message was whole all the
    /// while. `look` may be called several times.
    ///
    /// ```
    /// use saltus_channel::{Until, Which};
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish(&[1, 2, 3])?;
    /// let found = subscriber.with_view(Which::Newest, Until::Poll, |view| view.byte(0) + view.byte(2))?;
    /// assert_eq!(found.expect("a message").0, 4);
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn with_view<R>(
        &mut self,
        which: Which,
        until: impl Into<Until>,
        mut look: impl FnMut(&View<'_>) -> R,
    ) -> Result<Option<(R, MessageInfo)>> {
        let until = until.into();
        for _ in 0..TRIES {
            let Some(view) = self.view(which, until)? else { return Ok(None) };
            let result = look(&view);
            match view.validate() {
                Ok(info) => return Ok(Some((result, info))),
                Err(Error::Overrun { .. }) => continue,
                Err(e) => return Err(e),
            }
        }
        Err(self.receiver.overrun())
    }

    /// Whether this is the view that was detached from this subscriber last, and nothing was received or passed over since.
    ///
    /// ```
    /// use saltus_channel::{Until, Which};
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish(&[1, 2, 3])?;
    /// let view = subscriber.view(Which::Newest, Until::Poll)?.expect("a message").detach();
    /// assert!(subscriber.is_looking_at(&view));
    /// subscriber.newest(&mut [0; 512])?;
    /// assert!(!subscriber.is_looking_at(&view));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn is_looking_at(&self, view: &DetachedView) -> bool {
        view.is_current(&self.receiver)
    }
    /// [`View::validate`] for a view that was detached. [`Error::Invalid`] if it [is not looked at](Self::is_looking_at) any more.
    ///
    /// ```
    /// use saltus_channel::{Until, Which};
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish(&[1, 2, 3])?;
    /// let view = subscriber.view(Which::Newest, Until::Poll)?.expect("a message").detach();
    /// assert_eq!(subscriber.validate(&view)?.len, 3);
    /// assert!(subscriber.validate(&view).is_err()); // it counts once
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn validate(&mut self, view: &DetachedView) -> Result<MessageInfo> {
        view.validate(&mut self.receiver)
    }

    /// The newest message, if it has not been seen. Does not wait.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish(b"old")?;
    /// publisher.publish(b"new")?;
    /// let mut buf = [0; 512];
    /// let info = subscriber.newest(&mut buf)?.expect("a message");
    /// assert_eq!((&buf[..3], info.missed), (&b"new"[..], 1));
    /// assert!(subscriber.newest(&mut buf)?.is_none());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    #[inline]
    pub fn newest(&mut self, buf: &mut [u8]) -> Result<Option<MessageInfo>> {
        self.receive(Which::Newest, Until::Poll, buf)
    }
    /// The oldest message that has not been seen. Does not wait.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish(b"old")?;
    /// publisher.publish(b"new")?;
    /// let mut buf = [0; 512];
    /// subscriber.next(&mut buf)?;
    /// assert_eq!(&buf[..3], b"old");
    /// subscriber.next(&mut buf)?;
    /// assert_eq!(&buf[..3], b"new");
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    #[inline]
    pub fn next(&mut self, buf: &mut [u8]) -> Result<Option<MessageInfo>> {
        self.receive(Which::Next, Until::Poll, buf)
    }
    /// The newest message, even if it has been seen. Does not wait.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish(b"tilt 0.02")?;
    /// let mut buf = [0; 512];
    /// assert!(subscriber.newest(&mut buf)?.is_some());
    /// assert!(subscriber.newest(&mut buf)?.is_none());
    /// assert!(subscriber.current(&mut buf)?.is_some());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    #[inline]
    pub fn current(&mut self, buf: &mut [u8]) -> Result<Option<MessageInfo>> {
        self.receive(Which::Current, Until::Poll, buf)
    }
    /// Waits for a newest message that has not been seen.
    ///
    /// ```
    /// use std::time::Duration;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// let mut buf = [0; 512];
    /// assert!(subscriber.wait_newest(Duration::from_millis(1), &mut buf)?.is_none());
    /// publisher.publish(b"tilt 0.02")?;
    /// assert!(subscriber.wait_newest(Duration::from_secs(1), &mut buf)?.is_some());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    #[inline]
    pub fn wait_newest(&mut self, until: impl Into<Until>, buf: &mut [u8]) -> Result<Option<MessageInfo>> {
        self.receive(Which::Newest, until, buf)
    }
    /// Waits for the next message that has not been seen.
    ///
    /// ```
    /// use saltus_channel::Until;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish(b"tilt 0.02")?;
    /// let mut buf = [0; 512];
    /// let info = subscriber.wait_next(Until::Forever, &mut buf)?.expect("a message");
    /// assert_eq!(info.seq, 1);
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    #[inline]
    pub fn wait_next(&mut self, until: impl Into<Until>, buf: &mut [u8]) -> Result<Option<MessageInfo>> {
        self.receive(Which::Next, until, buf)
    }

    /// Lets `cancel` cancel this subscriber's waits, instead of the handle that it had.
    ///
    /// ```
    /// use saltus_channel::CancelHandle;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, channel) = doc::channel();
    /// let cancel = CancelHandle::new(); // one for several subscribers
    /// for mut subscriber in [channel.subscriber()?, channel.subscriber()?] {
    ///     subscriber.set_cancel_handle(&cancel);
    /// }
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn set_cancel_handle(&mut self, cancel: &CancelHandle) {
        self.waiter.set_cancel_handle(cancel);
    }
    /// The handle that cancels this subscriber's waits.
    ///
    /// ```
    /// use saltus_channel::{Error, Until};
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, _publisher, mut subscriber) = doc::pair();
    /// let cancel = subscriber.cancel_handle();
    /// std::thread::spawn(move || cancel.cancel());
    /// let waited = subscriber.wait_newest(Until::Forever, &mut [0; 512]);
    /// assert!(matches!(waited, Err(Error::Canceled)));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn cancel_handle(&mut self) -> CancelHandle {
        self.waiter.cancel_handle()
    }

    /// A descriptor for `poll`, `epoll` or an event loop: readable while there is something unseen.
    ///
    /// When it is readable, receive until there is nothing more; the receive that finds nothing makes it wait for the
    /// next message. The first call starts a thread in this process that waits on the subscriber's behalf. A forked child
    /// has no such thread: there, ask anew.
    ///
    /// ```
    /// use std::os::fd::AsRawFd;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// let fd = subscriber.event_fd()?.as_raw_fd(); // for poll(2)
    /// publisher.publish(b"tilt 0.02")?;
    /// let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    /// // SAFETY: one structure that lives across the call.
    /// assert_eq!(unsafe { libc::poll(&mut poll, 1, 10_000) }, 1);
    /// let mut buf = [0; 512];
    /// while subscriber.next(&mut buf)?.is_some() {}
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn event_fd(&mut self) -> Result<BorrowedFd<'_>> {
        if !self.event.as_ref().is_some_and(EventSource::is_ours) {
            self.event = Some(EventSource::start(self.receiver.mapping().clone(), self.receiver.merge())?);
        }
        match &self.event {
            Some(event) => Ok(event.fd()),
            None => Err(Error::invalid("no event source")),
        }
    }

    /// Lowers that descriptor as a receive that finds nothing does: it is raised again if anything is unseen. Does not block.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// subscriber.event_fd()?;
    /// publisher.publish(b"tilt 0.02")?;
    /// subscriber.flush(); // passes it over without a receive
    /// subscriber.rearm_event_fd();
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    #[inline]
    pub fn rearm_event_fd(&mut self) {
        if let Some(event) = &self.event {
            event.rearm(self.receiver.merge());
        }
    }

    #[inline(always)]
    fn receive_with(
        &mut self,
        which: Which,
        until: Until,
        mut take: impl FnMut(&Shm, &Meta) -> std::result::Result<(), usize>,
    ) -> std::result::Result<Option<MessageInfo>, Failure> {
        // The first look comes before the clock is asked.
        let mut deadline = None;
        let mut first = true;
        loop {
            match self.receiver.receive(which, &mut take) {
                Ok(Some(delivered)) => return Ok(Some(self.receiver.delivered(delivered))),
                Ok(None) => {}
                Err(Fault::TooSmall(needed)) => return Err(Failure::TooSmall(needed)),
                Err(Fault::Overrun) => return Err(Failure::Other(self.receiver.overrun())),
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
        match self.mapping().retired().or(gone) {
            // What was published before the end is delivered before the end is told.
            Some(how) if !self.has_unseen() => Err(self.mapping().retired_error(how)),
            _ => Ok(false),
        }
    }

    #[cold]
    fn sleep(&mut self, deadline: u64) -> Result<bool> {
        self.rearm_event_fd();
        if self.waiter.spin(&self.receiver, deadline) {
            return Ok(true);
        }
        // A sleep that ends at the deadline looks once more.
        wait::sleep::<2>(&mut [self], deadline)
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
