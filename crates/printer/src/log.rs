//! Logs as JSON and as text for people: what `saltus log info` prints.

use std::collections::BTreeMap;
use std::path::Path;

use saltus_log::{ChannelSummary, Log, Result, Types};
use saltus_text::escape::{escaped, harmless, is_text};
use saltus_text::table::{Align, Table};
use saltus_text::{human, units};
use serde::Serialize;

use crate::Timestamp;

/// A log, as `log info --json` prints it. Its fields are a stable interface.
#[derive(Serialize)]
pub struct LogLine {
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

impl LogLine {
    /// The contents of the log at `path`.
    ///
    /// # Errors
    /// The times of the first and the last event cannot be read.
    pub fn of(path: &Path, log: &mut Log, types: &Types) -> Result<LogLine> {
        let times = log.times()?;
        let (summary, damage) = (log.summary(), log.damage());
        let mut channels: Vec<Row> = summary.channels.iter().map(|c| Row::of(c, types)).collect();
        channels.sort_by(|a, b| a.channel.cmp(&b.channel));
        let metadata = summary.metadata.iter();
        Ok(LogLine {
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

    /// The number of channels whose type is unknown.
    pub fn unknown(&self) -> u64 {
        self.channels.iter().filter(|row| row.is_unknown()).count() as u64
    }

    /// Lines for people.
    pub fn words(&self, log: &Log) -> Vec<String> {
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
        let mut words: Vec<String> = facts.iter().map(|(name, value)| format!("{name:<9} {value}")).collect();
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
            words.push(String::new());
            words.extend(table.lines());
        }
        for Metadata { name, values } in &self.metadata {
            words.extend([String::new(), harmless(name)]);
            words.extend(
                values.iter().map(|(key, value)| format!("  {}: {}", harmless(key), harmless(value))),
            );
        }
        words
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
