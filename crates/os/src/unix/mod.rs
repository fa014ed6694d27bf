//! What Linux and macOS have in common.

pub mod inode;
pub mod signals;
pub mod users;
