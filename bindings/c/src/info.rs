//! The state of a channel: its counts and types.

use crate::border::call;
use crate::channel::SaltusChannel;
use crate::code::{SALTUS_OK, SaltusError};
use crate::domain_message::SALTUS_UNKNOWN;
use crate::handle::shared;
use crate::sized::{self, Growing};
use crate::types::{SaltusTypeCallback, call_each};
use saltus_channel::Info;
use std::ffi::c_void;

/// The state of a channel at one moment, read from counters without disturbing its users.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SaltusInfo {
    /// The size of this structure in the program.
    pub size: usize,
    /// Messages published, by all publishers together, including closed and dead ones.
    pub published: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Messages that a subscriber can still receive.
    pub kept: u64,
    /// Messages missed by all living subscribers that keep counters.
    pub missed: u64,
    /// Living publishers.
    pub publishers: u64,
    /// Living subscribers that keep counters.
    pub subscribers: u64,
    /// Shared memory in bytes, without counters and types.
    pub memory: u64,
    /// Age of the newest message in ns, or SALTUS_UNKNOWN.
    pub age_ns: u64,
    /// When the channel was created, in ns of boot time.
    pub created_ns: u64,
}

// SAFETY: ten 8-byte numbers, the size first, without padding.
unsafe impl Growing for SaltusInfo {
    const FIRST: usize = 80;
    const DEFAULT: SaltusInfo = SaltusInfo {
        size: size_of::<SaltusInfo>(),
        published: 0,
        bytes: 0,
        kept: 0,
        missed: 0,
        publishers: 0,
        subscribers: 0,
        memory: 0,
        age_ns: SALTUS_UNKNOWN,
        created_ns: 0,
    };
}

/// The state as Rust has it, as C sees it.
fn from_rust(info: &Info) -> SaltusInfo {
    let sum = |numbers: &mut dyn Iterator<Item = u64>| numbers.fold(0, u64::saturating_add);
    let living = || info.subscribers.iter().filter(|subscriber| subscriber.alive);
    SaltusInfo {
        published: info.published(),
        bytes: sum(&mut info.lanes.iter().map(|lane| lane.bytes)),
        kept: sum(&mut info.lanes.iter().map(|lane| lane.kept)),
        missed: sum(&mut living().map(|subscriber| subscriber.missed)),
        publishers: info.lanes.iter().filter(|lane| lane.alive).count() as u64,
        subscribers: living().count() as u64,
        memory: info.memory,
        age_ns: info.age_of_newest().unwrap_or(SALTUS_UNKNOWN),
        created_ns: info.created,
        ..SaltusInfo::DEFAULT
    }
}

/// saltus_channel_info returns the state of a channel at this moment. `size` is sizeof(saltus_info).
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes. It costs publishers only cache misses.
/// Fails: SALTUS_INVALID (NULL, an impossible size, or closed), SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_info(
    channel: SaltusChannel,
    info: *mut SaltusInfo,
    size: usize,
) -> SaltusError {
    call(|| {
        // SAFETY: the header demands that no thread closes it in the meantime, and room for `size` bytes.
        unsafe { sized::write(info, size, &from_rust(&shared(channel)?.info()?))? };
        Ok(SALTUS_OK)
    })
}

/// saltus_channel_descriptions calls `each` with every type that publishers registered for the channel's messages (see
/// saltus_channel_describe()), in this thread. It passes `context` on.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID (NULL, or closed), SALTUS_DAMAGED, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_descriptions(
    channel: SaltusChannel,
    each: SaltusTypeCallback,
    context: *mut c_void,
) -> SaltusError {
    call(|| {
        // SAFETY: the header demands that no thread closes it in the meantime, and a function of this kind.
        unsafe { call_each(shared(channel)?.descriptions()?, each, context) }
    })
}
