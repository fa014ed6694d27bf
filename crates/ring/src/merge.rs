//! A subscriber's cursors, one per lane.
//!
//! Within a lane, messages are in the publisher's order, exactly. Across lanes, they are ordered by timestamp, then
//! by lane. Every message published since the subscriber joined is counted once, as received or as missed.

mod account;
mod choice;
mod cursors;
mod fairness;
mod floor;
mod pick;
mod skip;

use crate::lanes::Lanes;
use crate::layout::MAX_LANES;
use crate::reader;
use account::Account;
use choice::Key;
pub use choice::{Candidate, Delivered, Fault, Pick, Start, TRIES, Which};
use cursors::Cursors;
use fairness::Fairness;
use floor::Floor;

/// A subscriber's cursors, one per lane, and the choice of the next message to inspect.
#[derive(Debug)]
pub struct Merge {
    /// As many lanes as `fairness`: those in use at the last check.
    cursors: Cursors,
    /// Counts each step of `cursors` once.
    account: Account,
    floor: Floor,
    fairness: Fairness,
    /// Where the next message of a single lane probably starts. A hint: a wrong one has no effect but time.
    expect: usize,
}

impl Merge {
    /// Joins the channel. Allocates all memory that it will ever need.
    pub fn new<L: Lanes>(lanes: &L, start: Start) -> Merge {
        let most = lanes.most().min(MAX_LANES);
        let mut merge = Merge {
            cursors: Cursors::new(most),
            account: Account::default(),
            floor: Floor::default(),
            fairness: Fairness::new(most),
            expect: 0,
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
            merge.fairness.push();
            if start == Start::Newest && head > 0 {
                // A slot that is being overwritten has no valid timestamp; any younger one will do.
                let meta = lanes.lane(i).and_then(|mem| reader::inspect(mem, &layout, head));
                let timestamp = meta.map_or(0, |m| m.timestamp).min(lanes.now());
                let key = Key { timestamp, lane: i, seq: head };
                if newest.is_none_or(|n| n.older_than(&key)) {
                    newest = Some(key);
                }
            }
        }
        if let Some(key) = newest {
            merge.cursors.rewind(key.lane, key.seq - 1);
        }
        merge
    }

    /// Messages delivered.
    pub fn received(&self) -> u64 {
        self.account.received()
    }
    /// Messages skipped, or overwritten before they were received.
    pub fn missed(&self) -> u64 {
        self.account.missed()
    }
    /// Messages that seeking back has made unseen again. Received + missed = published since joining + rewound.
    pub fn rewound(&self) -> u64 {
        self.account.rewound()
    }
    /// The last message counted in lane `i`.
    pub fn cursor(&self, i: usize) -> u64 {
        self.cursors.get(i)
    }

    /// Whether any published message is unseen. Costs a few loads.
    #[inline]
    pub fn unseen<L: Lanes>(&self, lanes: &L) -> bool {
        (0..lanes.used().min(MAX_LANES))
            .any(|i| lanes.lane(i).is_some_and(|m| reader::head(m) > self.cursor(i)))
    }

    /// A lane that was added after this subscriber joined starts with nothing seen: all its messages were published
    /// since.
    #[inline(always)]
    fn extend(&mut self, used: usize) -> usize {
        let used = used.min(MAX_LANES);
        while self.cursors.len() < used {
            self.cursors.push(0);
            self.fairness.push();
        }
        used
    }

    /// Counts all messages of lane `i` up to `seq` as missed.
    #[cold]
    fn give_up(&mut self, i: usize, seq: u64) {
        self.account.miss(self.cursors.pass(i, seq));
    }

    /// Whether `c`, and all bytes read of it since it was picked, are whole.
    #[inline(always)]
    pub fn validate<L: Lanes>(&mut self, lanes: &L, c: &Candidate) -> bool {
        let whole = lanes.lane(c.lane).is_some_and(|mem| reader::validate(mem, lanes.layout(), &c.meta));
        if !whole {
            self.fairness.hurry(c.lane);
        }
        whole
    }

    /// Advances past `c`, which must have been validated, and counts it.
    #[inline(always)]
    pub fn commit(&mut self, c: &Candidate) -> Delivered {
        let fresh = c.meta.seq > self.cursors.at(c.lane);
        let missed = match c.which {
            _ if !fresh => 0,
            Which::Next => self.account.deliver(self.cursors.pass(c.lane, c.meta.seq)),
            Which::Newest | Which::Current => self.account.deliver(self.cursors.advance(self.cursors.len())),
        };
        self.floor.raise(c.key);
        self.fairness.delivered(c.lane);
        self.expect = c.meta.at + c.meta.len.next_multiple_of(64);
        Delivered { meta: c.meta, lane: c.lane, missed, fresh }
    }
}
