//! The scenarios, one file each: what the processes of a measurement do.

pub mod copy;
pub mod floors;
pub mod instructions;
pub mod paced;
pub mod pingpong;
pub mod publish;
pub mod rate;
pub mod syscalls;
pub mod throughput;
