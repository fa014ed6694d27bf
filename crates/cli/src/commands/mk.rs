//! `saltus mk`: create a channel.

use std::ffi::OsString;

use clap::Args;
use saltus_channel::clock::Clock;
use saltus_channel::{Attributes, Error, Group, Wake};

use crate::exit::{Code, Failure, Outcome, note};
use crate::flags::domain::DomainUrl;
use crate::flags::{Choices, one_of};
use saltus_text::escape;
use saltus_text::units;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Mk {
    /// Channel to make: any 1 to 63 bytes
    name: OsString,

    /// Messages to keep
    ///
    /// The channel keeps this many of the newest messages of each publisher.
    #[arg(long, value_name = "N", default_value = "16", value_parser = units::count)]
    depth: u64,

    /// Limit for the size of a message
    #[arg(long, value_name = "SIZE", default_value = "512", value_parser = units::size)]
    max_size: u64,

    /// Permissions in octal: read to subscribe, write to publish
    #[arg(short, long, value_name = "OCTAL", default_value = "644", value_parser = units::mode)]
    mode: u32,

    /// Group, by name or number
    #[arg(short, long)]
    group: Option<String>,

    /// Publishers to reserve memory for
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    reserve_publishers: u32,

    /// Clock of the timestamps
    #[arg(long, value_parser = one_of(CLOCKS), default_value = "boottime")]
    clock: Clock,

    /// Publish without timestamps (for a single publisher)
    #[arg(long)]
    no_timestamps: bool,

    /// Wake subscribers at every publish, so that they only read
    ///
    /// Each publish costs a system call, whether a subscriber waits or not. Subscribers need no write permission to the
    /// wake page, so a hostile one cannot delay others.
    #[arg(long)]
    always_wake: bool,

    /// Map pages when they are used, not when the channel opens
    #[arg(long)]
    no_prefault: bool,

    /// Lock the channel into memory, so that it is never swapped
    #[arg(long)]
    mlock: bool,

    /// Do nothing if the channel already exists
    #[arg(long, conflicts_with = "replace")]
    if_missing: bool,

    /// Replace an existing channel and notify its users
    #[arg(long)]
    replace: bool,
}

/// The clocks.
const CLOCKS: Choices<Clock> = &[
    ("boottime", "Time since boot, including suspend", Clock::Boottime),
    ("monotonic", "Time since boot, without suspend", Clock::Monotonic),
    ("realtime", "Time since 1970, which jumps when the clock is set", Clock::Realtime),
];

const EXAMPLES: &str = "\
Examples:
  saltus mk imu                           16 messages of 512 bytes
  saltus mk /scan --depth 8 --max-size 64K --mode 660 --group robot
  saltus mk robot/arm.left --if-missing   in a start script
  saltus mk camera --max-size 4M --replace   change an existing channel";

/// Creates the channel.
pub(crate) fn run(domain: &DomainUrl, mk: Mk) -> Outcome {
    let domain = domain.shm_only("mk", "`saltus pub` needs no existing channel there")?;
    let name = mk.name.as_encoded_bytes();
    let attributes = mk.attributes();
    if mk.replace {
        domain.replace(name, &attributes)?;
        return Ok(());
    }
    match domain.create(name, &attributes) {
        Ok(_) => Ok(()),
        Err(Error::Exists { .. }) if mk.if_missing => {
            let channel = domain.open_channel(name)?;
            let kept = channel.attributes();
            if (kept.get_depth(), kept.get_max_message_size()) != (mk.depth, mk.max_size) {
                note(format_args!(
                    "channel `{}` exists and is unchanged: {} messages of up to {} bytes, not {} of {}; --replace changes that",
                    escape::escaped(name),
                    kept.get_depth(),
                    kept.get_max_message_size(),
                    mk.depth,
                    mk.max_size,
                ));
            }
            Ok(())
        }
        Err(error @ Error::Exists { .. }) => {
            Err(Failure::new(Code::Failed, format!("{error}, or keep it with --if-missing")))
        }
        Err(error) => Err(error.into()),
    }
}

impl Mk {
    fn attributes(&self) -> Attributes {
        let mut attributes = Attributes::new()
            .depth(self.depth)
            .max_message_size(self.max_size)
            .reserve_publishers(self.reserve_publishers)
            .mode(self.mode)
            .timestamps(!self.no_timestamps)
            .prefault(!self.no_prefault)
            .lock_memory(self.mlock)
            .clock(self.clock)
            .wake(if self.always_wake { Wake::Always } else { Wake::OnDemand });
        if let Some(group) = &self.group {
            attributes = attributes.group(match group.parse() {
                Ok(id) => Group::Id(id),
                Err(_) => Group::Name(group.clone()),
            });
        }
        attributes
    }
}
