//! A subscriber of an in-memory domain.

use super::core::Inbox;
use super::reader::Reader;
use super::reported::Reported;
use super::spin::{self, Spin};
use super::store::{Interest, Store};
use crate::backend::{self, Meta};
use crate::{Error, Missed, Options, Pattern, Result};
use saltus_channel::{CancelHandle, Description, Name};
use saltus_os::clock;
use saltus_os::fd::{AsFd, BorrowedFd};
use saltus_ring::{Start, Which};
use saltus_transport::{About, Ready};
use std::sync::Arc;

/// The source of a subscriber's messages.
pub(crate) enum Source {
    /// Publishers of this process only.
    Memory(Arc<Store>),
    /// A network.
    Network(Arc<Inbox>),
}

impl Source {
    fn store(&self) -> &Store {
        match self {
            Source::Memory(store) => store,
            Source::Network(inbox) => inbox.store(),
        }
    }
    fn drain(&self, own: &Arc<Interest>, wait: bool) -> Result<()> {
        match self {
            Source::Memory(_) => Ok(()),
            Source::Network(inbox) => inbox.drain(Some(own), wait),
        }
    }
    fn is_at_fault(&self) -> bool {
        matches!(self, Source::Network(inbox) if inbox.is_at_fault())
    }
}

/// The receiving side of in-memory channels.
pub(crate) struct InboxSubscriber {
    source: Source,
    interest: Arc<Interest>,
    readers: Vec<Reader>,
    /// The state of the list of channels that `readers` was made from; `None` before the first.
    generation: Option<u64>,
    start: Start,
    /// The losses of each sender that this subscriber has already reported.
    reported: Reported,
    spin: Spin,
}

impl InboxSubscriber {
    pub fn new(source: Source, pattern: Pattern, options: &Options) -> Result<InboxSubscriber> {
        let interest = Arc::new(Interest::new(pattern, options.depth())?);
        let reported = match &source {
            Source::Memory(store) => {
                store.subscribe(interest.clone());
                Reported::default()
            }
            Source::Network(inbox) => inbox.subscribe(&interest)?,
        };
        let mut subscriber = InboxSubscriber {
            source,
            interest,
            readers: Vec::new(),
            generation: None,
            start: options.get_start(),
            reported: if options.get_start() == Start::Beginning { reported.before_all() } else { reported },
            spin: Spin::new(),
        };
        subscriber.look(); // it joins now, not at the first receive
        Ok(subscriber)
    }

    /// Joins new channels, and leaves removed ones.
    #[inline]
    fn look(&mut self) {
        let generation = Some(self.source.store().generation());
        if generation != self.generation {
            self.join();
            self.generation = generation;
        }
    }

    #[cold]
    fn join(&mut self) {
        // A channel newer than this subscriber is unseen from its beginning.
        let start = if self.generation.is_none() { self.start } else { Start::Beginning };
        for channel in self.source.store().matching(&self.interest.pattern) {
            match self.readers.iter_mut().find(|r| r.name() == channel.name()) {
                Some(reader) if reader.reads(&channel) => {}
                // It was removed while it had no subscriber, and was created again.
                Some(reader) => *reader = Reader::new(channel, Start::Beginning),
                None => self.readers.push(Reader::new(channel, start)),
            }
        }
    }

    /// The reader to receive from: the one with the oldest message, or the newest.
    fn best(&mut self, which: Which) -> Option<usize> {
        if self.readers.len() == 1 {
            return Some(0);
        }
        let timestamps = self.readers.iter_mut().enumerate().filter_map(|(i, r)| Some((r.peek(which)?, i)));
        match which {
            Which::Next => timestamps.min().map(|(_, i)| i),
            Which::Newest | Which::Current => timestamps.max().map(|(_, i)| i),
        }
    }

    fn take_one(&mut self, which: Which, meta: &mut Meta) -> bool {
        self.look();
        if which == Which::Next {
            self.readers.iter_mut().for_each(|reader| reader.limit(self.interest.depth));
        }
        let Some(i) = self.best(which) else { return false };
        let reader = &mut self.readers[i];
        let Some(taken) = reader.take(which, &mut meta.buf) else { return false };
        let about = taken.about;
        meta.skip = About::SIZE;
        meta.is_of(reader.name(), &self.interest.pattern);
        meta.raw.set_published((about.published != 0).then_some(about.published));
        meta.raw.arrived_ns = about.arrived;
        let is_known = about.sender != 0;
        meta.raw.set_sender(is_known.then_some(about.sender), is_known.then_some(about.sequence));
        let (missed, dropped) = match &self.source {
            // A request for the newest gives up the messages of other channels.
            Source::Memory(_) if which != Which::Next => {
                (Missed::Exact(0), taken.overwritten + taken.limited)
            }
            Source::Memory(_) => (Missed::Exact(taken.overwritten), taken.limited),
            Source::Network(_) => {
                let lost = self.reported.lost(&about, reader.name());
                let missed = lost.map_or(Missed::Unknown, Missed::OfSender);
                (missed, taken.overwritten + taken.limited)
            }
        };
        meta.raw.set_missed(missed, dropped);
        true
    }

    /// Busy-waits briefly, if messages have lately arrived so densely that it pays. Returns whether there is one.
    fn spin(&mut self, deadline: u64) -> Result<bool> {
        let drains = matches!(&self.source, Source::Network(inbox) if inbox.drains());
        if !drains || !self.spin.is_due() {
            return Ok(false);
        }
        let until = deadline.min(clock::monotonic() + spin::CHECK_INTERVAL);
        while clock::monotonic() < until {
            self.source.drain(&self.interest, true)?;
            if backend::BackendSubscriber::unseen(self) {
                self.spin.found();
                return Ok(true);
            }
        }
        self.spin.in_vain();
        Ok(false)
    }

    fn check(&self) -> Result<()> {
        match &self.source {
            Source::Memory(_) => Ok(()),
            Source::Network(inbox) => inbox.fault(),
        }
    }
}

impl backend::BackendSubscriber for InboxSubscriber {
    fn take(&mut self, which: Which, poll: bool, meta: &mut Meta) -> Result<bool> {
        // A message newer than the newest here may be in the socket, or in the background receiver thread.
        if which != Which::Next && (poll || self.unseen()) {
            self.source.drain(&self.interest, true)?;
        }
        if self.take_one(which, meta) {
            return Ok(true);
        }
        if which == Which::Next && poll {
            self.source.drain(&self.interest, false)?;
            if self.take_one(which, meta) {
                return Ok(true);
            }
        }
        self.check()?;
        Ok(false)
    }

    fn unseen(&mut self) -> bool {
        self.look();
        self.readers.iter_mut().any(Reader::unseen)
    }

    fn wait(&mut self, deadline: u64) -> Result<bool> {
        loop {
            if self.interest.parker.is_canceled() {
                return Err(Error::Canceled);
            }
            if self.spin(deadline)? {
                return Ok(true);
            }
            self.interest.parker.arm(self.source.store().waiters());
            // A message or error that arrived before it armed has woken nobody.
            let awake = self.unseen() || self.source.is_at_fault();
            let ready = if awake { Ready::default() } else { self.interest.parker.sleep(deadline) };
            self.interest.parker.disarm(self.source.store().waiters());
            if ready.other {
                self.source.drain(&self.interest, true)?;
            }
            if self.unseen() {
                return Ok(true);
            }
            self.check()?;
            if clock::monotonic() >= deadline {
                return Ok(false);
            }
        }
    }

    fn fd(&mut self) -> Result<BorrowedFd<'_>> {
        Ok(self.interest.parker.epoll().as_fd())
    }

    fn rest(&mut self) -> Result<()> {
        self.interest.parker.lower();
        self.interest.parker.arm(self.source.store().waiters());
        if self.unseen() || self.source.is_at_fault() {
            self.interest.parker.wake(self.source.store().waiters());
        }
        Ok(())
    }

    fn cancel_handle(&mut self) -> CancelHandle {
        self.interest.parker.cancel_handle().clone()
    }

    fn is_canceled(&self) -> bool {
        self.interest.parker.is_canceled()
    }

    fn descriptions(&mut self, channel: &Name) -> Vec<Description> {
        match &self.source {
            Source::Memory(_) => Vec::new(),
            Source::Network(inbox) => {
                inbox.transport().abilities().describes.map_or(Vec::new(), |it| it.descriptions(channel))
            }
        }
    }

    fn channels(&mut self) -> Vec<Name> {
        self.look();
        self.readers.iter().map(|r| r.name().clone()).collect()
    }
}

impl Drop for InboxSubscriber {
    fn drop(&mut self) {
        match &self.source {
            Source::Memory(store) => store.unsubscribe(&self.interest),
            Source::Network(inbox) => inbox.unsubscribe(&self.interest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::helper::Work as _;
    use super::*;
    use crate::backend::BackendSubscriber as _;
    use saltus_transport::{Abilities, Fd, Sink, Transport};

    /// A network without traffic.
    struct Silent;
    impl Transport for Silent {
        fn publish(&self, _: &Name, _: &[u8]) -> Result<()> {
            Ok(())
        }
        fn subscribe(&self, _: &Pattern, _: u64) -> Result<()> {
            Ok(())
        }
        fn unsubscribe(&self, _: &Pattern) {}
        fn receive(&self, _: &mut dyn Sink) -> Result<()> {
            Ok(())
        }
        fn descriptors(&self) -> Vec<Fd> {
            Vec::new()
        }
        fn sender(&self, _: &Name) -> Option<u64> {
            None
        }
        fn abilities(&self) -> Abilities<'_> {
            Abilities::NONE
        }
    }

    /// The background receiver thread may report an error between a subscriber's last check and its wait.
    #[test]
    fn an_error_just_before_a_sleep_ends_it() {
        let inbox = Inbox::new(
            Box::new(Silent),
            &crate::Scheme::of("udpm://").unwrap().traits,
            saltus_transport::Url::MEMORY,
        );
        let source = Source::Network(inbox.clone());
        let mut subscriber = InboxSubscriber::new(source, Pattern::all(), &Options::newest()).unwrap();
        let deadline = clock::monotonic() + 20_000_000_000;
        inbox.fail(Error::unsupported("this"));
        assert!(subscriber.wait(deadline).is_err() && clock::monotonic() < deadline);
        inbox.fail(Error::unsupported("this"));
        subscriber.rest().unwrap();
        assert!(subscriber.interest.parker.sleep(deadline).event, "an event loop is notified too");
        assert!(subscriber.take(Which::Next, true, &mut Meta::default()).is_err());
    }
}
