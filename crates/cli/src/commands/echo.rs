//! `saltus echo`: print messages.

mod channel;
mod network;
mod unknown;
mod wanted;

use std::ffi::OsString;

use clap::{ArgGroup, Args};
use saltus_channel::Start;

use crate::exit::Outcome;
use crate::flags::domain::{self, DomainUrl, OpenDomain};
use crate::flags::selection::{Matching, Selection};
use crate::flags::{Count, Printed, Quiet, RunTime, StartAt, Timeout, TypeDirs, types};
use crate::stop;
use wanted::{Channels, Wanted};

#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[command(group = ArgGroup::new("which").args(["next", "newest"]))]
pub(crate) struct Echo {
    /// Channel to print
    #[arg(required_unless_present = "regex")]
    name: Option<OsString>,

    #[command(flatten)]
    matching: Matching,

    /// Receive every message in order (default)
    #[arg(long)]
    next: bool,

    /// Receive only the newest message of each channel
    ///
    /// It prints the newest kept message immediately, then each time the message that is newest at that moment.
    #[arg(long, conflicts_with = "start")]
    newest: bool,

    #[command(flatten)]
    start: StartAt,

    #[command(flatten)]
    count: Count,

    #[command(flatten)]
    timeout: Timeout,

    /// Wait until the channel exists
    #[arg(short, long)]
    wait: bool,

    /// Continue with the next channel of that name
    ///
    /// When the channel is replaced or removed, wait for the next one of the same name instead of exiting.
    #[arg(long)]
    follow: bool,

    /// Exit with code 5 if a message was missed
    ///
    /// It also exits where the transport does not report losses. Losses before the first message of a sender do not count.
    #[arg(long, conflicts_with = "newest")]
    strict: bool,

    #[command(flatten)]
    dirs: TypeDirs,

    /// Type of the messages
    ///
    /// A message of another type ends the command with exit code 6 and a list of the differences.
    #[arg(long = "type", value_name = "TYPE")]
    of: Option<String>,

    #[command(flatten)]
    printed: Printed,

    #[command(flatten)]
    time: RunTime,

    #[command(flatten)]
    quiet: Quiet,
}

const EXAMPLES: &str = "\
Examples:
  saltus echo imu                             every message from now on
  saltus echo pose --newest -n 1 --json       the newest one, for a program
  saltus echo log --start oldest --lines      kept messages, then new ones
  saltus echo imu --strict --timeout 250ms    fail on a loss or after silence
  saltus echo imu --wait --follow             survive replacements
  saltus echo pose -I types                   with type files of a directory
  saltus echo pose --type robot.pose_t -n 1   fail on another type
  saltus echo camera --newest -n 1 --raw > frame.jpg
  saltus echo POSE --domain udpm://239.255.76.67:7667?ttl=1 -I types
  saltus echo -e 'ARM_.*' --domain tcpq:// --json";

/// Prints messages until `--count`, `--timeout`, the end of the source, or a stop signal.
pub(crate) fn run(domain: &DomainUrl, args: Echo) -> Outcome {
    let decoder = || types::decoder(args.of.as_deref(), &args.dirs);
    let (domain, wanted) = (domain.open()?, args.meant()?);
    stop::on_signals()?;
    stop::when_output_closes();
    args.time.duration.into_iter().try_for_each(stop::after)?;
    match (domain, &wanted.channels) {
        (OpenDomain::Shm(domain), Channels::One(name)) => {
            channel::run(&domain, name.clone(), wanted, decoder()?)
        }
        (OpenDomain::Shm(domain), Channels::Several(..)) => {
            network::run(&domain::network(&domain.url())?, &wanted, decoder()?)
        }
        (OpenDomain::Other(domain), _) => {
            network::refuse_what_it_has_not(&domain, &wanted)?;
            network::run(&domain, &wanted, decoder()?)
        }
    }
}

impl Echo {
    fn meant(&self) -> Outcome<Wanted> {
        let format = self.printed.format();
        Ok(Wanted {
            channels: self.channels()?,
            newest: self.newest,
            start: if self.newest { Start::Newest } else { self.start.meant() },
            most: self.count.count,
            timeout: self.timeout.timeout,
            wait: self.wait,
            follow: self.follow,
            strict: self.strict,
            format,
            looks_into: !format.is_bytes() || self.of.is_some(),
            quiet: self.quiet.quiet,
        })
    }

    fn channels(&self) -> Outcome<Channels> {
        match &self.name {
            Some(name) if !self.matching.is_given() => Ok(Channels::One(name.clone())),
            name => {
                let selection = Selection::of(name.as_slice(), &self.matching)?;
                let words: Vec<String> = selection.words().collect();
                Ok(Channels::Several(selection, words.join(", ")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        echo: Echo,
    }

    fn meant(arguments: &[&str]) -> Wanted {
        Line::try_parse_from(["echo"].iter().chain(arguments)).unwrap().echo.meant().unwrap()
    }

    #[test]
    fn a_name_alone_is_one_channel() {
        assert!(matches!(meant(&["a*"]).channels, Channels::One(name) if name == "a*"));
        for several in [&["-e", "a.*"][..], &["-v", "b"], &["a", "-e", "b"]] {
            assert!(matches!(meant(several).channels, Channels::Several(..)), "{several:?}");
        }
        assert!(Line::try_parse_from(["echo"]).is_err(), "no channel is given");
    }

    #[test]
    fn the_newest_is_there_at_once() {
        assert_eq!(meant(&["a"]).start, Start::Now);
        assert_eq!(meant(&["a", "--newest"]).start, Start::Newest);
        assert_eq!(meant(&["a", "--start", "oldest"]).start, Start::Oldest);
    }

    #[test]
    fn bytes_are_looked_into_only_for_their_type() {
        assert!(meant(&["a"]).looks_into && meant(&["a", "--json"]).looks_into);
        assert!(!meant(&["a", "--raw"]).looks_into && !meant(&["a", "--json", "--hex"]).looks_into);
        assert!(meant(&["a", "--raw", "--type", "pose_t"]).looks_into);
    }
}
