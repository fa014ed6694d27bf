//! A lane of an in-memory channel: the ring of shared memory, in pages of this process.

use super::budget::{Budget, Charge};
use crate::{Error, Result};
use saltus_os::{clock, map::Map};
use saltus_ring::{Commit, LaneLayout, LaneWriter, Lanes, Memory, Shm, reader};
use saltus_transport::About;
use std::sync::Arc;

/// Most memory for one lane of a channel, unless a single message needs more.
const MOST_BYTES: u64 = 64 << 20;
/// Frames of a lane, if no subscriber asks for more.
const FRAMES: u64 = 16;
/// Least maximum message size of a lane.
const LEAST_LEN: u64 = 512;

/// One publisher's messages, as its subscribers read them. Its maximum message size is fixed; for longer ones, a
/// larger lane replaces it.
#[derive(Debug)]
pub(crate) struct Lane {
    layout: LaneLayout,
    mem: Shm,
    _charge: Charge,
    /// Owns the memory that `mem` points to.
    _map: Map,
}

/// Frames and maximum message size of a lane that keeps `depth` messages of `len` bytes, header included.
fn shape(depth: u64, len: usize) -> (u64, u64) {
    let max_len = (len as u64).next_power_of_two().max(LEAST_LEN);
    let frames = depth.max(FRAMES).min((MOST_BYTES / max_len).max(4));
    (frames, max_len)
}

/// The layout of a lane for `frames` messages of `max_len` bytes, or what the budget has left for messages of `len` bytes.
fn within(budget: &Arc<Budget>, frames: u64, max_len: u64, len: usize) -> Result<(LaneLayout, Charge)> {
    let shorter = (len as u64).next_multiple_of(4096).min(max_len);
    let fewer = |max_len| (0..).map(move |n| (frames >> n, max_len)).take_while(|(frames, _)| *frames > 0);
    for (frames, max_len) in fewer(max_len).chain(fewer(shorter)) {
        let layout = LaneLayout::new(frames, max_len).ok_or_else(|| {
            Error::invalid(format!("{frames} messages of {max_len} B do not fit into memory"))
        })?;
        let last = (frames, max_len) == (1, shorter);
        if let Some(charge) = budget.charge(layout.stride(), last) {
            return Ok((layout, charge));
        }
    }
    Err(Error::invalid(format!("no memory is left for messages of {len} B: {budget}")))
}

impl Lane {
    fn new((layout, charge): (LaneLayout, Charge)) -> Result<Arc<Lane>> {
        // A size that exceeds the addresses cannot be allocated; the system reports it.
        let bytes = usize::try_from(layout.stride()).unwrap_or(usize::MAX);
        let map = Map::anonymous(bytes).map_err(|e| {
            Error::system(format!("allocate {} B of memory for messages", layout.stride()), e)
        })?;
        // SAFETY: the mapping is page-aligned, readable and writable, and is kept next to `mem` in the same value.
        let mem = unsafe { Shm::new(map.base(), map.len()) };
        Ok(Arc::new(Lane { layout, mem, _charge: charge, _map: map }))
    }
}

impl Lanes for Lane {
    type Mem = Shm;
    #[inline(always)]
    fn used(&self) -> usize {
        1
    }
    #[inline(always)]
    fn lane(&self, _: usize) -> Option<&Shm> {
        Some(&self.mem)
    }
    #[inline(always)]
    fn layout(&self) -> &LaneLayout {
        &self.layout
    }
    fn most(&self) -> usize {
        1
    }
    fn now(&self) -> u64 {
        clock::boottime()
    }
}

/// The only writing end of a lane.
#[derive(Debug)]
pub(crate) struct LaneEnd {
    lane: Arc<Lane>,
    writer: LaneWriter<Shm>,
    /// Messages that it should keep; fewer if memory is short.
    wanted: u64,
    /// Smaller lanes that this one replaced. They are kept for subscribers that join until this one has received as
    /// many messages as they could hold.
    pub before: Vec<Arc<Lane>>,
}

impl LaneEnd {
    /// A lane for `depth` messages of `len` bytes and their headers.
    pub fn new(depth: u64, len: usize, budget: &Arc<Budget>) -> Result<LaneEnd> {
        let len = len.saturating_add(About::SIZE);
        let (wanted, max_len) = shape(depth, len);
        let lane = Lane::new(within(budget, wanted, max_len, len)?)?;
        let writer = LaneWriter::adopt(lane.mem, lane.layout, u64::MAX)
            .map_err(|_| Error::invalid("fresh memory was not zeroed"))?;
        Ok(LaneEnd { lane, writer, wanted, before: Vec::new() })
    }

    pub fn lane(&self) -> &Arc<Lane> {
        &self.lane
    }
    /// Whether it has received as many messages as it keeps.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.writer.head() >= self.lane.layout.frames()
    }

    /// How many messages it keeps.
    pub fn frames(&self) -> u64 {
        self.lane.layout.frames()
    }
    /// Whether it accepts messages of `len` bytes.
    #[inline]
    pub fn fits(&self, len: usize) -> bool {
        (len as u64).saturating_add(About::SIZE as u64) <= self.lane.layout.max_len()
    }
    /// Whether it accepts messages of `len` bytes and keeps at least `depth`, or as many as memory allows.
    #[inline]
    pub fn suits(&self, depth: u64, len: usize) -> bool {
        self.fits(len) && self.wanted >= self.wanted_at(depth)
    }
    #[inline]
    fn wanted_at(&self, depth: u64) -> u64 {
        shape(depth, self.lane.layout.max_len() as usize).0
    }
    /// Records that there is no memory for this depth.
    pub fn give_up(&mut self, depth: u64) {
        self.wanted = self.wanted.max(self.wanted_at(depth));
    }

    /// Publishes a message that [`LaneEnd::fits`]. Real-time safe.
    #[inline]
    pub fn publish(&mut self, about: &About, payload: &[u8]) {
        let len = About::SIZE + payload.len();
        let Some(mut reservation) = self.writer.reserve(len) else { return };
        reservation.fill(0, &about.to_bytes());
        reservation.fill(About::SIZE, payload);
        reservation.commit(Commit { len, timestamp: about.arrived, lease: 0 });
    }
}

impl Lane {
    /// The number of messages ever published in it.
    pub fn published(&self) -> u64 {
        reader::head(&self.mem)
    }
    /// Copies a message into `buf`, replacing its content.
    #[inline]
    pub fn copy(mem: &Shm, at: usize, len: usize, buf: &mut Vec<u8>) {
        buf.clear();
        buf.reserve(len);
        mem.copy_out(at, &mut buf.spare_capacity_mut()[..len]);
        // SAFETY: the copy has initialized this many bytes of the spare capacity.
        unsafe { buf.set_len(len) };
    }
}
