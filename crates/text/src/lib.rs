//! Text for people: escaped bytes, dumps, patterns of names, numbers with units, tables, and terminals.

pub mod dump;
pub mod escape;
pub mod glob;
pub mod human;
pub mod table;
pub mod terminal;
pub mod units;
pub mod words;
