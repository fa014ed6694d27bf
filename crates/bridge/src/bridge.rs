//! The [`Bridge`], which carries messages along its routes.

use crate::Route;
use crate::echo::Own;
use crate::pace::Pace;
use saltus_domain::{
    CancelHandle, Domain, Error, Name, Publisher, Result, Subscriber, Unread, UnreadFinder, Until, wait_any,
};
use saltus_os::clock;
use std::collections::{BTreeMap, HashMap};
use std::ops::Add;

/// Interval between checks for descriptions of a channel's messages, in ns.
const CHECK_INTERVAL: u64 = 1_000_000_000;

/// Most channels on the other side of a route. A network may invent any number of names, and each takes memory
/// there.
const CHANNELS: usize = 4096;

/// Counts of messages, over all routes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages received.
    pub received: u64,
    /// Messages published on the other side.
    pub carried: u64,
    /// The bridge's own messages, which returned and were not carried again; and, within one domain, messages whose
    /// name stays the same.
    pub own: u64,
    /// Not carried, because a newer message of the channel replaced it (the rate limit).
    pub passed: u64,
    /// Dropped here because the bridge was slow.
    pub dropped: u64,
    /// Missed before they reached the bridge, as far as transports reveal it.
    pub missed: u64,
    /// Messages without a count of those missed before them.
    pub untold: u64,
    /// Refused by the other side: too long for its channel or its network. [`Bridge::trouble`] returns the reason.
    pub refused: u64,
}

/// Carries messages along its [`Route`]s, in the thread that calls [`Bridge::step`].
#[derive(Debug, Default)]
pub struct Bridge {
    lanes: Vec<Lane>,
    /// The messages that the bridge has published in each of its domains.
    own: Vec<(Domain, Own)>,
}

/// One route with its state.
#[derive(Debug)]
struct Lane {
    route: Route,
    subscriber: Subscriber,
    targets: HashMap<Name, Target>,
    /// Index of its two domains in [`Bridge::own`].
    behind: usize,
    ahead: usize,
    /// Whether another route receives where this one publishes.
    returns: bool,
    counts: Counts,
    trouble: Option<Error>,
    /// Finds channels that the subscriber skips.
    finder: UnreadFinder,
    /// These channels, and why they are skipped.
    unread: BTreeMap<Option<Name>, String>,
}

/// A channel on the other side.
#[derive(Debug)]
struct Target {
    publisher: Publisher,
    pace: Pace,
    /// Descriptions that were passed on.
    described: usize,
    /// When to check for more of them, monotonic ns.
    next_look: u64,
}

impl Add for Counts {
    type Output = Counts;
    fn add(self, other: Counts) -> Counts {
        Counts {
            received: self.received + other.received,
            carried: self.carried + other.carried,
            own: self.own + other.own,
            passed: self.passed + other.passed,
            dropped: self.dropped + other.dropped,
            missed: self.missed.saturating_add(other.missed),
            untold: self.untold + other.untold,
            refused: self.refused + other.refused,
        }
    }
}

impl Counts {
    /// The number missed, if the transport reported it for any message.
    pub fn missed(&self) -> Option<u64> {
        (self.received > self.untold).then_some(self.missed)
    }
}

impl Bridge {
    /// A bridge without routes.
    pub fn new() -> Bridge {
        Bridge::default()
    }

    /// Adds a route. For both directions, add both routes with the same two domains.
    pub fn add(&mut self, route: Route) -> Result<()> {
        let finder = UnreadFinder::new(&route.from);
        let subscriber = route.from.subscriber_with(route.channels.clone(), route.options)?;
        let (behind, ahead) = (self.place_of(&route.from), self.place_of(&route.to));
        let (targets, counts) = (HashMap::new(), Counts::default());
        let (returns, trouble, unread) = (false, None, BTreeMap::new());
        let lane =
            Lane { route, subscriber, targets, behind, ahead, returns, counts, trouble, finder, unread };
        self.lanes.push(lane);
        let behind: Vec<usize> = self.lanes.iter().map(|lane| lane.behind).collect();
        self.lanes.iter_mut().for_each(|lane| lane.returns = behind.contains(&lane.ahead));
        Ok(())
    }

    fn place_of(&mut self, domain: &Domain) -> usize {
        let known = self.own.iter().position(|(known, _)| known.is(domain));
        known.unwrap_or_else(|| {
            self.own.push((domain.clone(), Own::default()));
            self.own.len() - 1
        })
    }

    /// Waits until there is something to carry, then carries a message of each route that has one, and messages
    /// whose rate limit has expired. Returns how many messages were received.
    ///
    /// # Errors
    /// Errors that end a subscriber, such as [`Error::Canceled`] and [`Error::Ended`]. Messages that a publisher
    /// refuses are counted instead, and [`Bridge::trouble`] returns the reason.
    pub fn step(&mut self, until: impl Into<Until>) -> Result<usize> {
        let came = self.turn()?;
        let Some(end) = until.into().deadline() else { return Ok(came) };
        if came > 0 {
            return Ok(came);
        }
        let due = self.lanes.iter().flat_map(|lane| lane.targets.values()).filter_map(|t| t.pace.due()).min();
        let until = Until::At(end.min(due.unwrap_or(u64::MAX)));
        match &mut self.lanes[..] {
            [lane] => drop(lane.subscriber.wait(until)?),
            lanes => {
                let mut all: Vec<&mut Subscriber> =
                    lanes.iter_mut().map(|lane| &mut lane.subscriber).collect();
                wait_any(&mut all, until)?;
            }
        }
        self.turn()
    }

    /// One cycle, without waiting.
    fn turn(&mut self) -> Result<usize> {
        let mut came = 0;
        for lane in &mut self.lanes {
            lane.release(&mut self.own[lane.ahead].1);
            came += usize::from(lane.carry(&mut self.own)?);
        }
        Ok(came)
    }

    /// The handles that cancel waits, from another thread or a signal handler; one for each route.
    pub fn cancel_handles(&mut self) -> Vec<CancelHandle> {
        self.lanes.iter_mut().map(|lane| lane.subscriber.cancel_handle()).collect()
    }
    /// Counts over all routes.
    pub fn counts(&self) -> Counts {
        self.lanes.iter().fold(Counts::default(), |sum, lane| sum + lane.counts())
    }
    /// Counts of each route, in the order in which they were added.
    pub fn routes(&self) -> impl Iterator<Item = Counts> {
        self.lanes.iter().map(Lane::counts)
    }
    /// Finds channels in shared memory that are not carried because they cannot be read.
    pub fn find_unread(&mut self) {
        for Lane { route, finder, unread, targets, .. } in &mut self.lanes {
            let except = |name: &Name| route.except.as_ref().is_some_and(|except| except.matches(name));
            let found = finder.look(&route.channels, |name| targets.contains_key(name) || except(name));
            let most = CHANNELS.saturating_sub(unread.len());
            unread.extend(found.into_iter().take(most).map(|one| (one.channel, one.why)));
        }
    }
    /// Call this after an error of [`step`](Bridge::step) that is not fatal: channels of the domains it reads may
    /// be missing.
    pub fn not_read(&mut self, why: &Error) {
        for lane in self.lanes.iter_mut().filter(|lane| lane.route.from.shared_memory().is_some()) {
            lane.unread.insert(None, why.to_string());
        }
    }
    /// The channels that could not be read so far, for each route in the order in which they were added.
    pub fn unread(&self) -> impl Iterator<Item = Vec<Unread>> {
        let one =
            |(channel, why): (&Option<Name>, &String)| Unread { channel: channel.clone(), why: why.clone() };
        self.lanes.iter().map(move |lane| lane.unread.iter().map(one).collect())
    }
    /// The last error of a publisher since the last call.
    pub fn trouble(&mut self) -> Option<Error> {
        self.lanes.iter_mut().find_map(|lane| lane.trouble.take())
    }
}

impl Lane {
    /// Carries the next message, if there is one.
    fn carry(&mut self, own: &mut [(Domain, Own)]) -> Result<bool> {
        let now = clock::monotonic();
        let Some(message) = self.subscriber.receive(Until::Poll)? else { return Ok(false) };
        if self.route.except.as_ref().is_some_and(|except| except.matches(message.channel)) {
            return Ok(true);
        }
        self.counts.received += 1;
        self.counts.dropped += message.dropped;
        let missed = message.missed.count().unwrap_or(0);
        self.counts.missed = self.counts.missed.saturating_add(missed); // a network may report any number
        self.counts.untold += u64::from(message.missed.count().is_none());
        let name = message.channel.as_bytes();
        let stays = self.behind == self.ahead && *self.route.name(message.channel) == *name;
        if stays || own[self.behind].1.is(&message, now) {
            self.counts.own += 1;
            return Ok(true);
        }
        let channel = message.channel.clone();
        if let Err(e) = self.prepare(&channel, now) {
            self.refused(e);
            return Ok(true);
        }
        let Lane { subscriber, targets, .. } = self;
        let (Some(message), Some(target)) = (subscriber.last(), targets.get_mut(&channel)) else {
            return Ok(true);
        };
        if target.pace.admit(now, message.data) {
            let sent = target.publisher.publish(message.data);
            if sent.is_ok() {
                own[self.ahead].1.note(&target.publisher, message.data, now, self.returns);
            }
            self.count(sent);
        }
        Ok(true)
    }

    /// Publishes held messages whose rate limit has expired.
    fn release(&mut self, own: &mut Own) {
        if self.route.period == 0 {
            return;
        }
        let now = clock::monotonic();
        let mut results = Vec::new();
        for Target { publisher, pace, .. } in self.targets.values_mut() {
            if let Some(bytes) = pace.take(now) {
                let sent = publisher.publish(bytes);
                if sent.is_ok() {
                    own.note(publisher, bytes, now, self.returns);
                }
                results.push(sent);
            }
        }
        results.into_iter().for_each(|sent| self.count(sent));
    }

    /// Opens the channel on the other side, with the description of its messages, as far as it is known.
    fn prepare(&mut self, channel: &Name, now: u64) -> Result<()> {
        if !self.targets.contains_key(channel) {
            if self.targets.len() >= CHANNELS {
                let what =
                    format!("more than {CHANNELS} channels: `{channel}` is not carried; choose with --regex");
                return Err(Error::Invalid { what });
            }
            let (to, name) = (&self.route.to, self.route.name(channel));
            // Some transports carry typed messages, and need the type from the first message on.
            let publisher = match self.subscriber.descriptions(channel).last() {
                Some(what) => to.publisher_described(&*name, what)?,
                None => to.publisher(&*name)?,
            };
            let pace = Pace::new(self.route.period);
            self.targets.insert(channel.clone(), Target { publisher, pace, described: 0, next_look: 0 });
        }
        let Some(target) = self.targets.get_mut(channel) else { return Ok(()) };
        if now >= target.next_look {
            target.next_look = now.saturating_add(CHECK_INTERVAL);
            for description in self.subscriber.descriptions(channel).iter().skip(target.described) {
                target.publisher.describe(description)?;
                target.described += 1;
            }
        }
        Ok(())
    }

    fn count(&mut self, sent: Result<()>) {
        match sent {
            Ok(()) => self.counts.carried += 1,
            Err(e) => self.refused(e),
        }
    }
    fn refused(&mut self, why: Error) {
        self.counts.refused += 1;
        self.trouble = Some(why);
    }
    fn counts(&self) -> Counts {
        Counts { passed: self.targets.values().map(|t| t.pace.passed).sum(), ..self.counts }
    }
}
