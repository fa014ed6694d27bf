//! Where messages of a network land: in-memory channels, read like those in shared memory.
//!
//! ```text
//! socket ──drain──► Intake ──► Channel ─ Lane ─ … ◄── Reader ◄── Inlet (a subscriber)
//!                     │           the ring of `saltus-ring`         │
//!                     └── whoever waits drains the socket itself; the helper thread only while nobody waits
//! ```
//!
//! A library that receives on threads of its own puts what comes into its [`Landing`] at once; nobody drains then.
//!
//! A slow subscriber never blocks a socket, since messages are taken in without it, and it loses old messages rather
//! than new ones. Each channel is held once, however many subscribers it has in this process.

pub(crate) mod about;
pub(crate) mod channel;
mod helper;
pub(crate) mod inlet;
mod intake;
mod lane;
pub(crate) mod losses;
mod parker;
mod reader;
pub(crate) mod recent;
mod spin;
pub(crate) mod stamp;
pub(crate) mod store;

use crate::{Error, Pattern, Result};
pub(crate) use about::About;
use helper::Helper;
use intake::Intake;
use losses::{Count, Of, Told};
use saltus_channel::{Description, Name};
use saltus_os::clock;
use std::ops::Deref;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{Interest, Store};

/// A network, as an inbox sees it.
pub(crate) trait Link: Send + Sync {
    /// Somebody is about to publish on `name`: what takes others time to find may be made now. `what` says what the
    /// messages are, if that is known.
    fn announce(&self, _name: &Name, _what: Option<&Description>) -> Result<()> {
        Ok(())
    }
    /// Sends. May be called by several threads at once.
    fn publish(&self, name: &Name, payload: &[u8]) -> Result<()>;
    /// The number of this process as a sender, as [`About::sender`] has it, if the transport has one.
    fn sender(&self) -> Option<u64> {
        None
    }
    /// The same for what it publishes on one channel, where that is another number.
    fn sender_of(&self, _name: &Name) -> Option<u64> {
        self.sender()
    }
    /// What is lost of each sender that was heard by now: who subscribes now is not told of it.
    fn losses(&self) -> Vec<(Of, Count)> {
        Vec::new()
    }
    /// Whether a sender's messages are numbered on each channel by itself.
    fn numbers_each_channel(&self) -> bool {
        false
    }
    /// What is known of a channel's messages that come.
    fn descriptions(&self, _name: &Name) -> Vec<Description> {
        Vec::new()
    }
    /// Somebody subscribes to messages of this type.
    fn learn(&self, _what: &Description) {}
    /// Whether what is published here comes back over the network to those in this process who want it. If not, they get
    /// it at once, and what comes back is passed over by [`Link::drain`].
    fn comes_back(&self) -> bool {
        true
    }
    /// Whether others must be listened to even by those who only publish.
    fn listens_always(&self) -> bool {
        false
    }
    /// Takes in what has come, without waiting for more. Called by one thread at a time.
    fn drain(&self, _sink: &mut dyn Sink) -> Result<()> {
        Ok(())
    }
    /// What becomes readable when something has come; none for one that never receives, or on threads of its own. Asked
    /// after each [`Link::subscribe`].
    fn fds(&self) -> Vec<Fd> {
        Vec::new()
    }
    /// The next who subscribes wants `depth` messages kept.
    fn deepen(&self, _depth: u64) -> Result<()> {
        Ok(())
    }
    /// Somebody wants what `pattern` names, from now on.
    fn subscribe(&self, _pattern: &Pattern) -> Result<()> {
        Ok(())
    }
    /// One of those who wanted what `pattern` names wants it no more.
    fn unsubscribe(&self, _pattern: &Pattern) {}
}

/// Who takes what a link has received.
pub(crate) trait Sink {
    /// Whether anybody wants messages of this channel.
    fn wants(&mut self, channel: &[u8]) -> bool;
    /// Takes a message; one that nobody wants is passed over.
    fn take(&mut self, arrival: Arrival<'_>);
}

/// A descriptor to wait for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fd {
    pub raw: RawFd,
    /// Whether one of those who wait can be woken alone, as by a socket, an event or a timer; an `epoll` wakes all.
    pub alone: bool,
}

/// A message that has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival<'a> {
    pub channel: &'a [u8],
    pub payload: &'a [u8],
    pub about: About,
}

/// The in-memory side of a network domain: the thread that takes messages in, and what it does that with. Who drops the last
/// handle waits for the end of the thread, and has closed the link himself when that is done.
pub(crate) struct Inbox {
    /// It goes before the rest.
    helper: Mutex<Option<Helper>>,
    core: Arc<Core>,
}

impl Deref for Inbox {
    type Target = Core;
    fn deref(&self) -> &Core {
        &self.core
    }
}

/// What the helper thread has too.
pub(crate) struct Core {
    landing: Arc<Landing>,
    link: Box<dyn Link>,
    /// Whether the link puts what comes into the landing by itself.
    lands: bool,
    /// How often subscribers took in what had come.
    looks: AtomicU64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner) // a link's panic leaves lanes whole
}

impl Inbox {
    pub fn new(link: Box<dyn Link>) -> Arc<Inbox> {
        Inbox::with(link, Arc::default(), false)
    }
    /// Of a link that puts what comes into `landing` by itself.
    #[cfg(feature = "zenoh")]
    pub fn landing(link: Box<dyn Link>, landing: Arc<Landing>) -> Arc<Inbox> {
        Inbox::with(link, landing, true)
    }
    fn with(link: Box<dyn Link>, landing: Arc<Landing>, lands: bool) -> Arc<Inbox> {
        let core = Core { landing, link, lands, looks: AtomicU64::default() };
        Arc::new(Inbox { helper: Mutex::default(), core: Arc::new(core) })
    }

    /// Lets the helper thread run, if there is something to receive. Called before the first message is published.
    pub fn listen(&self) -> Result<()> {
        let mut helper = lock(&self.helper);
        if helper.is_none() && self.link.listens_always() {
            *helper = Some(Helper::start(&self.core, &self.link.fds())?);
        }
        Ok(())
    }

    /// Joins a subscriber: the link is told, and the helper thread runs from the first one on. Returns what is lost so far.
    fn subscribe(&self, interest: &Arc<Interest>) -> Result<Told> {
        self.link.deepen(interest.depth)?;
        self.link.subscribe(&interest.pattern)?;
        let awake = self.stay_awake(interest);
        if awake.is_err() {
            self.link.unsubscribe(&interest.pattern);
        }
        awake?;
        let intake = lock(&self.landing.intake); // nothing is taken in between the two
        let told = Told::new(self.link.losses(), self.link.numbers_each_channel());
        self.store().subscribe(interest.clone());
        drop(intake);
        Ok(told)
    }
    /// Sees to it that somebody takes in what comes: the subscriber while it waits, else the helper thread.
    fn stay_awake(&self, interest: &Arc<Interest>) -> Result<()> {
        let mut helper = lock(&self.helper);
        let fds = self.link.fds();
        fds.iter().try_for_each(|fd| interest.parker.epoll().add(fd.raw, fd.alone))?;
        match &*helper {
            // The helper comes last in each queue: it is woken only when nobody else sleeps there.
            Some(helper) => helper.queue_anew(&fds)?,
            None if fds.is_empty() => {}
            None => *helper = Some(Helper::start(&self.core, &fds)?),
        }
        Ok(())
    }
}

impl Core {
    pub fn store(&self) -> &Store {
        &self.landing.store
    }
    /// Whether there is something to drain.
    fn drains(&self) -> bool {
        !self.lands
    }
    pub fn link(&self) -> &dyn Link {
        &*self.link
    }

    /// Sends, and gives it to those in this process who want it.
    pub fn publish(&self, name: &Name, payload: &[u8]) -> Result<()> {
        self.link.publish(name, payload)?;
        if self.link.comes_back() || self.store().wanted(name).is_none() {
            return Ok(());
        }
        let now = clock::boottime();
        let sender = self.link.sender_of(name);
        let about = About {
            published: now,
            arrived: now,
            sender: sender.unwrap_or(0),
            sequence: 0,
            lost: if sender.is_some() { 0 } else { About::UNKNOWN }, // as it is told of all others
            count: 0,
        };
        let mut intake = lock(&self.landing.intake);
        intake.of(self.store()).take(Arrival { channel: name.as_bytes(), payload, about });
        intake.wake(self.store(), None);
        intake.fault()
    }

    fn unsubscribe(&self, interest: &Arc<Interest>) {
        self.store().unsubscribe(interest);
        self.link.unsubscribe(&interest.pattern);
    }

    /// Takes in what has come and wakes those whom it concerns, but for `own`, who looks anyway.
    ///
    /// If another thread is about it: waits for it to end with `wait`, else returns at once.
    fn drain(&self, own: Option<&Arc<Interest>>, wait: bool) -> Result<()> {
        if !self.drains() {
            return Ok(());
        }
        let mut intake = match self.landing.intake.try_lock() {
            Ok(intake) => intake,
            Err(_) if wait => lock(&self.landing.intake),
            Err(_) => return Ok(()),
        };
        if own.is_some() {
            self.looks.fetch_add(1, Relaxed); // counts: nothing is published by it
        }
        let result = self.link.drain(&mut intake.of(self.store()));
        intake.wake(self.store(), own);
        result.and(intake.fault())
    }

    /// How often subscribers took in what had come.
    fn looks(&self) -> u64 {
        self.looks.load(Relaxed)
    }

    /// What went wrong behind the subscribers' backs, once.
    fn fault(&self) -> Result<()> {
        lock(&self.landing.fault).take().map_or(Ok(()), Err)
    }
    /// Whether anything did, and nobody was told yet.
    fn is_at_fault(&self) -> bool {
        lock(&self.landing.fault).is_some()
    }
    fn set_fault(&self, error: Error) {
        self.landing.set_fault(error);
    }
}

/// Where messages land.
#[derive(Default)]
pub(crate) struct Landing {
    store: Store,
    intake: Mutex<Intake>,
    /// What went wrong while nobody was there to be told.
    fault: Mutex<Option<Error>>,
}

impl Landing {
    /// Takes in what `deliver` gives the sink, and wakes those whom it concerns. Waits for no subscriber: at most for
    /// another thread that delivers.
    #[cfg(feature = "zenoh")]
    pub fn land(&self, deliver: impl FnOnce(&mut dyn Sink)) {
        let mut intake = lock(&self.intake);
        deliver(&mut intake.of(&self.store));
        intake.wake(&self.store, None);
        let fault = intake.fault();
        drop(intake);
        if let Err(e) = fault {
            self.set_fault(e);
        }
    }

    pub fn set_fault(&self, error: Error) {
        *lock(&self.fault) = Some(error);
        for interest in self.store.interests() {
            interest.parker.wake(self.store.sleepers());
        }
    }
}
