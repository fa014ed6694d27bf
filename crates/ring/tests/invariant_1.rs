//! Invariant 1: newest first. Receiving the newest message costs the same regardless of the number of older ones.

use saltus_ring::{Commit, Heap, LaneLayout, LaneWriter, Lanes, Memory, Merge, Start, Which};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::atomic::Ordering;

/// Memory that counts its accesses.
struct Counting {
    heap: Heap,
    accesses: Cell<u64>,
}

impl Counting {
    fn count(&self) -> &Heap {
        self.accesses.set(self.accesses.get() + 1);
        &self.heap
    }
}

impl Memory for Counting {
    fn load(&self, at: usize, order: Ordering) -> u64 {
        self.count().load(at, order)
    }
    fn store(&self, at: usize, value: u64, order: Ordering) {
        self.count().store(at, value, order);
    }
    fn fetch_add(&self, at: usize, value: u64, order: Ordering) -> u64 {
        self.count().fetch_add(at, value, order)
    }
    fn fetch_max(&self, at: usize, value: u64, order: Ordering) -> u64 {
        self.count().fetch_max(at, value, order)
    }
    fn replace(&self, at: usize, current: u64, new: u64) {
        self.count().replace(at, current, new);
    }
    fn copy_in(&self, at: usize, bytes: &[u8]) {
        self.count().copy_in(at, bytes);
    }
    fn copy_out(&self, at: usize, out: &mut [MaybeUninit<u8>]) {
        self.count().copy_out(at, out);
    }
}

struct One(Counting, LaneLayout);

impl Lanes for One {
    type Mem = Counting;
    fn used(&self) -> usize {
        1
    }
    fn lane(&self, _: usize) -> Option<&Counting> {
        Some(&self.0)
    }
    fn layout(&self) -> &LaneLayout {
        &self.1
    }
    fn now(&self) -> u64 {
        panic!("one lane needs no clock")
    }
}

#[test]
fn invariant_1_newest_first() {
    let layout = LaneLayout::new(1000, 8).unwrap();
    let memory = Counting { heap: Heap::zeroed(layout.stride() as usize), accesses: Cell::new(0) };
    let channel = One(memory, layout);
    let mut writer = LaneWriter::adopt(&channel.0, layout, u64::MAX).unwrap();
    let mut merge = Merge::new(&channel, Start::Newest);
    let mut costs = Vec::new();
    for older in [0, 1, 10, 999, 100_000u64] {
        for _ in 0..=older {
            let head = writer.head();
            let mut reservation = writer.reserve(8).unwrap();
            reservation.fill(0, &head.to_le_bytes());
            reservation.commit(Commit { len: 8, timestamp: head, lease: 1 });
        }
        let before = channel.0.accesses.get();
        let mut out = [MaybeUninit::new(0); 8];
        let got = merge.receive(&channel, Which::Newest, |mem, meta| {
            mem.copy_out(meta.at, &mut out);
            Ok(())
        });
        let delivered = got.unwrap().unwrap();
        assert_eq!((delivered.meta.seq, delivered.missed), (writer.head(), older));
        costs.push(channel.0.accesses.get() - before);
    }
    assert!(costs.iter().all(|cost| *cost == costs[0]), "accesses for the newest: {costs:?}");
}
