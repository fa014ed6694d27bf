//! Compares every generated encoder and decoder with LCM's own and with each other.
//!
//! A [`Suite`] generates code from type files with LCM's generator and with ours, builds one [driver](Driver) for
//! each, and runs all drivers on the same [messages](random_messages). A driver reads lines `TYPE HEX` and prints
//! `JSON HEX`: the decoded message, and the message encoded again. So every pair of encoder and decoder is
//! compared, without running each pair.
//!
//! LCM 1.5.3 is installed from PyPI into a virtual environment (`environment.py`); it is only a reference here, and
//! is not shipped.

pub mod canonical;
pub mod corpus;
pub mod driver;
pub mod dynamic;
pub mod files;
pub mod hostile;
mod languages;
pub mod odd_texts;
pub mod oracle;
pub mod random_messages;
pub mod random_types;
pub mod rng;
mod suite;
pub mod tools;

pub use corpus::Corpus;
pub use driver::{Answer, Driver};
pub use suite::Suite;
