//! Text for people: bytes as one line or as a dump, patterns of names, figures with their units, tables.

pub mod dump;
pub mod escape;
pub mod glob;
pub mod human;
pub mod table;
pub mod units;
pub mod words;
