//! Receiving messages.

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
use saltus_os::fd::BorrowedFd;
use saltus_ring::{Fault, Memory, Pick, Shm, Start, TRIES, Which, reader::Meta};
use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::time::Duration;

/// Options of a new subscriber.
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
    /// Starts at the current newest message, sleeps immediately when it waits, has counters.
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
    /// The first message to receive.
    pub fn start(mut self, start: Start) -> Self {
        self.start = start;
        self
    }
    /// How long to busy-wait before sleeping. Intended for isolated CPUs.
    pub fn spin(mut self, time: Duration) -> Self {
        self.spin = time;
        self
    }
    /// Never requests a wake: a wait polls every `period`. For tools that only observe.
    pub fn poll_every(mut self, period: Duration) -> Self {
        self.poll_every = Some(period);
        self
    }
    /// Whether to keep a file of counters for tools (4 KiB). Needs permission and memory; without these, there are no counters.
    pub fn counters(mut self, on: bool) -> Self {
        self.counters = on;
        self
    }
    /// Whether these counters include the time from publish to receive.
    ///
    /// Each measurement reads the clock. Every message that the subscriber slept for is measured. Of the messages found by a poll,
    /// every 16th is, or as set by [`SubscriberOptions::latency_sampling`].
    pub fn latency(mut self, on: bool) -> Self {
        self.latency = on;
        self
    }
    /// The longest sleep before the subscriber checks by itself. For tests that verify wakes.
    #[doc(hidden)]
    pub fn slice(mut self, time: Duration) -> Self {
        self.slice = time;
        self
    }
    /// Of the messages found without sleeping, measures the latency of only every `n`-th (1: of all).
    pub fn latency_sampling(mut self, n: u32) -> Self {
        self.latency_sampling = n.max(1);
        self
    }
}

/// Receives messages from a channel. It only reads: publishers do not wait for it or depend on it.
///
/// Only one thread may use a subscriber at a time; another thread opens its own. In a forked child it continues independently from the
/// position at the fork.
#[derive(Debug)]
pub struct Subscriber {
    receiver: Receiver,
    waiter: Waiter,
    event: Option<EventSource>,
    /// Prevents sharing between threads: simultaneous use would corrupt its position.
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

    /// Receives into `buf`. `None`: nothing is unseen, or the time expired.
    ///
    /// [`Error::TooSmall`] has the required size and keeps the position. [`Error::Overrun`]: publishers overwrote the message during
    /// every try; call again. [`Error::Retired`]: the channel is retired, and you have received all its messages.
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
        // SAFETY: bytes are a valid form of maybe-initialized bytes; nothing uninitialized is ever written to them.
        let buf = unsafe { &mut *(buf as *mut [MaybeUninit<u8>]) };
        let taken = self.receive_with(which, until.into(), |mem, meta| {
            mem.copy_out(meta.at, buf.get_mut(..meta.len).ok_or(meta.len)?);
            Ok(())
        });
        taken.map_err(|e| e.or_else(|needed| Error::TooSmall { needed, have }))
    }

    /// Receives into `buf`, which is resized to the length of the message and grows if necessary.
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
            // SAFETY: the validated copy has filled this many bytes.
            unsafe { buf.set_len(info.len) };
        }
        Ok(info)
    }

    /// Accesses a message in shared memory without copying it. See [`View`].
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
                    Pick::Lapped if attempt + 1 == TRIES => return Err(self.receiver.overrun()),
                    Pick::Lapped => {}
                    Pick::Found(candidate) => return Ok(View::new(&mut self.receiver, candidate)),
                }
            }
            let over = !first && deadline.is_some_and(|deadline| clock::monotonic() >= deadline);
            first = false;
            // The time expired: a message existed, but could not be received.
            if over || !self.wait(deadline)? {
                return Ok(None);
            }
        }
    }

    /// Runs `look` on a message in place, and returns its result only if no publisher overwrote the message. May call `look` several times.
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

    /// Whether `view` is the last one detached from this subscriber, and nothing was received or skipped since.
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
    /// [`View::validate`] for a detached view. [`Error::Invalid`] if it is not [the last one](Self::is_looking_at) any more.
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

    /// Receives the newest message, if it is unseen. Does not wait.
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
    /// Receives the oldest unseen message. Does not wait.
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
    /// Receives the newest message, even if it has been received before. Does not wait.
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
    /// Waits for an unseen message, and receives the newest.
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
    /// Waits for an unseen message, and receives the oldest.
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

    /// Makes `cancel` the handle that cancels this subscriber's waits, in place of its current one.
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

    /// A descriptor for `poll`, `epoll` or an event loop. It is readable while any message is unseen.
    ///
    /// When it is readable, receive until nothing is left. The receive that finds nothing resets the descriptor until the next message.
    ///
    /// The first call starts a thread in this process that waits for the subscriber. A forked child has no such thread: call this again
    /// there.
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

    /// Resets that descriptor as a receive that finds nothing does. It is raised again if any message is unseen. Does not block.
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
        // The first check is before the clock is read.
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
                return Ok(None); // a message existed, but could not be received
            }
            if !self.wait(deadline).map_err(Failure::Other)? {
                return Ok(None);
            }
        }
    }

    /// Called when no message was found. `true`: check again. `false`: it was a poll, or the time expired.
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
            // Messages published before the end are delivered before the error.
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
        // A sleep that ends at the deadline is followed by one more check.
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
