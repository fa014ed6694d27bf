//! The records of runs: `lab/records/NAME.json`. A command with `--record` writes one; docs/assurance.md takes its figures from
//! them, so that no figure is typed by hand.

use crate::run::{Outcome, failed, output, read, root};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The file of a record.
pub fn path(name: &str) -> PathBuf {
    root().join("lab/records").join(name).with_extension("json")
}

/// A record, or `None` if it was never written.
pub fn find(name: &str) -> Result<Option<Value>, String> {
    let path = path(name);
    if !path.exists() {
        return Ok(None);
    }
    let value: Value = serde_json::from_str(&read(&path)?).map_err(|e| format!("{}: {e}", path.display()))?;
    for field in ["date", "commit", "command"] {
        if text(&value, field).is_empty() {
            return Err(format!("{} has no `{field}`", path.display()));
        }
    }
    Ok(Some(value))
}

/// Writes a record: its figures, and when, of what, where and how they were found. A reader sees the old record or the new one.
pub fn write(name: &str, command: &str, figures: &Value) -> Outcome {
    let mut record = Map::new();
    for (key, value) in stamp(command)?.into_iter().chain(figures.as_object().cloned().unwrap_or_default()) {
        record.insert(key, value);
    }
    let path = path(name);
    let dir = path.parent().unwrap_or(&path);
    fs::create_dir_all(dir).map_err(failed(dir))?;
    let text = serde_json::to_string_pretty(&record).map_err(|e| e.to_string())?;
    let new = path.with_extension("new");
    fs::write(&new, text + "\n").map_err(failed(&new))?;
    fs::rename(&new, &path).map_err(failed(&path))
}

/// The present time, commit and machine.
fn stamp(command: &str) -> Result<Map<String, Value>, String> {
    let line = |program: &str, args: &[&str]| {
        output(Command::new(program).args(args)).map(|said| said.trim().to_string())
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let is_virtual =
        fs::read_to_string("/proc/cpuinfo").unwrap_or_default().split_whitespace().any(|w| w == "hypervisor");
    let kind = if is_virtual { "shared virtual processors" } else { "processors" };
    let kernel = line("uname", &["-r"])?;
    let kernel = kernel.split(['-', '+']).next().unwrap_or_default();
    let mut status = vec!["status", "--porcelain", "--untracked-files=no", "--"];
    status.extend(["crates", "bindings", "compat", "lab", "Cargo.lock", ":!lab/records", ":!*.md"]); // what runs
    let changed = line("git", &status)?;
    let changed = if changed.is_empty() { "" } else { " with changes" };
    let stamp = json!({
        "date": line("date", &["-u", "+%F"])?,
        "commit": line("git", &["rev-parse", "--short=9", "HEAD"])? + changed,
        "command": command,
        "machine": format!("{processors} {kind}, {}, Linux {kernel}", std::env::consts::ARCH),
    });
    Ok(stamp.as_object().cloned().unwrap_or_default())
}

/// A field as text; empty if there is none.
pub fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

/// A field as a number; 0 if there is none.
pub fn number(value: &Value, field: &str) -> f64 {
    value[field].as_f64().unwrap_or_default()
}

/// A field as a list; empty if there is none.
pub fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}

/// A number as people read it: 1,234,567, or with one digit behind the point below 1,000.
pub fn words(number: f64) -> String {
    if number < 1000.0 && number.fract() != 0.0 {
        return format!("{number:.1}");
    }
    let digits = format!("{number:.0}");
    let mut words = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n) % 3 == 0 {
            words.push(',');
        }
        words.push(digit);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_read_them() {
        let told = [0.0, 12.0, 12.34, 999.0, 1000.0, 1234567.0].map(words);
        assert_eq!(told, ["0", "12", "12.3", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn a_record_says_when_of_what_where_and_how() {
        let stamp = Value::Object(stamp("cargo xtask loom").unwrap());
        assert_eq!(text(&stamp, "date").len(), 10);
        assert!(text(&stamp, "machine").contains("processor") && text(&stamp, "commit").len() >= 9);
    }
}
