//! A channel's data file as an attacker sees it: raw words at offsets.
//!
//! The offsets are those of `saltus_ring`'s layout and `saltus_channel`'s geometry.

use crate::report::Failure;
use saltus_os::map::{Access, Map};
use saltus_ring::{LaneLayout, Memory, Shm, bell};
use std::fs::File;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed; // an attacker's writes have no order

pub const PAGE: usize = 4096;
/// Words of page 0 that the checksum covers; it follows them.
pub const GEOMETRY_WORDS: usize = 22;
pub const FRAMES: usize = 3;
pub const FRAME_SIZE: usize = 4;
pub const LANES: usize = 5;
pub const STRIDE: usize = 6;
/// Words of page 1, as byte offsets in the file.
pub const WOKEN: usize = PAGE + bell::WOKEN;
pub const LANES_USED: usize = PAGE + 128;
pub const STATE: usize = PAGE + 256;
pub const LEASES: usize = PAGE + 384;
/// Offset of the first lane.
pub const LANE_0: usize = 2 * PAGE;
/// Words of a lane's header, as byte offsets in the lane; the slots follow at 512.
pub const HEADER: [usize; 9] = [0, 128, 256, 264, 272, 384, 392, 400, 408];
pub const SLOTS: usize = 512;
/// Words of a slot, in bytes: seq, pos, timestamp, lease, length, offset.
pub const SLOT: [usize; 6] = [0, 8, 16, 24, 32, 40];

/// A file mapped for writing.
pub struct Raw {
    map: Map,
}

impl Raw {
    pub fn open(path: &Path) -> Result<Raw, Failure> {
        let file = File::options().read(true).write(true).open(path)?;
        let len = file.metadata()?.len() as usize;
        Ok(Raw { map: Map::new(&file, 0, len, Access::Write, false)? })
    }

    fn mem(&self) -> Shm {
        // SAFETY: mapped for writing as long as `self` lives.
        unsafe { Shm::new(self.map.base(), self.map.len()) }
    }
    pub fn get(&self, at: usize) -> u64 {
        self.mem().load(at, Relaxed)
    }
    pub fn set(&self, at: usize, value: u64) {
        self.mem().store(at, value, Relaxed);
    }

    /// Gives the geometry a valid checksum.
    pub fn sign_geometry(&self) {
        let bytes = (0..GEOMETRY_WORDS).flat_map(|i| self.get(8 * i).to_le_bytes());
        let sum = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ byte as u64).wrapping_mul(0x100_0000_01b3)
        });
        self.set(8 * GEOMETRY_WORDS, sum);
    }
}

/// Byte offsets of all meaningful words of lane 0: its header and its slots.
pub fn lane_words(layout: &LaneLayout) -> Vec<usize> {
    let slots = (layout.frames() + 2).next_power_of_two() as usize;
    let header = HEADER.iter().map(|at| LANE_0 + at);
    let slot_words = (0..slots).flat_map(|s| SLOT.iter().map(move |at| LANE_0 + SLOTS + 64 * s + at));
    header.chain(slot_words).collect()
}
