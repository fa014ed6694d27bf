//! The option `--start`.

use clap::{Args, ValueEnum};
use saltus_channel::Start;

/// The message to start with, in channels that keep messages.
#[derive(Args)]
pub(crate) struct StartAt {
    /// Message of each channel to start with
    #[arg(long, value_enum, default_value_t = From::Now)]
    start: From,
}

/// The value of `--start`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum From {
    /// Next message that is published
    Now,
    /// Newest message that is kept
    Newest,
    /// Oldest message that is kept
    Oldest,
}

impl StartAt {
    /// The start as the channel's API has it.
    pub(crate) fn meant(&self) -> Start {
        match self.start {
            From::Now => Start::Now,
            From::Newest => Start::Newest,
            From::Oldest => Start::Oldest,
        }
    }
}
