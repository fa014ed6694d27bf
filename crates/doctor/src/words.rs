//! Findings as JSON and as text for people: what `saltus doctor` prints.

use saltus_text::escape::harmless;
use saltus_text::human::plural;
use serde::Serialize;

use crate::{Check, Finding, State};

/// A check and its finding.
pub type Looked = (&'static Check, Finding);

/// A check and its finding, as `doctor --json` prints it. Its fields are a stable interface.
#[derive(Serialize)]
pub struct Line<'a> {
    id: &'a str,
    title: &'a str,
    state: &'a str,
    found: &'a str,
    reads: &'a [&'a str],
    good: &'a str,
    why: &'a str,
    fix: Fix<'a>,
}

#[derive(Serialize)]
struct Fix<'a> {
    words: &'a str,
    commands: &'a [String],
}

impl<'a> Line<'a> {
    /// The line of a check.
    pub fn of((check, finding): &'a Looked) -> Line<'a> {
        Line {
            id: check.id,
            title: check.title,
            state: finding.state.name(),
            found: &finding.found,
            reads: check.reads,
            good: check.good,
            why: check.why,
            fix: Fix { words: &finding.fix.words, commands: &finding.fix.commands },
        }
    }
}

/// Lines for people: one for each check, and, if there is a remedy, the reason and the remedy below it.
pub fn table(looked: &[Looked]) -> Vec<String> {
    let width = looked.iter().map(|(check, _)| check.id.len()).max().unwrap_or(0);
    let indent = " ".repeat(width + 4);
    let mut lines = Vec::new();
    for (check, finding) in looked {
        lines.push(format!("{} {:width$}  {}", finding.state.sign(), check.id, harmless(&finding.found)));
        if [State::Warning, State::Problem].contains(&finding.state) {
            lines.push(format!("{indent}why: {}", first_sentence(check.why)));
            lines.extend(to_do(finding).iter().map(|line| format!("{indent}{line}")));
        }
    }
    let states = [State::Ok, State::Warning, State::Problem, State::CannotTell];
    let counts =
        states.map(|state| looked.iter().filter(|(_, finding)| finding.state == state).count() as u64);
    let [ok, warnings, problems, hidden] = counts;
    lines.push(format!(
        "{ok} ok, {}, {}, {hidden} cannot tell; `saltus doctor --explain ID` explains one",
        plural(warnings, "warning"),
        plural(problems, "problem")
    ));
    lines
}

/// Lines for people: everything about one check.
pub fn explained((check, finding): &Looked) -> Vec<String> {
    let mut lines = vec![
        format!("{}: {}", check.id, check.title),
        format!("state  {}", finding.state.name()),
        format!("found  {}", harmless(&finding.found)),
        format!("reads  {}", check.reads.join("; ")),
        format!("good   {}", check.good),
        format!("why    {}", check.why),
    ];
    lines.extend(to_do(finding));
    lines
}

fn to_do(finding: &Finding) -> Vec<String> {
    let fix = &finding.fix;
    let mut lines: Vec<String> = fix.commands.iter().map(|command| format!("type:  {command}")).collect();
    if !fix.words.is_empty() {
        lines.push(format!("do:    {}", harmless(&fix.words)));
    }
    lines
}

fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}
