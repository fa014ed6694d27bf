//! Every receive mode against a reference that keeps all messages in vectors. Both must agree for any order of
//! publishes, abandoned loans, take-overs, receives, skips and seeks.

use proptest::prelude::*;
use saltus_ring::{
    Commit, Committed, Fault, Heap, LaneLayout, LaneWriter, Lanes, Memory, Merge, Start, Which,
};
use std::cell::Cell;
use std::mem::MaybeUninit;

const LANES: usize = 3;
const MAX: usize = 300;

struct Channel {
    lanes: Vec<Heap>,
    used: Cell<usize>,
    layout: LaneLayout,
    now: Cell<u64>,
}

impl Lanes for Channel {
    type Mem = Heap;
    fn used(&self) -> usize {
        self.used.get()
    }
    fn lane(&self, i: usize) -> Option<&Heap> {
        self.lanes.get(i)
    }
    fn layout(&self) -> &LaneLayout {
        &self.layout
    }
    fn now(&self) -> u64 {
        self.now.get()
    }
}

/// A published message; kept by lane, in order, from message 1 on.
#[derive(Clone)]
struct Message {
    timestamp: u64,
    bytes: Vec<u8>,
}

/// A subscriber, as the documentation describes it.
struct Reference {
    seen: Vec<usize>,
    joined: usize,
    rewound: usize,
    received: usize,
    missed: usize,
    untold: usize,
    floor: (u64, usize, usize),
}

impl Reference {
    fn new(log: &[Vec<Message>], start: Start, frames: usize) -> Reference {
        let mut seen: Vec<usize> = log.iter().map(Vec::len).collect();
        match start {
            Start::Now => {}
            Start::Beginning => seen.iter_mut().for_each(|s| *s = 0),
            Start::Oldest => seen.iter_mut().for_each(|s| *s = s.saturating_sub(frames)),
            Start::Newest => {
                let newest =
                    (0..LANES).filter(|&i| seen[i] > 0).max_by_key(|&i| (log[i][seen[i] - 1].timestamp, i));
                newest.into_iter().for_each(|i| seen[i] -= 1);
            }
        }
        let joined = seen.iter().sum();
        Reference { seen, joined, rewound: 0, received: 0, missed: 0, untold: 0, floor: (0, 0, 0) }
    }

    /// The choice: lane and index of the message, or nothing.
    fn choose(&mut self, log: &[Vec<Message>], which: Which, frames: usize) -> Option<(usize, usize)> {
        let unseen = |i: &usize| log[*i].len() > self.seen[*i];
        if which == Which::Next {
            let oldest = |i: usize| self.seen[i].max(log[i].len().saturating_sub(frames));
            return (0..LANES)
                .filter(unseen)
                .map(|i| (i, oldest(i)))
                .min_by_key(|&(i, n)| (log[i][n].timestamp, i));
        }
        let all = (0..LANES).filter(|i| unseen(i) || (which == Which::Current && !log[*i].is_empty()));
        let best = all.map(|i| (i, log[i].len() - 1)).max_by_key(|&(i, n)| (log[i][n].timestamp, i))?;
        let (timestamp, lane, n) = self.floor;
        let older = |(i, m): (usize, usize)| if i == lane { m < n } else { log[i][m].timestamp < timestamp };
        // Received again: unseen messages are skipped as by newest, if all of them arrived late.
        let seen = best.1 < self.seen[best.0];
        let unseen = (0..LANES).filter(unseen).map(|i| (i, log[i].len() - 1));
        let newest = unseen.max_by_key(|&(i, m)| (log[i][m].timestamp, i));
        let chosen = (!older(best)).then_some(best);
        if (which == Which::Newest || seen) && newest.is_some_and(older) {
            self.untold += self.pass_all(log);
        }
        chosen
    }

    fn pass_all(&mut self, log: &[Vec<Message>]) -> usize {
        let passed = (0..LANES).map(|i| log[i].len() - self.seen[i]).sum();
        (0..LANES).for_each(|i| self.seen[i] = log[i].len());
        self.missed += passed;
        passed
    }

    /// Checks the number that the delivery reports as missed.
    fn deliver(&mut self, log: &[Vec<Message>], which: Which, (lane, n): (usize, usize)) -> usize {
        let mut missed = 0;
        if n >= self.seen[lane] {
            if which == Which::Next {
                missed = n - self.seen[lane];
                self.missed += missed;
                self.seen[lane] = n + 1;
            } else {
                missed = self.pass_all(log) - 1;
                self.missed -= 1;
            }
            missed += std::mem::take(&mut self.untold);
            self.received += 1;
        }
        let key = (log[lane][n].timestamp, lane, n);
        let (timestamp, floor_lane, floor_n) = self.floor;
        let newer = if floor_lane == lane { n > floor_n } else { key.0 > timestamp };
        if newer || self.floor == (0, 0, 0) {
            self.floor = key;
        }
        missed
    }
}

#[derive(Clone, Debug)]
enum Step {
    Publish { lane: usize, len: usize, timestamp: u64 },
    Abandon { lane: usize, len: usize },
    TakeOver { lane: usize },
    Join { start: Start },
    Receive { who: usize, which: Which, room: usize },
    Flush { who: usize },
    Seek { who: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let lane = 0..LANES;
    let len = prop_oneof![Just(0), Just(64), Just(MAX), 0..=MAX];
    let which = prop_oneof![Just(Which::Newest), Just(Which::Next), Just(Which::Current)];
    let start =
        prop_oneof![Just(Start::Newest), Just(Start::Now), Just(Start::Oldest), Just(Start::Beginning)];
    let room = prop_oneof![4 => Just(MAX), 1 => 0..MAX];
    let step = prop_oneof![
        12 => (lane.clone(), len.clone(), 1..4u64).prop_map(|(lane, len, timestamp)| Step::Publish { lane, len, timestamp }),
        1 => (lane.clone(), len).prop_map(|(lane, len)| Step::Abandon { lane, len }),
        1 => lane.prop_map(|lane| Step::TakeOver { lane }),
        1 => start.prop_map(|start| Step::Join { start }),
        10 => (0..4usize, which, room).prop_map(|(who, which, room)| Step::Receive { who, which, room }),
        1 => (0..4usize).prop_map(|who| Step::Flush { who }),
        1 => (0..4usize).prop_map(|who| Step::Seek { who }),
    ];
    proptest::collection::vec(step, 1..200)
}

fn check(frames: u64, steps: Vec<Step>) {
    let layout = LaneLayout::new(frames, MAX as u64).unwrap();
    let lanes = (0..LANES).map(|_| Heap::zeroed(layout.stride() as usize)).collect();
    let channel = Channel { lanes, used: Cell::new(0), layout, now: Cell::new(1) };
    let mut writers: Vec<_> =
        channel.lanes.iter().map(|mem| LaneWriter::adopt(mem, layout, u64::MAX).unwrap()).collect();
    let mut log: Vec<Vec<Message>> = vec![Vec::new(); LANES];
    let mut subscribers = vec![(Merge::new(&channel, Start::Newest), Reference::new(&log, Start::Newest, 1))];
    let frames = frames as usize;
    for step in steps {
        match step {
            Step::Publish { lane, len, timestamp } => {
                channel.used.set(channel.used.get().max(lane + 1));
                channel.now.set(channel.now.get() + timestamp);
                let bytes: Vec<u8> = (0..len).map(|i| (i + lane * 31 + log[lane].len() * 7) as u8).collect();
                let writer = &mut writers[lane];
                let mut reservation = writer.reserve(len).unwrap();
                reservation.fill(0, &bytes);
                let Committed { seq, timestamp, .. } =
                    reservation.commit(Commit { len, timestamp: channel.now.get(), lease: 1 });
                log[lane].push(Message { timestamp, bytes });
                assert_eq!(seq as usize, log[lane].len());
            }
            Step::Abandon { lane, len } => drop(writers[lane].reserve(len).unwrap()),
            Step::TakeOver { lane } => {
                writers[lane] = LaneWriter::adopt(&channel.lanes[lane], layout, u64::MAX).unwrap()
            }
            Step::Join { start } if subscribers.len() < 4 => {
                subscribers.push((Merge::new(&channel, start), Reference::new(&log, start, frames)));
            }
            Step::Join { .. } => {}
            Step::Receive { who, which, room } => {
                let who = who % subscribers.len();
                let (merge, reference) = &mut subscribers[who];
                let mut out = vec![MaybeUninit::new(0); room];
                let got = merge.receive(&channel, which, |mem, meta| {
                    mem.copy_out(meta.at, out.get_mut(..meta.len).ok_or(meta.len)?);
                    Ok(())
                });
                let chosen = reference.choose(&log, which, frames);
                match (got, chosen) {
                    (Ok(None), None) => {}
                    (Err(Fault::TooSmall(needed)), Some((lane, n))) => {
                        assert_eq!(needed, log[lane][n].bytes.len());
                        assert!(needed > room);
                    }
                    (Ok(Some(delivered)), Some((lane, n))) => {
                        let missed = reference.deliver(&log, which, (lane, n));
                        assert_eq!((delivered.lane, delivered.meta.seq as usize - 1), (lane, n), "{which:?}");
                        assert_eq!(delivered.meta.timestamp, log[lane][n].timestamp);
                        assert_eq!(delivered.missed as usize, missed);
                        // SAFETY: initialized above, and only initialized bytes are written to it.
                        let bytes: Vec<u8> = out.iter().map(|b| unsafe { b.assume_init() }).collect();
                        assert_eq!(bytes[..delivered.meta.len], log[lane][n].bytes);
                    }
                    (got, chosen) => panic!("{which:?}: {got:?}, but the reference chose {chosen:?}"),
                }
            }
            Step::Flush { who } => {
                let who = who % subscribers.len();
                let (merge, reference) = &mut subscribers[who];
                merge.flush(&channel);
                reference.untold += reference.pass_all(&log);
            }
            Step::Seek { who } => {
                let who = who % subscribers.len();
                let (merge, reference) = &mut subscribers[who];
                merge.seek_oldest(&channel);
                for (seen, log) in reference.seen.iter_mut().zip(&log) {
                    let back = seen.saturating_sub(log.len().saturating_sub(frames));
                    *seen -= back;
                    reference.rewound += back;
                }
            }
        }
        for (merge, reference) in &subscribers {
            assert_eq!(merge.received() as usize, reference.received);
            assert_eq!(merge.missed() as usize, reference.missed);
            // Invariant 5: received + missed = published since joining, up to the subscriber's cursors. Messages
            // that seeking back makes unseen are counted again.
            let passed = reference.seen.iter().sum::<usize>() + reference.rewound - reference.joined;
            assert_eq!((merge.received() + merge.missed()) as usize, passed);
            assert_eq!(merge.rewound() as usize, reference.rewound);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 5 } else { 2000 }))]

    #[test]
    fn every_mode_does_what_the_reference_does(frames in 1..6u64, steps in steps()) {
        check(frames, steps);
    }
}
