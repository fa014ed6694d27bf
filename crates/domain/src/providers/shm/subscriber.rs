//! Receiving from shared-memory channels and from those that replace them.

use super::settings::Settings;
use crate::backend::{self, Meta, Place};
use crate::{Error, Missed, Options, Pattern, Result};
use saltus_channel::{
    CancelHandle, Channel, DepthWish, Description, DetachedView, MessageInfo, Name, Subscriber,
    SubscriberOptions, Until, View, wait_any,
};
use saltus_os::clock;
use saltus_os::fd::{AsFd, AsRawFd, BorrowedFd};
use saltus_ring::{Start, Which};
use saltus_transport::{Epoll, Timer};
use std::fs;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Interval between searches for new channels, in ns. A channel that receives more messages than it keeps within it
/// loses its first ones.
const CHECK_INTERVAL: u64 = 20_000_000;
/// A directory changed more recently than this may have changed again with the same time: file times advance in
/// steps of up to 10 ms.
const STEP: Duration = Duration::from_millis(100);
/// Interval between searches while a subscriber has no channel yet.
const FIRST_CHECK: u64 = 10_000_000;
/// Most channels that the kernel lets one thread wait on; with more, it polls.
const MOST_SLEPT_ON: usize = 120;
const MILLISECOND: u64 = 1_000_000;
/// Interval between checks of a channel that was left, in ns: at first, and after a while.
const LINGER: (u64, u64) = (10_000_000, 1_000_000_000);
/// Most channels of one name that were left and are still checked.
const MOST_LEFT: usize = 32;

/// Reads channels in shared memory.
pub(super) struct ShmSubscriber {
    settings: Arc<Settings>,
    pattern: Pattern,
    options: Options,
    /// In the order in which they were joined: a replacement comes after the channel that it replaces.
    readers: Vec<Joined>,
    /// When to search for new channels, monotonic ns.
    next_look: u64,
    /// The directory's time of last change when all its channels were joined.
    complete: Option<SystemTime>,
    /// The first search joins channels as `options` say; later ones join them from their beginning.
    first: bool,
    /// Requests the depth of a channel that does not exist yet.
    wish: Option<DepthWish>,
    /// A channel that is not deep enough and cannot be deepened: returned once.
    shallow: Option<Error>,
    cancel: CancelHandle,
    event_loop: Option<EventLoop>,
}

struct Joined {
    name: Name,
    subscriber: Subscriber,
    /// Given up for the depth limit, and not reported yet.
    limited: u64,
    /// Missed in the channels before it, and not reported yet.
    carried: u64,
    /// Of those missed, how many were reported.
    reported: u64,
    /// Set when another channel is read in its place. A publisher that was stopped during a publish may still
    /// complete it here.
    left: Option<Left>,
}

/// A channel that was left.
struct Left {
    /// The time of leaving, monotonic ns.
    since: u64,
    /// When to check whether its last publisher has exited.
    next_look: u64,
}

impl Joined {
    fn is_current(&self) -> bool {
        self.left.is_none()
    }
    /// Missed, and not reported yet.
    fn settle(&mut self) -> u64 {
        let missed = self.subscriber.missed().saturating_sub(self.reported);
        self.reported += missed;
        std::mem::take(&mut self.carried) + missed
    }
}

/// For event loops: the descriptors of all channels, and a timer for the next search.
struct EventLoop {
    epoll: Epoll,
    timer: Timer,
}

impl ShmSubscriber {
    pub fn new(settings: Arc<Settings>, pattern: Pattern, options: &Options) -> Result<ShmSubscriber> {
        let mut subscriber = ShmSubscriber {
            settings,
            pattern,
            options: *options,
            readers: Vec::new(),
            next_look: 0,
            complete: None,
            first: true,
            wish: None,
            shallow: None,
            cancel: CancelHandle::new(),
            event_loop: None,
        };
        if let (Some(name), Some(depth)) = (subscriber.pattern.exact(), subscriber.demanded()) {
            subscriber.settings.check_depth(name, depth)?;
        }
        subscriber.find_new_channels()?;
        if let Some(e) = subscriber.shallow.take() {
            return Err(e);
        }
        if let (Some(name), Some(depth), true) =
            (subscriber.pattern.exact(), subscriber.demanded(), subscriber.readers.is_empty())
        {
            // If the request cannot be left, the channel is deepened once it exists, or an error is returned.
            subscriber.wish = subscriber.settings.domain.wish_depth(name.as_bytes(), depth).ok();
        }
        subscriber.first = false;
        Ok(subscriber)
    }

    /// The depth required of a channel subscribed to by its name, if any.
    fn demanded(&self) -> Option<u64> {
        self.pattern.exact().and_then(|_| self.settings.demanded(&self.options))
    }
    /// The channels read now, without those that were left.
    fn current(&self) -> impl Iterator<Item = &Joined> {
        self.readers.iter().filter(|r| r.is_current())
    }
    fn has_left(&self) -> bool {
        self.readers.iter().any(|r| !r.is_current())
    }

    /// Joins new channels, if it is time to search.
    #[inline]
    fn find_new_channels(&mut self) -> Result<()> {
        // One channel by its name, which is joined: its end is reported, and no other can appear.
        if self.pattern.exact().is_some() && self.readers.last().is_some_and(Joined::is_current) {
            return Ok(());
        }
        let now = clock::monotonic();
        if now < self.next_look {
            return Ok(());
        }
        self.next_look = now + if self.pattern.exact().is_some() { FIRST_CHECK } else { CHECK_INTERVAL };
        match self.pattern.exact() {
            Some(name) => self.join(name.clone()).map(drop),
            None => self.join_all(),
        }
    }

    /// Looks for channels if it has none yet, no matter when it last looked: a message published before a call is found by it.
    fn check_if_alone(&mut self) -> Result<()> {
        if self.readers.is_empty() {
            self.next_look = 0;
        }
        self.find_new_channels()
    }

    /// Joins new channels. With many programs, the directory must not be listed each time: its time of change
    /// decides.
    fn join_all(&mut self) -> Result<()> {
        let changed =
            fs::metadata(self.settings.domain.path()).and_then(|directory| directory.modified()).ok();
        if changed.is_some() && changed == self.complete {
            return Ok(());
        }
        // Decided before the list is read: a later change alters a time that is old by then.
        let is_old = |at: &SystemTime| at.elapsed().is_ok_and(|age| age >= STEP);
        let changed = changed.filter(is_old);
        let mut complete = true;
        for name in self.settings.domain.list()? {
            if self.pattern.matches(name.as_bytes()) && !self.current().any(|r| r.name == name) {
                complete &= self.join(name)?;
            }
        }
        self.complete = changed.filter(|_| complete);
        Ok(())
    }

    /// Joins a channel. Returns whether it need not be tried again.
    fn join(&mut self, name: Name) -> Result<bool> {
        let channel = match self.settings.domain.open_channel(name.as_bytes()) {
            Ok(channel) => channel,
            Err(saltus_channel::Error::NotFound { .. }) => return Ok(false),
            // A channel that is unreadable or damaged must not affect the others.
            Err(_) if self.pattern.exact().is_none() => return Ok(false),
            Err(e) => return Err(e.into()),
        };
        if let Some(depth) = self.demanded()
            && let Err(e) = self.settings.deepen(&channel, depth)
        {
            self.shallow = Some(e);
        }
        self.wish = None;
        channel.forget_predecessors();
        // Messages published before it replaced another are read there, and then followed to here.
        let left = self.readers.iter().rfind(|r| r.name == name).map(|r| r.subscriber.channel().successor());
        let (start, from) = match (self.options.get_start(), left) {
            (_, Some(next)) => (Start::Beginning, next.ok()),
            (start @ (Start::Oldest | Start::Beginning), None) if self.first => {
                (start, channel.predecessors().next())
            }
            (Start::Newest, None) if self.first && channel.is_empty() => {
                (Start::Newest, channel.predecessors().rfind(|before| !before.is_empty()))
            }
            (start, None) if self.first => (start, None),
            _ => (Start::Beginning, channel.predecessors().next()),
        };
        self.read(name, &from.unwrap_or(channel), start)?;
        Ok(true)
    }

    fn read(&mut self, name: Name, channel: &Channel, start: Start) -> Result<()> {
        let mut subscriber = channel.subscriber_with(SubscriberOptions::new().start(start))?;
        if let Some(all) = &self.event_loop {
            all.epoll.add(subscriber.event_fd()?.as_raw_fd(), false)?;
        }
        self.readers.push(Joined { name, subscriber, limited: 0, carried: 0, reported: 0, left: None });
        Ok(())
    }

    /// The channel to receive from: the one with the oldest message, or the newest.
    fn best(&mut self, which: Which) -> Option<usize> {
        if self.readers.len() == 1 {
            return Some(0);
        }
        let mut best: Option<(u64, usize)> = None;
        // Replacements are checked first, so that messages published before the publisher moved on are then seen.
        for i in (0..self.readers.len()).rev() {
            let Some(timestamp) = self.readers[i].subscriber.peek(which) else { continue };
            if which == Which::Next {
                let precedes = |&(at, of): &(u64, usize)| {
                    timestamp <= at || self.readers[of].name == self.readers[i].name
                };
                if best.as_ref().is_none_or(precedes) {
                    best = Some((timestamp, i));
                }
            } else if let Some(later) = self.later_with_any(i, which) {
                self.skip_unreadable(i, later);
            } else if best.is_none_or(|(at, _)| timestamp >= at) {
                best = Some((timestamp, i));
            }
        }
        best.map(|(_, i)| i)
    }

    /// The replacement of channel `i`, or a later one, if it has a message for `which`.
    fn later_with_any(&mut self, i: usize, which: Which) -> Option<usize> {
        let is_one = |j: &usize| self.readers[*j].name == self.readers[i].name;
        let later: Vec<usize> = if self.readers[i].is_current() {
            Vec::new()
        } else {
            (i + 1..self.readers.len()).filter(is_one).collect()
        };
        // Messages in a replacement make those before it old.
        later.into_iter().find(|j| {
            let subscriber = &mut self.readers[*j].subscriber;
            subscriber.peek(which).is_some() || subscriber.received() > 0
        })
    }

    /// Gives up the unseen messages of channel `i`; channel `later` reports them.
    fn skip_unreadable(&mut self, i: usize, later: usize) {
        self.readers[i].subscriber.flush();
        let missed = self.readers[i].settle();
        self.readers[later].carried += missed;
    }

    /// Moves on from removed channels without unseen messages to their replacements. Returns whether there were
    /// any.
    #[cold]
    fn follow(&mut self) -> Result<bool> {
        let now = clock::monotonic();
        let mut any = false;
        for i in 0..self.readers.len() {
            let reader = &self.readers[i];
            let channel = reader.subscriber.channel();
            if !reader.is_current() || reader.subscriber.has_unseen() || !channel.is_retired() {
                continue;
            }
            any = true;
            let next = channel.successor();
            if let Some(all) = &self.event_loop {
                let fd = self.readers[i].subscriber.event_fd()?.as_raw_fd();
                all.epoll.remove(fd); // it stays high
            }
            self.readers[i].left = Some(Left { since: now, next_look: now + LINGER.0 });
            match next {
                Ok(next) => {
                    let name = self.readers[i].name.clone();
                    self.read(name, &next, Start::Beginning)?;
                }
                // It was removed, or is being replaced just now: searched for immediately, and again.
                Err(saltus_channel::Error::NotFound { .. }) => {
                    (self.next_look, self.first, self.complete) = (0, false, None);
                }
                Err(e) if self.pattern.exact().is_some() => return Err(e.into()),
                Err(_) => {}
            }
        }
        self.drop_finished(now);
        Ok(any)
    }

    /// Closes channels that were left and that no publisher has open any more.
    #[cold]
    fn drop_finished(&mut self, now: u64) {
        let mut i = 0;
        while i < self.readers.len() {
            let Some(left) = &mut self.readers[i].left else {
                i += 1;
                continue;
            };
            let since = now.saturating_sub(left.since);
            let due = now >= left.next_look;
            if due {
                left.next_look = now + (since / 4).clamp(LINGER.0, LINGER.1);
            }
            let reader = &self.readers[i];
            let of_name = |r: &&Joined| r.name == reader.name && !r.is_current();
            let crowded = self.readers.iter().filter(of_name).count() > MOST_LEFT;
            // Checked in this order, so that the last publisher's messages are seen.
            let finished =
                due && !reader.subscriber.channel().has_publishers() && !reader.subscriber.has_unseen();
            if !finished && !crowded {
                i += 1;
                continue;
            }
            let mut gone = self.readers.remove(i);
            gone.subscriber.flush();
            let missed = gone.settle();
            if let Some(heir) = self.readers.iter_mut().rfind(|r| r.name == gone.name) {
                heir.carried += missed;
            }
        }
    }

    /// Chooses a channel and receives from it, if there is any. `None`: there was no message after all.
    #[inline]
    fn ask<T>(
        &mut self,
        which: Which,
        mut take: impl FnMut(&mut Subscriber) -> saltus_channel::Result<Option<T>>,
    ) -> Result<Option<(usize, T)>> {
        loop {
            self.find_new_channels()?;
            if let Some(e) = self.shallow.take() {
                return Err(e);
            }
            if which == Which::Next {
                let depth = self.options.depth();
                self.readers.iter_mut().for_each(|r| r.limited += r.subscriber.limit(depth));
            }
            let Some(i) = self.best(which) else {
                if self.readers.len() > 1 && self.nothing_of_several()? {
                    continue;
                }
                return Ok(None);
            };
            match take(&mut self.readers[i].subscriber) {
                Ok(taken) => return Ok(taken.map(|taken| (i, taken))),
                Err(saltus_channel::Error::Overrun { .. }) => return Ok(None),
                Err(saltus_channel::Error::Retired { .. }) => {
                    if !self.follow()? {
                        return Ok(None);
                    }
                }
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// Several channels have nothing unseen: leaves those that have ended. Returns whether there were any.
    #[cold]
    fn nothing_of_several(&mut self) -> Result<bool> {
        if self.current().any(|r| r.subscriber.has_ended()) {
            return self.follow();
        }
        if self.has_left() {
            self.drop_finished(clock::monotonic());
        }
        Ok(false)
    }

    /// Sets the metadata of a message from channel `i`.
    #[inline]
    fn tell(&mut self, i: usize, sample: MessageInfo, which: Which, meta: &mut Meta) {
        let reader = &mut self.readers[i];
        let limited = std::mem::take(&mut reader.limited);
        let carried = std::mem::take(&mut reader.carried);
        reader.reported += sample.missed;
        let missed = sample.missed + carried;
        meta.skip = 0;
        meta.is_of(&reader.name, &self.pattern);
        meta.raw.set_published((sample.timestamp != 0).then_some(sample.timestamp));
        meta.raw.arrived_ns = sample.timestamp;
        meta.raw.set_sender(Some(sample.publisher.lease), Some(sample.seq));
        // A request for the newest gives up the messages of other channels.
        let given_up = if which == Which::Next { limited } else { missed };
        meta.raw.set_missed(Missed::Exact(missed.saturating_sub(given_up)), given_up);
    }

    /// Waits once, at most until `deadline`.
    fn sleep(&mut self, deadline: u64) -> Result<()> {
        let now = clock::monotonic();
        let (joined, exact) = (self.current().count(), self.pattern.exact().is_some());
        let mut slice = match joined {
            0 => deadline.min(now + FIRST_CHECK),
            n if n > MOST_SLEPT_ON => deadline.min(now + MILLISECOND),
            _ if exact => deadline,
            _ => deadline.min(self.next_look),
        };
        // A publish that completes in a channel that was left wakes nobody here.
        if let Some(next) = self.readers.iter().filter_map(|r| Some(r.left.as_ref()?.next_look)).min() {
            self.drop_finished(now);
            slice = slice.min(next.max(now + MILLISECOND));
        }
        if joined == 0 || joined > MOST_SLEPT_ON {
            saltus_os::process::sleep_until(slice);
            return Ok(());
        }
        let mut current = self.readers.iter_mut().filter(|r| r.is_current()).map(|r| &mut r.subscriber);
        let Some(first) = current.next() else { return Ok(()) };
        first.set_cancel_handle(&self.cancel);
        let woken = if joined == 1 {
            wait_any(&mut [first], Until::At(slice))
        } else {
            let mut many: Vec<&mut Subscriber> = std::iter::once(first).chain(current).collect();
            wait_any(&mut many, Until::At(slice))
        };
        match woken {
            Err(saltus_channel::Error::Retired { .. }) => drop(self.follow()?),
            other => drop(other?),
        }
        Ok(())
    }
}

impl backend::BackendSubscriber for ShmSubscriber {
    fn take(&mut self, which: Which, poll: bool, meta: &mut Meta) -> Result<bool> {
        if poll {
            self.check_if_alone()?;
        }
        let taken = self.ask(which, |s| s.receive_vec(which, Until::Poll, &mut meta.buf))?;
        let Some((i, sample)) = taken else { return Ok(false) };
        self.tell(i, sample, which, meta);
        Ok(true)
    }

    fn look(&mut self, which: Which, poll: bool, meta: &mut Meta) -> Result<Option<Place>> {
        if poll {
            self.check_if_alone()?;
        }
        meta.channel = None; // nothing is received yet
        let found = self.ask(which, |s| Ok(s.view(which, Until::Poll)?.map(View::detach)))?;
        Ok(found.map(|(_, view)| Place::Shared(view, which)))
    }

    fn validate(&mut self, view: &DetachedView, which: Which, meta: &mut Meta) -> Result<()> {
        let i = self.readers.iter().position(|r| r.subscriber.is_looking_at(view));
        let i = i.ok_or_else(|| Error::invalid("this view belongs to another subscriber"))?;
        let sample = self.readers[i].subscriber.validate(view)?;
        meta.buf.clear();
        self.tell(i, sample, which, meta);
        Ok(())
    }

    fn unseen(&mut self) -> bool {
        self.shallow.is_some() || self.readers.iter().any(|r| r.subscriber.has_unseen())
    }

    fn wait(&mut self, deadline: u64) -> Result<bool> {
        loop {
            self.find_new_channels()?;
            if self.unseen() {
                return Ok(true);
            }
            if self.cancel.is_canceled() {
                return Err(Error::Canceled);
            }
            if clock::monotonic() >= deadline {
                self.check_if_alone()?;
                return Ok(self.unseen());
            }
            self.sleep(deadline)?;
        }
    }

    fn fd(&mut self) -> Result<BorrowedFd<'_>> {
        if self.event_loop.is_none() {
            let (epoll, timer) = (Epoll::new()?, Timer::new()?);
            epoll.add(timer.raw(), false)?;
            for reader in self.readers.iter_mut().filter(|r| r.is_current()) {
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
        self.readers.iter_mut().filter(|r| r.is_current()).for_each(|r| r.subscriber.rearm_event_fd());
        let waits_for_more = self.pattern.exact().is_none() || self.readers.iter().all(|r| !r.is_current());
        let of_left = self.readers.iter().filter_map(|r| Some(r.left.as_ref()?.next_look)).min();
        let next = [waits_for_more.then_some(self.next_look), of_left];
        event_loop.timer.set(next.into_iter().flatten().min());
        Ok(())
    }

    fn cancel_handle(&mut self) -> CancelHandle {
        self.cancel.clone()
    }

    fn is_canceled(&self) -> bool {
        self.cancel.is_canceled()
    }

    fn join_new(&mut self) -> Result<()> {
        self.next_look = 0;
        self.find_new_channels()
    }

    fn channels(&mut self) -> Vec<Name> {
        self.current().map(|r| r.name.clone()).collect()
    }

    fn descriptions(&mut self, channel: &Name) -> Vec<Description> {
        let reader = self.readers.iter().rfind(|r| r.name == *channel);
        reader.and_then(|r| r.subscriber.channel().descriptions().ok()).unwrap_or_default()
    }
}
