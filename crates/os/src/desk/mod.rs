//! macOS and Windows: what a desk needs to watch, record and command a robot over networks.
//!
//! Waits are `poll` on sockets, events are sockets of loopback, timers are a thread. Channels in shared memory are left out: the functions
//! that only they need are in `absent`, and fail.

mod absent;
pub mod clock;
pub mod epoll;
mod event;
pub mod file;
pub mod limits;
pub mod map;
pub mod poll;
pub mod process;
pub mod rt;
mod set;
#[cfg(windows)]
pub(crate) mod signals;
mod timer;

pub(crate) use absent::refusal;
pub use absent::{cgroup, fault, fork, futex, lock, peer, several};

#[cfg(target_os = "macos")]
mod macos;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "macos")]
use macos as own;
#[cfg(windows)]
use windows as own;

#[cfg(unix)]
pub(crate) use crate::unix::signals;
pub use own::{fd, socket, terminal, users};
