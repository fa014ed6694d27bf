//! Text for people: escaped bytes, dumps, patterns of names, numbers with units, and tables.

pub mod dump;
pub mod escape;
pub mod glob;
pub mod human;
pub mod table;
pub mod units;
pub mod words;
