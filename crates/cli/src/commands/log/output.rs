//! Output logs.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use saltus_log::edit::{self, Written};
use saltus_log::{Damage, Error, Format, WriterOptions};
use serde::Serialize;

use super::input::warn_of_damage;
use crate::exit::{Code, Failure, Outcome, note, unwritable};
use crate::flags::mcap::format_of;
use crate::flags::output::Target;
use crate::flags::types;
use crate::flags::{Force, Mcap, Output, TypeDirs};
use crate::print::out::Out;
use crate::stop;
use saltus_text::human::plural;

/// The options for writing a log.
#[derive(Args)]
pub(crate) struct Writing {
    /// Log to write: MCAP if it ends in .mcap (-: standard output)
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    #[command(flatten)]
    force: Force,

    #[command(flatten)]
    mcap: Mcap,

    #[command(flatten)]
    dirs: TypeDirs,

    #[command(flatten)]
    output: Output,
}

/// A log that is being written to any destination.
pub(super) type Log<'a> = edit::Output<&'a mut (dyn Write + 'a)>;

/// The report on exit. With `--json` its fields are a stable interface.
#[derive(Serialize)]
struct Report {
    out: String,
    format: String,
    events: u64,
    channels: usize,
    kept_raw: u64,
    too_early: u64,
    /// Channels of unknown types.
    unknown: usize,
    damage: BTreeMap<String, String>,
    #[serde(skip)]
    damages: Vec<(String, Damage)>,
}

impl Writing {
    /// Whether to show no progress.
    pub(super) fn quiet(&self) -> bool {
        self.output.is_quiet()
    }

    /// The destination.
    pub(super) fn path(&self) -> &Path {
        &self.out
    }

    /// Writes a log to a file, completely or not at all, and reports the contents. `fill` returns the damage of each log that it read.
    pub(super) fn write(&self, fill: impl FnOnce(&mut Log<'_>) -> Outcome<Vec<(String, Damage)>>) -> Outcome {
        stop::on_signals()?;
        let path = self.path();
        let format = format_of(path)?;
        let target = Target::new(path, self.force.force)?;
        if self.output.is_json() && matches!(target, Target::Stdout) {
            let words = "cannot print JSON and a log to standard output: name a file with -o";
            return Err(Failure::new(Code::Usage, words));
        }
        let types = types::everything(&self.dirs)?;
        let report = target.fill(|out| {
            let mut log = edit::Output::new(out, format, self.options()).map_err(|e| failed(path, e))?;
            types.iter().chain(&types::carried()).for_each(|schema| log.types().add_all(schema));
            let damages = fill(&mut log)?;
            if stop::requested() {
                return Err(Failure::new(Code::Failed, "interrupted: no output was written"));
            }
            let written = log.finish().map_err(|e| failed(path, e))?;
            Ok(Report::new(path, format, written, damages))
        })?;
        self.print(&report)
    }

    fn options(&self) -> WriterOptions {
        // No reader waits for the messages of an open chunk.
        self.mcap.options().interval(Duration::MAX)
    }

    fn print(&self, report: &Report) -> Outcome {
        report.damages.iter().for_each(|(name, damage)| warn_of_damage(name, damage));
        if self.output.is_json() {
            let mut out = Out::new()?;
            out.json(report)?;
            return out.flush();
        }
        if self.quiet() {
            return Ok(());
        }
        note(format_args!(
            "{}: {} on {}",
            report.out,
            plural(report.events, "event"),
            plural(report.channels as u64, "channel")
        ));
        if report.unknown > 0 {
            let channels = plural(report.unknown as u64, "channel");
            note(format_args!("unknown type on {channels}, which viewers cannot decode: {}", types::UNKNOWN));
        }
        if report.kept_raw > 0 {
            note(format_args!(
                "{} kept as published: converted to CDR, they could not be restored byte for byte",
                plural(report.kept_raw, "message")
            ));
        }
        if report.too_early > 0 {
            note(format_args!(
                "{} from before 1970 now have time 0, because MCAP has no earlier times: an LCM log (.lcmlog) keeps them",
                plural(report.too_early, "message")
            ));
        }
        Ok(())
    }
}

impl Report {
    fn new(path: &Path, format: Format, written: Written, damages: Vec<(String, Damage)>) -> Report {
        let bad = damages.iter().filter(|(_, damage)| *damage != Damage::default());
        Report {
            out: path.display().to_string(),
            format: format.to_string(),
            events: written.events,
            channels: written.channels,
            kept_raw: written.kept_raw,
            too_early: written.too_early,
            unknown: if format == Format::Mcap { written.unknown } else { 0 },
            damage: bad.map(|(name, damage)| (name.clone(), damage.to_string())).collect(),
            damages,
        }
    }
}

/// The failure to write the log at this path.
pub(crate) fn failed(path: &Path, error: Error) -> Failure {
    match &error {
        Error::Io(_, e) => unwritable(path, e),
        _ => Failure::new(Code::Failed, format!("cannot write `{}`: {error}", path.display())),
    }
}
