//! `saltus mk`: make a channel.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use clap::{Args, ValueEnum};
use saltus_channel::clock::Clock;
use saltus_channel::{Attributes, Error, Group, Wake};

use crate::exit::{Code, Failure, Outcome, say};
use crate::flags::domain::DomainUrl;
use saltus_text::escape;
use saltus_text::units;

/// The options of `mk`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Mk {
    /// Name of the channel: 1 to 63 bytes, any of them
    name: OsString,

    /// How many messages of each publisher are kept
    #[arg(short, long, value_name = "N", default_value = "16", value_parser = units::count)]
    frames: u64,

    /// Longest message, such as 512, 64K or 1M
    #[arg(short, long, value_name = "BYTES", default_value = "512", value_parser = units::size)]
    size: u64,

    /// Who may read and write, in octal: a read bit lets subscribe, a write bit lets publish
    #[arg(short, long, value_name = "OCTAL", default_value = "644", value_parser = units::mode)]
    mode: u32,

    /// Group that owns the channel, by name or number
    #[arg(short, long)]
    group: Option<String>,

    /// Publishers whose memory is reserved at once; more get theirs when they open
    #[arg(short, long, value_name = "L", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    lanes: u32,

    /// Clock of the stamps
    #[arg(long, value_enum, default_value_t = StampClock::Boottime)]
    clock: StampClock,

    /// No stamps: saves reading the clock, for a channel with one publisher
    #[arg(long)]
    no_stamps: bool,

    /// Make every publish wake, asked or not: one system call each; subscribers then need not, and may not, write the bell
    #[arg(long)]
    always_wake: bool,

    /// Do not map all pages when a process opens the channel; it may fault later
    #[arg(long)]
    no_prefault: bool,

    /// Lock the channel into the memory of every process that opens it, where there is swap
    #[arg(long)]
    mlock: bool,

    /// An existing channel is fine, and stays as it is
    #[arg(long, conflicts_with = "replace")]
    if_missing: bool,

    /// Put a new channel in the place of an existing one; those who have the old one open are told
    #[arg(long)]
    replace: bool,
}

/// What stamps count.
#[derive(Clone, Copy, ValueEnum)]
enum StampClock {
    /// Since the machine started, through suspend
    Boottime,
    /// Since the machine started, without suspend
    Monotonic,
    /// Since 1970, with the jumps of the wall clock
    Realtime,
}

const EXAMPLES: &str = "\
Examples:
  saltus mk imu                           16 frames of 512 bytes
  saltus mk /scan --frames 8 --size 64K --mode 660 --group robot
  saltus mk robot/arm.left --if-missing   in a start script
  saltus mk camera --size 4M --replace    another shape for an existing channel";

/// Makes the channel.
pub(crate) fn run(domain: &DomainUrl, mk: Mk) -> Outcome {
    let domain = domain.shm_only("mk", "a channel is there as soon as `saltus pub` publishes in it")?;
    let name = mk.name.as_bytes();
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
            if (kept.get_frames(), kept.get_frame_size()) != (mk.frames, mk.size) {
                say(format_args!(
                    "channel `{}` exists and stays as it is: {} frames of up to {} bytes, not {} of {}; --replace changes that",
                    escape::escaped(name),
                    kept.get_frames(),
                    kept.get_frame_size(),
                    mk.frames,
                    mk.size,
                ));
            }
            Ok(())
        }
        Err(error @ Error::Exists { .. }) => {
            Err(Failure::new(Code::Failed, format!("{error}, or keep it as it is with --if-missing")))
        }
        Err(error) => Err(error.into()),
    }
}

impl Mk {
    fn attributes(&self) -> Attributes {
        let mut attributes = Attributes::new()
            .frames(self.frames)
            .frame_size(self.size)
            .lanes(self.lanes)
            .mode(self.mode)
            .stamps(!self.no_stamps)
            .prefault(!self.no_prefault)
            .lock_memory(self.mlock)
            .clock(match self.clock {
                StampClock::Boottime => Clock::Boottime,
                StampClock::Monotonic => Clock::Monotonic,
                StampClock::Realtime => Clock::Realtime,
            })
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
