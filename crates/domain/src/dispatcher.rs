//! Callbacks: many subscribers, of one or several domains, in one thread.

use crate::{Error, Message, Result, Subscriber};
use saltus_channel::{CancelHandle, Until};
use saltus_os::cancel::Raised;
use saltus_os::clock;
use saltus_os::fd::{AsFd, AsRawFd, BorrowedFd};
use saltus_transport::{Epoll, Event};
use std::collections::VecDeque;

/// Identifies a subscription in its dispatcher. Never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(u64);

/// A callback's access to its dispatcher.
#[derive(Debug)]
pub struct Control {
    id: Id,
    gone: Vec<Id>,
    stop: bool,
}

impl Control {
    /// The subscription whose callback this is.
    pub fn id(&self) -> Id {
        self.id
    }
    /// Ends a subscription, this one or another: its callback is not called again.
    pub fn unsubscribe(&mut self, id: Id) {
        self.gone.push(id);
    }
    /// Lets [`Dispatcher::run`] and [`Dispatcher::handle`] return after this callback.
    pub fn stop(&mut self) {
        self.stop = true;
    }
}

type Callback<'f> = Box<dyn FnMut(Message<'_>, &mut Control) + Send + 'f>;

struct Subscription<'f> {
    id: Id,
    subscriber: Subscriber,
    callback: Callback<'f>,
}

/// Calls back for messages of many subscribers. Callbacks run in the thread that calls [`Dispatcher::handle`].
///
/// ```
/// use saltus_domain::{Dispatcher, Domain, Until};
/// let domain = Domain::open("mem://")?;
/// let mut dispatcher = Dispatcher::new()?;
/// dispatcher.on(domain.subscriber("imu")?, |message, control| {
///     assert_eq!(message.data, b"tilt 0.02");
///     control.stop();
/// })?;
/// domain.publisher("imu")?.publish(b"tilt 0.02")?;
/// dispatcher.run()?;
/// # Ok::<(), saltus_domain::Error>(())
/// ```
pub struct Dispatcher<'f> {
    subscriptions: Vec<Subscription<'f>>,
    epoll: Epoll,
    cancel: CancelHandle,
    next: u64,
    /// Errors not returned yet: each call returns one.
    failed: VecDeque<Error>,
}

impl<'f> Dispatcher<'f> {
    /// A dispatcher without subscriptions.
    ///
    /// ```
    /// # use saltus_domain::Dispatcher;
    /// assert!(Dispatcher::new()?.is_empty());
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn new() -> Result<Dispatcher<'f>> {
        let (epoll, event) = (Epoll::new()?, Event::new()?);
        epoll.add_event(event.raw())?;
        let cancel = event.cancel_handle(Raised::UntilReset);
        Ok(Dispatcher { subscriptions: Vec::new(), epoll, cancel, next: 1, failed: VecDeque::new() })
    }

    /// Calls `callback` for each message of `subscriber`, from now on.
    ///
    /// ```
    /// use saltus_domain::{Dispatcher, Domain};
    /// let domain = Domain::open("mem://")?;
    /// let mut dispatcher = Dispatcher::new()?;
    /// let id = dispatcher.on(domain.subscriber("imu")?, |message, _| println!("{:?}", message.data))?;
    /// assert!(dispatcher.unsubscribe(id));
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn on(
        &mut self,
        mut subscriber: Subscriber,
        callback: impl FnMut(Message<'_>, &mut Control) + Send + 'f,
    ) -> Result<Id> {
        self.epoll.add(subscriber.fd()?.as_raw_fd(), false)?;
        let id = Id(self.next);
        self.next += 1;
        self.subscriptions.push(Subscription { id, subscriber, callback: Box::new(callback) });
        Ok(id)
    }

    /// Ends a subscription. `false` if there is none with that ID. From inside a callback, use
    /// [`Control::unsubscribe`].
    ///
    /// ```
    /// use saltus_domain::{Dispatcher, Domain};
    /// let domain = Domain::open("mem://")?;
    /// let mut dispatcher = Dispatcher::new()?;
    /// let id = dispatcher.on(domain.subscriber("imu")?, |_, _| {})?;
    /// assert!(dispatcher.unsubscribe(id) && !dispatcher.unsubscribe(id));
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn unsubscribe(&mut self, id: Id) -> bool {
        let Some(at) = self.subscriptions.iter().position(|s| s.id == id) else { return false };
        let mut gone = self.subscriptions.remove(at);
        if let Ok(fd) = gone.subscriber.fd() {
            self.epoll.remove(fd.as_raw_fd());
        }
        true
    }

    /// Waits for messages and calls back for at most one message of each subscription. Returns the number of
    /// callbacks; 0: timed out, or canceled.
    ///
    /// ```
    /// use saltus_domain::{Dispatcher, Domain, Until};
    /// let domain = Domain::open("mem://")?;
    /// let mut dispatcher = Dispatcher::new()?;
    /// dispatcher.on(domain.subscriber("imu")?, |_, _| {})?;
    /// assert_eq!(dispatcher.handle(Until::Poll)?, 0);
    /// domain.publisher("imu")?.publish(b"tilt 0.02")?;
    /// assert_eq!(dispatcher.handle(Until::Forever)?, 1);
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first of the subscribers' errors, after a message of each subscription was handled. The next calls
    /// return the other errors of that cycle, one each, before they handle messages, including errors of
    /// subscriptions ended since. If a callback called [`Control::stop`], the call that stops returns first.
    pub fn handle(&mut self, until: impl Into<Until>) -> Result<usize> {
        let deadline = until.into().deadline();
        loop {
            let (handled, stop) = self.poll()?;
            if handled > 0 || stop || self.cancel.is_canceled() || self.is_empty() {
                return Ok(handled);
            }
            match deadline {
                Some(deadline) if clock::monotonic() < deadline => drop(self.epoll.wait(deadline)),
                _ => return Ok(0),
            }
        }
    }

    /// Handles messages until a callback calls [`Control::stop`], the [`CancelHandle`] is used, or no subscription
    /// is left: all were ended, or have reached the end of their log.
    ///
    /// ```
    /// use saltus_domain::{Dispatcher, Domain};
    /// let domain = Domain::open("mem://")?;
    /// let mut dispatcher = Dispatcher::new()?;
    /// dispatcher.on(domain.subscriber("imu")?, |_, control| control.stop())?;
    /// domain.publisher("imu")?.publish(b"tilt 0.02")?;
    /// dispatcher.run()?;
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Dispatcher::handle`]. After a stop, the next call may return errors that are left.
    pub fn run(&mut self) -> Result<()> {
        while !self.cancel.is_canceled() {
            let (handled, stop) = self.poll()?;
            if stop || self.is_empty() {
                return Ok(());
            }
            // A descriptor's readiness is updated only by a cycle that finds nothing.
            if handled == 0 && !self.cancel.is_canceled() {
                self.epoll.wait(u64::MAX);
            }
        }
        Ok(())
    }

    /// One cycle: one message of each subscription that has one. Returns their number, and whether a callback wants
    /// to stop.
    fn poll(&mut self) -> Result<(usize, bool)> {
        if let Some(left) = self.failed.pop_front() {
            return Err(left);
        }
        let (mut handled, mut gone, mut stop) = (0, Vec::new(), false);
        for Subscription { id, subscriber, callback } in &mut self.subscriptions {
            if gone.contains(id) {
                continue;
            }
            match subscriber.receive(Until::Poll) {
                Ok(None) => {}
                Ok(Some(message)) => {
                    let mut control = Control { id: *id, gone: std::mem::take(&mut gone), stop: false };
                    callback(message, &mut control);
                    (gone, handled) = (control.gone, handled + 1);
                    stop |= control.stop;
                    if control.stop {
                        break;
                    }
                }
                // An ended subscriber has no more messages, and would stay readable forever.
                Err(Error::Ended) => gone.push(*id),
                Err(e) => self.failed.push_back(e),
            }
        }
        for id in gone {
            self.unsubscribe(id);
        }
        match if stop { None } else { self.failed.pop_front() } {
            Some(e) => Err(e),
            None => Ok((handled, stop)),
        }
    }

    /// The handle that makes [`Dispatcher::run`] and [`Dispatcher::handle`] return, from another thread or a signal handler.
    ///
    /// ```
    /// use saltus_domain::{Dispatcher, Domain};
    /// let domain = Domain::open("mem://")?;
    /// let mut dispatcher = Dispatcher::new()?;
    /// dispatcher.on(domain.subscriber("imu")?, |_, _| {})?;
    /// let cancel = dispatcher.cancel_handle();
    /// std::thread::spawn(move || cancel.cancel());
    /// dispatcher.run()?;
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn cancel_handle(&self) -> CancelHandle {
        self.cancel.clone()
    }

    /// The number of subscriptions.
    ///
    /// ```
    /// use saltus_domain::{Dispatcher, Domain};
    /// let domain = Domain::open("mem://")?;
    /// let mut dispatcher = Dispatcher::new()?;
    /// dispatcher.on(domain.subscriber("imu")?, |_, _| {})?;
    /// assert_eq!(dispatcher.len(), 1);
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.subscriptions.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.subscriptions.is_empty()
    }
}

/// Readable when [`Dispatcher::handle`] may have work, for an existing event loop. After an error or a stop, call
/// `handle` until it returns 0: stored errors do not make the descriptor readable.
impl AsFd for Dispatcher<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }
}
