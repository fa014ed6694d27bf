//! Invalid words: the geometry, the words of the channel, and every field of a lane.

use super::hunt::Prey;
use super::victim;
use crate::raw::*;
use crate::report::Failure;
use crate::rng::Rng;
use saltus_channel::{Attributes, Directory};
use saltus_ring::LaneLayout;
use saltus_ring::bell::{ARM, ASLEEP, BELL, PASSED};
use std::fs::{self, File};

const SIZE: u64 = 700;
const NAME: &str = "c";

/// A value that an attacker, or a stray store, might leave.
pub fn lie(rng: &mut Rng, layout: &LaneLayout, truth: u64) -> u64 {
    let (cap, max) = (layout.cap(), layout.max_len());
    let near = rng.pick(&[
        0,
        1,
        2,
        64,
        cap,
        max,
        truth,
        truth.wrapping_add(1),
        layout.stride(),
        layout.frames(),
        1 << 48,
        1 << 62,
        1 << 63,
    ]);
    match rng.below(8) {
        0 => 0,
        1 => u64::MAX - rng.below(3) * 31,
        2 => rng.next(),
        3 => 1 << rng.below(64),
        4 => truth.wrapping_add(rng.below(200)).wrapping_sub(100),
        _ => near.wrapping_add(rng.below(3)).wrapping_sub(1),
    }
}

/// A channel with some messages in it, and its lane's layout.
fn honest(domain: &Directory, rng: &mut Rng) -> Result<LaneLayout, Failure> {
    let frames = rng.pick(&[1, 3, 16]);
    let lanes = rng.pick(&[1, 1, 2]);
    let channel = domain
        .replace(NAME, &Attributes::new().depth(frames).max_message_size(SIZE).reserve_publishers(lanes))?;
    for _ in 0..lanes {
        let mut publisher = channel.publisher()?;
        for i in 0..rng.below(2 * frames + 3) {
            publisher.publish(&vec![7; (i * 97 % (SIZE + 1)) as usize])?;
        }
        if lanes > 1 {
            std::mem::forget(publisher); // its lane stays leased as long as this process lives: the next publisher gets another
        }
    }
    Ok(LaneLayout::new(frames, SIZE).ok_or("no such shape")?)
}

/// Crafted first pages and files of every length.
pub fn geometry(domain: &Directory, rng: &mut Rng, prey: &Prey) -> Result<(), Failure> {
    let layout = honest(domain, rng)?;
    let path = domain.path().join(NAME).join("data");
    let raw = Raw::open(&path)?;
    for _ in 0..1 + rng.below(3) {
        let word = rng.below(GEOMETRY_WORDS as u64 + 1) as usize;
        raw.set(8 * word, lie(rng, &layout, raw.get(8 * word)));
    }
    if rng.below(2) == 0 {
        // A layout that is valid in itself, but does not match the file.
        let (frames, size) = (rng.pick(&[1, 2, 100, 1 << 24]), rng.pick(&[1, 64, SIZE, 1 << 20, 1 << 40]));
        if let Some(other) = LaneLayout::new(frames, size) {
            for (word, value) in [(FRAMES, frames), (FRAME_SIZE, size), (STRIDE, other.stride())] {
                raw.set(8 * word, value);
            }
            raw.set(8 * LANES, rng.pick(&[1, 2, 1024]));
        }
    }
    if rng.below(4) != 0 {
        raw.sign_geometry();
    }
    if rng.below(2) == 0 {
        raw.set(LANES_USED, lie(rng, &layout, 1));
    }
    drop(raw);
    if rng.below(3) == 0 {
        let full = fs::metadata(&path)?.len();
        let len = rng.pick(&[
            0,
            1,
            8,
            184,
            4095,
            4096,
            8191,
            8192,
            8193,
            full - 1,
            full - 4096,
            full + 4096,
            4 << 20,
        ]);
        File::options().write(true).open(&path)?.set_len(len)?;
    }
    if let Ok(channel) = domain.open_channel(NAME) {
        let attributes = channel.attributes();
        let shape = LaneLayout::new(attributes.get_depth(), attributes.get_max_message_size())
            .ok_or("no such shape")?;
        let least = LANE_0 as u64 + attributes.get_reserve_publishers() as u64 * shape.stride();
        let len = fs::metadata(&path)?.len();
        if len < least {
            return Err(format!("opened, with {len} B where its lanes take {least} B").into());
        }
    }
    victim::use_channel(domain, NAME, rng, prey)
}

/// Invalid values in the words of the channel and of a lane.
pub fn words(domain: &Directory, rng: &mut Rng, prey: &Prey) -> Result<(), Failure> {
    let layout = honest(domain, rng)?;
    let raw = Raw::open(&domain.path().join(NAME).join("data"))?;
    let bell = Raw::open(&domain.path().join(NAME).join("bell"))?;
    let lane = lane_words(&layout);
    // Opened before the changes, or after.
    let early = if rng.below(2) == 0 { Some(domain.open_channel(NAME)?) } else { None };
    let head = raw.get(LANE_0);
    for _ in 0..1 + rng.below(4) {
        match rng.below(9) {
            8 => {
                let at = rng.pick(&[ARM, ASLEEP, BELL, PASSED]);
                bell.set(at, lie(rng, &layout, bell.get(at)));
            }
            0 => {
                let at = rng.pick(&[LANES_USED, WOKEN, LEASES, STATE]);
                raw.set(at, lie(rng, &layout, raw.get(at)));
            }
            1 => {
                let at = rng.pick(&HEADER) + LANE_0;
                raw.set(at, lie(rng, &layout, raw.get(at)));
            }
            2 => {
                // The slot of the head, or of a neighbor: where readers read first.
                let slot = (head + rng.below(3)) & ((layout.frames() + 2).next_power_of_two() - 1);
                let at = LANE_0 + SLOTS + 64 * slot as usize + rng.pick(&SLOT);
                raw.set(at, lie(rng, &layout, raw.get(at)));
            }
            _ => {
                let at = rng.pick(&lane);
                raw.set(at, lie(rng, &layout, raw.get(at)));
            }
        }
    }
    match early {
        Some(channel) => victim::exercise(&channel, rng, prey),
        None => victim::use_channel(domain, NAME, rng, prey),
    }
}

/// A writer that changes every field as fast as it can, next to honest processes.
pub fn corrupt_forever(domain: &Directory, rng: &mut Rng) -> Result<(), Failure> {
    let channel = domain.open_channel(NAME)?;
    let attributes = channel.attributes();
    let layout =
        LaneLayout::new(attributes.get_depth(), attributes.get_max_message_size()).ok_or("no such shape")?;
    let raw = Raw::open(&domain.path().join(NAME).join("data"))?;
    let mut targets = lane_words(&layout);
    let bell = Raw::open(&domain.path().join(NAME).join("bell"))?;
    targets.extend([LANES_USED, WOKEN, LEASES]);
    loop {
        let at = rng.pick(&targets);
        let truth = raw.get(at);
        raw.set(at, lie(rng, &layout, truth));
        if rng.below(64) == 0 {
            bell.set(rng.pick(&[ARM, ASLEEP, BELL, PASSED]), lie(rng, &layout, 1));
        }
        if rng.below(2) == 0 {
            raw.set(at, truth); // and back, so that some validations succeed
        }
    }
}

/// Creates the channel that [`corrupt_forever`] damages.
pub fn lay_out(domain: &Directory, rng: &mut Rng) -> Result<(), Failure> {
    honest(domain, rng).map(drop)
}
