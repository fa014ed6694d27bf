//! `saltus types check`: print all errors of type files.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::Args;
use saltus_decode::files;
use saltus_types::{Diagnostic, Diagnostics, Severity, Sources, Span};
use serde::Serialize;

use crate::exit::{Code, Failure, Outcome, note};
use crate::flags::types;
use crate::flags::{Output, TypeDirs};
use crate::print::out::Out;
use saltus_text::human::plural;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Check {
    /// Type files, and directories of them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    dirs: TypeDirs,

    #[command(flatten)]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  saltus types check pose.lcm
  saltus types check types -I ../common/types
  saltus types check types --json | jq -r '.file'";

/// A line of `types check --json`. Its fields are a stable interface.
#[derive(Serialize)]
struct Line<'a> {
    severity: &'static str,
    message: &'a str,
    #[serde(flatten)]
    place: Option<Place>,
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<Also<'a>>,
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct Place {
    file: String,
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct Also<'a> {
    #[serde(flatten)]
    place: Place,
    label: &'a str,
}

pub(crate) fn run(check: Check) -> Outcome {
    let paths = types::files_of(&check.paths)?;
    let (said, types) = match files::loader(&paths, &check.dirs.all()?).load() {
        Ok(loaded) => (loaded.warnings, Some(loaded.named.len() + loaded.named_enums.len())),
        Err(said) => (said, None),
    };
    let mut out = Out::new()?;
    if check.output.is_json() {
        said.list.iter().try_for_each(|d| out.json(&Line::of(d, &said.sources)))?;
    } else {
        out.bytes(types::render(&said, io::stdout().is_terminal()).as_bytes())?;
    }
    out.flush()?;
    sum_up(&said, paths.len() as u64, types, check.output.is_quiet())
}

fn sum_up(said: &Diagnostics, files: u64, types: Option<usize>, quiet: bool) -> Outcome {
    let files = plural(files, "file");
    let Some(types) = types else {
        return Err(Failure::new(Code::Failed, format!("{} in {files}", types::tally(said))));
    };
    let types = plural(types as u64, "type");
    match said.list.len() {
        0 if quiet => {}
        0 => note(format_args!("{types} in {files}, no errors")),
        _ => note(format_args!("{types} in {files}, {}", types::tally(said))),
    }
    Ok(())
}

impl<'a> Line<'a> {
    fn of(diagnostic: &'a Diagnostic, sources: &Sources) -> Line<'a> {
        let also = diagnostic.also.iter();
        let also = also.filter_map(|(span, label)| Some(Also { place: Place::of(*span, sources)?, label }));
        Line {
            severity: if diagnostic.severity == Severity::Error { "error" } else { "warning" },
            message: &diagnostic.message,
            place: diagnostic.span.and_then(|span| Place::of(span, sources)),
            label: &diagnostic.label,
            also: also.collect(),
            help: diagnostic.help.as_deref(),
        }
    }
}

impl Place {
    /// Line and column from 1; the column in characters.
    fn of(span: Span, sources: &Sources) -> Option<Place> {
        let source = sources.get(span.file)?;
        Some(Place {
            file: source.path().display().to_string(),
            line: source.line_of(span.start),
            column: source.column_of(span.start)?,
        })
    }
}
