//! Subscribers.

use crate::backend::{BackendSubscriber, Meta};
use crate::{Error, Message, Options, RawMessage, Result};
use saltus_channel::{CancelHandle, Description, Name, Until};
use saltus_os::fd::BorrowedFd;
use saltus_os::{clock, process};
use saltus_ring::Which;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Receives from one or many channels. It only reads: publishers never wait for it.
///
/// Use a subscriber from one thread at a time.
pub struct Subscriber {
    pub(crate) backend: Box<dyn BackendSubscriber>,
    pub(crate) options: Options,
    pub(crate) meta: Meta,
    /// Identifies the latest view: an older view is invalid.
    pub(crate) turn: Turn,
}

/// A number unique to this subscriber, and a count of its receives and views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn(u64, u64);

impl Turn {
    fn first() -> Turn {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Turn(NEXT.fetch_add(1, Relaxed), 0) // each number once
    }
    #[inline]
    pub fn next(&mut self) -> Turn {
        self.1 += 1;
        *self
    }
}

/// Wakes without a message before it pauses between them.
const VAIN: u32 = 3;
/// Length of the pause, in ns.
const PAUSE: u64 = 1_000_000;

/// Calls `look` until it finds a message or the time is up.
#[inline]
pub(crate) fn within<T>(
    backend: &mut dyn BackendSubscriber,
    until: Until,
    mut look: impl FnMut(&mut dyn BackendSubscriber, bool) -> Result<Option<T>>,
) -> Result<Option<T>> {
    if let Some(found) = look(backend, until == Until::Poll)? {
        return Ok(Some(found));
    }
    let Some(deadline) = until.deadline() else {
        backend.rest()?;
        return Ok(None);
    };
    let mut vain = 0;
    loop {
        let woken = backend.wait(deadline)?;
        let found = look(backend, false)?;
        if found.is_some() || !woken {
            return Ok(found);
        }
        // There is a message that cannot be read: overwritten at each try, or the channel is damaged, perhaps
        // permanently.
        if backend.is_canceled() {
            return Err(Error::Canceled);
        }
        if clock::monotonic() >= deadline {
            return Ok(None);
        }
        vain += 1;
        if vain > VAIN {
            process::sleep_until(deadline.min(clock::monotonic().saturating_add(PAUSE)));
        }
    }
}

impl Subscriber {
    pub(crate) fn new(backend: Box<dyn BackendSubscriber>, options: Options) -> Subscriber {
        Subscriber { backend, options, meta: Meta::default(), turn: Turn::first() }
    }

    /// Receives according to the subscriber's [`Options`]: the newest unseen message, or the next. `None`: timed
    /// out, or no message. The message stays until the next receive.
    ///
    /// Over shared memory it is real-time safe with [`Until::Poll`], once its buffer has grown to the longest
    /// message; over a network it makes system calls.
    ///
    /// ```
    /// use saltus_domain::{Domain, Until};
    /// let domain = Domain::open("mem://")?;
    /// let (mut subscriber, mut publisher) = (domain.subscriber("imu")?, domain.publisher("imu")?);
    /// publisher.publish(b"tilt 0.02")?;
    /// let message = subscriber.receive(Until::Forever)?.expect("a message");
    /// assert_eq!(message.data, b"tilt 0.02");
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    #[inline]
    pub fn receive(&mut self, until: impl Into<Until>) -> Result<Option<Message<'_>>> {
        let taken = self.take(self.options.which(), until.into())?;
        Ok(if taken { self.last() } else { None })
    }
    /// Receives the newest message, regardless of the options, even if it was received before.
    ///
    /// ```
    /// use saltus_domain::{Domain, Until};
    /// let domain = Domain::open("mem://")?;
    /// let (mut subscriber, mut publisher) = (domain.subscriber("imu")?, domain.publisher("imu")?);
    /// publisher.publish(b"tilt 0.02")?;
    /// assert!(subscriber.receive(Until::Poll)?.is_some() && subscriber.receive(Until::Poll)?.is_none());
    /// assert_eq!(subscriber.current(Until::Poll)?.expect("a message").data, b"tilt 0.02");
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    #[inline]
    pub fn current(&mut self, until: impl Into<Until>) -> Result<Option<Message<'_>>> {
        let taken = self.take(Which::Current, until.into())?;
        Ok(if taken { self.last() } else { None })
    }

    /// Receives a message from the backend, if there is one in time. It is stored in `meta`, without another copy.
    #[inline]
    fn take(&mut self, which: Which, until: Until) -> Result<bool> {
        if until == Until::Poll { self.take_now(which) } else { self.take_within(which, until) }
    }
    /// Kept short: control loops poll with it.
    fn take_now(&mut self, which: Which) -> Result<bool> {
        self.turn.next();
        let taken = self.backend.take(which, true, &mut self.meta)?;
        if !taken {
            self.backend.rest()?;
        }
        Ok(taken)
    }
    fn take_within(&mut self, which: Which, until: Until) -> Result<bool> {
        self.turn.next();
        let taken = within(&mut *self.backend, until, |backend, poll| {
            Ok(backend.take(which, poll, &mut self.meta)?.then_some(()))
        })?;
        Ok(taken.is_some())
    }

    /// The message received last.
    ///
    /// ```
    /// use saltus_domain::{Domain, Until};
    /// let domain = Domain::open("mem://")?;
    /// let (mut subscriber, mut publisher) = (domain.subscriber("imu")?, domain.publisher("imu")?);
    /// publisher.publish(b"tilt 0.02")?;
    /// assert!(subscriber.last().is_none());
    /// subscriber.receive(Until::Poll)?;
    /// assert_eq!(subscriber.last().expect("a message").data, b"tilt 0.02");
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    #[inline]
    pub fn last(&self) -> Option<Message<'_>> {
        let (data, channel) = self.meta.message()?;
        Some(self.meta.raw.message(data, channel))
    }
    /// The same in C's layout, for bindings. It and its pointers are valid until the subscriber is moved or used
    /// again. `None`: nothing was received, or its bytes were taken out. Does not allocate.
    ///
    /// ```
    /// use saltus_domain::{Domain, Until};
    /// let domain = Domain::open("mem://")?;
    /// let (mut subscriber, mut publisher) = (domain.subscriber("imu")?, domain.publisher("imu")?);
    /// publisher.publish(b"tilt 0.02")?;
    /// subscriber.receive(Until::Poll)?;
    /// assert_eq!(subscriber.last_raw().expect("a message").len, 9);
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    #[inline]
    pub fn last_raw(&mut self) -> Option<&RawMessage> {
        let Meta { buf, skip, channel, raw } = &mut self.meta;
        raw.lead_to(buf.get(*skip..)?, channel.as_ref()?);
        Some(raw)
    }
    /// Takes the bytes of the last received message out without a copy, for programs that keep long messages. The
    /// returned number of bytes at the start are not part of the message. [`Subscriber::last`] then has no bytes,
    /// and the next receive allocates.
    ///
    /// ```
    /// use saltus_domain::{Domain, Until};
    /// let domain = Domain::open("mem://")?;
    /// let (mut subscriber, mut publisher) = (domain.subscriber("imu")?, domain.publisher("imu")?);
    /// publisher.publish(b"tilt 0.02")?;
    /// subscriber.receive(Until::Poll)?;
    /// let (bytes, skip) = subscriber.take_last();
    /// assert_eq!(&bytes[skip..], b"tilt 0.02");
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn take_last(&mut self) -> (Vec<u8>, usize) {
        self.meta.channel = None;
        (std::mem::take(&mut self.meta.buf), std::mem::take(&mut self.meta.skip))
    }
    /// Waits until something may be unseen: `true`; `false`: timed out.
    ///
    /// ```
    /// use saltus_domain::{Domain, Until};
    /// let domain = Domain::open("mem://")?;
    /// let (mut subscriber, mut publisher) = (domain.subscriber("imu")?, domain.publisher("imu")?);
    /// publisher.publish(b"tilt 0.02")?;
    /// assert!(subscriber.wait(Until::Forever)?);
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn wait(&mut self, until: impl Into<Until>) -> Result<bool> {
        match until.into().deadline() {
            Some(deadline) => self.backend.wait(deadline),
            None => Ok(self.backend.unseen()),
        }
    }

    /// Calls `f` for each message until it returns `false` or a wait is canceled; waits without a timeout.
    ///
    /// ```
    /// use saltus_domain::{Domain, Until};
    /// let domain = Domain::open("mem://")?;
    /// let (mut subscriber, mut publisher) = (domain.subscriber("imu")?, domain.publisher("imu")?);
    /// publisher.publish(b"tilt 0.02")?;
    /// subscriber.for_each(|message| message.data != b"tilt 0.02")?; // until it has arrived
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn for_each(&mut self, mut f: impl FnMut(Message<'_>) -> bool) -> Result<()> {
        loop {
            match self.receive(Until::Forever) {
                Ok(Some(message)) if !f(message) => return Ok(()),
                Ok(_) => {}
                Err(crate::Error::Canceled) => return Ok(()),
                Err(e) => return Err(e),
            }
        }
    }

    /// A descriptor for `poll`, `epoll` or an event loop: readable when there may be a message. Then receive with
    /// [`Until::Poll`] until nothing is left; that makes it unreadable until the next message.
    ///
    /// ```
    /// use saltus_domain::Domain;
    /// let domain = Domain::open("mem://")?;
    /// let (mut subscriber, mut publisher) = (domain.subscriber("imu")?, domain.publisher("imu")?);
    /// publisher.publish(b"tilt 0.02")?;
    /// use std::os::fd::AsRawFd;
    /// let for_my_event_loop = subscriber.fd()?.as_raw_fd();
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn fd(&mut self) -> Result<BorrowedFd<'_>> {
        // From here on, an event loop may wait on it without calling us first.
        let _ = self.backend.fd()?;
        self.backend.rest()?;
        self.backend.fd()
    }

    /// The handle that cancels waits, from another thread or a signal handler.
    ///
    /// ```
    /// use saltus_domain::{Domain, Error, Until};
    /// let mut subscriber = Domain::open("mem://")?.subscriber("imu")?;
    /// let cancel = subscriber.cancel_handle();
    /// std::thread::spawn(move || cancel.cancel());
    /// assert!(matches!(subscriber.receive(Until::Forever), Err(Error::Canceled)));
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn cancel_handle(&mut self) -> CancelHandle {
        self.backend.cancel_handle()
    }
    /// Whether waits are canceled.
    ///
    /// ```
    /// # use saltus_domain::Domain;
    /// let mut subscriber = Domain::open("mem://")?.subscriber("imu")?;
    /// subscriber.cancel_handle().cancel();
    /// assert!(subscriber.is_canceled());
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn is_canceled(&self) -> bool {
        self.backend.is_canceled()
    }
    /// Whether an unseen message has reached this process. Costs a few loads.
    ///
    /// ```
    /// use saltus_domain::Domain;
    /// let domain = Domain::open("mem://")?;
    /// let (mut subscriber, mut publisher) = (domain.subscriber("imu")?, domain.publisher("imu")?);
    /// publisher.publish(b"tilt 0.02")?;
    /// assert!(subscriber.has_unseen());
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn has_unseen(&mut self) -> bool {
        self.backend.unseen()
    }
    /// Joins channels created before this call; over shared memory it otherwise searches every 20 ms. Then what a process published
    /// before now, on any channel, is received by [`Until::Poll`]. One system call while no channel is created.
    ///
    /// ```
    /// use saltus_domain::{Domain, Options, Pattern, Until};
    /// let domain = Domain::open("mem://")?;
    /// let mut subscriber = domain.subscriber_with(Pattern::all(), Options::next(10))?;
    /// domain.publisher("imu")?.publish(b"tilt 0.02")?;
    /// subscriber.join_new_channels()?;
    /// assert!(subscriber.receive(Until::Poll)?.is_some());
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn join_new_channels(&mut self) -> Result<()> {
        self.backend.join_new()
    }
    /// Names of the channels joined so far.
    ///
    /// ```
    /// use saltus_domain::Domain;
    /// let domain = Domain::open("mem://")?;
    /// let (mut subscriber, mut publisher) = (domain.subscriber("imu")?, domain.publisher("imu")?);
    /// publisher.publish(b"tilt 0.02")?;
    /// assert_eq!(subscriber.channels().len(), 1);
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn channels(&mut self) -> Vec<Name> {
        self.backend.channels()
    }
    /// The descriptions of messages that publishers stored with `channel`, where that is supported (`shm://`). May
    /// block.
    ///
    /// ```
    /// use saltus_domain::Domain;
    /// let domain = Domain::open("mem://")?;
    /// let (mut subscriber, mut publisher) = (domain.subscriber("imu")?, domain.publisher("imu")?);
    /// publisher.publish(b"tilt 0.02")?;
    /// assert!(subscriber.descriptions(publisher.channel()).is_empty(), "mem:// has no place for them");
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn descriptions(&mut self, channel: &Name) -> Vec<Description> {
        self.backend.descriptions(channel)
    }
}

impl fmt::Debug for Subscriber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscriber").field("options", &self.options).finish_non_exhaustive()
    }
}
