//! The commands, a file each: its options, its examples, and what it does.

pub mod chmod;
pub mod completions;
pub mod demo;
pub mod echo;
pub mod generate;
pub mod import;
pub mod info;
pub mod ls;
pub mod man;
pub mod mk;
pub mod publish;
pub mod rm;
pub mod stat;
pub mod sweep;
pub mod types;
