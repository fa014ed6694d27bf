//! What on this machine makes a program late, and what to type.
//!
//! A check is a function of a [`Host`]: the files below a root directory, and what was tried out beforehand. So tests show it
//! machines that they made. It changes nothing, and where the machine hides something it says that it cannot tell.

mod check;
pub mod checks;
mod cpus;
mod host;
#[cfg(test)]
mod made;
mod publishers;
pub mod residue;
mod script;
mod tried;

pub use check::{Check, Finding, Fix, State};
pub use host::Host;
pub use publishers::Publisher;
pub use script::script;
pub use tried::{ENOUGH, Room, Tried};
