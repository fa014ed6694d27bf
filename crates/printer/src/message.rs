//! Messages in the formats of `echo`.

use std::io::{self, Write};

use saltus_channel::MessageInfo;
use saltus_decode::Meaning;
use saltus_domain::Missed;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{Timestamp, json};
use saltus_text::dump::dump;
use saltus_text::escape::{escaped, harmless, is_text};
use saltus_text::human;

/// Formats of messages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people: metadata, then the fields, the text or a dump.
    Human {
        /// Print long arrays in full.
        full: bool,
    },
    /// The bytes of the message and a newline.
    Lines,
    /// Only the bytes of the message.
    Raw,
    /// Hexadecimal digits and a newline.
    Hex,
    /// A JSON object with metadata and fields.
    Json {
        /// Print the message as hexadecimal digits even if it is text, or its type is known.
        hex: bool,
    },
}

impl Format {
    /// Whether the format needs only the bytes, not their type.
    pub fn is_bytes(self) -> bool {
        !matches!(self, Format::Human { .. } | Format::Json { hex: false })
    }
}

/// A line of `echo --json`. Its fields are a stable interface.
#[derive(Default, Serialize)]
struct Line<'a> {
    channel: &'a str,
    timestamp: Option<Timestamp>,
    lane: Option<u32>,
    lease: Option<u64>,
    seq: Option<u64>,
    missed: Option<u64>,
    #[serde(flatten)]
    of_domain: Option<OfDomain>,
    #[serde(flatten)]
    of_log: Option<OfLog>,
    size: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
}

/// Additional fields for a message of a log.
#[derive(Serialize)]
struct OfLog {
    /// Seconds since 1970.
    logged: Timestamp,
}

/// Additional fields for a message received through a domain.
#[derive(Serialize)]
struct OfDomain {
    missed_of: Option<&'static str>,
    dropped: u64,
    /// The sender as printed for people.
    sender: Option<String>,
    arrived: Timestamp,
    logged: Option<Timestamp>,
}

/// Longer arrays are abbreviated in the format for people.
const SHOWN: usize = 16;

/// A message as received.
pub struct Message<'a> {
    /// The channel, escaped.
    pub channel: &'a str,
    /// Its publisher, and the time of its publication.
    pub about: About<'a>,
    /// The bytes of the message.
    pub bytes: &'a [u8],
    /// The decoded bytes.
    pub meaning: &'a Meaning,
}

/// The publisher of a message, and the time of its publication.
#[derive(Clone, Copy)]
pub enum About<'a> {
    /// From a channel in shared memory.
    Channel(&'a MessageInfo),
    /// From a domain, with the metadata that its transport has.
    Domain(&'a saltus_domain::Message<'a>),
    /// From a log.
    Log(&'a saltus_log::Event<'a>),
}

impl About<'_> {
    /// The metadata before the message, for people.
    fn head(self, channel: &str) -> String {
        match self {
            About::Channel(sample) => format!(
                "[{}] publisher {}.{} seq {} missed {}",
                timestamp(sample).map_or("-".into(), human::timestamp),
                sample.publisher.lane,
                sample.publisher.lease,
                sample.seq,
                sample.missed
            ),
            About::Domain(message) => {
                let number = |n: Option<u64>| n.map_or("unknown".into(), |n| n.to_string());
                let sender = message.sender.map_or("unknown".into(), |sender| format!("{sender:x}"));
                format!(
                    "[{}] {channel} sender {sender} seq {} missed {} dropped {}",
                    human::timestamp(message.published.unwrap_or(message.arrived)),
                    number(message.sequence),
                    number(message.missed.count()),
                    message.dropped
                )
            }
            About::Log(event) => {
                let number = event.sequence.map_or(String::new(), |n| format!(" seq {n}"));
                format!("[{}] {channel}{number}", human::signed_timestamp(event.log_time))
            }
        }
    }
}

/// Prints one message.
///
/// # Errors
/// Those of `out`.
pub fn print(out: &mut dyn Write, format: Format, message: &Message<'_>) -> io::Result<()> {
    match format {
        Format::Human { full } => human(out, message, full),
        Format::Raw => out.write_all(message.bytes),
        Format::Lines => {
            out.write_all(message.bytes)?;
            out.write_all(b"\n")
        }
        Format::Hex => writeln!(out, "{}", digits(message.bytes)),
        Format::Json { hex } => json(out, &Line::of(message, hex)),
    }
}

impl<'a> Line<'a> {
    fn of(message: &Message<'a>, hex: bool) -> Line<'a> {
        let Message { channel, about, bytes, meaning } = *message;
        let line = Line { channel, size: bytes.len(), ..Line::default() };
        let mut line = match about {
            About::Channel(sample) => Line {
                timestamp: timestamp(sample).map(Timestamp::of),
                lane: Some(sample.publisher.lane),
                lease: Some(sample.publisher.lease),
                seq: Some(sample.seq),
                missed: Some(sample.missed),
                ..line
            },
            About::Log(event) => Line {
                timestamp: event.publish_time.map(Timestamp::signed),
                seq: event.sequence,
                of_log: Some(OfLog { logged: Timestamp::signed(event.log_time) }),
                ..line
            },
            About::Domain(message) => Line {
                timestamp: message.published.map(Timestamp::of),
                seq: message.sequence,
                missed: message.missed.count(),
                of_domain: Some(OfDomain::new(message)),
                ..line
            },
        };
        match meaning {
            _ if hex => {}
            Meaning::Record { kind, record } => {
                let encoding = if kind.is_plain() { "plain" } else { "lcm" };
                (line.r#type, line.encoding) = (Some(harmless(&kind.name())), Some(encoding));
                line.value = RawValue::from_string(saltus_types::json::to_string(record)).ok();
                return line;
            }
            Meaning::Broken { kind, error } => {
                (line.r#type, line.error) = (Some(harmless(&kind.name())), Some(error.as_str()));
            }
            Meaning::Unknown(fingerprint) if !is_text(bytes) => {
                line.fingerprint = Some(format!("{fingerprint:016x}"));
            }
            Meaning::Unknown(_) | Meaning::Bytes => line.text = str::from_utf8(bytes).ok(),
        }
        if line.text.is_none() {
            line.hex = Some(digits(bytes));
        }
        line
    }
}

impl OfDomain {
    fn new(message: &saltus_domain::Message<'_>) -> OfDomain {
        OfDomain {
            missed_of: match message.missed {
                Missed::Exact(_) => Some("channel"),
                Missed::OfSender(_) => Some("sender"),
                Missed::Unknown => None,
            },
            dropped: message.dropped,
            sender: message.sender.map(|sender| format!("{sender:x}")),
            arrived: Timestamp::of(message.arrived),
            logged: message.logged.map(Timestamp::signed),
        }
    }
}

/// The time of publication; `None` on a channel without timestamps.
fn timestamp(sample: &MessageInfo) -> Option<u64> {
    Some(sample.timestamp).filter(|timestamp| *timestamp > 0)
}

fn human(out: &mut dyn Write, message: &Message<'_>, full: bool) -> io::Result<()> {
    let Message { channel, about, bytes, meaning } = *message;
    let head = about.head(channel);
    match meaning {
        Meaning::Record { kind, record } => {
            writeln!(out, "{head}: {}", harmless(&kind.name()))?;
            let text = if full { format!("{record:#}") } else { format!("{record:#.SHOWN$}") };
            return text.lines().try_for_each(|line| writeln!(out, "  {}", harmless(line)));
        }
        Meaning::Broken { kind, error } => {
            let (name, error) = (harmless(&kind.name()), harmless(error));
            writeln!(out, "{head}: {name}, but {error}, {} bytes", bytes.len())?;
        }
        Meaning::Unknown(_) | Meaning::Bytes if is_text(bytes) => {
            return writeln!(out, "{head}: {}", escaped(bytes));
        }
        Meaning::Unknown(fingerprint) => {
            writeln!(out, "{head}: unknown type {fingerprint:016x}, {} bytes", bytes.len())?;
        }
        Meaning::Bytes => writeln!(out, "{head}: {} bytes", bytes.len())?,
    }
    dump(bytes).try_for_each(|line| writeln!(out, "  {line}"))
}

fn digits(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|b| [b >> 4, b & 15]).map(|d| DIGITS[usize::from(d)] as char).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_what_pub_takes() {
        assert_eq!(digits(b"\x00\xfe\x0a"), "00fe0a");
        assert_eq!(saltus_text::units::hex(&digits(b"\x00\xfe\x0a")), Ok(b"\x00\xfe\x0a".to_vec()));
    }
}
