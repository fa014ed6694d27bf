//! The scenarios, one file each: what the processes of a measurement do.

pub mod connections;
pub mod copy;
pub mod echo;
pub mod floors;
pub mod hops;
pub mod instructions;
pub mod lossless;
pub mod modules;
pub mod node;
pub mod paced;
pub mod pingpong;
pub mod publish;
pub mod rate;
mod scheduled;
pub mod syscalls;
pub mod throughput;
pub mod traffic;
pub mod whole;
