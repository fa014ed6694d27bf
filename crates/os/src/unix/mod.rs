//! What Linux and macOS have in common.

mod errno;
pub mod fd;
pub mod inode;
pub mod poll;
pub mod process;
pub mod signals;
pub mod terminal;
pub mod users;
