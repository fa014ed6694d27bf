//! The error number of the calling thread.

#[cfg(target_os = "linux")]
use libc::__errno_location as address;
#[cfg(target_os = "macos")]
use libc::__error as address;

/// Where the calling thread's error number is. The address is valid in that thread only.
pub fn errno() -> *mut libc::c_int {
    // SAFETY: always succeeds.
    unsafe { address() }
}
