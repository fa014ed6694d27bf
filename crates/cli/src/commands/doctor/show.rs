//! The output of `doctor`.

use saltus_channel::Directory;
use saltus_doctor::{Line, Looked};
use saltus_measure::lateness::Lateness;
use serde::Serialize;

use crate::exit::Outcome;
use crate::print::out::Out;

/// The line of `doctor --json`. Its fields are a stable interface.
#[derive(Serialize)]
struct Told<'a> {
    domain: String,
    checks: Vec<Line<'a>>,
    meter: Option<Lateness>,
}

/// Prints JSON.
pub(crate) fn json(out: &mut Out, domain: &Directory, looked: &[Looked], meter: Option<Lateness>) -> Outcome {
    let checks = looked.iter().map(Line::of);
    out.json(&Told { domain: domain.url(), checks: checks.collect(), meter })
}
