//! The only system calls of Saltus: futexes, shared files, kernel locks, clocks, scheduling.
//!
//! Thin wrappers with Rust's types and `std::io::Error`. The documentation of each function states whether it may block or allocate.
//! Channels in shared memory need Linux (before kernel 5.16, waiting on several futexes takes helper threads). A 32-bit process needs a
//! kernel of 5.1 or later, which takes times of 64 bits. Files and offsets in them have 64 bits on every processor.
//!
//! macOS and Windows have the rest: clocks, waits for sockets, events and timers, and signals that stop a program. What shared memory needs
//! returns an error there whose kind is `Unsupported`. Each system is one folder: `linux`, and `desk` with a file for macOS and one for
//! Windows; `unix` is what Linux and macOS have in common.

#[cfg(not(all(
    any(target_os = "linux", target_os = "macos", windows),
    target_endian = "little",
    target_has_atomic = "64",
    any(target_pointer_width = "64", target_pointer_width = "32")
)))]
compile_error!(
    "Saltus needs Linux, macOS or Windows on a little-endian processor with atomic accesses of 64 bits"
);

pub mod cancel;
mod common;
#[cfg(not(target_os = "linux"))]
mod desk;
pub mod lines;
#[cfg(target_os = "linux")]
mod linux;
pub mod pace;
mod request;
pub mod stop;
#[cfg(unix)]
mod unix;

#[cfg(not(target_os = "linux"))]
use desk as system;
#[cfg(target_os = "linux")]
use linux as system;

pub use system::{
    cgroup, clock, epoll, fault, fd, file, fork, futex, limits, lock, map, peer, poll, process, rt, several,
    socket, terminal, users,
};
