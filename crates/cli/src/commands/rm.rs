//! `saltus rm`: remove channels.

use clap::Args;
use saltus_channel::Error;

use crate::exit::Outcome;
use crate::flags::domain::DomainUrl;
use crate::flags::{Names, help};

#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES, help::PATTERNS]))]
pub(crate) struct Rm {
    #[command(flatten)]
    names: Names,

    /// Do nothing if the channel does not exist
    #[arg(short, long)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  saltus rm imu
  saltus rm 'robot/*' -f                succeed if there are none";

/// Removes the channels, and continues after failures.
pub(crate) fn run(domain: &DomainUrl, rm: Rm) -> Outcome {
    let domain = domain.shm_only("rm", "it keeps no channels; `saltus ls` lists those with traffic")?;
    rm.names.meant()?.for_each(&domain, rm.force, |name| match domain.unlink(name.as_bytes()) {
        // Another process removed it first.
        Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    })
}
