//! `saltus sweep`: remove what dead processes left behind.

use clap::Args;
use serde::Serialize;

use crate::exit::Outcome;
use crate::flags::Json;
use crate::flags::domain::DomainUrl;
use crate::print::out::Out;
use saltus_text::human::plural;

/// The options of `sweep`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Sweep {
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
  saltus sweep
  saltus --domain shm://robot sweep";

/// Sweeps once, and says how much there was.
pub(crate) fn run(domain: &DomainUrl, sweep: Sweep) -> Outcome {
    let removed = domain.shm_only("sweep", "dead processes leave nothing there")?.sweep()?;
    let mut out = Out::new()?;
    if sweep.json.json {
        out.json(&Line { removed })?;
    } else {
        out.line(format_args!("{} removed", plural(removed as u64, "leftover")))?;
    }
    out.flush()
}
