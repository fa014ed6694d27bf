//! `saltus pub`: publish messages.

mod sink;

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{ArgGroup, Args};
use saltus_channel::{Attributes, Channel, Directory, Error};
use saltus_decode::{Dictionary, Encoder};
use saltus_os::{lines::Lines, pace::Pace};

use crate::exit::{Code, Failure, Outcome, note, unreadable};
use crate::flags::domain::{self, DomainUrl, OpenDomain};
use crate::flags::types;
use crate::flags::{Count, Quiet, Rate, TypeDirs};
use crate::stop;
use saltus_text::escape::escaped;
use saltus_text::human::plural;
use saltus_text::units;
use sink::Sink;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[command(group = ArgGroup::new("what").required(true).args(["text", "file", "lines", "bytes"]))]
pub(crate) struct Pub {
    /// Channel to publish on
    name: OsString,

    /// Message to publish
    #[arg(allow_negative_numbers = true)]
    text: Option<OsString>,

    /// Publish the contents of FILE (-: standard input)
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// Use one line per message
    #[arg(long)]
    lines: bool,

    /// Publish these bytes, such as 'dead beef' or 0xdeadbeef
    #[arg(long, value_name = "HEX", value_parser = Bytes::from_hex)]
    bytes: Option<Bytes>,

    /// Type of the messages
    ///
    /// The message, or each line, is JSON. It is encoded, and the type is stored with the channel for subscribers.
    #[arg(long = "type", value_name = "TYPE", conflicts_with = "bytes")]
    of: Option<String>,

    #[command(flatten)]
    dirs: TypeDirs,

    /// Use the plain layout (types of fixed size only)
    #[arg(long, requires = "of")]
    plain: bool,

    #[command(flatten)]
    rate: Rate,

    #[command(flatten)]
    count: Count,

    /// Limit for the size of a message
    ///
    /// If the command creates the channel, the channel then refuses longer messages. Without a limit, the channel starts with
    /// the size of the message and grows for longer ones.
    #[arg(long, value_name = "SIZE", conflicts_with = "no_create", value_parser = units::size)]
    max_size: Option<u64>,

    /// Exit with code 3 if the channel does not exist
    #[arg(long)]
    no_create: bool,

    #[command(flatten)]
    quiet: Quiet,
}

const EXAMPLES: &str = "\
Examples:
  saltus pub greeting 'hello, world'
  saltus pub heartbeat alive -r 10              ten times a second until Ctrl-C
  saltus pub command --bytes '01 00 ff' -n 3 -r 1
  saltus pub camera --file frame.jpg -r 30
  tail -f /var/log/syslog | saltus pub log --lines
  saltus pub pose --type robot.pose_t '{\"utime\": 1, \"x\": 0.5}' -I types
  jq -c . poses.json | saltus pub pose --type pose_t --lines   known type
  saltus pub load x -r 0 -n 1000000             a million, as fast as possible
  saltus pub POSE --type pose_t '{\"x\": 0.5}' -I types --domain udpm://";

/// Message size for a channel whose messages may vary in length.
const LONG: u64 = 4096;

/// Longest line of JSON.
const JSON: usize = 256 << 20;

/// Bytes on the command line. A separate type, because clap treats a `Vec` as a repeatable option.
#[derive(Clone)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn from_hex(text: &str) -> Result<Bytes, String> {
        units::hex(text).map(Bytes)
    }
}

/// Publishes until `--count`, the end of the input, or a stop signal.
pub(crate) fn run(domain: &DomainUrl, args: Pub) -> Outcome {
    stop::on_signals()?;
    let place = domain.open()?;
    let one_shot = !args.lines && args.rate.rate.is_none() && args.count.count.is_none();
    let encoder = args.encoder(&place)?;
    let message = args.message(encoder.as_ref())?;
    let varies = encoder.as_ref().is_some_and(Encoder::varies);
    let mut publisher = args.sink(&place, message.as_deref(), varies)?;
    // The messages matter more than their description.
    if let Some(Err(failure)) =
        encoder.as_ref().map(|encoder| publisher.describe(&saltus_domain::description(encoder.kind())))
    {
        note(format_args!("{failure}; published anyway, but subscribers need -I to decode it"));
    }
    let mut pace = Pace::new(args.rate.rate.unwrap_or(0.0), Instant::now());
    let most = if one_shot { 1 } else { args.count.count.unwrap_or(u64::MAX) };

    let mut published = 0;
    let outcome = match message {
        Some(message) => repeat(&mut publisher, &message, most, &mut pace, &mut published),
        None => each_line(&mut publisher, encoder.as_ref(), most, &mut pace, &mut published),
    };
    if !one_shot && !args.quiet.quiet {
        match pace.skipped() {
            0 => note(format_args!("published {}", plural(published, "message"))),
            n => note(format_args!(
                "published {}, skipped {n} that were due while this process could not run",
                plural(published, "message")
            )),
        }
    }
    outcome
}

fn repeat(publisher: &mut Sink, message: &[u8], most: u64, pace: &mut Pace, published: &mut u64) -> Outcome {
    while *published < most && pace.wait() {
        publisher.publish(message)?;
        *published += 1;
    }
    Ok(())
}

fn each_line(
    publisher: &mut Sink,
    encoder: Option<&Encoder>,
    most: u64,
    pace: &mut Pace,
    published: &mut u64,
) -> Outcome {
    let failed = |e| Failure::new(Code::Failed, format!("cannot read standard input: {e}"));
    // A line longer than the largest message is passed on immediately, so that publishing reports it. JSON may be much longer than its
    // encoded message.
    let longest = if encoder.is_some() { JSON } else { publisher.max_len() };
    let mut lines = Lines::new(stop::input().map_err(failed)?, longest);
    let mut number = 0u64;
    while *published < most {
        let Some(line) = lines.next().map_err(failed)? else { break };
        number += 1;
        let encoded = encoder.map(|encoder| encoder.encode(line)).transpose();
        let encoded = encoded
            .map_err(|why| Failure::new(Code::Failed, format!("line {number} of the input: {why}")))?;
        if !pace.wait() {
            break;
        }
        publisher.publish(encoded.as_deref().unwrap_or(line))?;
        *published += 1;
    }
    Ok(())
}

impl Pub {
    /// The encoder for messages from JSON, if a type is given.
    fn encoder(&self, place: &OpenDomain) -> Outcome<Option<Encoder>> {
        let known = || match place {
            OpenDomain::Shm(domain) => match domain.open_channel(self.name.as_encoded_bytes()) {
                Ok(channel) => Ok(Dictionary::of(types::texts(channel.descriptions()?))),
                // A missing channel stores no types.
                Err(Error::NotFound { .. }) => Ok(Dictionary::default()),
                Err(error) => Err(error.into()),
            },
            OpenDomain::Other(domain) => {
                let words = format!("{} stores no types: name their directory with -I", domain.url());
                Err(Failure::new(Code::Usage, words))
            }
        };
        let new = |name: &String| types::encoder(name, &self.dirs, self.plain, known);
        self.of.as_ref().map(new).transpose()
    }

    /// Opens the channel, or the domain, to publish in.
    fn sink(&self, place: &OpenDomain, message: Option<&[u8]>, varies: bool) -> Outcome<Sink> {
        match place {
            OpenDomain::Shm(domain) => {
                let publisher = self.channel(domain, message, varies)?.publisher()?.into();
                Ok(Sink::Channel { publisher, grows: self.max_size.is_none(), next_check: Instant::now() })
            }
            OpenDomain::Other(domain) if self.max_size.is_some() || self.no_create => {
                let option = if self.no_create { "--no-create" } else { "--max-size" };
                let words = format!(
                    "{option} is for shared memory: {} needs no existing channel; omit it",
                    domain.url()
                );
                Err(Failure::new(Code::Usage, words))
            }
            OpenDomain::Other(domain) => Ok(Sink::Domain(domain.publisher(self.name.as_encoded_bytes())?)),
        }
    }

    /// The message, if there is a single one, not one per line.
    fn message(&self, encoder: Option<&Encoder>) -> Outcome<Option<Vec<u8>>> {
        let message = match (&self.text, &self.file, &self.bytes) {
            (Some(text), _, _) => text.as_encoded_bytes().to_vec(),
            (_, Some(file), _) => contents(file)?,
            (_, _, Some(hex)) => hex.0.clone(),
            _ => return Ok(None),
        };
        match encoder {
            Some(encoder) => {
                let encoded = encoder.encode(&message);
                encoded.map(Some).map_err(|why| Failure::new(Code::Failed, why))
            }
            None => Ok(Some(message)),
        }
    }

    /// Opens the channel. A missing one is created for the size of the message, or for longer ones if the size of its type `varies`.
    fn channel(&self, domain: &Directory, message: Option<&[u8]>, varies: bool) -> Outcome<Channel> {
        let name = self.name.as_encoded_bytes();
        match domain.open_channel(name) {
            Err(Error::NotFound { .. }) if !self.no_create => {}
            Err(Error::NotFound { .. }) => {
                return Err(domain::absent(name, &domain.list()?, &domain.url()));
            }
            opened => return Ok(opened?),
        }
        let size = self.max_size.unwrap_or_else(|| {
            // A line can have any length.
            let longest = message.map_or(LONG, |m| m.len() as u64);
            let room = if varies { LONG.max(4 * longest) } else { longest };
            Attributes::new().get_max_message_size().max(room.next_multiple_of(64))
        });
        match domain.create(name, &Attributes::new().max_message_size(size)) {
            Ok(channel) => {
                if !self.quiet.quiet {
                    let depth = channel.attributes().get_depth();
                    note(format_args!(
                        "made channel `{}`: {depth} messages of up to {size} bytes",
                        escaped(name)
                    ));
                }
                Ok(channel)
            }
            // Another process made it first.
            Err(Error::Exists { .. }) => Ok(domain.open_channel(name)?),
            Err(error) => Err(error.into()),
        }
    }
}

fn contents(file: &Path) -> Outcome<Vec<u8>> {
    let read = if file == Path::new("-") { whole_input() } else { std::fs::read(file).map(Some) };
    read.map_err(|e| unreadable(file.display(), &e))?.ok_or(Failure::Quiet)
}

/// Standard input up to its end, or `None` after a stop signal.
fn whole_input() -> io::Result<Option<Vec<u8>>> {
    let (mut input, mut bytes) = (stop::input()?, Vec::new());
    while stop::wait_readable(&input) {
        if input.by_ref().take(1 << 20).read_to_end(&mut bytes)? == 0 {
            return Ok(Some(bytes));
        }
    }
    Ok(None)
}
