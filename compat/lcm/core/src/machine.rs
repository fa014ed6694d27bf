//! Channels of this machine or process: `shm://` and `mem://`. A thread moves messages into the queue as they are published.
//!
//! **Order.** LCM has one queue in the order of arrival, so a program that publishes on A and then on B is received in that order. Here
//! each channel has its own buffer. The thread therefore receives in rounds: it notes the time, joins new channels, receives from all, and
//! passes on what was published up to that time, sorted. What a process published before that was visible when the round began.
//!
//! **Changes.** A change of the subscriptions makes a new subscriber of Saltus. It starts before the old one ends, and what both receive
//! is passed on once.

use crate::pattern::Pattern;
use crate::queue::Message;
use crate::report::report;
use crate::shared::{Shared, wall_us};
use crate::source::Source;
use saltus_channel::Name;
use saltus_domain::{
    CancelHandle, Domain, Error, Options, Pattern as Filter, Publisher, Result, Start, Subscriber, Until,
};
use saltus_os::{clock, fork, process};
use std::collections::{HashMap, VecDeque, hash_map::Entry};
use std::os::fd::RawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Depths that are asked of channels that LCM's programs publish on, from the best: about what LCM keeps in its socket. A channel gets the
/// first one for which the domain has memory.
const DEPTHS: [u64; 3] = [512, 128, 32];
/// Unread messages of a channel that are kept for this process, if the channel has as many.
const MOST_UNREAD: u64 = 4096;
/// Patterns that are subscribed to as such. With more, all channels are, and messages without a subscription are skipped.
const MOST_PATTERNS: usize = 32;
/// Publishers that are kept open.
const MOST_PUBLISHERS: usize = 256;
/// Publishers whose last message is remembered.
const MOST_SEEN: usize = 4096;
/// Messages longer than this are not copied again.
const LONG: usize = 64 << 10;
const SECOND: u64 = 1_000_000_000;
/// Pause after an error, before the next try.
const PAUSE: u64 = 10_000_000;

/// A domain of this machine or process.
pub(crate) struct Machine {
    domain: Domain,
    shared: Arc<Shared>,
    publishers: Mutex<Publishers>,
    wanted: Mutex<Wanted>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner) // lists, whole between any two lines
}

impl Machine {
    pub fn open(url: &str, shared: Arc<Shared>) -> Result<Machine> {
        let domain = Domain::open(url)?;
        Ok(Machine { domain, shared, publishers: Mutex::default(), wanted: Mutex::default() })
    }

    /// A subscriber that only asks that channel `name` keeps enough messages.
    fn ask_for_depth(&self, name: &Filter, depth: u64) -> Option<Subscriber> {
        self.domain.shared_memory()?;
        // A channel that may not be replaced stays as it is.
        let mut asks = self.domain.subscriber_with(name.clone(), Options::next(depth)).ok()?;
        asks.channels().is_empty().then_some(asks)
    }
}

/// Publishers, and when each was last used.
#[derive(Default)]
struct Publishers {
    all: HashMap<Vec<u8>, (Publisher, u64)>,
    uses: u64,
}

impl Publishers {
    fn publish(&mut self, of: &Machine, channel: &[u8], data: &[u8]) -> Result<()> {
        self.uses += 1;
        if let Some((publisher, used)) = self.all.get_mut(channel) {
            *used = self.uses;
            return publisher.publish(data);
        }
        if self.all.len() >= MOST_PUBLISHERS {
            let oldest =
                self.all.iter().min_by_key(|(_, (_, used))| *used).map(|(channel, _)| channel.clone());
            oldest.and_then(|channel| self.all.remove(&channel));
        }
        let mut publisher = of.domain.publisher(channel)?;
        let asks: Vec<_> = match of.domain.shared_memory() {
            Some(directory) if directory.open_channel(channel).is_err() => {
                let name = Filter::name(channel)?;
                DEPTHS.iter().filter_map(|depth| of.ask_for_depth(&name, *depth)).collect()
            }
            _ => Vec::new(),
        };
        let published = publisher.publish(data); // the first message creates the channel, as deep as is asked
        drop(asks);
        self.all.insert(channel.into(), (publisher, self.uses));
        published
    }
}

/// The subscriptions, and the thread that receives for them.
#[derive(Default)]
struct Wanted {
    all: Vec<Want>,
    receiver: Option<Receiver>,
    /// Whether all channels are received.
    everything: bool,
}

/// A pattern.
struct Want {
    text: String,
    whole: String,
    filter: Filter,
    /// How many subscriptions have it.
    count: usize,
    /// Asks for the depth of a channel that does not exist yet.
    _asks: Option<Subscriber>,
}

impl Wanted {
    /// What matches all of them.
    fn filter(&self) -> Filter {
        match &self.all[..] {
            [one] => one.filter.clone(),
            all if all.len() > MOST_PATTERNS => Filter::all(),
            all => {
                let one = |want: &Want| match want.filter.exact() {
                    Some(_) => String::from_utf8(want.filter.expression()).unwrap_or_else(|_| ".*".into()),
                    None => want.whole.clone(),
                };
                let all: Vec<String> = all.iter().map(one).collect();
                Filter::regex(&all.join("|")).unwrap_or_else(|_| Filter::all())
            }
        }
    }

    /// Lets the thread receive what is wanted now.
    fn renew(&mut self, of: &Machine) -> Result<()> {
        if self.all.is_empty() {
            (self.receiver, self.everything) = (None, false);
            return Ok(());
        }
        if self.everything {
            return Ok(());
        }
        let options = Options::next(MOST_UNREAD).at_most().start(Start::Now);
        let subscriber = of.domain.subscriber_with(self.filter(), options)?;
        match &mut self.receiver {
            Some(receiver) => receiver.replace(subscriber),
            none => *none = Some(Receiver::start(&of.shared, subscriber)?),
        }
        self.everything = self.all.len() > MOST_PATTERNS;
        Ok(())
    }
}

impl Source for Machine {
    fn publish(&self, channel: &[u8], data: &[u8]) -> Result<()> {
        lock(&self.publishers).publish(self, channel, data)
    }

    fn subscribe(&self, pattern: &Pattern) -> Result<()> {
        let mut wanted = lock(&self.wanted);
        if let Some(same) = wanted.all.iter_mut().find(|want| want.text == pattern.text()) {
            same.count += 1;
            return Ok(());
        }
        let filter = pattern.filter(false);
        let asks = (filter.exact().is_some() && wanted.all.len() < MOST_PATTERNS)
            .then(|| self.ask_for_depth(&filter, DEPTHS[0]))
            .flatten();
        let (text, whole) = (pattern.text().into(), pattern.whole());
        wanted.all.push(Want { text, whole, filter, count: 1, _asks: asks });
        wanted.renew(self).inspect_err(|_| drop(wanted.all.pop()))
    }

    fn unsubscribe(&self, pattern: &Pattern) {
        let mut wanted = lock(&self.wanted);
        let Some(at) = wanted.all.iter().position(|want| want.text == pattern.text()) else { return };
        wanted.all[at].count -= 1;
        if wanted.all[at].count == 0 {
            wanted.all.remove(at);
            // On an error the old subscriber goes on: it receives too much, which is skipped.
            let _ = wanted.renew(self);
        }
    }

    fn fd(&self) -> Result<RawFd> {
        Ok(self.shared.fd())
    }
    fn pull(&self) -> Result<()> {
        Ok(())
    }
    fn ends_at_fork(&self) -> bool {
        true
    }
    fn is_pulled(&self) -> bool {
        false
    }
    fn receives(&self) -> bool {
        true
    }
}

/// The thread that receives.
struct Receiver {
    next: Arc<Mutex<Next>>,
    /// Ends a wait of the present subscriber.
    cancel: CancelHandle,
    thread: Option<JoinHandle<()>>,
    /// The process that has the thread: a forked child does not.
    generation: u64,
}

/// What the thread does when its wait is canceled.
#[derive(Default)]
struct Next {
    /// Takes these, one after the other. Each receives what the one before it may not.
    subscribers: VecDeque<Subscriber>,
    quit: bool,
}

impl Receiver {
    fn start(shared: &Arc<Shared>, mut subscriber: Subscriber) -> Result<Receiver> {
        let next = Arc::<Mutex<Next>>::default();
        let (cancel, generation) = (subscriber.cancel_handle(), fork::generation());
        let mut intake =
            Intake { shared: shared.clone(), held: Vec::new(), seen: HashMap::new(), changed: 0 };
        let theirs = next.clone();
        let thread = process::spawn("saltus-lcm", move || intake.run(subscriber, &theirs));
        let thread = thread.map_err(|e| Error::system("start the thread that receives", e))?;
        Ok(Receiver { next, cancel, thread: Some(thread), generation })
    }

    fn replace(&mut self, mut subscriber: Subscriber) {
        let before = std::mem::replace(&mut self.cancel, subscriber.cancel_handle());
        lock(&self.next).subscribers.push_back(subscriber);
        before.cancel();
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        if self.generation != fork::generation() {
            return std::mem::forget(self.thread.take()); // the parent's
        }
        lock(&self.next).quit = true;
        self.cancel.cancel();
        // Only a panic ends in an error, and that was printed.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The thread's state.
struct Intake {
    shared: Arc<Shared>,
    /// Messages published after their round began, with their times.
    held: Vec<(u64, Message)>,
    /// The last message of each publisher on a channel.
    seen: HashMap<(Name, u64), u64>,
    /// When the subscriber was replaced, in boot time; 0: it was not.
    changed: u64,
}

impl Intake {
    fn run(&mut self, mut subscriber: Subscriber, next: &Mutex<Next>) {
        let mut failed = String::new();
        loop {
            // One that was replaced may be canceled before it was ever waited on: that stays.
            let round = match self.held.is_empty() {
                true => subscriber.wait(Until::Forever).and_then(|_| self.round(&mut subscriber)),
                false => self.round(&mut subscriber),
            };
            let replaced = {
                let mut next = lock(next);
                if next.quit {
                    return;
                }
                next.subscribers.pop_front()
            };
            if let Some(new) = replaced {
                let _ = self.round(&mut subscriber); // what is left in it, up to now
                subscriber = new;
                self.changed = clock::boottime();
                continue;
            }
            match round {
                Ok(()) | Err(Error::Canceled) => {}
                Err(e) => {
                    let why = e.to_string();
                    if why != failed {
                        report(&why);
                        failed = why;
                    }
                    process::sleep_for(PAUSE);
                }
            }
        }
    }

    /// Passes on what was published before now.
    fn round(&mut self, subscriber: &mut Subscriber) -> Result<()> {
        let now = clock::boottime();
        let received = subscriber.join_new_channels().and_then(|()| self.receive(subscriber, now));
        self.held.sort_by_key(|(at, _)| *at); // stable: each publisher's order stays
        let due = self.held.partition_point(|(at, _)| *at <= now);
        self.held.drain(..due).for_each(|(_, message)| self.shared.arrive(message));
        received
    }

    /// Receives until there is nothing more, or something that was published after `now`.
    fn receive(&mut self, subscriber: &mut Subscriber, now: u64) -> Result<()> {
        while let Some(message) = subscriber.receive(Until::Poll)? {
            // A channel may have no times, or times of another clock.
            let at = message.published.filter(|at| *at < now + SECOND).unwrap_or(now);
            let (channel, len) = (message.channel.clone(), message.data.len());
            let number = message.sender.zip(message.sequence);
            let is_new =
                number.is_none_or(|(sender, sequence)| self.is_new(&channel, sender, sequence, at, now));
            if is_new && self.shared.wants(channel.as_bytes()) {
                let utime = wall_us(at);
                let own = if len < LONG {
                    Message::new(channel.as_bytes(), message.data, utime)
                } else {
                    let (mut data, skip) = subscriber.take_last();
                    data.drain(..skip);
                    Message { channel: channel.as_bytes().into(), data, utime }
                };
                self.held.push((at, own));
            }
            if at > now {
                break;
            }
        }
        Ok(())
    }

    /// Remembers a message. Returns whether the subscriber before this one has not received it.
    fn is_new(&mut self, channel: &Name, sender: u64, sequence: u64, at: u64, now: u64) -> bool {
        if self.seen.len() >= MOST_SEEN {
            self.seen.clear();
        }
        let may_be_old = self.changed > 0 && at <= self.changed && now < self.changed + SECOND;
        match self.seen.entry((channel.clone(), sender)) {
            Entry::Occupied(last) if may_be_old && sequence <= *last.get() => false,
            entry => {
                entry.insert_entry(sequence);
                true
            }
        }
    }
}
