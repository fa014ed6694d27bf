//! `saltus log cat`: print the messages of a log.

use std::path::PathBuf;

use clap::Args;
use saltus_decode::Meaning;
use saltus_log::Event;
use saltus_log::edit::Meanings;
use saltus_printer::{About, Message};

use super::input::{Input, warn_of_damage};
use super::select::{Channels, Times, selection};
use crate::exit::Outcome;
use crate::flags::types;
use crate::flags::{Count, Printed, Quiet, TypeDirs};
use crate::print::out::Out;
use crate::stop;
use saltus_text::escape::escaped;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Cat {
    /// Log to read (-: standard input)
    #[arg(value_name = "FILE")]
    log: PathBuf,

    #[command(flatten)]
    channels: Channels,

    #[command(flatten)]
    times: Times,

    #[command(flatten)]
    count: Count,

    #[command(flatten)]
    dirs: TypeDirs,

    #[command(flatten)]
    printed: Printed,

    #[command(flatten)]
    quiet: Quiet,
}

const EXAMPLES: &str = "\
Examples:
  saltus log cat robot.mcap -e POSE -n 1
  saltus log cat lcmlog-2026-11-20.00 -I types --from 10s --to 11s
  saltus log cat robot.mcap --json | jq 'select(.channel==\"POSE\").value'";

pub(crate) fn run(args: Cat) -> Outcome {
    let format = args.printed.format();
    stop::on_signals()?;
    stop::when_output_closes();
    let mut selection = selection(&args.channels, &args.times)?;
    let mut meanings = Meanings::new(types::decoder(None, &args.dirs)?);
    let input = Input::open(&args.log)?;
    let name = input.name.clone();
    let mut out = Out::new()?;
    let mut left = args.count.count.unwrap_or(u64::MAX);
    let take = |event: &Event<'_>| {
        if selection.takes(event) {
            let meaning = if format.is_bytes() { Meaning::Bytes } else { meanings.of(event) };
            let (channel, about) = (escaped(event.channel), About::Log(event));
            out.message(format, &Message { channel: &channel, about, bytes: event.data, meaning: &meaning })?;
            left -= 1;
        }
        Ok(left > 0)
    };
    let rest = input.read(true, |source, progress| source.each(progress, take), |failure| failure)?;
    out.flush()?;
    if !args.quiet.quiet && left > 0 && !stop::requested() {
        warn_of_damage(&name, &rest.damage);
    }
    Ok(())
}
