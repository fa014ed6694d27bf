//! Ach's statuses.

use std::ffi::{CStr, c_char, c_int};

/// An `enum ach_status`.
pub type AchStatus = c_int;

macro_rules! statuses {
    ($($name:ident = $value:literal),*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`: see `ach/generic.h`.")]
            pub const $name: AchStatus = $value;
        )*
        /// The names, by value.
        const NAMES: &[(AchStatus, &CStr)] = &[
            // SAFETY: the only zero is the last byte.
            $(($value, unsafe { CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) })),*
        ];
    };
}

statuses! {
    ACH_OK = 0, ACH_OVERFLOW = 1, ACH_INVALID_NAME = 2, ACH_BAD_SHM_FILE = 3, ACH_FAILED_SYSCALL = 4, ACH_EAGAIN = 5, ACH_MISSED_FRAME = 6,
    ACH_TIMEOUT = 7, ACH_EEXIST = 8, ACH_ENOENT = 9, ACH_CLOSED = 10, ACH_BUG = 11, ACH_EINVAL = 12, ACH_CORRUPT = 13, ACH_BAD_HEADER = 14,
    ACH_EACCES = 15, ACH_CANCELED = 16, ACH_EFAULT = 17, ACH_EINTR = 18, ACH_ENOTSUP = 19
}

/// Same value as [`ACH_EAGAIN`]: no new message.
pub const ACH_STALE_FRAMES: AchStatus = ACH_EAGAIN;
/// Same value as [`ACH_EAGAIN`]: another handle holds the source lock.
pub const ACH_LOCKED: AchStatus = ACH_EAGAIN;

/// `ACH_O_WAIT`
pub const ACH_O_WAIT: c_int = 1;
/// `ACH_O_LAST`
pub const ACH_O_LAST: c_int = 2;
/// `ACH_O_COPY`
pub const ACH_O_COPY: c_int = 4;
/// `ACH_O_RELTIME`
pub const ACH_O_RELTIME: c_int = 8;

/// The name of a status.
pub(crate) fn name(status: AchStatus) -> &'static CStr {
    NAMES.iter().find(|(value, _)| *value == status).map_or(c"UNKNOWN", |(_, name)| name)
}

/// The name of a status, as `"ACH_OK"`.
#[unsafe(no_mangle)]
pub extern "C" fn ach_result_to_string(status: AchStatus) -> *const c_char {
    name(status).as_ptr()
}
