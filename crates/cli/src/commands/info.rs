//! `saltus info`: show a channel's configuration, memory and participants.

use clap::Args;
use saltus_printer::ChannelLine;

use crate::exit::Outcome;
use crate::flags::domain::{self, DomainUrl};
use crate::flags::{Json, Names, help};
use crate::print::out::Out;

/// The options of `info`.
#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES, help::PATTERNS]))]
pub(crate) struct Info {
    #[command(flatten)]
    names: Names,

    #[command(flatten)]
    json: Json,
}

const EXAMPLES: &str = "\
Examples:
  saltus info imu
  saltus info '*' --json | jq '.subscribers[] | select(.missed > 0)'";

/// Prints each channel, and continues if one cannot be opened.
pub(crate) fn run(url: &DomainUrl, info: Info) -> Outcome {
    let domain = url.shm_only("info", "`saltus stat` measures what comes, `saltus echo` prints it")?;
    let mut out = Out::new()?;
    let mut first = true;
    let outcome = info.names.meant()?.for_each(&domain, false, |name| {
        let channel = domain::open(&domain, name)?;
        let line = ChannelLine::of(&channel)?;
        if info.json.json {
            return out.json(&line);
        }
        if !std::mem::take(&mut first) {
            out.line("")?;
        }
        line.words().iter().try_for_each(|words| out.line(words))
    });
    out.flush()?;
    outcome
}
