//! Steps as commands for the drivers. README.md describes the commands.

use crate::case::Step;
use saltus_conformance_types::canonical::hex;
use saltus_conformance_types::tools::Result;
use serde_json::{Map, Value};

/// How long a step waits for an expected result by default, in ms.
const PATIENCE: &str = "20000";

/// The kind of object that a verb creates, as `close` needs it.
pub fn made_by(verb: &str) -> Option<&'static str> {
    match verb {
        "domain" => Some("domain"),
        "publisher" => Some("publisher"),
        "subscriber" => Some("subscriber"),
        "log_open" => Some("log"),
        "log_create" => Some("writer"),
        _ => None,
    }
}

/// The default name of a verb's object.
fn usual(verb: &str) -> &'static str {
    match verb {
        "domain" | "names" => "d",
        "publisher" | "publish" | "publish_reading" | "publish_other" | "stream" => "p",
        "log_open" | "log_size" | "log_next" | "log_previous" | "log_seek" | "log_seek_time" => "l",
        verb if verb.starts_with("log_") => "w",
        _ => "s",
    }
}

/// The name of the object that a step creates or uses.
pub fn name_of(step: &Step) -> String {
    let printed = step.with.get("as").or(step.with.get("of")).and_then(Value::as_str);
    printed.unwrap_or_else(|| usual(&step.verb)).into()
}

/// The command for a step. `kind` is of the object that it closes.
///
/// # Errors
/// A step that lacks an argument, or has one that its verb does not support.
pub fn line(step: &Step, kind: &str) -> Result<String> {
    let with = &step.with;
    let (name, get) = (name_of(step), |key: &str| with.get(key).unwrap_or(&Value::Null));
    let word = |key: &str, otherwise: &str| match get(key) {
        Value::String(text) => text.clone(),
        Value::Null => otherwise.into(),
        other => other.to_string(),
    };
    let domain = || word("domain", "d");
    let line = match step.verb.as_str() {
        "domain" => format!("domain {name} {}", text(get("url"))?),
        "publisher" => {
            format!("publisher {name} {} {} {}", domain(), text(get("channel"))?, word("type", "-"))
        }
        "subscriber" => {
            let (by, which) = match (get("channel"), get("pattern")) {
                (Value::Null, Value::Null) => ("all", &Value::Null),
                (Value::Null, pattern) => ("pattern", pattern),
                (channel, _) => ("name", channel),
            };
            let (depth, start) = (word("depth", "0"), word("start", "newest"));
            format!(
                "subscriber {name} {} {by} {} {depth} {start} {}",
                domain(),
                text(which)?,
                word("type", "-")
            )
        }
        "publish" => format!("publish {name} {}", bytes(with)?),
        "publish_reading" => format!("publish_reading {name} {}", reading(get("reading"))?),
        "publish_other" => format!("publish_other {name} {} {}", word("utime", "0"), bits(get("value"))),
        "receive" | "current" => format!("{} {name} {}", step.verb, within(get("within"))),
        "readable" => format!("readable {name} {}", within(get("within"))),
        "wait" => {
            let all = get("of").as_array().into_iter().flatten().filter_map(Value::as_str);
            format!("wait {} {}", within(get("within")), all.collect::<Vec<_>>().join(" "))
        }
        "cancel" | "cancel_reset" | "names" | "log_flush" | "log_finish" | "log_size" | "log_next"
        | "log_previous" => format!("{} {name}", step.verb),
        "cancel_later" => format!("cancel_later {name} {}", within(get("after"))),
        "stream" => {
            format!("stream {name} {} {} {}", word("many", "1"), word("first", "1"), word("gap_us", "0"))
        }
        "count" => format!("count {name} {} {}", word("until", "1"), within(get("within"))),
        "close" => format!("close {kind} {name}"),
        "log_create" => format!("log_create {name} {} {}", text(get("path"))?, word("format", "-")),
        "log_write" => {
            format!("log_write {name} {} {} {}", text(get("channel"))?, bytes(with)?, word("time", "0"))
        }
        "log_write_reading" => {
            let (channel, time) = (text(get("channel"))?, word("time", "0"));
            format!("log_write_reading {name} {channel} {time} {}", reading(get("reading"))?)
        }
        "log_open" => format!("log_open {name} {}", text(get("path"))?),
        "log_seek" => format!("log_seek {name} {}", word("position", "0")),
        "log_seek_time" => format!("log_seek_time {name} {}", word("time", "0")),
        other => return Err(format!("unknown verb `{other}`")),
    };
    match with.keys().find(|key| !KEYS.contains(&key.as_str())) {
        Some(key) => Err(format!("unknown key `{key}` in {}", step.printed())),
        None => Ok(line),
    }
}

/// The keys that steps may have.
const KEYS: [&str; 32] = [
    "program",
    "publisher",
    "subscriber",
    "expect",
    "later",
    "because",
    "as",
    "of",
    "domain",
    "url",
    "channel",
    "pattern",
    "type",
    "depth",
    "start",
    "reading",
    "utime",
    "value",
    "within",
    "after",
    "many",
    "first",
    "gap_us",
    "until",
    "path",
    "format",
    "time",
    "position",
    "hex",
    "text",
    "fill",
    "zeros",
];

/// Text: itself, none (null), a repeated text, or bytes that need not be text.
fn text(value: &Value) -> Result<String> {
    match value {
        Value::Null => Ok("-".into()),
        Value::String(text) => Ok(format!("x{}", hex(text.as_bytes()))),
        value => match (&value["repeat"], &value["times"], &value["hex"]) {
            (Value::String(text), Value::Number(times), _) => {
                let times = times.as_u64().unwrap_or_default() as usize;
                Ok(format!("x{}", hex(text.repeat(times).as_bytes())))
            }
            (_, _, Value::String(digits)) => Ok(format!("x{digits}")),
            _ => Err(format!("{value} is no text")),
        },
    }
}

/// Bytes: `hex`, `text`, `fill` [how many, seed] or `zeros`.
pub fn bytes(of: &Map<String, Value>) -> Result<String> {
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    Ok(match (of.get("hex"), of.get("text"), of.get("fill"), of.get("zeros")) {
        (Some(Value::String(digits)), ..) => format!("x{digits}"),
        (_, Some(Value::String(text)), ..) => format!("x{}", hex(text.as_bytes())),
        (_, _, Some(fill), _) => format!("p{}:{}", number(&fill[0]), number(&fill[1])),
        (_, _, _, Some(zeros)) => format!("z{}", number(zeros)),
        _ => return Err(format!("{of:?} says no bytes")),
    })
}

/// Those bytes as a driver prints them: few in digits, many by their CRC-32.
pub fn shown(word: &str) -> String {
    let (kind, rest) = word.split_at(1);
    if kind == "x" {
        return word.into();
    }
    let (length, seed) = rest.split_once(':').unwrap_or((rest, "0"));
    let (length, seed): (usize, usize) = (length.parse().unwrap_or(0), seed.parse().unwrap_or(0));
    let fill = |i: usize| if kind == "p" { (i * 31 + (i >> 9) + seed) as u8 } else { 0 };
    let bytes: Vec<u8> = (0..length).map(fill).collect();
    if length <= 64 { format!("x{}", hex(&bytes)) } else { format!("c{length}:{:08x}", crc32(&bytes)) }
}

fn crc32(data: &[u8]) -> u32 {
    let bit = |crc: u32| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
    !data.iter().fold(!0, |crc, b| (0..8).fold(crc ^ u32::from(*b), |crc, _| bit(crc)))
}

/// The fields of a message of the type that the cases publish.
pub fn reading(value: &Value) -> Result<String> {
    let samples = value["samples"].as_array().map(Vec::as_slice).unwrap_or_default();
    let listed: Vec<String> = samples.iter().map(Value::to_string).collect();
    let listed = if listed.is_empty() { "-".into() } else { listed.join(",") };
    let count = value["count"].as_i64().unwrap_or(samples.len() as i64);
    let (utime, place) = (value["utime"].as_i64().unwrap_or(0), text(&value["place"])?);
    let place = if place == "-" { "x".into() } else { place };
    Ok(format!("{utime} {} {place} {count} {listed}", bits(&value["value"])))
}

fn bits(value: &Value) -> String {
    format!("{:016x}", value.as_f64().unwrap_or(0.0).to_bits())
}

/// Seconds as whole ms; `ever` means forever.
fn within(value: &Value) -> String {
    match value {
        Value::String(ever) if ever == "ever" => "-".into(),
        value => value.as_f64().map_or(PATIENCE.into(), |s| ((s * 1000.0) as u64).to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_byte_arrays_are_shown_as_a_checksum() {
        assert_eq!(shown("x0102"), "x0102");
        assert_eq!(shown("p3:1"), "x01203f");
        assert!(shown("z100").starts_with("c100:"));
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926); // the check value of CRC-32
    }
}
