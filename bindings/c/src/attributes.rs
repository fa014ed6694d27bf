//! What a channel is made of.

use crate::border::{Fail, Result, call};
use crate::code::SALTUS_OK;
use crate::sized::{self, Growing};
use saltus_channel::clock::Clock;
use saltus_channel::{Attributes, Group, Wake};
use std::ffi::c_int;

/// Clock of the stamps: time since boot, suspend included. The default. As CLOCK_BOOTTIME.
pub const SALTUS_BOOTTIME: u32 = 7;
/// Clock of the stamps: time since boot without suspend. As CLOCK_MONOTONIC.
pub const SALTUS_MONOTONIC: u32 = 1;
/// Clock of the stamps: wall time, which may jump. As CLOCK_REALTIME.
pub const SALTUS_REALTIME: u32 = 0;

/// Publishers wake sleepers when somebody sleeps; it costs nothing when nobody does. The default.
pub const SALTUS_WAKE_ON_DEMAND: u32 = 0;
/// Publishers make the system call to wake sleepers every time: for subscribers that may not write the bell.
pub const SALTUS_WAKE_ALWAYS: u32 = 1;

/// The group of a channel's files is the creating process's. The default.
pub const SALTUS_OWN_GROUP: u32 = u32::MAX;

/// What a channel is created with. Fill it with saltus_attributes_init(), then change what shall be different.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SaltusAttributes {
    /// Bytes that this structure has for the program; set by saltus_attributes_init(), not to be changed.
    pub size: usize,
    /// How many of each publisher's newest messages are kept: 1 to 2^24. Default 16.
    pub frames: u64,
    /// The longest message in bytes: 1 to 2^40. Default 512.
    pub frame_size: u64,
    /// For how many publishers memory is reserved at creation: 1 to 1,024. More may come later. Default 1.
    pub lanes: u32,
    /// Permission bits: who may write may publish, who may read may subscribe; 0600 must be in it. Default 0644.
    pub mode: u32,
    /// Group id of the files, or SALTUS_OWN_GROUP.
    pub group: u32,
    /// SALTUS_BOOTTIME, SALTUS_MONOTONIC or SALTUS_REALTIME.
    pub clock: u32,
    /// SALTUS_WAKE_ON_DEMAND or SALTUS_WAKE_ALWAYS.
    pub wake: u32,
    /// 1: messages carry the time of their publication. 0: they do not, and there is one publisher only. Default 1.
    pub stamps: u32,
    /// 1: who opens the channel maps all its pages at once, so that nothing faults later. Default 1.
    pub prefault: u32,
    /// 1: who opens the channel locks its pages into memory. Default 0.
    pub lock_memory: u32,
}

// SAFETY: numbers only; the size first; three 8-byte fields and eight 4-byte ones leave no padding.
unsafe impl Growing for SaltusAttributes {
    const FIRST: usize = 56;
    const DEFAULT: SaltusAttributes = SaltusAttributes {
        size: size_of::<SaltusAttributes>(),
        frames: 16,
        frame_size: 512,
        lanes: 1,
        mode: 0o644,
        group: SALTUS_OWN_GROUP,
        clock: SALTUS_BOOTTIME,
        wake: SALTUS_WAKE_ON_DEMAND,
        stamps: 1,
        prefault: 1,
        lock_memory: 0,
    };
}

/// Fills `attributes` with the defaults. `size` is sizeof(saltus_attributes).
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or a senseless size).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_attributes_init(attributes: *mut SaltusAttributes, size: usize) -> c_int {
    call(|| {
        // SAFETY: the header demands room for `size` bytes.
        unsafe { sized::write(attributes, size, &SaltusAttributes::DEFAULT)? };
        Ok(SALTUS_OK)
    })
}

/// What C asks for, as Rust has it. NULL asks for the defaults.
pub(crate) unsafe fn read(from: *const SaltusAttributes) -> Result<Attributes> {
    // SAFETY: as the caller has it.
    let c = unsafe { sized::read(from)? };
    let clock =
        Clock::from_id(c.clock).ok_or(Fail::Misuse("attributes: the clock is none of SALTUS_*TIME"))?;
    let wake = match c.wake {
        SALTUS_WAKE_ON_DEMAND => Wake::OnDemand,
        SALTUS_WAKE_ALWAYS => Wake::Always,
        _ => return Err(Fail::Misuse("attributes: wake is none of SALTUS_WAKE_*")),
    };
    let mut attributes = Attributes::new()
        .frames(c.frames)
        .frame_size(c.frame_size)
        .lanes(c.lanes)
        .mode(c.mode)
        .clock(clock)
        .wake(wake)
        .stamps(flag(c.stamps, "attributes: stamps is neither 0 nor 1")?)
        .prefault(flag(c.prefault, "attributes: prefault is neither 0 nor 1")?)
        .lock_memory(flag(c.lock_memory, "attributes: lock_memory is neither 0 nor 1")?);
    if c.group != SALTUS_OWN_GROUP {
        attributes = attributes.group(Group::Id(c.group));
    }
    Ok(attributes)
}

/// What Rust has, as C sees it.
pub(crate) fn from_rust(a: &Attributes) -> SaltusAttributes {
    SaltusAttributes {
        frames: a.get_frames(),
        frame_size: a.get_frame_size(),
        lanes: a.get_lanes(),
        mode: a.get_mode(),
        group: match a.get_group() {
            Some(Group::Id(id)) => *id,
            _ => SALTUS_OWN_GROUP,
        },
        clock: a.get_clock() as u32,
        wake: if a.get_wake() == Wake::Always { SALTUS_WAKE_ALWAYS } else { SALTUS_WAKE_ON_DEMAND },
        stamps: a.get_stamps().into(),
        prefault: a.get_prefault().into(),
        lock_memory: a.get_lock_memory().into(),
        ..SaltusAttributes::DEFAULT
    }
}

/// A number that stands for yes or no.
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
        let mut c = SaltusAttributes { frames: 3, frame_size: 70, lanes: 2, mode: 0o660, ..Growing::DEFAULT };
        (c.group, c.clock, c.wake) = (5, SALTUS_REALTIME, SALTUS_WAKE_ALWAYS);
        (c.prefault, c.lock_memory) = (0, 1);
        // SAFETY: a live structure with its size.
        let rust = unsafe { read(&c) }.unwrap_or_else(|_| panic!("refused"));
        assert_eq!(format!("{:?}", from_rust(&rust)), format!("{c:?}"));
        let all = Attributes::new().frames(3).frame_size(70).lanes(2).mode(0o660).group(Group::Id(5));
        let all = all.clock(Clock::Realtime).wake(Wake::Always).prefault(false).lock_memory(true);
        assert_eq!(rust, all);
        c = SaltusAttributes { stamps: 0, ..Growing::DEFAULT };
        // SAFETY: as above.
        assert!(unsafe { read(&c) }.is_ok_and(|a| a == Attributes::new().stamps(false)));
        for field in 0..4 {
            let mut bad = SaltusAttributes { ..Growing::DEFAULT };
            *[&mut bad.clock, &mut bad.wake, &mut bad.stamps, &mut bad.prefault][field] = 2;
            // SAFETY: as above.
            assert!(unsafe { read(&bad) }.is_err(), "field {field}");
        }
    }
}
