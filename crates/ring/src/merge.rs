//! A subscriber's place in all lanes of a channel.
//!
//! Within a lane the order is the publisher's, exactly. Across lanes it is by stamp, then by lane. Every message
//! published since the subscriber joined is counted once, as received or as missed.

mod skip;

use crate::LaneLayout;
use crate::layout::MAX_LANES;
use crate::memory::Memory;
use crate::reader::{self, Meta};

/// The lanes of a channel, as a subscriber finds them.
pub trait Lanes {
    /// Memory of one lane.
    type Mem: Memory;
    /// How many lanes are in use; never shrinks. At most [`MAX_LANES`].
    fn used(&self) -> usize;
    /// Lane `i < used()`. `None` if it cannot be reached; it is then passed over.
    fn lane(&self, i: usize) -> Option<&Self::Mem>;
    /// The shape of every lane.
    fn layout(&self) -> &LaneLayout;
    /// How many lanes there can ever be: room for as many is made when a subscriber joins.
    fn most(&self) -> usize {
        MAX_LANES
    }
    /// The time now on the channel's clock, in ns. Asked for only when several lanes have something new.
    fn now(&self) -> u64;
}

/// Which message a subscriber asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The newest, if it has not been seen. Older unseen ones count as missed.
    Newest,
    /// The oldest not seen. What was overwritten before it counts as missed.
    Next,
    /// The newest, even if it has been seen. Older unseen ones count as missed.
    Again,
}

/// Where a new subscriber starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// The newest message present counts as unseen, all older ones as before its time.
    #[default]
    Newest,
    /// Only what is published from now on.
    Now,
    /// Everything still kept.
    Oldest,
    /// Everything ever published. What is overwritten already counts as missed.
    Beginning,
}

/// A message picked, not yet validated.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Lane of the message.
    pub lane: usize,
    /// What its slot says.
    pub meta: Meta,
    which: Which,
    key: Key,
}

/// What [`Merge::pick`] found.
#[derive(Clone, Copy, Debug)]
pub enum Pick {
    /// Nothing unseen.
    Nothing,
    /// A message to look at, then to validate.
    Found(Candidate),
    /// A publisher overtook the reader just now; pick again.
    Overtaken,
}

/// What a subscriber is told with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// What the slot says, validated.
    pub meta: Meta,
    /// Lane of the message.
    pub lane: usize,
    /// Messages missed since the last delivery.
    pub missed: u64,
    /// Whether it is delivered for the first time; only [`Which::Again`] gives others.
    pub fresh: bool,
}

/// Why a message could not be delivered. The subscriber keeps its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The buffer is too small for a message of this many bytes.
    TooSmall(usize),
    /// Publishers overtook the reader at every try.
    Overrun,
}

/// Order across lanes. The stamp is at most "now", so that a stamp from the future gains nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Key {
    stamp: u64,
    lane: usize,
    seq: u64,
}

impl Key {
    /// Whether `self` is older than `other`: by number in one lane, by stamp across lanes.
    fn older_than(&self, other: &Key) -> bool {
        if self.lane == other.lane { self.seq < other.seq } else { self.stamp < other.stamp }
    }
}

/// How often a receive tries again when publishers overtake it.
pub const TRIES: u32 = 10;
/// A lane that overtook the reader this often in a row is left out of the choice, for the others' sake.
const PATIENCE: u32 = 4;

/// Cursors, counters, and the choice of the next message to look at.
#[derive(Debug)]
pub struct Merge {
    /// Last message accounted for, by lane.
    cursors: Vec<u64>,
    /// Heads observed by the last pick of the newest; `commit` moves the cursors there.
    observed: Vec<u64>,
    received: u64,
    missed: u64,
    /// Given back by going back: to be received or missed a second time.
    rewound: u64,
    /// Missed, but not yet told with a delivery.
    untold: u64,
    /// The newest key ever delivered: newest never goes back behind it.
    floor: Key,
    /// Where the next message of a lone lane will probably lie.
    expect: usize,
    /// A recent reading of the channel's clock.
    now: u64,
    /// How often each lane has overtaken the reader since it last delivered, and for how many more choices it is left
    /// out because of that.
    hasty: Vec<(u32, u32)>,
}

impl Merge {
    /// Joins the channel. Allocates all it will ever need.
    pub fn new<L: Lanes>(lanes: &L, start: Start) -> Merge {
        let most = lanes.most().min(MAX_LANES);
        let mut merge = Merge {
            cursors: Vec::with_capacity(most),
            observed: Vec::with_capacity(most),
            received: 0,
            missed: 0,
            rewound: 0,
            untold: 0,
            floor: Key::default(),
            expect: 0,
            now: 0,
            hasty: Vec::with_capacity(most),
        };
        let used = lanes.used().min(MAX_LANES);
        let layout = *lanes.layout();
        let mut newest: Option<Key> = None;
        for i in 0..used {
            let head = lanes.lane(i).map_or(0, reader::head);
            let seen = match start {
                Start::Oldest if head > 0 => layout.oldest(head) - 1,
                Start::Beginning => 0,
                _ => head,
            };
            merge.cursors.push(seen);
            merge.observed.push(0);
            merge.hasty.push((0, 0));
            if start == Start::Newest && head > 0 {
                // A slot that is overtaken just now has no stamp that counts; any younger one will do.
                let meta = lanes.lane(i).and_then(|mem| reader::inspect(mem, &layout, head));
                let stamp = meta.map_or(0, |m| m.stamp).min(lanes.now());
                let key = Key { stamp, lane: i, seq: head };
                if newest.is_none_or(|n| n.older_than(&key)) {
                    newest = Some(key);
                }
            }
        }
        if let Some(key) = newest {
            merge.cursors[key.lane] = key.seq - 1;
        }
        merge
    }

    /// Messages delivered.
    pub fn received(&self) -> u64 {
        self.received
    }
    /// Messages passed over or overwritten before they were seen.
    pub fn missed(&self) -> u64 {
        self.missed
    }
    /// Messages that going back has made unseen again. Received + missed = published since joining + rewound.
    pub fn rewound(&self) -> u64 {
        self.rewound
    }
    /// The last message accounted for in lane `i`.
    pub fn cursor(&self, i: usize) -> u64 {
        self.cursors.get(i).copied().unwrap_or(0)
    }

    /// Whether anything unseen has been published. A few loads.
    #[inline]
    pub fn unseen<L: Lanes>(&self, lanes: &L) -> bool {
        (0..lanes.used().min(MAX_LANES))
            .any(|i| lanes.lane(i).is_some_and(|m| reader::head(m) > self.cursor(i)))
    }

    /// Lanes that came after this subscriber start at nothing seen: all that is in them was published since.
    #[inline(always)]
    fn extend(&mut self, used: usize) -> usize {
        let used = used.min(MAX_LANES);
        while self.cursors.len() < used {
            self.cursors.push(0); // within the capacity reserved by `new`
            self.observed.push(0);
            self.hasty.push((0, 0));
        }
        used
    }

    /// Chooses the message to look at.
    #[inline(always)]
    pub fn pick<L: Lanes>(&mut self, lanes: &L, which: Which) -> Pick {
        let used = self.extend(lanes.used());
        match which {
            Which::Next => self.pick_next(lanes, used),
            Which::Newest => self.pick_newest(lanes, used, which),
            Which::Again => {
                let found = self.pick_newest(lanes, used, which);
                if let Pick::Found(c) = &found
                    && c.meta.seq <= self.cursors[c.lane]
                    && self.unseen(lanes)
                {
                    self.pass_over_the_late(lanes, used);
                }
                found
            }
        }
    }

    /// Something unseen is not the newest: what came late is missed (m2), as if the newest had been asked for before. Left unseen it
    /// would wake a sleeper again and again. What is newer than was ever delivered stays: only a liar's message holds it back.
    #[cold]
    fn pass_over_the_late<L: Lanes>(&mut self, lanes: &L, used: usize) {
        let _ = self.pick_newest(lanes, used, Which::Newest);
    }

    /// Notes that lane `i` overtook the reader. Whether it is to be passed over for the others' sake.
    #[cold]
    fn hurry(&mut self, i: usize) -> bool {
        let times = (self.hasty[i].0 + 1).min(64);
        let out = if times >= PATIENCE { 1 << (times - PATIENCE + 1).min(16) } else { 0 };
        self.hasty[i] = (times, out);
        out > 0
    }

    /// Whether lane `i` is left out of this choice. A lane of a publisher that is too fast, or that lies, must not keep
    /// the others' messages from anybody: it is tried again after 2 choices, then after 4, and so on.
    #[inline(always)]
    fn left_out(&mut self, used: usize, i: usize) -> bool {
        let out = self.hasty[i].1 > 0 && used > 1;
        if out {
            self.hasty[i].1 -= 1;
        }
        out
    }

    #[inline(always)]
    fn pick_newest<L: Lanes>(&mut self, lanes: &L, used: usize, which: Which) -> Pick {
        let layout = lanes.layout();
        let (mut best, mut overtaken): (Option<Candidate>, bool) = (None, false);
        for i in 0..used {
            self.observed[i] = self.cursors[i];
            let Some(mem) = lanes.lane(i) else { continue };
            let head = reader::head(mem); // [m1]
            if head == 0 || (head <= self.cursors[i] && which != Which::Again) {
                continue;
            }
            if self.left_out(used, i) {
                overtaken = true;
                continue;
            }
            self.prefetch(mem, layout, used, head);
            let Some(meta) = reader::inspect(mem, layout, head) else {
                if !self.hurry(i) {
                    return Pick::Overtaken;
                }
                overtaken = true;
                continue;
            };
            self.observed[i] = head.max(self.cursors[i]);
            let key = Key { stamp: self.clamp(lanes, used, meta.stamp), lane: i, seq: head };
            if best.is_none_or(|b| b.key.older_than(&key)) {
                best = Some(Candidate { lane: i, meta, which, key }); // [m3]
            }
        }
        match best {
            None if overtaken => Pick::Overtaken,
            None => Pick::Nothing,
            // [m2] A publisher that was frozen between its stamp and its head comes late: missed, not newest.
            Some(c) if c.key.older_than(&self.floor) => {
                if which == Which::Newest {
                    self.untold = self.advance(used).saturating_add(self.untold);
                }
                // The newest is seen again unless its lane was left out, or set back by a liar.
                if overtaken || which == Which::Again { Pick::Overtaken } else { Pick::Nothing }
            }
            Some(c) => Pick::Found(c),
        }
    }

    #[inline(always)]
    fn pick_next<L: Lanes>(&mut self, lanes: &L, used: usize) -> Pick {
        let mut best: Option<Candidate> = None;
        let mut overtaken = false;
        for i in 0..used {
            if self.left_out(used, i) {
                (overtaken, self.observed[i]) = (true, 1);
                continue;
            }
            let found = self.oldest_unseen(lanes, used, i);
            self.observed[i] = !matches!(found, Pick::Nothing) as u64;
            match found {
                Pick::Nothing => {}
                Pick::Found(c) if best.is_none_or(|b| c.key.older_than(&b.key)) => best = Some(c), // [m3]
                Pick::Found(_) => {}
                Pick::Overtaken if self.hurry(i) => overtaken = true,
                Pick::Overtaken => return Pick::Overtaken,
            }
        }
        let Some(mut best) = best else {
            return if overtaken { Pick::Overtaken } else { Pick::Nothing };
        };
        // [m4] The scan may have passed a lane just before a message that caused one found later: look again at
        // the lanes that had nothing, and at those that have come since.
        let used = self.extend(lanes.used());
        if used > 1 {
            for i in 0..used {
                if self.observed[i] != 0 {
                    continue;
                }
                match self.oldest_unseen(lanes, used, i) {
                    Pick::Found(c) if c.key.older_than(&best.key) => best = c,
                    Pick::Overtaken if !self.hurry(i) => return Pick::Overtaken,
                    _ => {}
                }
            }
        }
        Pick::Found(best)
    }

    /// The oldest unseen message of lane `i` that can still be had.
    ///
    /// A publisher that overtook us twice would do so again and again at the very end of the ring: half of what it
    /// keeps is given up then, and half of that at the next time, and so on. Given up means missed, at once: what
    /// is skipped must not come after its effects in another lane.
    #[inline(always)]
    fn oldest_unseen<L: Lanes>(&mut self, lanes: &L, used: usize, i: usize) -> Pick {
        let (Some(mem), layout) = (lanes.lane(i), lanes.layout()) else { return Pick::Nothing };
        let head = reader::head(mem); // [m1]
        if head <= self.cursors[i] {
            return Pick::Nothing;
        }
        let times = self.hasty[i].0;
        if times > 1 {
            self.give_up(i, head.saturating_sub((layout.frames() >> (times - 1).min(63)).max(1)));
        }
        let seq = (self.cursors[i] + 1).max(layout.oldest(head));
        self.prefetch(mem, layout, used, seq);
        match reader::inspect(mem, layout, seq) {
            Some(meta) => {
                let key = Key { stamp: self.clamp(lanes, used, meta.stamp), lane: i, seq };
                Pick::Found(Candidate { lane: i, meta, which: Which::Next, key })
            }
            None => Pick::Overtaken,
        }
    }

    /// Counts all messages of lane `i` up to `seq` as missed.
    #[cold]
    fn give_up(&mut self, i: usize, seq: u64) {
        let passed = seq.saturating_sub(self.cursors[i]);
        self.cursors[i] = self.cursors[i].max(seq);
        self.missed = self.missed.saturating_add(passed);
        self.untold = self.untold.saturating_add(passed);
    }

    /// With one lane the place of the message is known before its slot says so: fetch both lines at once.
    #[inline(always)]
    fn prefetch<M: Memory>(&self, mem: &M, layout: &LaneLayout, used: usize, seq: u64) {
        if used == 1 {
            mem.prefetch(reader::slot_line(layout, seq));
            mem.prefetch(self.expect);
        }
    }

    /// A stamp from the future counts as "now". The clock is asked only where lanes are compared, and after the
    /// stamp was read: an honest stamp is never cut, so that causes keep their place before effects.
    #[inline(always)]
    fn clamp<L: Lanes>(&mut self, lanes: &L, used: usize, stamp: u64) -> u64 {
        if used > 1 && stamp > self.now {
            self.now = lanes.now();
            self.floor.stamp = self.floor.stamp.min(self.now);
        }
        if used > 1 { stamp.min(self.now) } else { stamp }
    }

    /// Whether `c`, and all that was read of it since it was picked, is whole.
    #[inline(always)]
    pub fn validate<L: Lanes>(&mut self, lanes: &L, c: &Candidate) -> bool {
        let whole = lanes.lane(c.lane).is_some_and(|mem| reader::validate(mem, lanes.layout(), &c.meta));
        if !whole {
            self.hurry(c.lane);
        }
        whole
    }

    /// Moves on behind `c`, which must have been validated, and counts.
    #[inline(always)]
    pub fn commit(&mut self, c: &Candidate) -> Delivered {
        let cursor = self.cursors[c.lane];
        let mut missed = 0;
        let fresh = c.meta.seq > cursor;
        if fresh {
            match c.which {
                Which::Next => {
                    missed = c.meta.seq - cursor - 1;
                    self.cursors[c.lane] = c.meta.seq;
                    self.missed = self.missed.saturating_add(missed);
                }
                Which::Newest | Which::Again => {
                    missed = self.advance(self.cursors.len()) - 1;
                    self.missed -= 1; // this one is received
                }
            }
            missed = missed.saturating_add(core::mem::take(&mut self.untold));
            self.received += 1;
        }
        if self.floor.older_than(&c.key) || self.floor.seq == 0 {
            self.floor = c.key;
        }
        self.hasty[c.lane] = (0, 0);
        self.expect = c.meta.at + c.meta.len.next_multiple_of(64);
        Delivered { meta: c.meta, lane: c.lane, missed, fresh }
    }

    /// Moves all cursors to the observed heads; returns how many messages that passes, counted as missed.
    #[inline(always)]
    fn advance(&mut self, used: usize) -> u64 {
        let mut passed = 0;
        for (cursor, &seen) in self.cursors[..used].iter_mut().zip(&self.observed) {
            passed = u64::saturating_add(passed, seen.saturating_sub(*cursor)); // a hostile head may be anything
            *cursor = seen.max(*cursor);
        }
        self.missed = self.missed.saturating_add(passed);
        passed
    }

    /// Delivers a message through `take`, which copies it, or says how large it is if it has no room.
    ///
    /// Bounded: after a number of tries that publishers overtook it gives [`Fault::Overrun`].
    #[inline(always)]
    pub fn receive<L: Lanes>(
        &mut self,
        lanes: &L,
        which: Which,
        mut take: impl FnMut(&L::Mem, &Meta) -> Result<(), usize>,
    ) -> Result<Option<Delivered>, Fault> {
        for _ in 0..TRIES {
            let c = match self.pick(lanes, which) {
                Pick::Nothing => return Ok(None),
                Pick::Overtaken => continue,
                Pick::Found(c) => c,
            };
            let Some(mem) = lanes.lane(c.lane) else { continue };
            let taken = take(mem, &c.meta); // [r5]
            if self.validate(lanes, &c) {
                return match taken {
                    Ok(()) => Ok(Some(self.commit(&c))),
                    Err(needed) => Err(Fault::TooSmall(needed)),
                };
            }
        }
        Err(Fault::Overrun)
    }
}
