//! What Linux and macOS have in common.

mod errno;
pub mod inode;
pub mod process;
pub mod signals;
pub mod terminal;
pub mod users;
