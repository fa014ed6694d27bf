//! The report of a conversion, as JSON and as text for people.

use std::collections::BTreeMap;

use saltus_text::human::{nanos, plural};
use serde::Serialize;

use crate::{Counts, LINE, Steps, Summary};

/// A conversion, as `import --json` prints it. Its fields are a stable interface.
#[derive(Serialize)]
pub struct Report {
    file: String,
    out: String,
    #[serde(flatten)]
    summary: Summary,
    others: BTreeMap<String, u64>,
    too_long: u64,
    cut_short: Option<String>,
}

impl Report {
    /// The report of a conversion to the log `out` of the log `file`, in which these lines were counted.
    pub fn new(file: String, out: String, summary: Summary, counts: &Counts) -> Report {
        Report {
            file,
            out,
            summary,
            others: counts.others.clone(),
            too_long: counts.too_long,
            cut_short: counts.cut_short.clone(),
        }
    }

    /// Lines for people.
    pub fn words(&self) -> Vec<String> {
        let Summary { events, channels, duration, broken, broken_lines, back, jumps } = &self.summary;
        let by: Vec<String> = channels.iter().map(|(name, n)| format!("{n} {name}")).collect();
        let over =
            if *duration > 0 { format!(" over {}", nanos(*duration as f64 * 1e3)) } else { String::new() };
        let mut words = vec![format!("{}: {}{over}", self.out, plural(*events as u64, "event"))];
        if !by.is_empty() {
            words.push(format!("channels: {}", by.join(", ")));
        }
        if !self.others.is_empty() {
            let kinds: Vec<String> = self.others.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
            words.push(format!("left out lines of other kinds: {}", kinds.join(", ")));
        }
        for line in broken_lines {
            words.push(format!("left out malformed line {}: {}", line.line, line.error));
        }
        let untold = broken - broken_lines.len() as u64;
        if untold > 0 {
            words.push(format!("left out {} more that are malformed", plural(untold, "line")));
        }
        if self.too_long > 0 {
            words.push(format!("left out {} over {LINE} bytes", plural(self.too_long, "line")));
        }
        words.extend(steps("go back", back));
        words.extend(steps("jump forward", jumps));
        if let Some(why) = &self.cut_short {
            words.push(format!("the file ends too early ({why}): everything before is kept"));
        }
        words
    }
}

fn steps(what: &str, steps: &Steps) -> Option<String> {
    let line = steps.first_line?;
    let longest = nanos(steps.longest as f64 * 1e3);
    Some(format!(
        "timestamps that {what}: {}, by up to {longest}, the first in line {line}; kept as they are",
        steps.count
    ))
}
