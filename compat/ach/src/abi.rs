//! The structures that programs have on their stacks, field by field as in `include/ach.h`. A test compares the layouts.

use libc::{clockid_t, timespec};
use std::ffi::{c_int, c_uint, c_void};

/// `enum ach_map`
pub type AchMap = c_int;
/// Shared memory, unless there is another.
pub const ACH_MAP_DEFAULT: AchMap = 0;
/// The memory of the process.
pub const ACH_MAP_ANON: AchMap = 1;
/// Shared memory.
pub const ACH_MAP_USER: AchMap = 2;
/// The memory of Ach's kernel module; here the same as [`ACH_MAP_USER`].
pub const ACH_MAP_KERNEL: AchMap = 3;

/// `struct ach_header`: an open channel inside the library.
#[repr(C)]
pub struct AchHeader {
    _hidden: [u8; 0],
}

/// `achk_opt_t`
#[derive(Clone, Copy)]
#[repr(C)]
pub struct AchkOpt {
    options: c_int,
    reltime: timespec,
}

/// The number of the last message.
#[derive(Clone, Copy)]
#[repr(C)]
pub union Position {
    /// As programs read it.
    pub seq_num: u64,
    k_opts: AchkOpt,
}

/// The named fields of `ach_channel_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ChannelFields {
    /// The handle; NULL if it is not open.
    pub shm: *mut AchHeader,
    /// Shared memory in bytes.
    pub len: usize,
    /// -1.
    pub fd: c_int,
    /// The number of the last message received, missed or flushed.
    pub position: Position,
    /// Unused.
    pub next_index: usize,
    /// The clock of absolute timeouts.
    pub clock: clockid_t,
    /// Not 0: canceled.
    pub cancel: c_int,
    /// A word that the other fields imply, which finds structures that no open filled.
    pub vtab: *const c_void,
    /// -1.
    pub fd_source_lock: c_int,
}

/// `ach_channel_t`
#[derive(Clone, Copy)]
#[repr(C)]
pub union AchChannel {
    /// The fields that have names.
    pub fields: ChannelFields,
    /// All of it; the last word is the number of the open.
    pub words: [u64; 16],
}

/// The named fields of `ach_attr_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct AttrFields {
    /// Where the channel is.
    pub map: AchMap,
    /// The memory of a channel of the process.
    pub shm: *mut AchHeader,
    /// Bit 0: lock the source.
    pub bits: c_uint,
}

/// `ach_attr_t`
#[derive(Clone, Copy)]
#[repr(C)]
pub union AchAttr {
    /// The fields that have names.
    pub fields: AttrFields,
    /// All of it.
    pub words: [u64; 8],
}

/// The named fields of `ach_create_attr_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CreateAttrFields {
    /// Where the channel is to be.
    pub map: AchMap,
    /// The memory of a channel of the process.
    pub shm: *mut AchHeader,
    /// The clock, if bit 1 is set.
    pub clock: clockid_t,
    /// Bit 0: truncate; bit 1: the clock is set.
    pub bits: c_uint,
}

/// `ach_create_attr_t`
#[derive(Clone, Copy)]
#[repr(C)]
pub union AchCreateAttr {
    /// The fields that have names.
    pub fields: CreateAttrFields,
    /// All of it.
    pub words: [u64; 16],
}

/// `ach_cancel_attr_t`
#[derive(Clone, Copy)]
#[repr(C)]
pub union AchCancelAttr {
    /// Bit 0: the call need not be safe in a signal handler.
    pub bits: c_uint,
    /// All of it.
    pub words: [u64; 8],
}
