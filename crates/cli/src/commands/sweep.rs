//! `saltus sweep`: remove what dead processes left behind.

use clap::Args;
use saltus_channel::Domain;
use serde::Serialize;

use crate::failure::Outcome;
use crate::flags::Json;
use crate::human::plural;
use crate::out::Out;

/// The options of `sweep`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Sweep {
    #[command(flatten)]
    json: Json,
}

/// What `sweep --json` prints; the field is a promise.
#[derive(Serialize)]
struct Line {
    removed: usize,
}

const EXAMPLES: &str = "\
Examples:
  saltus sweep                          half-built channels, counters of dead subscribers
  saltus --domain shm://robot sweep";

/// Sweeps once, and says how much there was.
pub fn run(domain: &Domain, sweep: Sweep) -> Outcome {
    let removed = domain.sweep()?;
    let mut out = Out::new()?;
    if sweep.json.json {
        out.json(&Line { removed })?;
    } else {
        out.line(format_args!("{} removed", plural(removed as u64, "leftover")))?;
    }
    out.flush()
}
