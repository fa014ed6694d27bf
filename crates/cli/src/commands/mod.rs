//! The commands, a file each: its options, its examples, and what it does.

pub mod bridge;
pub mod chmod;
pub mod completions;
pub mod demo;
pub mod doctor;
pub mod echo;
pub mod generate;
pub mod hiccup;
pub mod hub;
pub mod import;
pub mod info;
pub mod log;
pub mod ls;
pub mod man;
pub mod mk;
pub mod play;
pub mod publish;
pub mod record;
pub mod report;
pub mod rm;
pub mod serve;
pub mod spy;
pub mod stat;
pub mod sweep;
pub mod tunnel;
pub mod types;
