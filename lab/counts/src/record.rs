//! The committed record, and what may not grow.

use crate::operations;
use crate::outcome::{Outcome, Result};
use crate::stepper::Count;
use clap::Parser;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The most that a count may grow, as a factor.
const MOST: f64 = 1.03;

/// As many instructions are within it in any case: in a checkout with another path the compiler inlines in another order, which was
/// 7 of 231 instructions.
const SLACK: f64 = 8.0;

/// Where the record is, in the repository.
const RECORD: &str = "lab/records/counts.json";

/// Count the instructions of a message's way.
#[derive(Parser)]
pub struct Args {
    /// Fail if a count has grown by more than 3 % since the record
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Write the record
    #[arg(long)]
    write: bool,
    /// Why counts may grow: words of a line in CHANGELOG.md
    #[arg(long, requires = "write", value_name = "WORDS")]
    reason: Option<String>,
}

/// One line of the record.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    count: Count,
    /// Why it was last allowed to grow.
    raised: Option<String>,
}

type Lines = BTreeMap<String, Line>;

/// Counts everything, and does what is asked for.
///
/// # Errors
/// An operation failed, a count has grown, or the record cannot be read or written.
pub fn run(args: &Args) -> Outcome {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).ok_or("no repository")?;
    let text = match fs::read_to_string(root.join(RECORD)) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(format!("{RECORD}: {e}").into()),
        text => text.unwrap_or_default(),
    };
    let kept = lines(&text)?;
    // If it is not permitted, steps only take longer.
    let _ = saltus_channel::rt::set_affinity(&saltus_channel::rt::affinity()[..1]);
    println!("{:>12} {:>7} {:>8}  an operation, on average of ten", "instructions", "calls", "system");
    let mut counted = Vec::new();
    for operation in operations::all() {
        let (name, count) = (operation.name, operation.count()?);
        let before = kept.get(name).map_or(String::new(), |line| change(line.count, count));
        println!(
            "{:12.1} {:7.1} {:8.1}  {name}{before}",
            count.instructions, count.calls, count.system_calls
        );
        counted.push((name, count));
    }
    let changes = fs::read_to_string(root.join("CHANGELOG.md"))?;
    if args.write {
        let next = moved(&kept, &counted, args.reason.as_deref(), &changes)?;
        fs::write(root.join(RECORD), written(&next, &counted)?)?;
        return Ok(());
    }
    let mut faults = faults(&kept, &counted);
    faults.extend(unexplained(&kept, &changes));
    if let Some(earlier) = earlier(root, &text) {
        faults.extend(moved_without_reason(&lines(&earlier)?, &kept));
    }
    match args.check && !faults.is_empty() {
        true => Err(faults.join("\n  ").into()),
        false => Ok(()),
    }
}

/// The words for a count that is not the one before.
fn change(before: Count, now: Count) -> String {
    if now == before { String::new() } else { format!("  (before: {before})") }
}

/// Whether one of the figures has grown by more than what is allowed.
fn has_grown(before: Count, now: Count) -> bool {
    now.instructions > (before.instructions * MOST).max(before.instructions + SLACK)
        || now.calls > before.calls * MOST
        || now.system_calls > before.system_calls * MOST
}

const HOW: &str = "make it smaller, or allow it: a line in CHANGELOG.md, and `cargo xtask counts --write --reason \"WORDS OF THAT LINE\"`";

/// What is wrong with what was counted.
fn faults(kept: &Lines, counted: &[(&str, Count)]) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, now) in counted {
        match kept.get(*name) {
            None => faults.push(format!("`{name}` is not in {RECORD}: `cargo xtask counts --write` adds it")),
            Some(line) if has_grown(line.count, *now) => {
                let before = line.count;
                faults.push(format!("`{name}` has grown by more than 3 %, from {before} to {now}: {HOW}"));
            }
            Some(_) => {}
        }
    }
    let gone = kept.keys().filter(|name| counted.iter().all(|(counted, _)| counted != name));
    faults.extend(
        gone.map(|name| format!("`{name}` is no longer counted: `cargo xtask counts --write` removes it")),
    );
    faults
}

/// Lines that were allowed to grow for a reason that the changelog does not have.
fn unexplained(kept: &Lines, changes: &str) -> Vec<String> {
    let of = |(name, line): (&String, &Line)| {
        let reason = line.raised.as_ref().filter(|reason| !has_words(changes, reason))?;
        Some(format!("`{name}` was allowed to grow because \"{reason}\", which is not in CHANGELOG.md"))
    };
    kept.iter().filter_map(of).collect()
}

/// Lines that have grown since an earlier version of the record without a new reason.
fn moved_without_reason(earlier: &Lines, kept: &Lines) -> Vec<String> {
    let of = |(name, line): (&String, &Line)| {
        let before = earlier.get(name)?;
        let is_new = line.raised.is_some() && line.raised != before.raised;
        (has_grown(before.count, line.count) && !is_new)
            .then(|| format!("{RECORD}: `{name}` has grown by more than 3 % without a reason: {HOW}"))
    };
    kept.iter().filter_map(of).collect()
}

/// The next record. A count that has grown a little stays as it is, so that many little steps do not add up.
fn moved(kept: &Lines, counted: &[(&str, Count)], reason: Option<&str>, changes: &str) -> Result<Lines> {
    if let Some(reason) = reason.filter(|reason| reason.trim().len() < 10 || !has_words(changes, reason)) {
        return Err(
            format!("CHANGELOG.md has no line with these words (10 letters at least): {reason}").into()
        );
    }
    let mut next = Lines::new();
    for (name, now) in counted {
        let line = match kept.get(*name) {
            None => Line { count: *now, raised: None },
            Some(line) if has_grown(line.count, *now) => match reason {
                Some(reason) => Line { count: *now, raised: Some(reason.into()) },
                None => return Err(format!("`{name}` has grown by more than 3 %: {HOW}").into()),
            },
            Some(line) if now.instructions > line.count.instructions => line.clone(),
            Some(line) => Line { count: *now, raised: line.raised.clone() },
        };
        next.insert(name.to_string(), line);
    }
    Ok(next)
}

/// Whether a text has these words, however its lines are broken.
fn has_words(text: &str, words: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    plain(text).contains(&plain(words))
}

fn lines(text: &str) -> Result<Lines> {
    let wrong = || {
        format!("{RECORD} cannot be read: `cargo xtask counts --write` writes a new one once it is removed")
    };
    if text.is_empty() {
        return Ok(Lines::new());
    }
    let record: Value = serde_json::from_str(text).map_err(|e| format!("{}: {e}", wrong()))?;
    let one = |line: &Value| {
        let number = |key: &str| line[key].as_f64();
        let count = Count {
            instructions: number("instructions")?,
            calls: number("calls")?,
            system_calls: number("system_calls")?,
        };
        let raised = line["raised"].as_str().map(String::from);
        Some((line["operation"].as_str()?.to_string(), Line { count, raised }))
    };
    let all = record["counts"].as_array().and_then(|lines| lines.iter().map(one).collect());
    Ok(all.ok_or_else(wrong)?)
}

/// The record as text, with one operation on each line.
fn written(lines: &Lines, order: &[(&str, Count)]) -> Result<String> {
    let head = json!({
        "what": "instructions outside libraries, calls into libraries and system calls of one operation, on average of ten",
        "command": "cargo xtask counts --write",
        "date": said("date", &["-u", "+%F"])?,
        "commit": said("git", &["rev-parse", "--short", "HEAD"])?,
        "compilers": [said("rustc", &["--version"])?, said("cc", &["--version"])?],
    });
    let Value::Object(head) = head else { return Err("no object".into()) };
    let mut text = String::from("{\n");
    for (key, value) in &head {
        text += &format!("  {}: {value},\n", json!(key));
    }
    let of = |(name, _): &(&str, Count)| {
        let Line { count, raised } = &lines[*name];
        let mut line = json!({
            "operation": name,
            "instructions": count.instructions,
            "calls": count.calls,
            "system_calls": count.system_calls,
        });
        if let Some(reason) = raised {
            line["raised"] = json!(reason);
        }
        format!("    {line}")
    };
    text += &format!("  \"counts\": [\n{}\n  ]\n}}\n", order.iter().map(of).collect::<Vec<_>>().join(",\n"));
    Ok(text)
}

/// The first line that a program prints.
fn said(program: &str, args: &[&str]) -> Result<String> {
    let output = Command::new(program).args(args).output().map_err(|e| format!("{program}: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_string();
    if output.status.success() {
        Ok(text)
    } else {
        Err(format!("{program} ended with {}", output.status).into())
    }
}

/// The last committed record that is not this one. `None` also where the history is not there.
fn earlier(root: &Path, text: &str) -> Option<String> {
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).current_dir(root).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let commits = git(&["log", "-2", "--format=%H", "--", RECORD])?;
    let versions = commits.lines().filter_map(|commit| git(&["show", &format!("{commit}:{RECORD}")]));
    versions.into_iter().find(|version| version != text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(instructions: f64, calls: f64, system_calls: f64) -> Count {
        Count { instructions, calls, system_calls }
    }

    fn kept(instructions: f64, raised: Option<&str>) -> Lines {
        let line = Line { count: count(instructions, 1.0, 0.0), raised: raised.map(String::from) };
        Lines::from([("publish".to_string(), line)])
    }

    #[test]
    fn growth_by_more_than_three_percent_fails_and_so_does_one_more_call() {
        let check = |now| faults(&kept(1000.0, None), &[("publish", now)]);
        assert!(check(count(1030.0, 1.0, 0.0)).is_empty());
        assert!(check(count(500.0, 0.0, 0.0)).is_empty());
        for more in [count(1031.0, 1.0, 0.0), count(1000.0, 1.1, 0.0), count(1000.0, 1.0, 0.1)] {
            let said = check(more).join("");
            assert!(said.contains("`publish` has grown") && said.contains("CHANGELOG.md"), "{said}");
        }
    }

    #[test]
    fn eight_instructions_more_are_nothing() {
        let grown = |now: f64| has_grown(count(100.0, 1.0, 0.0), count(now, 1.0, 0.0));
        assert!(!grown(108.0) && grown(108.1));
    }

    #[test]
    fn operations_that_come_or_go_fail_until_they_are_written() {
        let same = ("publish", count(1000.0, 1.0, 0.0));
        let added = faults(&kept(1000.0, None), &[same, ("wait", same.1)]);
        assert!(added.len() == 1 && added[0].contains("`wait` is not in"), "{added:?}");
        let gone = faults(&kept(1000.0, None), &[]);
        assert!(gone.len() == 1 && gone[0].contains("no longer counted"), "{gone:?}");
    }

    #[test]
    fn a_count_is_raised_only_for_a_reason_in_the_changelog() {
        let (kept, changes) = (kept(1000.0, None), "- Publishing checks\n  the owner of a channel.");
        let raise = |reason| moved(&kept, &[("publish", count(1200.0, 1.0, 0.0))], reason, changes);
        assert!(raise(None).is_err());
        assert!(raise(Some("because of nothing")).is_err());
        assert!(raise(Some("Publish")).is_err());
        let next = raise(Some("checks the owner")).unwrap();
        assert_eq!((next["publish"].count.instructions, unexplained(&next, changes).len()), (1200.0, 0));
        assert_eq!(unexplained(&next, "- Nothing of it.").len(), 1);
    }

    #[test]
    fn little_steps_do_not_add_up_and_less_is_kept() {
        let to =
            |now: f64| moved(&kept(1000.0, None), &[("publish", count(now, 1.0, 0.0))], None, "").unwrap();
        assert_eq!(to(1020.0)["publish"].count.instructions, 1000.0);
        assert_eq!(to(600.0)["publish"].count.instructions, 600.0);
    }

    #[test]
    fn a_record_that_was_raised_by_hand_is_found() {
        assert_eq!(moved_without_reason(&kept(1000.0, None), &kept(1100.0, None)).len(), 1);
        assert_eq!(
            moved_without_reason(&kept(1000.0, Some("an old one")), &kept(1100.0, Some("an old one"))).len(),
            1
        );
        assert!(moved_without_reason(&kept(1000.0, None), &kept(1100.0, Some("a new one"))).is_empty());
        assert!(moved_without_reason(&kept(1000.0, None), &kept(1020.0, None)).is_empty());
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let kept = kept(92.5, Some("with \"quotes\""));
        let order = [("publish", count(0.0, 0.0, 0.0))];
        assert_eq!(lines(&written(&kept, &order).unwrap()).unwrap(), kept);
        assert!(lines("{}").is_err() && lines("not JSON").is_err());
    }
}
