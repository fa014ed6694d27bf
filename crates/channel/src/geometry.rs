//! The files of a channel, and the first two pages of its data file.
//!
//! ```text
//! page 0: geometry, never changed (u64, little-endian, at 8 * index)
//!   0 magic | 1 version | 2 features | 3 depth | 4 max message size | 5 lanes | 6 stride | 7 flags | 8 clock
//!   9 created (boot time, ns) | 10 pid | 11 uid | 12 id | 13 name length | 14..22 name | 22 checksum of all before
//! page 1: words of the channel (byte offsets; lines 128 bytes apart)
//!   0 woken | 128 lanes used | 256 state | 384 leases given
//! lane i: at 8192 + i * stride, see `saltus_ring::LaneLayout`
//! ```
//!
//! Page 0 is copied and checked once, when a channel is opened. No value in it is used before the check.

use crate::attributes::{Attributes, Wake};
use crate::{Error, Name, Result};
use saltus_os::clock::Clock;
use saltus_ring::LaneLayout;

/// Names of the files in a channel's directory.
pub(crate) const DATA: &[u8] = b"data";
pub(crate) const BELL: &[u8] = b"bell";
pub(crate) const LEASE: &[u8] = b"lease";
pub(crate) const TYPES: &[u8] = b"types";
pub(crate) const SUBSCRIBERS: &[u8] = b"subs";

/// Bytes in a page; geometry, channel words and lanes start at multiples of it.
pub(crate) const PAGE: u64 = 4096;
/// Offset of the first lane.
pub(crate) const LANES_AT: u64 = 2 * PAGE;
/// Byte offsets in page 1; the first word is `saltus_ring::bell`'s.
pub(crate) const LANES_USED: usize = 128;
/// [`LIVE`] while the channel is alive, else why it is not.
pub(crate) const STATE: usize = 256;
/// The number of leases ever issued.
pub(crate) const LEASES: usize = 384;

/// Values of the state word.
///
/// Not 0, which the word contains after the file was truncated and grown again. Small enough for an immediate operand.
pub(crate) const LIVE: u64 = u32::from_le_bytes(*b"live") as u64;
pub(crate) const ZEROED: u64 = 0;
pub(crate) const REMOVED: u64 = 1;
pub(crate) const REPLACED: u64 = 2;
/// Only in a process that has found the data file truncated: see [`crate::mapped`].
pub(crate) const CUT: u64 = u64::MAX;

const MAGIC: u64 = u64::from_le_bytes(*b"SALTUSch");
/// Magic of Ach 2's channels, for a better error.
const ACH_MAGIC: u32 = 0xb075_11f3;
const VERSION: u64 = 2;
const WORDS: usize = 23;
const TIMESTAMPS: u64 = 1;
const PREFAULT: u64 = 2;
const LOCK: u64 = 4;
const ALWAYS: u64 = 8;

/// The contents of page 0.
#[derive(Clone, Debug)]
pub(crate) struct Geometry {
    pub attributes: Attributes,
    pub layout: LaneLayout,
    pub created: u64,
    pub pid: u32,
    pub uid: u32,
    pub id: u64,
}

/// Whether channels can be mapped here, where the kernel's pages have `size` bytes.
pub(crate) fn check_page_size(size: u64) -> Result<()> {
    if size == PAGE {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "this kernel has pages of {size} B, and the parts of a channel start at multiples of {PAGE} B: boot a kernel with pages of 4 KiB"
    )))
}

/// Whether a process whose addresses leave room for `most` bytes can map a channel of `publishers` publishers.
pub(crate) fn check_address_space(layout: &LaneLayout, publishers: u32, most: u64) -> Result<()> {
    let needed = lane_at(layout, publishers as usize);
    if needed <= most {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "a channel with a depth of {} and messages of up to {} B, for {publishers} publishers, takes {needed} B; \
         the addresses of this {}-bit program leave room for {most} B: \
         use a smaller depth, smaller messages or a 64-bit program",
        layout.frames(),
        layout.max_len(),
        usize::BITS
    )))
}

/// Where lane `i` starts in the data file.
pub(crate) fn lane_at(layout: &LaneLayout, i: usize) -> u64 {
    LANES_AT + i as u64 * layout.stride()
}

impl Geometry {
    /// The geometry of a new channel.
    pub fn new(attributes: &Attributes) -> Result<Geometry> {
        let layout = attributes.layout()?;
        check_address_space(&layout, attributes.reserve_publishers, isize::MAX as u64)?;
        Ok(Geometry {
            attributes: attributes.clone(),
            layout,
            created: saltus_os::clock::boottime(),
            pid: saltus_os::process::id(),
            uid: saltus_os::process::user(),
            id: saltus_os::process::random(),
        })
    }

    /// Encodes page 0.
    pub fn encode(&self, name: &Name) -> Vec<u8> {
        let a = &self.attributes;
        let flag = |on: bool, bit: u64| if on { bit } else { 0 };
        let flags = flag(a.timestamps, TIMESTAMPS)
            | flag(a.prefault, PREFAULT)
            | flag(a.lock_memory, LOCK)
            | flag(a.wake == Wake::Always, ALWAYS);
        let mut words = vec![
            MAGIC,
            VERSION,
            0,
            a.depth,
            a.max_message_size,
            a.reserve_publishers as u64,
            self.layout.stride(),
            flags,
        ];
        words.extend([a.clock as u64, self.created, self.pid as u64, self.uid as u64, self.id]);
        words.push(name.as_bytes().len() as u64);
        let mut padded = [0; 64];
        padded[..name.as_bytes().len()].copy_from_slice(name.as_bytes());
        words.extend(padded.as_chunks::<8>().0.iter().map(|c| u64::from_le_bytes(*c)));
        words.push(checksum(&words));
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Checks and decodes page 0 of channel `name`. It may hold any bytes.
    pub fn decode(page: &[u8], name: &Name) -> Result<Geometry> {
        let damaged = |what: &str| Error::Damaged { what: format!("channel `{name}`: {what}") };
        if page.len() >= 4 && page[..4] == ACH_MAGIC.to_le_bytes() {
            return Err(damaged("this is a channel of Ach, not of Saltus"));
        }
        if page.len() < WORDS * 8 {
            return Err(damaged("its data file is too short to be a channel"));
        }
        let words: Vec<u64> =
            page.as_chunks::<8>().0[..WORDS].iter().map(|c| u64::from_le_bytes(*c)).collect();
        if words[0] != MAGIC {
            return Err(damaged("its data file does not begin like a channel"));
        }
        if words[1] != VERSION || words[2] != 0 {
            let what = format!("it has format {}.{:x}, this program speaks {VERSION}.0", words[1], words[2]);
            return Err(damaged(&what));
        }
        if words[22] != checksum(&words[..22]) {
            return Err(damaged("its geometry has a wrong checksum"));
        }
        let clock = u32::try_from(words[8]).ok().and_then(Clock::from_id);
        let attributes = Attributes {
            depth: words[3],
            max_message_size: words[4],
            reserve_publishers: u32::try_from(words[5]).unwrap_or(u32::MAX),
            mode: 0o600, // the file system has the real mode
            group: None,
            timestamps: words[7] & TIMESTAMPS != 0,
            clock: clock.ok_or_else(|| damaged("its clock is unknown"))?,
            wake: if words[7] & ALWAYS != 0 { Wake::Always } else { Wake::OnDemand },
            prefault: words[7] & PREFAULT != 0,
            lock_memory: words[7] & LOCK != 0,
        };
        let layout = attributes.layout().map_err(|e| damaged(&e.to_string()))?;
        if words[6] != layout.stride() {
            return Err(damaged("its lanes have another size than its depth and message size require"));
        }
        check_address_space(&layout, attributes.reserve_publishers, isize::MAX as u64)?;
        let (created, pid, uid, id) = (words[9], words[10] as u32, words[11] as u32, words[12]);
        Ok(Geometry { attributes, layout, created, pid, uid, id })
    }
}

/// FNV-1a over words. It finds damage, not malice: a process that may write the file may also write its checksum.
fn checksum(words: &[u64]) -> u64 {
    words
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ byte as u64).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_with_larger_pages_is_refused_in_words() {
        check_page_size(4096).unwrap();
        let error = check_page_size(16384).unwrap_err().to_string();
        assert!(error.contains("16384 B") && error.contains("boot a kernel with pages of 4 KiB"), "{error}");
    }

    #[test]
    fn a_channel_larger_than_the_address_space_is_refused_in_words() {
        let layout = LaneLayout::new(1000, 1 << 20).unwrap();
        let needed = LANES_AT + 2 * layout.stride();
        check_address_space(&layout, 2, needed).unwrap();
        let error = check_address_space(&layout, 2, needed - 1).unwrap_err().to_string();
        assert!(
            error.contains(&format!("takes {needed} B")) && error.contains("a 64-bit program"),
            "{error}"
        );
    }

    /// A 64-bit program can create what a 32-bit one cannot map.
    #[test]
    #[cfg(target_pointer_width = "32")]
    fn a_channel_of_a_64_bit_program_that_is_too_large_is_refused_in_words() {
        let attributes = Attributes::new().depth(1000).max_message_size(64 << 20);
        let layout = attributes.layout().unwrap();
        let name = Name::new("imu").unwrap();
        assert!(Geometry::new(&attributes).unwrap_err().to_string().contains("a 64-bit program"));
        let theirs = Geometry { attributes, layout, created: 0, pid: 1, uid: 0, id: 1 };
        let error = Geometry::decode(&theirs.encode(&name), &name).unwrap_err();
        assert!(
            matches!(error, Error::Invalid { .. }) && error.to_string().contains("a 64-bit program"),
            "{error}"
        );
    }

    #[test]
    fn geometry_comes_back_and_every_changed_bit_is_found() {
        let name = Name::new("imu").unwrap();
        let geometry = Geometry::new(&Attributes::new().depth(3).clock(Clock::Realtime)).unwrap();
        let page = geometry.encode(&name);
        let back = Geometry::decode(&page, &name).unwrap();
        assert_eq!((back.layout, back.id), (geometry.layout, geometry.id));
        assert_eq!(back.attributes.clock, Clock::Realtime);
        for bit in 0..page.len() * 8 {
            let mut bad = page.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(Geometry::decode(&bad, &name).is_err(), "bit {bit}");
        }
        for len in 0..page.len() {
            assert!(Geometry::decode(&page[..len], &name).is_err());
        }
    }
}
