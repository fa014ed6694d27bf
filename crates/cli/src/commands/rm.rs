//! `saltus rm`: remove channels.

use clap::Args;
use saltus_channel::Error;

use crate::exit::Outcome;
use crate::flags::domain::DomainUrl;
use crate::flags::{Names, help};

/// The options of `rm`.
#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES, help::PATTERNS]))]
pub(crate) struct Rm {
    #[command(flatten)]
    names: Names,

    /// A channel that does not exist is fine
    #[arg(short, long)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  saltus rm imu                         those who have it open are told
  saltus rm 'robot/*' -f                all of a robot, if there are any";

/// Removes them, going on where one fails.
pub(crate) fn run(domain: &DomainUrl, rm: Rm) -> Outcome {
    let domain =
        domain.shm_only("rm", "nothing stays there that could be removed; `saltus ls` lists what comes")?;
    rm.names.meant()?.for_each(&domain, rm.force, |name| match domain.unlink(name.as_bytes()) {
        // Somebody else was faster: it is gone, as was wanted.
        Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    })
}
