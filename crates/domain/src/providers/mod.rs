//! The built-in providers. Each has its own page in the guide.

pub(crate) mod file;
mod local;
pub(crate) mod mem;
pub(crate) mod memq;
pub(crate) mod mpudpm;
mod multicast;
pub(crate) mod network;
pub(crate) mod shm;
pub(crate) mod tcpq;
pub(crate) mod udpm;
