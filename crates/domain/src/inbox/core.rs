//! The inbox: a transport, the thread that drains it, and the channels that store its messages.

use super::helper::{Helper, Work};
use super::intake::Intake;
use super::reported::Reported;
use super::store::{Interest, Store};
use crate::{Error, Losses, Result, Traits};
use saltus_channel::Name;
use saltus_os::clock;
use saltus_transport::{About, Arrival, Count, Delivery, Of, Sink, Transport};
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The in-memory side of a network domain: the background receiver thread and its state. Dropping the last handle
/// waits for the thread to exit; the transport is closed by then.
pub(crate) struct Inbox {
    /// Dropped before the other fields.
    helper: Mutex<Option<Helper>>,
    core: Arc<Core>,
}

impl Deref for Inbox {
    type Target = Core;
    fn deref(&self) -> &Core {
        &self.core
    }
}

/// The state shared with the background receiver thread.
pub(crate) struct Core {
    landing: Arc<Landing>,
    transport: Box<dyn Transport>,
    traits: Traits,
    /// Whether the transport delivers arriving messages by itself.
    delivers: bool,
    /// Counts how often subscribers drained the transport.
    looks: AtomicU64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner) // a panic in a transport leaves lanes whole
}

impl Inbox {
    /// An inbox whose messages take at most half of `memory` bytes.
    pub fn new(transport: Box<dyn Transport>, traits: &Traits, memory: u64) -> Arc<Inbox> {
        Inbox::with(transport, traits, Arc::new(Landing::new(memory, traits)), false)
    }
    /// An inbox for a transport that delivers arriving messages by itself.
    pub fn delivering(
        traits: &Traits,
        memory: u64,
        open: impl FnOnce(Arc<dyn Delivery>) -> Result<Box<dyn Transport>>,
    ) -> Result<Arc<Inbox>> {
        let landing = Arc::new(Landing::new(memory, traits));
        Ok(Inbox::with(open(landing.clone())?, traits, landing, true))
    }
    fn with(
        transport: Box<dyn Transport>,
        traits: &Traits,
        landing: Arc<Landing>,
        delivers: bool,
    ) -> Arc<Inbox> {
        let core = Core { landing, transport, traits: *traits, delivers, looks: AtomicU64::default() };
        Arc::new(Inbox { helper: Mutex::default(), core: Arc::new(core) })
    }

    /// Starts the background receiver thread, if the transport receives answers. Called before the first message is
    /// published.
    pub fn listen(&self) -> Result<()> {
        let mut helper = lock(&self.helper);
        if helper.is_none() && self.traits.answers {
            *helper = Some(Helper::start(&self.core, &self.transport.descriptors())?);
        }
        Ok(())
    }

    /// Joins a subscriber: subscribes on the transport, and starts the background receiver thread for the first
    /// one. Returns the losses so far.
    pub fn subscribe(&self, interest: &Arc<Interest>) -> Result<Reported> {
        self.transport.subscribe(&interest.pattern, interest.depth)?;
        let awake = self.keep_spinning(interest);
        if awake.is_err() {
            self.transport.unsubscribe(&interest.pattern);
        }
        awake?;
        let intake = lock(&self.landing.intake); // no message is stored between the two
        let losses = intake.with_refused(self.losses());
        let reported = Reported::new(losses, self.traits.losses == Losses::OfSenderOnChannel);
        self.store().subscribe(interest.clone());
        drop(intake);
        Ok(reported)
    }
    /// Ensures that arriving messages are received: by the subscriber while it waits, otherwise by the background
    /// receiver thread.
    fn keep_spinning(&self, interest: &Arc<Interest>) -> Result<()> {
        let mut helper = lock(&self.helper);
        let fds = self.transport.descriptors();
        fds.iter().try_for_each(|fd| interest.parker.epoll().add(fd.raw, fd.alone))?;
        match &*helper {
            // The thread is last in each queue: it is woken only when no subscriber waits there.
            Some(helper) => helper.requeue(&fds)?,
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
    pub fn drains(&self) -> bool {
        !self.delivers
    }
    pub fn transport(&self) -> &dyn Transport {
        &*self.transport
    }
    /// The losses so far, for each sender.
    fn losses(&self) -> Vec<(Of, Count)> {
        self.transport.abilities().reports_losses.map_or(Vec::new(), |reports| reports.losses())
    }

    /// Sends the message, and delivers it to subscribers in this process.
    pub fn publish(&self, name: &Name, payload: &[u8]) -> Result<()> {
        self.transport.publish(name, payload)?;
        if self.traits.returns_own || self.store().wanted(name).is_none() {
            return Ok(());
        }
        let now = clock::boottime();
        let sender = self.transport.sender(name);
        let about = About {
            published: now,
            arrived: now,
            sender: sender.unwrap_or(0),
            sequence: 0,
            lost: if sender.is_some() { 0 } else { About::UNKNOWN }, // as reported for all other senders
            count: 0,
        };
        let mut intake = lock(&self.landing.intake);
        intake.of(self.store()).take(Arrival { channel: name.as_bytes(), payload, about });
        intake.wake(self.store(), None);
        intake.fault()
    }

    pub fn unsubscribe(&self, interest: &Arc<Interest>) {
        self.store().unsubscribe(interest);
        self.transport.unsubscribe(&interest.pattern);
    }

    /// Receives the messages that have arrived and wakes their subscribers, except `own`, which checks anyway.
    ///
    /// If another thread is receiving: waits for it if `wait`, otherwise returns immediately.
    pub fn drain(&self, own: Option<&Arc<Interest>>, wait: bool) -> Result<()> {
        if !self.drains() {
            return Ok(());
        }
        let mut intake = match self.landing.intake.try_lock() {
            Ok(intake) => intake,
            Err(_) if wait => lock(&self.landing.intake),
            Err(_) => return Ok(()),
        };
        if own.is_some() {
            self.looks.fetch_add(1, Relaxed); // a count: nothing is published by it
        }
        let result = self.transport.receive(&mut intake.of(self.store()));
        intake.wake(self.store(), own);
        result.and(intake.fault())
    }

    /// Returns an error of a background thread, once.
    pub fn fault(&self) -> Result<()> {
        lock(&self.landing.fault).take().map_or(Ok(()), Err)
    }
    /// Whether there is such an error that was not returned yet.
    pub fn is_at_fault(&self) -> bool {
        lock(&self.landing.fault).is_some()
    }
}

impl Work for Core {
    fn receive_some(&self) -> Result<()> {
        self.drain(None, false)
    }
    fn looks(&self) -> u64 {
        self.looks.load(Relaxed)
    }
    fn fail(&self, error: Error) {
        self.landing.fail(error);
    }
}

/// Stores arriving messages.
struct Landing {
    store: Store,
    intake: Mutex<Intake>,
    /// An error that no subscriber was there to receive.
    fault: Mutex<Option<Error>>,
}

impl Landing {
    fn new(memory: u64, traits: &Traits) -> Landing {
        let intake = Intake::new(traits.losses == Losses::OfSenderOnChannel);
        Landing { store: Store::bounded(memory), intake: Mutex::new(intake), fault: Mutex::default() }
    }
}

impl Delivery for Landing {
    fn deliver(&self, deliver: &mut dyn FnMut(&mut dyn Sink)) {
        let mut intake = lock(&self.intake);
        deliver(&mut intake.of(&self.store));
        intake.wake(&self.store, None);
        let fault = intake.fault();
        drop(intake);
        if let Err(e) = fault {
            self.fail(e);
        }
    }

    fn fail(&self, error: Error) {
        *lock(&self.fault) = Some(error);
        for interest in self.store.interests() {
            interest.parker.wake(self.store.waiters());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pattern;
    use saltus_transport::{Abilities, Event, Fd};
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread::ThreadId;
    use std::time::Duration;
    use std::time::Instant;

    const LONG: Duration = Duration::from_secs(20);

    /// Has a message when its event is raised. Reports when it begins to deliver, and continues on request.
    struct Held {
        event: Arc<Event>,
        begun: Mutex<Sender<()>>,
        go: Mutex<Receiver<()>>,
        closed_by: Arc<Mutex<Option<ThreadId>>>,
    }

    impl Transport for Held {
        fn publish(&self, _: &Name, _: &[u8]) -> Result<()> {
            Ok(())
        }
        fn receive(&self, _: &mut dyn Sink) -> Result<()> {
            self.event.lower();
            let _ = lock(&self.begun).send(()); // no receiver at the end
            let _ = lock(&self.go).recv_timeout(LONG);
            Ok(())
        }
        fn descriptors(&self) -> Vec<Fd> {
            vec![Fd { raw: self.event.raw(), alone: true }]
        }
        fn subscribe(&self, _: &Pattern, _: u64) -> Result<()> {
            Ok(())
        }
        fn unsubscribe(&self, _: &Pattern) {}
        fn sender(&self, _: &Name) -> Option<u64> {
            None
        }
        fn abilities(&self) -> Abilities<'_> {
            Abilities::NONE
        }
    }
    impl Drop for Held {
        fn drop(&mut self) {
            *lock(&self.closed_by) = Some(std::thread::current().id());
        }
    }

    struct Ends {
        event: Arc<Event>,
        begun: Receiver<()>,
        go: Sender<()>,
        closed_by: Arc<Mutex<Option<ThreadId>>>,
    }

    fn inbox() -> (Arc<Inbox>, Ends) {
        let (event, closed_by) = (Arc::new(Event::new().unwrap()), Arc::default());
        let ((begun, begins), (go, goes)) = (channel(), channel());
        let (begun, goes) = (Mutex::new(begun), Mutex::new(goes));
        let link = Held { event: event.clone(), begun, go: goes, closed_by: Arc::clone(&closed_by) };
        let traits = Traits { answers: true, ..crate::Scheme::of("udpm://").unwrap().traits };
        let inbox = Inbox::new(Box::new(link), &traits, saltus_transport::Url::MEMORY);
        inbox.listen().unwrap();
        (inbox, Ends { event, begun: begins, go, closed_by })
    }

    #[test]
    fn dropping_the_last_handle_closes_the_transport_while_its_thread_receives() {
        let (inbox, ends) = inbox();
        ends.event.raise();
        ends.begun.recv_timeout(LONG).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(50)); // most likely it is being dropped now
                ends.go.send(())
            });
            drop(inbox);
        });
        assert_eq!(*lock(&ends.closed_by), Some(std::thread::current().id()));
    }

    #[test]
    fn a_forked_child_that_drops_what_it_inherited_does_not_end_its_parents_thread() {
        let (inbox, ends) = inbox();
        // SAFETY: the child uses inherited state, frees memory, which glibc allows in a child, and exits
        // immediately.
        let child = unsafe { libc::fork() };
        if child == 0 {
            drop(inbox);
            // SAFETY: exits this process.
            unsafe { libc::_exit(0) }
        }
        let (start, mut status) = (Instant::now(), -1);
        // SAFETY: our own child, and space for its status.
        while unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } == 0 {
            if start.elapsed() > LONG {
                // SAFETY: it was not waited for yet, so its process ID is still its own.
                unsafe { libc::kill(child, libc::SIGKILL) };
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(status, 0, "the child waits for a thread that it has not");
        ends.go.send(()).unwrap();
        ends.event.raise();
        ends.begun.recv_timeout(LONG).expect("the parent's thread receives");
        drop(inbox);
    }
}
