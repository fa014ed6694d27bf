//! `saltus tunnel key`.

use clap::Args;

use crate::exit::Outcome;
use crate::print::out::Out;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Key {}

const EXAMPLES: &str = "\
Examples:
  saltus tunnel key > radio.key                 then: chmod 600 radio.key";

pub(crate) fn run(_: Key) -> Outcome {
    let key = saltus_tunnel::Key::generate()?;
    let mut out = Out::new()?;
    out.line(key.to_text())?;
    out.flush()
}
