//! The only system calls of Saltus: futexes, shared files, kernel locks, clocks, scheduling.
//!
//! Thin wrappers with Rust's types and `std::io::Error`. The documentation of each function states whether it may block or allocate.
//! Linux only (kernel 5.16 for waiting on several futexes; older ones work with a fallback).

#[cfg(not(all(target_os = "linux", target_pointer_width = "64", target_endian = "little")))]
compile_error!("Saltus needs 64-bit little-endian Linux");

pub mod cancel;
pub mod cgroup;
pub mod clock;
pub mod epoll;
pub mod fault;
pub mod file;
pub mod fork;
pub mod futex;
pub mod limits;
pub mod lines;
pub mod lock;
pub mod map;
pub mod pace;
pub mod peer;
pub mod process;
pub mod rt;
pub mod stop;
pub mod users;

use std::io;

/// The result of a libc call that returns -1 and sets errno on failure.
fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
