//! `saltus log info`: show the contents of logs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use saltus_log::{ChannelSummary, Log, Types};
use serde::Serialize;

use super::input::open;
use crate::exit::{Code, Failure, Outcome, note};
use crate::flags::types;
use crate::flags::{Json, TypeDirs};
use crate::print::Timestamp;
use crate::print::out::Out;
use crate::stop;
use saltus_text::escape::{escaped, harmless, is_text};
use saltus_text::human;
use saltus_text::table::{Align, Table};
use saltus_text::units;

/// The options of `log info`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Info {
    /// Logs to read
    #[arg(required = true, value_name = "FILE")]
    logs: Vec<PathBuf>,

    #[command(flatten)]
    dirs: TypeDirs,

    #[command(flatten)]
    json: Json,
}

const EXAMPLES: &str = "\
Examples:
  saltus log info robot.mcap
  saltus log info lcmlog-2026-11-20.00 -I types
  saltus log info robot.mcap --json | jq '.channels[].name'";

/// A line of `log info --json`. Its fields are a stable interface.
#[derive(Serialize)]
struct Report {
    file: String,
    format: String,
    bytes: u64,
    events: u64,
    /// Seconds since 1970.
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    #[serde(skip)]
    times: Option<(i64, i64)>,
    channels: Vec<Row>,
    /// Events of channels that are not listed.
    others: u64,
    back: u64,
    damage: Harm,
    metadata: Vec<Metadata>,
}

#[derive(Serialize)]
struct Row {
    channel: String,
    r#type: Option<String>,
    encoding: Option<String>,
    fingerprint: Option<String>,
    messages: u64,
    bytes: u64,
    rate: Option<f64>,
    first: Timestamp,
    last: Timestamp,
}

#[derive(Serialize)]
struct Harm {
    skipped: u64,
    chunks: u64,
    unknown: u64,
    unfinished: bool,
}

#[derive(Serialize)]
struct Metadata {
    name: String,
    values: BTreeMap<String, String>,
}

/// Prints the contents of each log.
pub(crate) fn run(args: Info) -> Outcome {
    stop::on_signals()?;
    let types = types::types(&args.dirs)?;
    let mut out = Out::new()?;
    let mut unknown = 0;
    for (i, path) in args.logs.iter().enumerate() {
        let mut log = open(path, args.json.json)?;
        let report = Report::of(path, &mut log, &types)?;
        unknown += report.channels.iter().filter(|row| row.is_unknown()).count() as u64;
        if args.json.json {
            out.json(&report)?;
        } else {
            if i > 0 {
                out.line("")?;
            }
            report.print(&log, &mut out)?;
        }
    }
    out.flush()?;
    if unknown > 0 && !args.json.json {
        let channels = human::plural(unknown, "channel");
        note(format_args!("unknown type on {channels} (?? above): {}", types::UNKNOWN));
    }
    Ok(())
}

impl Report {
    fn of(path: &Path, log: &mut Log, types: &Types) -> Outcome<Report> {
        let times = log.times().map_err(|e| Failure::new(Code::Failed, e.to_string()))?;
        let (summary, damage) = (log.summary(), log.damage());
        let mut channels: Vec<Row> = summary.channels.iter().map(|c| Row::of(c, types)).collect();
        channels.sort_by(|a, b| a.channel.cmp(&b.channel));
        let metadata = summary.metadata.iter();
        Ok(Report {
            file: path.display().to_string(),
            format: log.format().to_string(),
            bytes: log.size(),
            events: log.len(),
            first: times.map(|(first, _)| Timestamp::signed(first)),
            last: times.map(|(_, last)| Timestamp::signed(last)),
            times,
            channels,
            others: summary.others,
            back: summary.back,
            damage: Harm {
                skipped: damage.skipped,
                chunks: damage.chunks,
                unknown: damage.unknown,
                unfinished: damage.unfinished,
            },
            metadata: metadata
                .map(|(name, values)| Metadata { name: name.clone(), values: values.clone() })
                .collect(),
        })
    }

    fn print(&self, log: &Log, out: &mut Out) -> Outcome {
        let mut facts = vec![
            ("file", harmless(&self.file)),
            ("format", format!("{}, {}", self.format, human::bytes(self.bytes as f64))),
            ("events", self.events.to_string()),
        ];
        if let Some((first, last)) = self.times {
            let shown = |ns| format!("{} ({})", human::date(ns), human::signed_timestamp(ns));
            facts.push(("from", shown(first)));
            facts.push(("to", shown(last)));
            facts.push(("duration", human::nanos(last.saturating_sub(first) as f64)));
        }
        if self.back > 0 {
            facts.push(("timestamps", format!("{} earlier than the one before", self.back)));
        }
        facts.push(("damage", log.damage().to_string()));
        facts.iter().try_for_each(|(name, value)| out.line(format_args!("{name:<9} {value}")))?;
        let mut table = Table::new(&[
            ("CHANNEL", Align::Left),
            ("TYPE", Align::Left),
            ("ENCODING", Align::Left),
            ("MESSAGES", Align::Right),
            ("RATE", Align::Right),
            ("BYTES", Align::Right),
        ]);
        for row in &self.channels {
            let kind = row.r#type.clone().or_else(|| row.fingerprint.as_ref().map(|f| format!("?? {f}")));
            table.row(vec![
                row.channel.clone(),
                kind.unwrap_or_else(|| "-".into()),
                row.encoding.clone().unwrap_or_else(|| "-".into()),
                row.messages.to_string(),
                row.rate.map_or("-".into(), human::hertz),
                human::bytes(row.bytes as f64),
            ]);
        }
        if !self.channels.is_empty() {
            out.line("")?;
            table.lines().iter().try_for_each(|line| out.line(line))?;
        }
        for Metadata { name, values } in &self.metadata {
            out.line(format_args!("\n{}", harmless(name)))?;
            for (key, value) in values {
                out.line(format_args!("  {}: {}", harmless(key), harmless(value)))?;
            }
        }
        Ok(())
    }
}

impl Row {
    fn is_unknown(&self) -> bool {
        // Text starts with letters, not with a fingerprint.
        let key = self.fingerprint.as_ref().and_then(|digits| units::hex(digits).ok());
        self.r#type.is_none() && key.is_some_and(|key| !is_text(&key))
    }

    fn of(channel: &ChannelSummary, types: &Types) -> Row {
        let about = channel.about.as_ref();
        let reported = about.and_then(|about| about.kind.as_ref());
        let kind = reported.or_else(|| types.of(channel.key.as_ref()?));
        let schema = about.and_then(|about| about.schema.as_ref()).map(|schema| schema.name.clone());
        let ours = about.is_none_or(|about| about.encoding == "lcm");
        let span = channel.times.1.saturating_sub(channel.times.0) as f64 / 1e9;
        Row {
            channel: escaped(&channel.name),
            r#type: kind.map(|kind| kind.name()).or(schema).map(|name| harmless(&name)),
            encoding: about.map(|about| harmless(&about.encoding)),
            fingerprint: channel.key.filter(|_| ours).map(|key| format!("{:016x}", u64::from_be_bytes(key))),
            messages: channel.messages,
            bytes: channel.bytes,
            rate: (span > 0.0).then(|| (channel.messages - 1) as f64 / span),
            first: Timestamp::signed(channel.times.0),
            last: Timestamp::signed(channel.times.1),
        }
    }
}
