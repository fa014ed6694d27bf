//! `saltus rm`: remove channels.

use clap::Args;
use saltus_channel::{Domain, Error};

use crate::failure::Outcome;
use crate::flags::Names;
use crate::{channels, help};

/// The options of `rm`.
#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES, help::PATTERNS]))]
pub struct Rm {
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
pub fn run(domain: &Domain, rm: Rm) -> Outcome {
    channels::for_each(domain, &rm.names.names, rm.force, |name| match domain.unlink(name.as_bytes()) {
        // Somebody else was faster: it is gone, as was wanted.
        Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    })
}
