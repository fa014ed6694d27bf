//! `saltus log cat`: the messages of a log.

use std::path::PathBuf;

use clap::Args;
use saltus_decode::{Decoder, Meaning};
use saltus_log::Event;

use super::input::{Input, tell};
use super::select::{Channels, Selection, Times};
use crate::escape::escaped;
use crate::failure::Outcome;
use crate::flags::{Count, Printed, Quiet, TypeDirs};
use crate::out::Out;
use crate::print::{About, Message, print};
use crate::{schemas, stop};

/// The options of `log cat`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Cat {
    /// The log; - is standard input
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
  saltus log cat robot.mcap -c POSE -n 1
  saltus log cat lcmlog-2026-11-20.00 -I types --from 10s --to 11s
  saltus log cat robot.mcap --json | jq 'select(.channel == \"POSE\") | .value.utime'";

/// Prints.
pub fn run(args: Cat) -> Outcome {
    let format = args.printed.format();
    stop::on_signals()?;
    stop::when_output_closes();
    let mut selection = Selection::new(&args.channels, args.times)?;
    let mut meanings = Meanings::new(&args.dirs)?;
    let input = Input::open(&args.log)?;
    let name = input.name.clone();
    let mut out = Out::new()?;
    let mut left = args.count.count.unwrap_or(u64::MAX);
    let (_, rest) = input.each(true, |event| {
        if selection.takes(event) {
            let meaning = if format.is_bytes() { Meaning::Bytes } else { meanings.of(event)? };
            let channel = escaped(event.channel);
            let about = About::Log(event);
            print(
                &mut out,
                format,
                &Message { channel: &channel, about, bytes: event.data, meaning: &meaning },
            )?;
            left -= 1;
        }
        Ok(left > 0)
    })?;
    out.flush()?;
    if !args.quiet.quiet && left > 0 && !stop::requested() {
        tell(&name, &rest.damage);
    }
    Ok(())
}

/// What the messages of a log mean.
pub struct Meanings {
    decoder: Decoder,
    /// The types that the log told of, by what their messages begin with.
    told: std::collections::HashSet<[u8; 8]>,
}

impl Meanings {
    /// By types of the log itself, and those in these directories.
    pub fn new(dirs: &TypeDirs) -> Outcome<Meanings> {
        Ok(Meanings { decoder: schemas::decoder(None, &dirs.include)?, told: Default::default() })
    }
    /// Of this one.
    pub fn of(&mut self, event: &Event<'_>) -> Outcome<Meaning> {
        if let Some(kind) = event.about.and_then(|about| about.kind.as_ref())
            && self.told.insert(kind.key())
        {
            self.decoder.dictionary.add(kind.schema(), kind.id());
        }
        Ok(self.decoder.meaning(event.channel, Vec::new, event.data)?)
    }
}
