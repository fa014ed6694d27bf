//! The option `--start`.

use clap::Args;
use saltus_channel::Start;

use super::{Choices, one_of};

/// The message to start with, in channels that keep messages.
#[derive(Args)]
pub(crate) struct StartAt {
    /// Message of each channel to start with
    #[arg(long, value_parser = one_of(STARTS), default_value = "now")]
    start: Start,
}

/// The values of `--start`.
const STARTS: Choices<Start> = &[
    ("now", "Next message that is published", Start::Now),
    ("newest", "Newest message that is kept", Start::Newest),
    ("oldest", "Oldest message that is kept", Start::Oldest),
];

impl StartAt {
    /// The start as the channel's API has it.
    pub(crate) fn meant(&self) -> Start {
        self.start
    }
}
