//! `saltus sweep`: remove what dead processes left behind.

use clap::Args;
use saltus_channel::Domain;

use crate::failure::Outcome;
use crate::human::plural;
use crate::out::Out;

/// `sweep` has no options of its own.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Sweep {}

const EXAMPLES: &str = "\
Examples:
  saltus sweep                          half-built channels, counters of dead subscribers
  saltus --domain shm://robot sweep";

/// Sweeps once, and says how much there was.
pub fn run(domain: &Domain, _: Sweep) -> Outcome {
    let removed = domain.sweep()?;
    let mut out = Out::new()?;
    out.line(format_args!("{} removed", plural(removed as u64, "leftover")))?;
    out.flush()
}
