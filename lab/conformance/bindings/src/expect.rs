//! Compares a driver's answer with the expectation of the case.

use crate::codes::Code;
use crate::words::{bytes, reading, shown};
use saltus_conformance_types::canonical::{hex, unhex};
use saltus_conformance_types::tools::Result;
use serde_json::{Map, Value};

/// Whether the answer is what is expected.
///
/// # Errors
/// It is not: the expectation and the answer, in words.
pub fn check(expected: &Value, answer: &str, codes: &[Code]) -> Result<()> {
    let words: Vec<&str> = answer.split_whitespace().collect();
    let reported = || format!("expected {}, got {}", in_words(expected), in_words_of(answer));
    let is = match expected {
        Value::Null => answer == "ok",
        Value::String(word) => answer == word,
        Value::Object(all) if all.contains_key("error") => {
            return error(all, &words, codes).map_err(|why| reported() + &why);
        }
        Value::Object(all) => match words.first() {
            Some(&"message") => message(all, &words[1..])?,
            Some(&"event") => event(all, &words[1..])?,
            Some(&"ok") => numbers(all, &words[1..]),
            _ => false,
        },
        _ => return Err(format!("unknown expectation {expected}")),
    };
    if is { Ok(()) } else { Err(reported()) }
}

/// An error must have the number and name on the page, and a text.
fn error(all: &Map<String, Value>, words: &[&str], codes: &[Code]) -> std::result::Result<(), String> {
    let wanted = all["error"].as_str().unwrap_or_default();
    let Some(code) = codes.iter().find(|code| code.name == wanted) else {
        return Err(format!("; docs/errors.md has no `{wanted}`"));
    };
    let ["error", number, name, printed] = words else { return Err(String::new()) };
    if *number != code.number.to_string() || !code.is_called(name) {
        return Err(format!("; docs/errors.md has {} {} ({})", code.number, code.name, code.c));
    }
    if printed.len() < 2 { Err("; it has no sentence".into()) } else { Ok(()) }
}

fn message(all: &Map<String, Value>, words: &[&str]) -> Result<bool> {
    let [channel, missed, dropped, sequence, body @ ..] = words else { return Ok(false) };
    about(all, body, |key, value| match key {
        "channel" => Some(channel_is(value, channel)),
        "missed" => Some(number_is(value, missed)),
        "dropped" => Some(number_is(value, dropped)),
        "sequence" => Some(number_is(value, sequence)),
        _ => None,
    })
}

fn event(all: &Map<String, Value>, words: &[&str]) -> Result<bool> {
    let [channel, time, body @ ..] = words else { return Ok(false) };
    about(all, body, |key, value| match key {
        "channel" => Some(channel_is(value, channel)),
        "time" => Some(number_is(value, time)),
        _ => None,
    })
}

/// Whether a message or an event meets all expectations; `body` are the words of its bytes or fields.
fn about(
    all: &Map<String, Value>,
    body: &[&str],
    known: impl Fn(&str, &Value) -> Option<bool>,
) -> Result<bool> {
    let mut is = true;
    for (key, value) in all {
        is &= match key.as_str() {
            "reading" => body.join(" ") == reading(value)?,
            "hex" | "text" | "fill" | "zeros" => body == [shown(&bytes(all)?)],
            key => known(key, value).ok_or_else(|| format!("unknown expectation `{key}`"))?,
        };
    }
    Ok(is)
}

fn channel_is(value: &Value, word: &str) -> bool {
    match value {
        Value::String(text) => word == format!("x{}", hex(text.as_bytes())),
        value => {
            let (text, times) = (value["repeat"].as_str(), value["times"].as_u64());
            text.zip(times).is_some_and(|(text, times)| {
                word == format!("x{}", hex(text.repeat(times as usize).as_bytes()))
            })
        }
    }
}

/// null means an unknown number.
fn number_is(value: &Value, word: &str) -> bool {
    if value.is_null() { word == "-" } else { value.as_i64().is_some_and(|n| word.parse() == Ok(n)) }
}

/// `ok` followed by numbers or names.
fn numbers(all: &Map<String, Value>, words: &[&str]) -> bool {
    all.iter().all(|(key, value)| match (key.as_str(), words) {
        ("index" | "position" | "size", [word]) => number_is(value, word),
        ("names", words) => {
            let mut names: Vec<String> = words.iter().map(|word| plain(word)).collect();
            names.sort();
            value.as_array().is_some_and(|wanted| wanted.iter().filter_map(Value::as_str).eq(names.iter()))
        }
        ("received", [received, _, _, _]) => number_is(value, received),
        ("last", [_, _, _, last]) => number_is(value, last),
        // The messages received, missed and dropped sum up to those published.
        ("all", [received, missed, dropped, _]) => {
            let sum: Option<u64> =
                [received, missed, dropped].iter().map(|word| word.parse::<u64>().ok()).sum();
            sum.is_some() && sum == value.as_u64()
        }
        _ => false,
    })
}

/// The decoded text of a word in digits.
fn plain(word: &str) -> String {
    let bytes = word.strip_prefix('x').and_then(unhex);
    bytes.map_or_else(|| word.into(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn in_words(expected: &Value) -> String {
    if expected.is_null() { "ok".into() } else { expected.to_string() }
}

/// The answer, with the text of an error decoded.
fn in_words_of(answer: &str) -> String {
    match answer.strip_prefix("error ").and_then(|rest| rest.rsplit_once(' ')) {
        Some((about, printed)) => format!("error {about}: {}", plain(printed)),
        None => answer.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn holds(expected: Value, answer: &str) -> bool {
        check(&expected, answer, &crate::codes::read().unwrap()).is_ok()
    }

    #[test]
    fn answers_are_what_is_expected_or_not() {
        assert!(
            holds(Value::Null, "ok") && !holds(Value::Null, "nothing") && holds(json!("nothing"), "nothing")
        );
        let m = "message x61 0 2 7 x0103";
        assert!(holds(json!({"channel": "a", "missed": 0, "dropped": 2, "sequence": 7, "hex": "0103"}), m));
        for wrong in
            [json!({"channel": "b"}), json!({"missed": null}), json!({"hex": "01"}), json!({"odd": 1})]
        {
            assert!(!holds(wrong.clone(), m), "{wrong}");
        }
        assert!(holds(json!({"error": "Invalid"}), "error 12 SALTUS_INVALID x41"));
        assert!(holds(json!({"error": "Invalid"}), "error 12 Invalid x41"));
        for wrong in ["error 12 NotFound x41", "error 1 Invalid x41", "error 12 Invalid x", "ok"] {
            assert!(!holds(json!({"error": "Invalid"}), wrong), "{wrong}");
        }
        assert!(
            holds(json!({"names": ["a", "b"]}), "ok x62 x61")
                && !holds(json!({"names": ["a"]}), "ok x62 x61")
        );
        assert!(holds(json!({"all": 9, "last": 9}), "ok 6 2 1 9") && !holds(json!({"all": 9}), "ok 6 - 1 9"));
        assert!(holds(
            json!({"reading": {"utime": 1, "value": 1.0, "place": "x"}}),
            "message x61 0 0 1 1 3ff0000000000000 x78 0 -"
        ));
    }
}
