//! Where a subscriber starts.

use clap::{Args, ValueEnum};
use saltus_channel::Start;

/// Where to start in channels that keep messages.
#[derive(Args)]
pub(crate) struct StartAt {
    /// Message of each channel to start with
    #[arg(long, value_enum, default_value_t = From::Now)]
    start: From,
}

/// Where a subscriber starts, as it is typed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum From {
    /// The next message that is published
    Now,
    /// The newest message that is kept
    Newest,
    /// The oldest message that is kept
    Oldest,
}

impl StartAt {
    /// What is meant.
    pub(crate) fn meant(&self) -> Start {
        match self.start {
            From::Now => Start::Now,
            From::Newest => Start::Newest,
            From::Oldest => Start::Oldest,
        }
    }
}
