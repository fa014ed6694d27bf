//! The configuration of a channel.

use crate::border::{Fail, Result};
use crate::code::SaltusError;
use crate::sized::{self, Growing};
use saltus_channel::clock::Clock;
use saltus_channel::{Attributes, Group, Wake};

/// Clock of the timestamps: time since boot, including suspend. The default. Like CLOCK_BOOTTIME.
pub const SALTUS_BOOTTIME: u32 = 7;
/// Clock of the timestamps: time since boot without suspend. Like CLOCK_MONOTONIC.
pub const SALTUS_MONOTONIC: u32 = 1;
/// Clock of the timestamps: wall time, which may jump. Like CLOCK_REALTIME.
pub const SALTUS_REALTIME: u32 = 0;

/// Publishers wake blocked subscribers; without any this costs nothing. The default.
pub const SALTUS_WAKE_ON_DEMAND: u32 = 0;
/// Publishers make the wake-up system call for every message: for subscribers without write access to the wake page.
pub const SALTUS_WAKE_ALWAYS: u32 = 1;

/// A channel's files get the group of the process that creates it. The default.
pub const SALTUS_OWN_GROUP: u32 = u32::MAX;

/// The configuration of a new channel. Fill it with saltus_attributes_init(), then set the fields you want to change.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SaltusAttributes {
    /// The size of this structure in the program; set by saltus_attributes_init(). Do not change it.
    pub size: usize,
    /// Messages kept for each publisher, the newest: 1 to 2^24. Default 16.
    pub depth: u64,
    /// Bytes of the longest message: 1 to 2^40. Default 512.
    pub max_message_size: u64,
    /// Publishers to reserve memory for at creation: 1 to 1,024. More can be opened later. Default 1.
    pub reserve_publishers: u32,
    /// Permission bits: write allows to publish, read to subscribe; must include 0600. Default 0644.
    pub mode: u32,
    /// Group id of the files, or SALTUS_OWN_GROUP.
    pub group: u32,
    /// SALTUS_BOOTTIME, SALTUS_MONOTONIC or SALTUS_REALTIME.
    pub clock: u32,
    /// SALTUS_WAKE_ON_DEMAND or SALTUS_WAKE_ALWAYS.
    pub wake: u32,
    /// 1: each message carries its time of publication. 0: it does not, and the channel has one publisher only. Default 1.
    pub timestamps: u32,
    /// 1: opening the channel maps all its pages at once, so that no page fault occurs later. Default 1.
    pub prefault: u32,
    /// 1: opening the channel locks its pages into memory. Default 0.
    pub lock_memory: u32,
}

// SAFETY: numbers only; the size first; three 8-byte fields and eight 4-byte ones leave no padding.
unsafe impl Growing for SaltusAttributes {
    const FIRST: usize = 56;
    const DEFAULT: SaltusAttributes = SaltusAttributes {
        size: size_of::<SaltusAttributes>(),
        depth: 16,
        max_message_size: 512,
        reserve_publishers: 1,
        mode: 0o644,
        group: SALTUS_OWN_GROUP,
        clock: SALTUS_BOOTTIME,
        wake: SALTUS_WAKE_ON_DEMAND,
        timestamps: 1,
        prefault: 1,
        lock_memory: 0,
    };
}

/// saltus_attributes_init fills `attributes` with the defaults. `size` is sizeof(saltus_attributes).
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or an impossible size).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_attributes_init(
    attributes: *mut SaltusAttributes,
    size: usize,
) -> SaltusError {
    // SAFETY: as the header demands.
    unsafe { sized::init(attributes, size) }
}

/// The attributes that C asks for, as Rust has them. NULL asks for the defaults.
pub(crate) unsafe fn read(from: *const SaltusAttributes) -> Result<Attributes> {
    // SAFETY: as the caller has it.
    let c = unsafe { sized::read(from)? };
    let clock = Clock::from_id(c.clock).ok_or(Fail::Misuse(
        "attributes: clock: expected SALTUS_BOOTTIME, SALTUS_MONOTONIC or SALTUS_REALTIME",
    ))?;
    let wake = match c.wake {
        SALTUS_WAKE_ON_DEMAND => Wake::OnDemand,
        SALTUS_WAKE_ALWAYS => Wake::Always,
        _ => return Err(Fail::Misuse("attributes: wake: expected a SALTUS_WAKE_* value")),
    };
    let mut attributes = Attributes::new()
        .depth(c.depth)
        .max_message_size(c.max_message_size)
        .reserve_publishers(c.reserve_publishers)
        .mode(c.mode)
        .clock(clock)
        .wake(wake)
        .timestamps(flag(c.timestamps, "attributes: timestamps is neither 0 nor 1")?)
        .prefault(flag(c.prefault, "attributes: prefault is neither 0 nor 1")?)
        .lock_memory(flag(c.lock_memory, "attributes: lock_memory is neither 0 nor 1")?);
    if c.group != SALTUS_OWN_GROUP {
        attributes = attributes.group(Group::Id(c.group));
    }
    Ok(attributes)
}

/// The attributes of Rust, as C has them.
pub(crate) fn from_rust(a: &Attributes) -> SaltusAttributes {
    SaltusAttributes {
        depth: a.get_depth(),
        max_message_size: a.get_max_message_size(),
        reserve_publishers: a.get_reserve_publishers(),
        mode: a.get_mode(),
        group: match a.get_group() {
            Some(Group::Id(id)) => *id,
            _ => SALTUS_OWN_GROUP,
        },
        clock: a.get_clock() as u32,
        wake: if a.get_wake() == Wake::Always { SALTUS_WAKE_ALWAYS } else { SALTUS_WAKE_ON_DEMAND },
        timestamps: a.get_timestamps().into(),
        prefault: a.get_prefault().into(),
        lock_memory: a.get_lock_memory().into(),
        ..SaltusAttributes::DEFAULT
    }
}

/// A number that means yes or no.
pub(crate) fn flag(value: u32, neither: &'static str) -> Result<bool> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Fail::Misuse(neither)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_rust() {
        // SAFETY: NULL is allowed.
        let defaults = unsafe { read(std::ptr::null()) }.unwrap_or_else(|_| panic!("refused"));
        assert_eq!(defaults, Attributes::new());
        assert_eq!(size_of::<SaltusAttributes>(), SaltusAttributes::FIRST, "the first version");
    }

    #[test]
    fn every_attribute_crosses_in_both_directions() {
        let mut c = SaltusAttributes {
            depth: 3,
            max_message_size: 70,
            reserve_publishers: 2,
            mode: 0o660,
            ..Growing::DEFAULT
        };
        (c.group, c.clock, c.wake) = (5, SALTUS_REALTIME, SALTUS_WAKE_ALWAYS);
        (c.prefault, c.lock_memory) = (0, 1);
        // SAFETY: a live structure with its size.
        let rust = unsafe { read(&c) }.unwrap_or_else(|_| panic!("refused"));
        assert_eq!(format!("{:?}", from_rust(&rust)), format!("{c:?}"));
        let all = Attributes::new()
            .depth(3)
            .max_message_size(70)
            .reserve_publishers(2)
            .mode(0o660)
            .group(Group::Id(5));
        let all = all.clock(Clock::Realtime).wake(Wake::Always).prefault(false).lock_memory(true);
        assert_eq!(rust, all);
        c = SaltusAttributes { timestamps: 0, ..Growing::DEFAULT };
        // SAFETY: as above.
        assert!(unsafe { read(&c) }.is_ok_and(|a| a == Attributes::new().timestamps(false)));
        for field in 0..4 {
            let mut bad = SaltusAttributes { ..Growing::DEFAULT };
            *[&mut bad.clock, &mut bad.wake, &mut bad.timestamps, &mut bad.prefault][field] = 2;
            // SAFETY: as above.
            assert!(unsafe { read(&bad) }.is_err(), "field {field}");
        }
    }
}
