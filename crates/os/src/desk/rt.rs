//! Real-time settings, which only Linux has.

pub use crate::common::rt::*;
use std::io;

fn refused<T>(what: &str) -> Result<T, Refused> {
    let source = io::ErrorKind::Unsupported.into();
    Err(Refused { what: what.into(), remedy: "real-time settings need Linux", source })
}

/// Fails: needs Linux.
pub fn lock_memory() -> Result<(), Refused> {
    refused("cannot lock memory")
}
/// Fails: needs Linux.
pub fn try_lock_memory() -> Result<(), Refused> {
    refused("cannot lock memory")
}
/// Fails: needs Linux.
pub fn set_fifo(_: i32) -> Result<(), Refused> {
    refused("cannot run under SCHED_FIFO")
}
/// Nothing to do: [`set_fifo`] has failed.
pub fn set_other() -> Result<(), Refused> {
    Ok(())
}
/// Fails: needs Linux.
pub fn set_affinity(_: &[usize]) -> Result<(), Refused> {
    refused("cannot bind to processors")
}
/// Fails: needs Linux.
pub fn set_timer_slack(_: u64) -> Result<(), Refused> {
    refused("cannot set the timer slack")
}
/// The CPU that the calling thread runs on now; 0 if the system does not say.
pub fn cpu() -> usize {
    super::own::cpu()
}
/// All CPUs, numbered from 0.
pub fn affinity() -> Vec<usize> {
    (0..std::thread::available_parallelism().map_or(1, usize::from)).collect()
}
