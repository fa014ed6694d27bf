//! A channel on the heap, whose clock counts publications.

use saltus_ring::{Commit, Heap, LaneLayout, LaneWriter, Lanes, Memory, Merge, Which};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

pub struct Channel {
    pub lanes: Vec<Heap>,
    pub layout: LaneLayout,
    pub now: AtomicU64,
}

impl Channel {
    pub fn new(lanes: usize, frames: u64, max_len: u64) -> Channel {
        let layout = LaneLayout::new(frames, max_len).unwrap();
        let lanes = (0..lanes).map(|_| Heap::zeroed(layout.stride() as usize)).collect();
        Channel { lanes, layout, now: AtomicU64::new(1) }
    }
    pub fn writer(&self, lane: usize) -> LaneWriter<&Heap> {
        LaneWriter::adopt(&self.lanes[lane], self.layout, u64::MAX).unwrap()
    }
    pub fn publish(&self, writer: &mut LaneWriter<&Heap>, bytes: &[u8]) -> u64 {
        let timestamp = self.now.fetch_add(1, SeqCst);
        let mut reservation = writer.reserve(bytes.len()).unwrap();
        reservation.fill(0, bytes);
        reservation.commit(Commit { len: bytes.len(), timestamp, lease: 1 }).seq
    }
    pub fn receive(&self, merge: &mut Merge, which: Which) -> Option<(usize, u64, Vec<u8>)> {
        let mut bytes = Vec::new();
        let got = merge.receive(self, which, |mem, meta| {
            let mut out = vec![MaybeUninit::new(0); meta.len];
            mem.copy_out(meta.at, &mut out);
            // SAFETY: initialized above, and only initialized bytes are written to it.
            bytes = out.iter().map(|b| unsafe { b.assume_init() }).collect();
            Ok(())
        });
        got.unwrap().map(|d| (d.lane, d.meta.seq, bytes))
    }
}

impl Lanes for Channel {
    type Mem = Heap;
    fn used(&self) -> usize {
        self.lanes.len()
    }
    fn lane(&self, i: usize) -> Option<&Heap> {
        self.lanes.get(i)
    }
    fn layout(&self) -> &LaneLayout {
        &self.layout
    }
    fn now(&self) -> u64 {
        self.now.load(SeqCst)
    }
}
