//! `saltus echo`: print messages as they come.

mod channel;
mod network;
mod wanted;

use std::ffi::OsString;

use clap::{ArgGroup, Args, ValueEnum};
use saltus_channel::Start;

use crate::exit::Outcome;
use crate::flags::domain::{self, DomainUrl, OpenDomain};
use crate::flags::selection::{Matching, Selection};
use crate::flags::{Count, Printed, Timeout, TypeDirs, types};
use crate::stop;
use wanted::{Channels, Wanted};

/// The options of `echo`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[command(group = ArgGroup::new("which").args(["next", "newest"]))]
pub(crate) struct Echo {
    /// Name of the channel
    #[arg(required_unless_present = "regex")]
    name: Option<OsString>,

    #[command(flatten)]
    matching: Matching,

    /// NAME is a regular expression
    #[arg(short = 'E', hide = true)]
    expression: bool,

    /// Every message from now on, in order (the default)
    #[arg(long)]
    next: bool,

    /// The newest message at once, then the newest whenever there is a newer one
    #[arg(long)]
    newest: bool,

    /// Where to start; only --from oldest and --from newest give what was published before
    #[arg(long, value_enum, default_value_t = From::Now, conflicts_with = "newest", value_name = "WHERE")]
    from: From,

    #[command(flatten)]
    count: Count,

    #[command(flatten)]
    timeout: Timeout,

    /// Wait until the channel exists
    #[arg(short, long)]
    wait: bool,

    /// When the channel is replaced or removed, go on with the next one of that name
    #[arg(short, long)]
    follow: bool,

    /// End with exit code 5 as soon as a message was missed, or nobody can tell; what was lost before the first of a sender does
    /// not count
    #[arg(long, conflicts_with = "newest")]
    strict: bool,

    #[command(flatten)]
    dirs: TypeDirs,

    /// Every message must be of this type; one that is not is told how it differs, with exit code 6
    #[arg(long = "type", value_name = "TYPE")]
    of: Option<String>,

    #[command(flatten)]
    printed: Printed,

    /// Do not say at the end how many were received and missed
    #[arg(short, long)]
    quiet: bool,
}

/// Where a subscriber starts.
#[derive(Clone, Copy, ValueEnum)]
enum From {
    /// What is published from now on
    Now,
    /// The newest that is kept, then all after it
    Newest,
    /// The oldest that is kept, then all after it
    Oldest,
}

const EXAMPLES: &str = "\
Examples:
  saltus echo imu                             every message from now on
  saltus echo pose --newest -n 1 --json       the newest one, for a program
  saltus echo log --from oldest --lines       all that is kept, then what comes
  saltus echo imu --strict --timeout 250ms    fail at a loss or a silent sensor
  saltus echo imu --wait --follow             through every replacement
  saltus echo pose -I types                   by the type files in a directory
  saltus echo pose --type robot.pose_t -n 1   fail at another type
  saltus echo camera --newest -n 1 --raw > frame.jpg
  saltus echo POSE --domain udpm://239.255.76.67:7667?ttl=1 -I types
  saltus echo -e 'ARM_.*' --domain tcpq:// --json";

/// Prints until there is enough, or the end is asked for.
pub(crate) fn run(domain: &DomainUrl, args: Echo) -> Outcome {
    let decoder = || types::decoder(args.of.as_deref(), &args.dirs.include);
    let (domain, wanted) = (domain.open()?, args.meant()?);
    stop::on_signals()?;
    stop::when_output_closes();
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
            start: match self.from {
                _ if self.newest => Start::Newest,
                From::Now => Start::Now,
                From::Newest => Start::Newest,
                From::Oldest => Start::Oldest,
            },
            most: self.count.count,
            timeout: self.timeout.timeout,
            wait: self.wait,
            follow: self.follow,
            strict: self.strict,
            format,
            looks_into: !format.is_bytes() || self.of.is_some(),
            quiet: self.quiet,
        })
    }

    fn channels(&self) -> Outcome<Channels> {
        match &self.name {
            Some(name) if !self.expression && !self.matching.is_given() => Ok(Channels::One(name.clone())),
            name => {
                let selection = Selection::of(name.as_slice(), self.expression, &self.matching)?;
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
        for several in [&["-e", "a.*"][..], &["a.*", "-E"], &["-E", "a.*"], &["-v", "b"], &["a", "-e", "b"]] {
            assert!(matches!(meant(several).channels, Channels::Several(..)), "{several:?}");
        }
        assert!(Line::try_parse_from(["echo"]).is_err(), "nothing is chosen");
    }

    #[test]
    fn the_newest_is_there_at_once() {
        assert_eq!(meant(&["a"]).start, Start::Now);
        assert_eq!(meant(&["a", "--newest"]).start, Start::Newest);
        assert_eq!(meant(&["a", "--from", "oldest"]).start, Start::Oldest);
    }

    #[test]
    fn bytes_are_looked_into_only_for_their_type() {
        assert!(meant(&["a"]).looks_into && meant(&["a", "--json"]).looks_into);
        assert!(!meant(&["a", "--raw"]).looks_into && !meant(&["a", "--json", "--hex"]).looks_into);
        assert!(meant(&["a", "--raw", "--type", "pose_t"]).looks_into);
    }
}
