//! Every encoder and decoder that is generated for any language, against LCM's own and against each other.
//!
//! A [`Suite`] takes type files, generates code from them with LCM's generator and with ours, builds one [driver](Driver)
//! for each, and asks all drivers about the same [messages](random_messages). A driver reads lines `TYPE HEX` and
//! answers `JSON HEX`: what it decoded, and what it makes of that again. So every pair of encoder and decoder is
//! compared, without each having to meet each.
//!
//! LCM 1.5.3 comes from PyPI into a virtual environment (`environment.py`); it is an oracle here, and nothing of it is shipped.

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
