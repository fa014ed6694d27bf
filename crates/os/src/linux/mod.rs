//! Linux: everything.

pub mod cgroup;
pub mod clock;
pub mod epoll;
pub mod fault;
pub mod file;
pub mod fork;
pub mod futex;
pub mod limits;
pub mod lock;
pub mod map;
pub mod peer;
pub mod poll;
pub mod process;
pub mod rt;
pub mod several;
pub mod socket;
pub mod users;

pub(crate) use crate::unix::signals;
pub use crate::unix::{fd, terminal};
use std::io;

/// The result of a libc call that returns -1 and sets errno on failure.
fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// A time for system calls of 2019 and later (Linux 5.1), which has 64 bits on every processor.
#[repr(C)]
struct Time64 {
    seconds: i64,
    nanoseconds: i64,
}

impl Time64 {
    /// A time in ns; a time beyond the kernel's range becomes the last time within it.
    fn new(ns: u64) -> Time64 {
        let ns = ns.min(i64::MAX as u64) as i64;
        Time64 { seconds: ns / 1_000_000_000, nanoseconds: ns % 1_000_000_000 }
    }
}

/// A time for the C library, whose seconds may have 32 bits: 68 years at most.
fn timespec(ns: u64) -> libc::timespec {
    let seconds = libc::time_t::try_from(ns / 1_000_000_000).unwrap_or(libc::time_t::MAX);
    libc::timespec { tv_sec: seconds, tv_nsec: (ns % 1_000_000_000) as libc::c_long }
}
