//! `saltus report`: show histograms of times as a page, a figure, or a table.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use saltus_measure::Summary;
use saltus_measure::report::{self, Level, Series, Unit};
use serde::Serialize;

use crate::exit::{Code, Failure, Outcome, note, readable, unwritable};
use crate::flags::output::Target;
use crate::flags::{Force, Json};
use crate::print::out::Out;
use saltus_text::escape::escaped;
use saltus_text::human;
use saltus_text::table::{Align, Table};

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Report {
    /// HdrHistogram interval logs, .hgrm or .csv files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// File to write: .html, .svg, or for one series .hgrm or .csv
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    force: Force,

    /// Draw only the charts that show all files together
    #[arg(long)]
    compare: bool,

    /// Use times with TAG instead of untagged ones (repeatable)
    ///
    /// `all` selects every tag.
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,

    /// Unit of .hgrm values: ns, us, ms or s [default: by value]
    ///
    /// The default is ns if all values are whole numbers, else ms.
    #[arg(long, value_name = "UNIT", value_parser = Unit::from_str)]
    unit: Option<Unit>,

    /// Check PERCENT:TIME levels, such as 99:1ms,100:20ms
    #[arg(long, value_name = "LEVELS", value_delimiter = ',', value_parser = Level::from_str)]
    level: Vec<Level>,

    #[command(flatten)]
    json: Json,
}

const EXAMPLES: &str = "\
Examples:
  saltus report run.hlog                           percentiles, in the terminal
  saltus report run.hlog -o run.html               a page with charts
  saltus report idle.hlog load.hlog --compare -o both.svg
  saltus report run.hlog --tag raw --level 99:1ms,100:20ms -o run.html";

/// A line of `report --json`. Its fields are a stable interface.
#[derive(Serialize)]
struct Line<'a> {
    series: &'a str,
    #[serde(flatten)]
    summary: Summary,
    levels: Vec<Kept>,
}

#[derive(Serialize)]
struct Kept {
    percent: f64,
    limit: u64,
    value: u64,
    kept: bool,
}

/// Most series in one chart.
const SERIES: usize = 24;

/// Reads the files, and writes or prints the report. A missed level is not a failure.
pub(crate) fn run(mut args: Report) -> Outcome {
    args.level.sort_by(|a, b| a.percent.total_cmp(&b.percent));
    let mut series = Vec::new();
    for file in &args.files {
        readable(file)?;
        let mut first = [0; 8];
        // Not from a pipe, whose bytes can be read once.
        let mut read = || File::open(file).and_then(|mut file| file.read_exact(&mut first));
        let is_read = file.is_file() && read().is_ok();
        if is_read && saltus_log::Format::of_bytes(&first).is_some() {
            let file = file.display();
            let words = format!(
                "{file} is a log of messages, and a report is about measured times: `saltus log info {file}` shows the log"
            );
            return Err(Failure::new(Code::Failed, words));
        }
        let all = report::load(file, args.unit).map_err(|e| Failure::new(Code::Failed, e.to_string()))?;
        if let Some(unit) = all[0].assumed {
            let (file, unit) = (file.display(), unit.name());
            note(format_args!(
                "{file}: all values are whole numbers, read as {unit}; --unit selects another"
            ));
        }
        if all[0].cut {
            note(format_args!("{} was cut short; continuing with its complete part", file.display()));
        }
        let chosen = report::chosen(all, &args.tag).map_err(|tags| {
            let words = format!("no such tag in {}; it has: {}", file.display(), tags.join(", "));
            Failure::new(Code::Failed, words)
        })?;
        series.extend(chosen);
    }
    match &args.out {
        Some(path) => write(path, &series, &args),
        None => print(&series, &args),
    }
}

fn write(path: &Path, series: &[Series], args: &Report) -> Outcome {
    let drawn = |e: Box<dyn std::error::Error>| Failure::new(Code::Failed, format!("cannot draw it: {e}"));
    let end = path.extension().and_then(|end| end.to_str());
    if matches!(end, Some("html" | "svg")) && series.len() > SERIES {
        let many = series.len();
        let words = format!("{many} series are too many to distinguish: select {SERIES} or fewer with --tag");
        return Err(Failure::new(Code::Usage, words));
    }
    let text = match (end, series) {
        (Some("html"), _) => report::page(series, &args.level, args.compare).map_err(drawn)?,
        (Some("svg"), _) => report::figure(series, &args.level, args.compare).map_err(drawn)?,
        (Some("csv"), [one]) => report::csv(&one.times),
        (Some("hgrm"), [one]) => report::hgrm(&one.times),
        (Some("csv" | "hgrm"), _) => {
            return Err(Failure::new(
                Code::Usage,
                "such a file has one series: name one file, and select one series with --tag",
            ));
        }
        _ => {
            return Err(Failure::new(
                Code::Usage,
                "expected a name for -o that ends in .html, .svg, .hgrm or .csv",
            ));
        }
    };
    let write = |out: &mut dyn Write| out.write_all(text.as_bytes()).map_err(|e| unwritable(path, &e));
    Target::new(path, args.force.force)?.fill(write)
}

fn print(series: &[Series], args: &Report) -> Outcome {
    let mut out = Out::new()?;
    let mut table = Table::new(&[&[("SERIES", Align::Left)], &Summary::COLUMNS[..]].concat());
    let mut promises = Vec::new();
    let time = |ns: u64| human::nanos(ns as f64);
    for one in series {
        let Some(s) = Summary::of(&one.times) else { continue };
        let levels: Vec<Kept> = args.level.iter().map(|level| kept(level, one)).collect();
        let name = escaped(one.name.as_bytes());
        if args.json.json {
            out.json(&Line { series: &one.name, summary: s, levels })?;
            continue;
        }
        promises.extend(levels.iter().map(|l| {
            let verdict = if l.kept { "kept" } else { "missed" };
            format!("{name}: {} % within {}: {verdict}, {}", l.percent, time(l.limit), time(l.value))
        }));
        table.row([vec![name], s.cells()].concat());
    }
    if !args.json.json {
        table.lines().iter().chain(&promises).try_for_each(|line| out.line(line))?;
    }
    out.flush()
}

fn kept(level: &Level, series: &Series) -> Kept {
    let (value, kept) = level.of(&series.times);
    Kept { percent: level.percent, limit: level.limit, value, kept }
}
