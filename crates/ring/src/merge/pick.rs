//! Choosing the next message, and delivering it.

use super::Merge;
use super::choice::{Candidate, Delivered, Fault, Key, Pick, TRIES, Which};
use crate::lanes::Lanes;
use crate::layout::LaneLayout;
use crate::memory::Memory;
use crate::reader::{self, Meta};

impl Merge {
    /// Chooses the message to read.
    #[inline(always)]
    pub fn pick<L: Lanes>(&mut self, lanes: &L, which: Which) -> Pick {
        let used = self.extend(lanes.used());
        match which {
            Which::Next => self.pick_next(lanes, used),
            Which::Newest => self.pick_newest(lanes, used, which),
            Which::Current => {
                let found = self.pick_newest(lanes, used, which);
                if let Pick::Found(c) = &found
                    && c.meta.seq <= self.cursors.at(c.lane)
                    && self.unseen(lanes)
                {
                    self.pass_over_the_late(lanes, used);
                }
                found
            }
        }
    }

    /// Unseen messages are not the newest: those that arrived late count as missed (m2), as if the newest had been
    /// requested before. Left unseen, they would wake a waiting subscriber repeatedly. Messages newer than any
    /// delivered one stay: only a hostile publisher's message hides them.
    #[cold]
    fn pass_over_the_late<L: Lanes>(&mut self, lanes: &L, used: usize) {
        let _ = self.pick_newest(lanes, used, Which::Newest);
    }

    #[inline(always)]
    fn pick_newest<L: Lanes>(&mut self, lanes: &L, used: usize, which: Which) -> Pick {
        let layout = lanes.layout();
        let (mut best, mut overtaken): (Option<Candidate>, bool) = (None, false);
        for i in 0..used {
            self.cursors.observe(i, self.cursors.at(i));
            let Some(mem) = lanes.lane(i) else { continue };
            let head = reader::head(mem); // [m1]
            if head == 0 || (head <= self.cursors.at(i) && which != Which::Current) {
                continue;
            }
            if self.fairness.left_out(used, i) {
                overtaken = true;
                continue;
            }
            self.prefetch(mem, layout, used, head);
            let Some(meta) = reader::inspect(mem, layout, head) else {
                if !self.fairness.hurry(i) {
                    return Pick::Lapped;
                }
                overtaken = true;
                continue;
            };
            self.cursors.observe(i, head.max(self.cursors.at(i)));
            let key = Key { timestamp: self.floor.clamp(lanes, used, meta.timestamp), lane: i, seq: head };
            if best.is_none_or(|b| b.key.older_than(&key)) {
                best = Some(Candidate { lane: i, meta, which, key }); // [m3]
            }
        }
        match best {
            None if overtaken => Pick::Lapped,
            None => Pick::Nothing,
            // [m2] The message of a publisher that was frozen between its timestamp and its head arrives late:
            // missed, not newest.
            Some(c) if self.floor.is_above(&c.key) => {
                if which == Which::Newest {
                    self.account.miss(self.cursors.advance(used));
                }
                // The newest is delivered again, unless its lane was left out or a hostile publisher moved it back.
                if overtaken || which == Which::Current { Pick::Lapped } else { Pick::Nothing }
            }
            Some(c) => Pick::Found(c),
        }
    }

    #[inline(always)]
    fn pick_next<L: Lanes>(&mut self, lanes: &L, used: usize) -> Pick {
        let mut best: Option<Candidate> = None;
        let mut overtaken = false;
        for i in 0..used {
            if self.fairness.left_out(used, i) {
                overtaken = true;
                self.cursors.observe(i, 1);
                continue;
            }
            let found = self.oldest_unseen(lanes, used, i);
            self.cursors.observe(i, !matches!(found, Pick::Nothing) as u64);
            match found {
                Pick::Nothing => {}
                Pick::Found(c) if best.is_none_or(|b| c.key.older_than(&b.key)) => best = Some(c), // [m3]
                Pick::Found(_) => {}
                Pick::Lapped if self.fairness.hurry(i) => overtaken = true,
                Pick::Lapped => return Pick::Lapped,
            }
        }
        let Some(mut best) = best else {
            return if overtaken { Pick::Lapped } else { Pick::Nothing };
        };
        // [m4] The scan may have passed a lane just before a message that caused one found later. Check again the
        // lanes that had nothing, and those added since.
        let used = self.extend(lanes.used());
        if used > 1 {
            for i in 0..used {
                if self.cursors.observed(i) != 0 {
                    continue;
                }
                match self.oldest_unseen(lanes, used, i) {
                    Pick::Found(c) if c.key.older_than(&best.key) => best = c,
                    Pick::Lapped if !self.fairness.hurry(i) => return Pick::Lapped,
                    _ => {}
                }
            }
        }
        Pick::Found(best)
    }

    /// The oldest unseen message of lane `i` that is still readable.
    ///
    /// A publisher that lapped us twice would do so repeatedly at the very end of the ring. Half of the messages it
    /// keeps are then given up, half of the rest the next time, and so on. They count as missed immediately: a
    /// skipped message must not be delivered after its effects in another lane.
    #[inline(always)]
    fn oldest_unseen<L: Lanes>(&mut self, lanes: &L, used: usize, i: usize) -> Pick {
        let (Some(mem), layout) = (lanes.lane(i), lanes.layout()) else { return Pick::Nothing };
        let head = reader::head(mem); // [m1]
        if head <= self.cursors.at(i) {
            return Pick::Nothing;
        }
        let times = self.fairness.times(i);
        if times > 1 {
            self.give_up(i, head.saturating_sub((layout.frames() >> (times - 1).min(63)).max(1)));
        }
        let seq = (self.cursors.at(i) + 1).max(layout.oldest(head));
        self.prefetch(mem, layout, used, seq);
        match reader::inspect(mem, layout, seq) {
            Some(meta) => {
                let key = Key { timestamp: self.floor.clamp(lanes, used, meta.timestamp), lane: i, seq };
                Pick::Found(Candidate { lane: i, meta, which: Which::Next, key })
            }
            None => Pick::Lapped,
        }
    }

    /// With one lane, the message's position is known before its slot is read: fetch both lines in parallel.
    #[inline(always)]
    fn prefetch<M: Memory>(&self, mem: &M, layout: &LaneLayout, used: usize, seq: u64) {
        if used == 1 {
            mem.prefetch(reader::slot_line(layout, seq));
            mem.prefetch(self.expect);
        }
    }

    /// Delivers a message through `take`, which copies it, or returns its length if the buffer is too small.
    ///
    /// Bounded: if publishers overwrite the message at every try, it returns [`Fault::Overrun`].
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
                Pick::Lapped => continue,
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
