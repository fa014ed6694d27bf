//! Checks a machine for causes of latency, and suggests commands that fix them.
//!
//! A check is a function of a [`Host`]: the files below a root directory, and the results of earlier tests. So unit tests can pass made-up
//! machines. It changes nothing. If the machine hides data, its state is [`State::CannotTell`].

mod check;
pub mod checks;
mod cpus;
mod host;
mod made;
mod owners;
mod publishers;
pub mod residue;
mod script;
mod tried;
mod words;

pub use check::{Check, Finding, Fix, State};
pub use host::Host;
pub use owners::Owners;
pub use publishers::Publisher;
pub use script::script;
pub use tried::{ENOUGH, Room, Tried};
pub use words::{Line, Looked, explained, table};
