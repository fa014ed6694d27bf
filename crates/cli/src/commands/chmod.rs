//! `saltus chmod`: change the permissions of channels.

use clap::Args;

use crate::exit::Outcome;
use crate::flags::domain::DomainUrl;
use crate::flags::{Names, help};
use saltus_text::units;

#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES, help::PATTERNS]))]
pub(crate) struct Chmod {
    /// Permissions in octal: read to subscribe, write to publish
    #[arg(value_parser = units::mode)]
    mode: u32,

    #[command(flatten)]
    names: Names,
}

const EXAMPLES: &str = "\
Examples:
  saltus chmod 664 imu                  the group may publish, others subscribe
  saltus chmod 600 'robot/*'            only for yourself";

/// Changes the permissions, and continues after failures. Processes that have a channel open keep their access.
pub(crate) fn run(domain: &DomainUrl, chmod: Chmod) -> Outcome {
    let domain = domain
        .shm_only("chmod", "anyone who reaches a network may read and write; `saltus tunnel` encrypts")?;
    chmod.names.meant()?.for_each(&domain, false, |name| Ok(domain.chmod(name.as_bytes(), chmod.mode)?))
}
