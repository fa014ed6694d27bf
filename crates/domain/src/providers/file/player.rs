//! Which event of a log goes to which subscriber, and when. Times are of one clock, in ns, read by the caller.

use super::log::{Event, Log, Next};
use crate::inbox::store::Interest;
use crate::{Error, Result};
use saltus_channel::Name;
use saltus_log::Pace;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

/// Most bytes of a log read in one cycle.
const TURN: usize = 4 << 20;
/// Most bytes queued for one subscriber, unless a single message is longer.
const MOST_BYTES: usize = 64 << 20;

/// An event queued for a subscriber.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub event: Arc<Event>,
    /// When it was due.
    pub due: u64,
    /// Whether the log is damaged somewhere since the subscriber's last event.
    pub damaged: bool,
}

/// A subscriber's queue.
#[derive(Debug)]
pub(super) struct Seat {
    interest: Arc<Interest>,
    queue: VecDeque<Held>,
    /// The number of queued events, by channel.
    counts: HashMap<Name, u64>,
    bytes: usize,
    damaged: bool,
    /// Dropped since the last receive.
    pub dropped: u64,
    /// Why the log could not be read further, until it was returned.
    pub failure: Option<Error>,
}

/// When to check again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// At this time.
    At(u64),
    /// Immediately.
    Now,
    /// When a subscriber has received an event, or joined.
    Later,
    /// Never: the log has ended.
    Ended,
}

#[derive(Debug)]
pub(super) struct Player {
    log: Log,
    pace: Pace,
    /// The next event, and when it is due.
    next: Option<(Event, u64)>,
    /// Whether the clock of the log runs: it starts when a subscriber first checks for events.
    started: bool,
    seats: Vec<Seat>,
    names: BTreeSet<Name>,
    ended: bool,
    /// The number of subscribers that requested to be woken.
    sleepers: Arc<AtomicU32>,
}

impl Player {
    /// Opens a log and finds the first event to play.
    pub fn open(path: &Path, speed: f64, start: Option<i64>, sleepers: Arc<AtomicU32>) -> Result<Player> {
        let mut log = Log::open(path)?;
        let begin = |_: &[u8], time| start.is_none_or(|start| time >= start);
        let next = log.next(usize::MAX, begin).map_err(|e| log.failure(&e))?;
        let path = path.display();
        let no_log = |what| Err(Error::NotALog { what });
        let (next, ended) = match (next, log.seen()) {
            (Next::Event(event), _) => (Some((event, 0)), false),
            (_, (0, 0)) => return no_log(format!("the log `{path}` is empty")),
            (_, (0, bytes)) => {
                return no_log(format!(
                    "`{path}` is not an LCM log: no event found in its {bytes} bytes (to play MCAP, use `saltus play`)"
                ));
            }
            _ => (None, true),
        };
        let (pace, seats, names) = (Pace::new(speed), Vec::new(), BTreeSet::new());
        Ok(Player { log, pace, next, started: false, seats, names, ended, sleepers })
    }

    /// A subscriber joins at `now`. Events due before are not for it.
    pub fn join(&mut self, interest: Arc<Interest>, now: u64) {
        if self.started && self.pace.is_paced() {
            while self.play(now) == Look::Now {}
        }
        let counts = HashMap::new();
        let (queue, bytes, damaged, dropped) = (VecDeque::new(), 0, false, 0);
        self.seats.push(Seat { interest, queue, counts, bytes, damaged, dropped, failure: None });
    }
    /// Starts the clock of the log, if it does not run yet.
    pub fn start(&mut self, now: u64) {
        if !std::mem::replace(&mut self.started, true)
            && let Some((event, due)) = &mut self.next
        {
            *due = self.pace.due(event.time, now);
        }
    }
    pub fn leave(&mut self, interest: &Arc<Interest>) {
        self.seats.retain(|seat| !Arc::ptr_eq(&seat.interest, interest));
        self.wake_others(interest); // the log may have waited for this one
    }
    pub fn seat(&mut self, interest: &Arc<Interest>) -> Option<&mut Seat> {
        self.seats.iter_mut().find(|seat| Arc::ptr_eq(&seat.interest, interest))
    }
    pub fn names(&self) -> Vec<Name> {
        self.names.iter().cloned().collect()
    }
    pub fn is_ended(&self) -> bool {
        self.ended
    }
    /// After a subscriber received an event: wakes the others, if the log waited for it.
    pub fn taken(&self, interest: &Arc<Interest>) {
        if !self.pace.is_paced() && self.seats.iter().all(|seat| seat.queue.is_empty()) {
            self.wake_others(interest);
        }
    }
    fn wake_others(&self, interest: &Arc<Interest>) {
        for seat in self.seats.iter().filter(|seat| !Arc::ptr_eq(&seat.interest, interest)) {
            seat.interest.parker.wake(&self.sleepers);
        }
    }

    /// Delivers events that are due, and returns when to call again.
    pub fn play(&mut self, now: u64) -> Look {
        if !self.started {
            return Look::Now; // a subscriber woken by it checks, and starts it
        }
        let mut turn = TURN;
        loop {
            if self.ended {
                return Look::Ended;
            }
            let stands = || self.seats.is_empty() || self.seats.iter().any(|seat| !seat.queue.is_empty());
            if !self.pace.is_paced() && stands() {
                return Look::Later;
            }
            match self.next.take() {
                Some((event, due)) if due > now => {
                    self.next = Some((event, due));
                    return Look::At(due);
                }
                Some((event, due)) => {
                    turn = turn.saturating_sub(event.payload.len());
                    self.deliver(event, due);
                }
                None if turn == 0 => return Look::Now,
                None => {
                    if !self.load(&mut turn, now) {
                        return if self.ended { Look::Ended } else { Look::Now };
                    }
                }
            }
        }
    }

    /// Finds the next event that a subscriber wants, or that is not due yet. `false`: there is none, or not within
    /// this cycle.
    fn load(&mut self, turn: &mut usize, now: u64) -> bool {
        let Player { log, pace, seats, .. } = self;
        let mut due = now;
        let wanted = |channel: &[u8], time| {
            due = pace.due(time, now);
            due > now || seats.iter().any(|seat| seat.interest.pattern.matches(channel))
        };
        let failure = match log.next(*turn, wanted) {
            Ok(Next::Event(event)) => {
                self.next = Some((event, due));
                return true;
            }
            Ok(Next::More) => {
                *turn = 0;
                return false;
            }
            Ok(Next::End) => None,
            Err(e) => Some(e),
        };
        self.ended = true;
        for seat in &mut self.seats {
            seat.failure = failure.as_ref().map(|e| self.log.failure(e));
            seat.interest.parker.wake(&self.sleepers);
        }
        false
    }

    fn deliver(&mut self, event: Event, due: u64) {
        let event = Arc::new(event);
        let mut wanted = false;
        for seat in &mut self.seats {
            seat.damaged |= event.damaged;
            if seat.interest.pattern.matches(&event.name) {
                wanted = true;
                seat.push(event.clone(), due);
                seat.interest.parker.wake(&self.sleepers);
            }
        }
        if wanted && !self.names.contains(&event.name) {
            self.names.insert(event.name.clone());
        }
    }
}

impl Seat {
    fn push(&mut self, event: Arc<Event>, due: u64) {
        let count = self.counts.entry(event.name.clone()).or_default();
        *count += 1;
        let too_many = *count > self.interest.depth;
        self.bytes += event.payload.len();
        let name = event.name.clone();
        self.queue.push_back(Held { event, due, damaged: std::mem::take(&mut self.damaged) });
        if too_many && let Some(oldest) = self.queue.iter().position(|held| held.event.name == name) {
            self.drop_at(oldest);
        }
        while self.bytes > MOST_BYTES && self.queue.len() > 1 {
            self.drop_at(0);
        }
    }
    fn drop_at(&mut self, index: usize) {
        if let Some(gone) = self.queue.remove(index) {
            self.forget(&gone);
            self.damaged |= gone.damaged;
            self.dropped += 1;
        }
    }
    fn forget(&mut self, gone: &Held) {
        self.bytes -= gone.event.payload.len();
        if let Some(count) = self.counts.get_mut(&gone.event.name) {
            *count -= 1;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }
    /// The oldest event, or the newest.
    pub fn pop(&mut self, newest: bool) -> Option<Held> {
        let held = if newest { self.queue.pop_back() } else { self.queue.pop_front() }?;
        self.forget(&held);
        Some(held)
    }
}
