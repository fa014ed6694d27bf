//! Runs that keep their figures in `lab/records`: models, loom, campaigns; and the two that add up over many runs, kills at random
//! and fuzzing.

use crate::checks;
use crate::failures;
use crate::records::{self, list, number, text, words};
use crate::run::{Outcome, plain, read, root};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::io::{self, Write, stdout};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Copies what is written to the standard output, and keeps it.
struct Tee(Arc<Mutex<Vec<u8>>>);

impl Write for Tee {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        let _ = stdout().write_all(bytes); // perhaps the reader is gone; the record is kept all the same
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        let _ = stdout().flush();
        Ok(())
    }
}

/// Runs a command in the root of the workspace and shows its output as it arrives. Returns whether it succeeded, and the output.
fn shown(env: &[(&str, &str)], line: &[&str]) -> Result<(bool, String), String> {
    let mut command = Command::new(line[0]);
    plain(&mut command).args(&line[1..]).envs(env.iter().copied()).current_dir(root());
    let said = Arc::new(Mutex::new(Vec::new()));
    let (status, _) =
        failures::watch(&mut command, Tee(said.clone())).map_err(|e| format!("{}: {e}", line[0]))?;
    let said = said.lock().unwrap_or_else(PoisonError::into_inner);
    Ok((status.success(), String::from_utf8_lossy(&said).into_owned()))
}

/// The same, for a command that must succeed.
fn succeeded(env: &[(&str, &str)], line: &[&str]) -> Result<String, String> {
    match shown(env, line)? {
        (true, said) => Ok(said),
        (false, _) => Err(format!("`{}` failed; no record is written", line.join(" "))),
    }
}

/// `model [short|full] --record`.
pub fn models(size: &str) -> Outcome {
    let said = succeeded(&[], &["bash", "lab/models/run.sh", size])?;
    let searches = searches(&said);
    let sum = |field| searches.iter().map(|one| number(one, field)).sum::<f64>();
    let figures = json!({
        "searches": searches,
        "states": sum("states"),
        "transitions": sum("transitions"),
    });
    records::write("models", &format!("cargo xtask model {size} --record"), &figures)
}

/// The lines of lab/models/run.sh about searches.
fn searches(said: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for line in said.lines() {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let [verdict @ ("PASS" | "CAUGHT"), model, name, states, transitions, ..] = columns[..] else {
            continue;
        };
        let counts = [states, transitions].map(|word| word.parse::<f64>());
        if let [Ok(states), Ok(transitions)] = counts {
            let (states, transitions) = (states as u64, transitions as u64);
            found.push(json!({
                "verdict": verdict, "model": model, "name": name, "states": states, "transitions": transitions,
            }));
        }
    }
    found
}

/// `loom --record`.
pub fn loom() -> Outcome {
    let line = format!("{} -- --nocapture --test-threads 1", checks::LOOM_LINE);
    let said = succeeded(&checks::LOOM, &line.split(' ').collect::<Vec<_>>())?;
    let tests = executions(&said);
    let sum: u64 = tests.iter().map(|(_, executions, _)| executions).sum();
    let tests: Vec<Value> = tests
        .iter()
        .map(|(test, executions, preemptions)| json!({"test": test, "executions": executions, "preemptions": preemptions}))
        .collect();
    records::write("loom", "cargo xtask loom --record", &json!({"tests": tests, "executions": sum}))
}

/// The executions that the tests of loom counted, with their bound of preemptions. A test may have several models.
fn executions(said: &str) -> Vec<(String, u64, u64)> {
    let mut found: Vec<(String, u64, u64)> = Vec::new();
    for line in said.lines().filter_map(|line| Some(line.split_once("loom ")?.1)) {
        let Some((test, counts)) = line.split_once(": ") else { continue };
        let counts: Vec<u64> = counts.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [executions, preemptions] = counts[..] else { continue };
        match found.iter_mut().find(|(name, ..)| name == test) {
            Some((_, sum, _)) => *sum += executions,
            None => found.push((test.into(), executions, preemptions)),
        }
    }
    found
}

/// Builds the campaigns and returns their program.
fn campaigns() -> Result<String, String> {
    checks::build_campaigns().run()?;
    Ok(format!("{}/release/saltus-campaigns", std::env::var("CARGO_TARGET_DIR").unwrap_or("target".into())))
}

/// `campaign VERB ... --record`: a record for each campaign that ran.
pub fn campaign(args: &[&str]) -> Outcome {
    let program = campaigns()?;
    let line: Vec<&str> = [program.as_str()].into_iter().chain(args.iter().copied()).collect();
    let said = succeeded(&[], &line)?;
    for (name, figures) in ran(&said) {
        let form = args[1..].join(" ");
        let command = format!("cargo xtask campaign {name} {form} --record");
        records::write(&format!("campaign-{name}"), &command.replace("  ", " "), &figures)?;
    }
    Ok(())
}

/// The campaigns in their output: checks, figures and seconds of each.
fn ran(said: &str) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let (mut checks, mut figures, mut skipped) = (Vec::new(), Map::new(), Vec::new());
    for line in said.lines() {
        if let Some((name, text)) = line.strip_prefix("  ok   ").and_then(|check| check.split_once(": ")) {
            checks.push(json!({"check": name, "found": text}));
        } else if let Some(text) = line.strip_prefix("  skip ") {
            skipped.push(json!(text));
        } else if let Some((name, number)) = figure(line) {
            figures.insert(name.into(), json!(number));
        } else if let Some((name, counts)) = line.split_once(": ").filter(|(_, c)| c.contains(" passed, ")) {
            let seconds = counts.split(' ').rev().nth(1).and_then(|word| word.parse::<f64>().ok());
            let [passed, failed] = ["passed", "failed"].map(|what| before(counts, what));
            found.push((
                name.to_string(),
                json!({
                    "checks": std::mem::take(&mut checks), "figures": std::mem::take(&mut figures),
                    "skipped": std::mem::take(&mut skipped), "passed": passed, "failed": failed, "seconds": seconds,
                }),
            ));
        }
    }
    found
}

/// A line of a campaign that is a figure.
fn figure(line: &str) -> Option<(&str, u64)> {
    let (name, number) = line.strip_prefix("  figure ")?.rsplit_once(": ")?;
    Some((name, number.parse().ok()?))
}

/// The number before a word.
fn before(text: &str, word: &str) -> Option<u64> {
    let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    words.windows(2).find(|pair| pair[1] == word).and_then(|pair| pair[0].parse().ok())
}

/// The value behind an option, as a number.
fn option(args: &[&str], name: &str) -> Result<Option<f64>, String> {
    let Some(at) = args.iter().position(|arg| *arg == name) else { return Ok(None) };
    let value = args.get(at + 1).and_then(|word| word.parse::<f64>().ok()).filter(|n| *n > 0.0);
    value.map(Some).ok_or_else(|| format!("{name} needs a number above 0"))
}

/// Whether nothing but these options and their values is given.
fn only(args: &[&str], names: &[&str]) -> Outcome {
    match args.iter().step_by(2).find(|arg| !names.contains(arg)) {
        Some(arg) => Err(format!("unknown option {arg}; there are {}", names.join(", "))),
        None => Ok(()),
    }
}

/// When to stop: `--minutes M` from now, or never.
fn deadline(args: &[&str]) -> Result<Option<Instant>, String> {
    Ok(option(args, "--minutes")?.map(|minutes| Instant::now() + Duration::from_secs_f64(60.0 * minutes)))
}

/// Seconds of one slice of kills, after which the record is written.
const SLICE: u64 = 60;

/// `kills --until N [--minutes M]`: kills at random until the record says N, or M minutes are over. Each slice adds to the record, so
/// that the command can be ended and started again.
pub fn kills(args: &[&str]) -> Outcome {
    only(args, &["--until", "--minutes"])?;
    let goal = option(args, "--until")?.ok_or("kills needs --until N")?;
    let (program, deadline) = (campaigns()?, deadline(args)?);
    loop {
        let mut record = records::find("kills")?.unwrap_or_else(|| json!({}));
        let so_far = number(&record["figures"], "kills");
        println!("{} of {} random kills", words(so_far), words(goal));
        if so_far >= goal || deadline.is_some_and(|end| Instant::now() >= end) {
            return Ok(());
        }
        let seed = (number(&record, "slices") as u64 + 1).to_string();
        let line = [&program, "chaos", "--seconds", &SLICE.to_string(), "--seed", &seed];
        let (succeeded, said) = shown(&[], &line)?;
        // A campaign that did not end well has printed no figures; what it found stays in the record until somebody removes it.
        let mut figures = record["figures"].as_object().cloned().unwrap_or_default();
        for (name, n) in said.lines().filter_map(figure) {
            let sum = figures.get(name).and_then(Value::as_u64).unwrap_or(0) + n;
            figures.insert(name.into(), json!(sum));
        }
        record["figures"] = Value::Object(figures);
        record["goal"] = json!(goal.max(number(&record, "goal")) as u64);
        record["slices"] = json!(number(&record, "slices") as u64 + 1);
        record["seconds"] = json!(number(&record, "seconds") as u64 + SLICE);
        record["violations"] = json!(number(&record, "violations") as u64 + u64::from(!succeeded));
        let began =
            if text(&record, "began").is_empty() { text(&record, "date") } else { text(&record, "began") };
        record["began"] = json!(began);
        add(&mut record, "kills", &format!("cargo xtask kills --until {goal:.0}"))?;
        if !succeeded {
            return Err(format!(
                "slice {seed} failed: repeat it with `cargo xtask campaign chaos --seconds {SLICE} --seed {seed}`"
            ));
        }
    }
}

/// Writes a record that adds up over runs, and on the first of them the day.
fn add(record: &mut Value, name: &str, command: &str) -> Outcome {
    if let Some(record) = record.as_object_mut() {
        // These are of the last run.
        ["date", "commit", "command", "machine"].iter().for_each(|field| drop(record.remove(*field)));
    }
    records::write(name, command, record)?;
    let written = records::find(name)?.unwrap_or_default();
    if text(record, "began").is_empty() {
        record["began"] = written["date"].clone();
        records::write(name, command, record)?;
    }
    Ok(())
}

/// The fuzzers, from the list in lab/fuzz/run.sh.
pub fn targets() -> Result<Vec<String>, String> {
    let script = read(&root().join("lab/fuzz/run.sh"))?;
    let list = script.split_once("targets=(parser").and_then(|(_, rest)| rest.split_once(')'));
    let (list, _) = list.ok_or("lab/fuzz/run.sh has no list `targets=(parser ...)`")?;
    Ok(["parser"].into_iter().chain(list.split_whitespace()).map(String::from).collect())
}

/// `fuzz --hours H [--minutes M]`: fuzzes until the record says H processor-hours in all, or M minutes are over. The target with the
/// least time is next. What it finds is kept in target/fuzz, so that the next run continues from there.
pub fn fuzz(args: &[&str]) -> Outcome {
    only(args, &["--hours", "--minutes"])?;
    let goal = option(args, "--hours")?.ok_or("fuzz needs --hours H")?;
    let deadline = deadline(args)?;
    loop {
        let mut record = records::find("fuzz")?.unwrap_or_else(|| json!({}));
        let mut known = list(&record, "targets").to_vec();
        for name in targets()? {
            if !known.iter().any(|one| text(one, "target") == name) {
                known.push(json!({"target": name, "seconds": 0.0, "inputs": 0}));
            }
        }
        let names: BTreeSet<String> = targets()?.into_iter().collect();
        known.retain(|one| names.contains(text(one, "target")));
        let hours = known.iter().map(|one| number(one, "seconds")).sum::<f64>() / 3600.0;
        println!("{hours:.2} of {goal} processor-hours");
        if hours >= goal || deadline.is_some_and(|end| Instant::now() >= end) {
            return Ok(());
        }
        let least = known.iter_mut().min_by(|a, b| number(a, "seconds").total_cmp(&number(b, "seconds")));
        let next = least.ok_or("there is no fuzzer")?;
        let name = text(next, "target").to_string();
        let kept = root().join("target/fuzz").display().to_string();
        let line = ["bash", "lab/fuzz/run.sh", &SLICE.to_string(), &name];
        let (succeeded, said) = shown(&[("SALTUS_FUZZ_FOUND", &kept)], &line)?;
        let line =
            said.lines().find(|line| line.starts_with(&format!("{name}: ")) && line.contains(" inputs in "));
        if let Some(line) = line {
            let (reached, edges) = reached(line);
            next["seconds"] =
                json!(number(next, "seconds") as u64 + before(line, "processor-seconds").unwrap_or(0));
            next["inputs"] = json!(number(next, "inputs") as u64 + before(line, "inputs").unwrap_or(0));
            next["edges_reached"] = json!(reached);
            next["edges"] = json!(edges);
        }
        record["targets"] = json!(known);
        record["goal"] = json!(goal.max(number(&record, "goal")));
        record["found"] = json!(number(&record, "found") as u64 + u64::from(!succeeded));
        add(&mut record, "fuzz", &format!("cargo xtask fuzz --hours {goal}"))?;
        if !succeeded {
            return Err(format!("{name} failed: the input is in lab/fuzz/artifacts/{name}"));
        }
    }
}

/// The edges reached and all edges, in a line of lab/fuzz/run.sh.
fn reached(line: &str) -> (u64, u64) {
    let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let at = words.windows(4).find(|four| four[1] == "of" && four[3] == "edges");
    at.map_or((0, 0), |four| (four[0].parse().unwrap_or(0), four[2].parse().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_each_run_are_understood() {
        let said = "       model name  states\nPASS   lane  lane-both  3500296  6249856  1.2  300\n\
                    CAUGHT lane  no-r6      1.5e+06  2812054  1.2  300  assertion violated\nPASS   every step of MAPPING.md\n";
        let found = searches(said);
        assert_eq!(found.len(), 2);
        assert_eq!((text(&found[1], "name"), number(&found[1], "states")), ("no-r6", 1.5e6));

        let said =
            "test a ... loom a: 12 executions, 2 preemptions\nloom a: 5 executions, 2 preemptions\nok\n";
        assert_eq!(executions(said), [("a".to_string(), 17, 2)]);

        let said = "chaos: kill and freeze\n  seed 1\n  figure kills: 12\n  ok   kill at random: all sums are right (1.0 s)\n\
                    chaos: 1 passed, 0 failed in 12.3 s\n1 passed, 0 failed\n";
        let found = ran(said);
        assert_eq!(found.len(), 1, "{found:?}");
        let (name, of) = &found[0];
        assert_eq!(
            (name.as_str(), number(&of["figures"], "kills"), number(of, "seconds")),
            ("chaos", 12.0, 12.3)
        );
        assert_eq!((number(of, "passed"), list(of, "checks").len()), (1.0, 1));

        let line = "wire: 1234 inputs in 60 s, 57 processor-seconds, at most 99 MB, 345 of 9876 edges, nothing found";
        assert_eq!((before(line, "inputs"), reached(line)), (Some(1234), (345, 9876)));
        assert_eq!(before(line, "processor-seconds"), Some(57));
    }

    #[test]
    fn options_are_checked() {
        assert_eq!(option(&["--until", "10"], "--until"), Ok(Some(10.0)));
        assert!(option(&["--until"], "--until").is_err() && option(&["--until", "-1"], "--until").is_err());
        assert!(
            only(&["--util", "1"], &["--until"]).is_err() && only(&["--until", "1"], &["--until"]).is_ok()
        );
    }

    #[test]
    fn the_fuzzers_are_those_of_the_script() {
        let targets = targets().unwrap();
        assert!(targets.iter().any(|name| name == "parser") && targets.iter().any(|name| name == "report"));
    }
}
