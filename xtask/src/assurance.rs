//! docs/assurance.md: every promise of README.md and ARCHITECTURE.md, how it is shown, and what is not proved. All figures come from
//! lab/records; the page has none of its own.

use crate::pages::{prose_lines, write};
use crate::promises::{PROMISES, Promise, Shown};
use crate::recorded;
use crate::records::{self, list, number, text, words};
use crate::run::{Outcome, read, root};
use crate::source;
use crate::unsafes;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The page.
const PAGE: &str = "docs/assurance.md";
/// The pages whose promises count, and the headings below which each numbered item is one.
const SOURCES: &[(&str, &str)] =
    &[("README.md", "## What it guarantees"), ("ARCHITECTURE.md", "## Invariants")];
const MARK: &str = "<!-- promise: ";

/// Writes the page.
pub fn generate() -> Outcome {
    write(&root().join(PAGE), &page()?)
}

/// Fails if the page is not what [`generate`] writes.
pub fn is_current() -> Outcome {
    match read(&root().join(PAGE))? == page()? {
        true => Ok(()),
        false => Err(format!(
            "{PAGE} is older than the promises, tests or records that it shows: `cargo xtask assurance`"
        )),
    }
}

/// Fails if a line of the threat model names no test, or one that does not exist.
pub fn threats() -> Outcome {
    let page = "docs/threat-model.md";
    let mut wrong = Vec::new();
    for (n, line) in prose_lines(&read(&root().join(page))?) {
        let is_row = line.starts_with("| ") && !line.starts_with("|--");
        let is_head =
            line.starts_with("| who ") || line.starts_with("| what ") || line.starts_with("| provider ");
        if !is_row || is_head {
            continue;
        }
        let tests = named_tests(line);
        if tests.is_empty() {
            wrong.push(format!("{page}:{n}: no test: {line:.60}"));
        }
        for (file, name) in tests {
            wrong.extend(find_test(&file, &name).err().map(|why| format!("{page}:{n}: {why}")));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n        ")) }
}

/// The tests that a line of a page in docs links to: [`name`](../file).
fn named_tests(line: &str) -> Vec<(String, String)> {
    let links = line.split("[`").skip(1).filter_map(|rest| {
        let (name, rest) = rest.split_once("`](../")?;
        Some((rest.split_once(')')?.0.to_string(), name.to_string()))
    });
    links.collect()
}

/// A sentence that promises something.
struct Sentence {
    id: String,
    text: String,
}

/// The marked sentences of a page. The mark is behind the sentence: a line that begins with a comment would be HTML as a whole.
fn sentences(page: &str) -> Vec<Sentence> {
    let marks = page.match_indices(MARK).filter_map(|(at, _)| {
        let (mark, _) = page[at + MARK.len()..].split_once(" -->")?;
        // `ID, SUBJECT`, where the sentence alone does not say what it is about.
        let (id, subject) = mark.split_once(", ").unwrap_or((mark, ""));
        let subject = if subject.is_empty() { String::new() } else { format!("*{subject}*: ") };
        Some(Sentence { id: id.into(), text: subject + &sentence(&page[..at]) })
    });
    marks.collect()
}

/// The last sentence of a text, on one line, with the labels of its links alone.
fn sentence(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines().rev() {
        let line = line.trim_start();
        let number = line.split_once(". ").filter(|(n, _)| n.parse::<u32>().is_ok());
        let item = line.strip_prefix("- ").or(number.map(|(_, item)| item));
        if line.is_empty() || line.starts_with(['|', '#']) {
            break;
        }
        lines.push(item.unwrap_or(line));
        if item.is_some() {
            break;
        }
    }
    lines.reverse();
    let mut paragraph = String::new();
    for piece in lines.join(" ").split("<!-- ") {
        paragraph += piece.split_once("-->").map_or(piece, |(_, rest)| rest);
    }
    let begins = |end: &str| paragraph.trim_end().rfind(end).map_or(0, |at| at + end.len());
    let begin = [". ", ".) ", ".* "].into_iter().map(begins).max().unwrap_or(0);
    let mut sentence = String::new();
    let mut rest = paragraph[begin..].trim();
    while let Some((before, after)) = rest.split_once("](") {
        sentence += &before.replacen('[', "", 1);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    sentence += rest;
    let sentence = sentence.trim_matches(['(', ')', ' ']);
    // Emphasis that began before the sentence ends with it.
    let sentence =
        if sentence.matches('*').count() % 2 == 1 { sentence.trim_end_matches('*') } else { sentence };
    sentence.replace('|', "\\|")
}

/// The numbered items below a heading that have no promise.
fn unmarked(page: &str, heading: &str) -> Vec<String> {
    let section = page.split(heading).nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let mut items: Vec<String> = Vec::new();
    for line in section.lines() {
        let begins = line.split_once(". ").is_some_and(|(n, _)| n.parse::<u32>().is_ok());
        match items.last_mut() {
            _ if begins => items.push(line.into()),
            Some(item) if line.starts_with(' ') => *item += line,
            _ => {}
        }
    }
    items.retain(|item| !item.contains(MARK));
    items
}

/// A function of a file, in the language of the file.
fn find_test(file: &str, name: &str) -> Outcome {
    if let Some(campaign) = name.strip_prefix("campaign ") {
        return match campaign_names()?.contains(campaign) {
            true => Ok(()),
            false => Err(format!("there is no campaign `{campaign}`")),
        };
    }
    let text = read(&root().join(file))?;
    let found = if file.ends_with(".rs") {
        let tokens = source::tokens(&text);
        tokens.windows(2).any(|two| two[0].is("fn") && two[1].is(name))
    } else {
        text.contains(&format!(" {name}("))
    };
    if found { Ok(()) } else { Err(format!("{file} has no test `{name}`")) }
}

/// The campaigns of lab/campaigns.
fn campaign_names() -> Result<BTreeSet<String>, String> {
    let text = read(&root().join("lab/campaigns/src/main.rs"))?;
    let names = text.lines().filter_map(|line| line.trim().strip_prefix("name: \"")?.strip_suffix("\","));
    Ok(names.map(String::from).collect())
}

/// A record that the page needs.
fn record(name: &str, command: &str) -> Result<Value, String> {
    records::find(name)?.ok_or_else(|| format!("there is no lab/records/{name}.json: `{command}` writes it"))
}

/// The records, once they are known to be of what the sources have now.
struct Evidence {
    models: Value,
    loom: Value,
    kills: Value,
    fuzz: Value,
    campaigns: BTreeMap<String, Value>,
}

impl Evidence {
    fn read() -> Result<Evidence, String> {
        let mut campaigns = BTreeMap::new();
        for name in campaign_names()? {
            let command = format!("cargo xtask campaign {name} --record");
            campaigns.insert(name.clone(), record(&format!("campaign-{name}"), &command)?);
        }
        let all = Evidence {
            models: record("models", "cargo xtask model short --record")?,
            loom: record("loom", "cargo xtask loom --record")?,
            kills: record("kills", "cargo xtask kills --until 1000000")?,
            fuzz: record("fuzz", "cargo xtask fuzz --hours 24")?,
            campaigns,
        };
        all.is_of_the_sources().map(|()| all)
    }

    /// Fails if a search, test or fuzzer was added or removed since its record was written.
    fn is_of_the_sources(&self) -> Outcome {
        let script = read(&root().join("lab/models/run.sh"))?;
        let mut short = BTreeSet::new();
        let mut known = BTreeSet::new();
        for line in script.lines() {
            let [when @ ("short" | "full"), "pass" | "caught", _, name, model, ..] =
                line.split_whitespace().collect::<Vec<_>>()[..]
            else {
                continue;
            };
            known.insert(format!("{model} {name}"));
            if when == "short" {
                short.insert(format!("{model} {name}"));
            }
        }
        let ran = list(&self.models, "searches")
            .iter()
            .map(|one| format!("{} {}", text(one, "model"), text(one, "name")));
        same("models", &ran.collect(), &short, &known, "cargo xtask model short --record")?;
        let tokens = source::tokens(&read(&root().join("crates/ring/tests/loom.rs"))?);
        let tests = tokens.windows(6).filter(|six| six[1].is("test") && six[2].is("]") && six[3].is("fn"));
        let tests: BTreeSet<String> = tests.map(|six| six[4].text.clone()).collect();
        let ran = list(&self.loom, "tests").iter().map(|one| text(one, "test").to_string()).collect();
        same("loom", &ran, &tests, &tests, "cargo xtask loom --record")?;
        let targets = recorded::targets()?.into_iter().collect();
        let ran = list(&self.fuzz, "targets").iter().map(|one| text(one, "target").to_string()).collect();
        same("fuzz", &ran, &targets, &targets, "cargo xtask fuzz --hours 24")
    }

    fn searches(&self, model: &str, verdict: &str) -> Vec<&Value> {
        let of = |one: &&Value| text(one, "model") == model && text(one, "verdict") == verdict;
        list(&self.models, "searches").iter().filter(of).collect()
    }

    /// One way in which a promise is shown, as it is written in the page; and the kind by which the page groups it.
    fn words(&self, shown: &Shown) -> Result<(&'static str, String), String> {
        Ok(match *shown {
            Shown::Test(file, name) => {
                find_test(file, name)?;
                (kind(file, name)?, format!("[`{name}`](../{file})"))
            }
            Shown::Models(models) => {
                let mut told = Vec::new();
                for model in models {
                    let (passed, caught) = (self.searches(model, "PASS"), self.searches(model, "CAUGHT"));
                    if passed.is_empty() {
                        return Err(format!("there is no model `{model}`"));
                    }
                    let states: f64 = passed.iter().map(|one| number(one, "states")).sum();
                    let (states, caught) = (words(states), caught.len());
                    told.push(format!("`{model}` ({states} states, {caught} mutations caught)"));
                }
                ("models", told.join(", "))
            }
            Shown::Loom(tests) => {
                let mut told = Vec::new();
                for test in tests {
                    let of = list(&self.loom, "tests").iter().find(|one| text(one, "test") == *test);
                    let of = of.ok_or_else(|| format!("loom has no test `{test}`"))?;
                    told.push(format!("`{test}` ({} executions)", words(number(of, "executions"))));
                }
                ("loom", told.join(", "))
            }
            Shown::Campaign(name) => {
                let record =
                    self.campaigns.get(name).ok_or_else(|| format!("there is no campaign `{name}`"))?;
                ("campaigns", format!("`{name}` ({})", in_short(record)))
            }
            Shown::Kills => ("random kills", self.kills_so_far()),
            Shown::Fuzz(targets) => {
                let all = list(&self.fuzz, "targets");
                let chosen: Vec<&Value> = all
                    .iter()
                    .filter(|one| targets.is_empty() || targets.contains(&text(one, "target")))
                    .collect();
                if chosen.len() < targets.len() {
                    return Err(format!("one of the fuzzers {targets:?} does not exist"));
                }
                let hours = chosen.iter().map(|one| number(one, "seconds")).sum::<f64>() / 3600.0;
                let which =
                    if targets.is_empty() { format!("all {}", all.len()) } else { targets.join(", ") };
                ("fuzzers", format!("{which} ({hours:.2} processor-hours)"))
            }
            Shown::Check(name) => {
                let row = format!("| {name} |");
                if !read(&root().join("lab/TESTS.md"))?.replace("| + ", "| ").contains(&row) {
                    return Err(format!("lab/TESTS.md has no check `{name}`"));
                }
                ("checks", format!("[{name}](../lab/TESTS.md)"))
            }
        })
    }

    fn kills_so_far(&self) -> String {
        let (so_far, goal) = (number(&self.kills["figures"], "kills"), number(&self.kills, "goal"));
        let wrong = words(number(&self.kills, "violations"));
        format!("{} of {}, {wrong} violations", words(so_far), words(goal))
    }

    fn hours(&self) -> f64 {
        list(&self.fuzz, "targets").iter().map(|one| number(one, "seconds")).sum::<f64>() / 3600.0
    }
}

/// Fails unless all `needed` ran, and nothing that is not `known`.
fn same(
    record: &str,
    ran: &BTreeSet<String>,
    needed: &BTreeSet<String>,
    known: &BTreeSet<String>,
    command: &str,
) -> Outcome {
    let missing: Vec<&str> =
        needed.difference(ran).chain(ran.difference(known)).map(String::as_str).collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "lab/records/{record}.json is older than its sources ({}): `{command}`",
            missing.join(", ")
        )),
    }
}

/// The kind of a test.
fn kind(file: &str, name: &str) -> Result<&'static str, String> {
    if file.starts_with("lab/conformance") || file.ends_with("foreign.rs") {
        return Ok("differential tests");
    }
    let text = read(&root().join(file))?;
    let random = text.find("proptest! {").is_some_and(|at| text[at..].contains(&format!("fn {name}(")));
    Ok(if random { "property tests" } else { "tests" })
}

/// The figures of a campaign, or how many of its checks passed.
fn counts(record: &Value) -> String {
    let figures = record["figures"].as_object().filter(|figures| !figures.is_empty());
    if let Some(figures) = figures {
        let told =
            figures.iter().map(|(name, n)| format!("{} {name}", words(n.as_f64().unwrap_or_default())));
        return told.collect::<Vec<_>>().join(", ");
    }
    let (passed, failed, skipped) =
        (number(record, "passed"), number(record, "failed"), list(record, "skipped").len());
    let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
    format!("{passed} checks passed, {failed} failed{skipped}")
}

/// The figures of a campaign that say what it found.
fn in_short(record: &Value) -> String {
    let told = ["kills", "deliveries checked", "messages checked to the byte", "violations"];
    let figures = &record["figures"];
    let told = told.iter().filter(|name| figures[**name].is_number());
    let told: Vec<String> = told.map(|name| format!("{} {name}", words(number(figures, name)))).collect();
    if told.is_empty() { counts(record) } else { told.join(", ") }
}

/// The figures of a record that another command writes: its numbers, and the lengths of its lists.
fn numbers(record: &Value) -> String {
    if record["figures"].is_object() {
        return counts(record);
    }
    let told = record.as_object().into_iter().flatten().filter_map(|(name, value)| match value {
        Value::Number(n) => Some(format!("{} {name}", words(n.as_f64().unwrap_or_default()))),
        Value::Array(all) if all.iter().all(Value::is_object) => Some(format!("{} {name}", all.len())),
        _ => None,
    });
    told.collect::<Vec<_>>().join(", ")
}

fn page() -> Result<String, String> {
    let evidence = Evidence::read()?;
    let mut page = String::from(
        "# What is proved, and what is not\n\n\
         `cargo xtask assurance` writes this page. The promises are the sentences marked in [README.md](../README.md) and \
         [ARCHITECTURE.md](../ARCHITECTURE.md); `xtask/src/promises.rs` names their evidence. Every figure comes from a file in \
         `lab/records` that the named command wrote. `cargo xtask check` fails if a promise has no evidence, if evidence names a \
         test that does not exist, or if this page is older than its sources. [TESTS.md](../lab/TESTS.md) lists the checks that run in CI; \
         [the laboratory](../lab/README.md) describes each method.\n\n",
    );
    runs(&mut page, &evidence)?;
    promises(&mut page, &evidence)?;
    mutations(&mut page, &evidence);
    fuzzers(&mut page, &evidence);
    unsafe_code(&mut page)?;
    not_proved(&mut page, &evidence)?;
    Ok(page)
}

/// The table of runs.
fn runs(page: &mut String, evidence: &Evidence) -> Outcome {
    *page += "## What ran\n\n| run | figures | date | commit | command |\n|---|---|---|---|---|\n";
    let mut row = |name: &str, figures: &str, record: &Value| {
        let date = match text(record, "began") {
            "" => text(record, "date").to_string(),
            began if began == text(record, "date") => began.to_string(),
            began => format!("{began} to {}", text(record, "date")),
        };
        let (commit, command) = (text(record, "commit"), text(record, "command"));
        let _ = writeln!(page, "| {name} | {figures} | {date} | {commit} | `{command}` |");
    };
    let models = &evidence.models;
    let searches = list(models, "searches");
    let caught = searches.iter().filter(|one| text(one, "verdict") == "CAUGHT").count();
    let figures = format!(
        "{} searches of whole state spaces and {caught} mutations, all caught; {} states, {} transitions",
        searches.len() - caught,
        words(number(models, "states")),
        words(number(models, "transitions"))
    );
    row("models", &figures, models);
    let loom = &evidence.loom;
    let figures =
        format!("{} executions in {} tests", words(number(loom, "executions")), list(loom, "tests").len());
    row("loom", &figures, loom);
    for (name, record) in &evidence.campaigns {
        row(&format!("campaign `{name}`"), &counts(record), record);
    }
    let kills = &evidence.kills;
    let checked = words(number(&kills["figures"], "deliveries checked"));
    let minutes = words((number(kills, "seconds") / 60.0).round());
    let figures =
        format!("{}; {checked} deliveries checked, in {minutes} minutes under load", evidence.kills_so_far());
    row("random kills", &figures, kills);
    let (hours, goal) = (format!("{:.2}", evidence.hours()), words(number(&evidence.fuzz, "goal")));
    let found = words(number(&evidence.fuzz, "found"));
    row("fuzzers", &format!("{hours} of {goal} processor-hours, {found} failures"), &evidence.fuzz);
    let mut missing = Vec::new();
    for (name, what) in OTHERS {
        match records::find(name)? {
            Some(record) => row(what, &numbers(&record), &record),
            None => missing.push(format!("{what} (`lab/records/{name}.json`)")),
        }
    }
    let machine = text(models, "machine");
    let _ = writeln!(page, "\nThe machine of these runs: {machine}.");
    if !missing.is_empty() {
        let _ = writeln!(page, "No record yet: {}.", missing.join("; "));
    }
    page.push('\n');
    Ok(())
}

/// Records of commands in other files, which may not be written yet.
const OTHERS: &[(&str, &str)] = &[
    ("sanitizers", "sanitizers"),
    ("counts", "instruction counts"),
    ("soak", "soak at ten times the load of a race car, 2 hours"),
];

/// The table of promises.
fn promises(page: &mut String, evidence: &Evidence) -> Outcome {
    let mut sentences_of = BTreeMap::<String, Vec<String>>::new();
    let mut wrong = Vec::new();
    for (source, heading) in SOURCES {
        let text = read(&root().join(source))?;
        wrong.extend(
            unmarked(&text, heading)
                .iter()
                .map(|line| format!("{source}: a promise without a mark: {line:.60}")),
        );
        for Sentence { id, text } in sentences(&text) {
            let link = format!("[{}](../{source})", source.trim_end_matches(".md"));
            if !PROMISES.iter().any(|promise| promise.id == id) {
                wrong.push(format!("{source}: the promise `{id}` has no evidence in xtask/src/promises.rs"));
            }
            sentences_of.entry(id).or_default().push(format!("{text} ({link})"));
        }
    }
    *page += "## Promises\n\nA test shows only the cases that it runs. The last column names what else is not proved.\n\n\
              | promise | how it is shown | not proved |\n|---|---|---|\n";
    for promise in PROMISES {
        let Promise { id, shown, not_proved } = promise;
        let Some(told) = sentences_of.get(*id) else {
            wrong.push(format!("no page promises `{id}`, which xtask/src/promises.rs shows"));
            continue;
        };
        let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
        for one in *shown {
            match evidence.words(one) {
                Ok((kind, words)) => match groups.iter_mut().find(|(known, _)| *known == kind) {
                    Some((_, all)) => all.push(words),
                    None => groups.push((kind, vec![words])),
                },
                Err(why) => wrong.push(format!("promise `{id}`: {why}")),
            }
        }
        if shown.is_empty() {
            wrong.push(format!("promise `{id}` has no evidence"));
        }
        let groups: Vec<String> =
            groups.iter().map(|(kind, all)| format!("{kind}: {}", all.join(", "))).collect();
        let _ = writeln!(page, "| {} | {} | {not_proved} |", told.join("<br>"), groups.join("<br>"));
    }
    page.push('\n');
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n        ")) }
}

fn mutations(page: &mut String, evidence: &Evidence) {
    *page += "## Mutations that were caught\n\nEach mutation is one change to a model that makes SPIN find a counterexample ([models](../lab/models/README.md)).\n\n";
    for model in ["lane", "merge", "lease", "wake"] {
        let names: Vec<String> =
            evidence.searches(model, "CAUGHT").iter().map(|one| format!("`{}`", text(one, "name"))).collect();
        let _ = writeln!(page, "- `{model}`: {}.", names.join(", "));
    }
    page.push('\n');
}

fn fuzzers(page: &mut String, evidence: &Evidence) {
    *page += "## Fuzzers\n\nEdges are those of the fuzzer's whole program, including the crates on which it depends.\n\n\
              | fuzzer | inputs | processor-hours | edges reached |\n|---|---:|---:|---:|\n";
    for one in list(&evidence.fuzz, "targets") {
        let hours = number(one, "seconds") / 3600.0;
        let reached = match number(one, "edges") {
            0.0 => "not run yet".into(),
            edges => format!("{} of {}", words(number(one, "edges_reached")), words(edges)),
        };
        let _ = writeln!(
            page,
            "| {} | {} | {hours:.2} | {reached} |",
            text(one, "target"),
            words(number(one, "inputs"))
        );
    }
    page.push('\n');
}

fn unsafe_code(page: &mut String) -> Outcome {
    *page += "## Unsafe code\n\n`cargo xtask unsafe` lists each use with its reason, and `cargo xtask check` fails on a use without one. Tests are not counted. \
              Rules are functions, traits and attributes that impose a rule on other code.\n\n\
              | crate | blocks | `impl`s | rules |\n|---|---:|---:|---:|\n";
    let all = unsafes::all(&root())?;
    let mut sum = [0; 3];
    for (package, [blocks, impls, rules, _]) in unsafes::counts(&all) {
        if blocks + impls + rules > 0 && !package.starts_with("lab") && package != "xtask" {
            let _ = writeln!(page, "| `{package}` | {blocks} | {impls} | {rules} |");
            sum = [sum[0] + blocks, sum[1] + impls, sum[2] + rules];
        }
    }
    let _ = writeln!(page, "| all | {} | {} | {} |\n", sum[0], sum[1], sum[2]);
    let reached = record("unsafe", "cargo xtask unsafe --reached")?;
    let crates: Vec<String> = list(&reached, "crates")
        .iter()
        .map(|name| format!("`{}`", name.as_str().unwrap_or_default()))
        .collect();
    let _ = writeln!(
        page,
        "Of the {} blocks in {} at commit {}, a test of these crates reaches {} ({}, `{}`). A process that a test kills leaves no counts, so that \
         tests also reach some of the others, which are {}.\n",
        words(number(&reached, "blocks")),
        crates.join(", "),
        text(&reached, "commit"),
        words(number(&reached, "reached")),
        text(&reached, "date"),
        text(&reached, "command"),
        list(&reached, "not_reached")
            .iter()
            .filter_map(Value::as_str)
            .map(|place| format!("`{place}`"))
            .collect::<Vec<_>>()
            .join(", "),
    );
    Ok(())
}

fn not_proved(page: &mut String, evidence: &Evidence) -> Outcome {
    let (kills, hours) = (evidence.kills_so_far(), format!("{:.2}", evidence.hours()));
    let _ = write!(
        page,
        "## What is not proved\n\n\
         - [ARCHITECTURE.md](../ARCHITECTURE.md#what-is-not-proved) lists the limits of all promises: small models, small litmus tests for weak memory, no machine with ARM's \
         memory order.\n\
         - Random kills so far: {kills}. Fuzzing so far: {hours} of {} processor-hours.\n\
         - The check for advisories against dependencies needs access to their database; it prints whether it had access.\n",
        words(number(&evidence.fuzz, "goal"))
    );
    for (name, what) in OTHERS {
        if records::find(name)?.is_none() {
            let _ = writeln!(page, "- There is no record of: {what}.");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_before_a_mark_is_the_promise() {
        let page = "Not this.\n1. **A first.** B [c](d.md#e) and\n   f.<!-- promise: a --> G. (H i.)<!-- promise: b, b's --> K\n- Other\n\n*l M.*<!-- promise: c -->\n";
        let told: Vec<_> = sentences(page).into_iter().map(|s| (s.id, s.text)).collect();
        let told: Vec<_> = told.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
        assert_eq!(told, [("a", "**A first.** B c and f."), ("b", "*b's*: H i."), ("c", "*l M.*")]);
    }

    #[test]
    fn a_guarantee_without_a_mark_is_found() {
        let page = "# A\n## Guarantees\n\n1. B.<!-- promise: a -->\n2. C.\n\n## D\n\n3. E.\n";
        assert_eq!(unmarked(page, "## Guarantees"), ["2. C."]);
    }

    #[test]
    fn a_test_that_does_not_exist_is_found() {
        assert_eq!(find_test("xtask/src/assurance.rs", "a_test_that_does_not_exist_is_found"), Ok(()));
        assert!(find_test("xtask/src/assurance.rs", "a_test_of_another_name").is_err());
        assert!(find_test("xtask/src/no_file.rs", "a_test").is_err());
        assert_eq!(find_test("lab/campaigns/src/users.rs", "campaign users"), Ok(()));
        assert!(find_test("lab/campaigns/src/users.rs", "campaign losers").is_err());
    }

    #[test]
    fn every_evidence_names_what_exists() {
        for promise in PROMISES {
            for shown in promise.shown {
                if let Shown::Test(file, name) = shown {
                    assert_eq!(find_test(file, name), Ok(()), "{}", promise.id);
                }
            }
        }
    }

    #[test]
    fn a_record_that_is_older_than_its_sources_is_refused() {
        let set = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<BTreeSet<_>>();
        let (ran, sources) = (set(&["a", "b"]), set(&["a", "b", "c"]));
        assert!(same("x", &ran, &ran, &sources, "y").is_ok());
        assert!(same("x", &ran, &sources, &sources, "y").unwrap_err().contains("(c)"));
        assert!(same("x", &sources, &ran, &ran, "y").unwrap_err().contains("(c)"));
    }

    #[test]
    fn the_tests_that_a_line_names_are_its_links() {
        let line = "| a | b [`c_d`](../crates/e.rs), [text](f.md) | [`campaign g`](../lab/h.rs) |";
        let wanted = [("crates/e.rs", "c_d"), ("lab/h.rs", "campaign g")]
            .map(|(file, name)| (file.into(), name.into()));
        assert_eq!(named_tests(line), wanted);
    }
}
