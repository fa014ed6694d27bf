//! A log as it is written.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use clap::{Args, ValueEnum};
use saltus_log::edit::{Output, Written};
use saltus_log::{Compression, Damage, Error, Format, WriterOptions};
use saltus_types::cdr::Dialect;
use serde::Serialize;

use super::input::tell;
use crate::exit::{Code, Failure, Outcome, say};
use crate::flags::output::Target;
use crate::flags::types;
use crate::flags::{Force, Json, Quiet, TypeDirs};
use crate::print::out::Out;
use crate::stop;
use saltus_text::human::plural;

/// How a log is written.
#[derive(Args)]
pub(crate) struct Writing {
    #[command(flatten)]
    force: Force,

    /// How MCAP is compressed
    #[arg(long, value_enum, default_value_t = Packing::Zstd, value_name = "HOW")]
    compression: Packing,

    /// In which language MCAP says what messages are: ros2msg for all viewers, omgidl keeps names as they are
    #[arg(long, value_enum, default_value_t = Language::Ros2msg, value_name = "LANGUAGE")]
    schema: Language,

    /// MCAP keeps messages as they were published, which no viewer decodes
    #[arg(long)]
    raw: bool,

    #[command(flatten)]
    dirs: TypeDirs,

    #[command(flatten)]
    json: Json,

    #[command(flatten)]
    quiet: Quiet,
}

/// Kinds of compression.
#[derive(Clone, Copy, ValueEnum)]
enum Packing {
    /// None
    None,
    /// Quick
    Lz4,
    /// Small
    Zstd,
}

/// Languages for schemas.
#[derive(Clone, Copy, ValueEnum)]
enum Language {
    /// As ROS 2 does
    Ros2msg,
    /// As DDS does
    Omgidl,
}

/// A log that is being written, into whatever there is.
pub(super) type Log<'a> = Output<&'a mut (dyn Write + 'a)>;

/// What is told at the end; with `--json` the fields are a promise.
#[derive(Serialize)]
struct Report {
    out: String,
    format: String,
    events: u64,
    channels: usize,
    kept_raw: u64,
    too_early: u64,
    damage: BTreeMap<String, String>,
    #[serde(skip)]
    damages: Vec<(String, Damage)>,
}

impl Writing {
    /// Whether the progress should not be shown.
    pub(super) fn quiet(&self) -> bool {
        self.quiet.quiet
    }

    /// Writes a log into a file, whole or not at all, and tells what was written. `fill` gives the damage of each log that it read.
    pub(super) fn write(
        &self,
        path: &Path,
        fill: impl FnOnce(&mut Log<'_>) -> Outcome<Vec<(String, Damage)>>,
    ) -> Outcome {
        stop::on_signals()?;
        let format = Format::of_name(path).ok_or_else(|| {
            let words =
                format!("what should {} be? End it in .mcap, or in .lcmlog for a log of LCM", path.display());
            Failure::new(Code::Usage, words)
        })?;
        let target = Target::new(path, self.force.force)?;
        if self.json.json && matches!(target, Target::Stdout) {
            let words = "--json and - both go to standard output: name a file";
            return Err(Failure::new(Code::Usage, words));
        }
        let types = types::everything(&self.dirs.include)?;
        let report = target.fill(|out| {
            let mut log = Output::new(out, format, self.options()).map_err(|e| unwritable(path, e))?;
            types.iter().for_each(|schema| log.types().add_all(schema));
            let damages = fill(&mut log)?;
            if stop::requested() {
                return Err(Failure::new(Code::Failed, "interrupted: nothing was kept of it"));
            }
            let written = log.finish().map_err(|e| unwritable(path, e))?;
            Ok(Report::new(path, format, written, damages))
        })?;
        self.tell(&report)
    }

    fn options(&self) -> WriterOptions {
        let compression = match self.compression {
            Packing::None => Compression::None,
            Packing::Lz4 => Compression::Lz4,
            Packing::Zstd => Compression::Zstd,
        };
        let dialect = match self.schema {
            Language::Ros2msg => Dialect::Ros2Msg,
            Language::Omgidl => Dialect::OmgIdl,
        };
        // Nobody waits for what is in a chunk.
        WriterOptions::new().interval(Duration::MAX).compression(compression).dialect(dialect).raw(self.raw)
    }

    fn tell(&self, report: &Report) -> Outcome {
        report.damages.iter().for_each(|(name, damage)| tell(name, damage));
        if self.json.json {
            let mut out = Out::new()?;
            out.json(report)?;
            return out.flush();
        }
        if self.quiet() {
            return Ok(());
        }
        say(format_args!(
            "{}: {} on {}",
            report.out,
            plural(report.events, "event"),
            plural(report.channels as u64, "channel")
        ));
        if report.kept_raw > 0 {
            say(format_args!(
                "{} kept as published: as CDR they would not come back to the byte",
                plural(report.kept_raw, "message")
            ));
        }
        if report.too_early > 0 {
            say(format_args!(
                "{} from before 1970 have time 0 now, since MCAP has no such times: a log of LCM (.lcmlog) keeps them",
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
            damage: bad.map(|(name, damage)| (name.clone(), damage.to_string())).collect(),
            damages,
        }
    }
}

/// Why the log at this path is not written.
pub(super) fn unwritable(path: &Path, error: Error) -> Failure {
    match &error {
        Error::Io(_, e) if e.kind() == std::io::ErrorKind::BrokenPipe => Failure::Quiet,
        Error::Io(_, e) => {
            Failure::new(Code::Failed, format!("cannot write {}: {e}; make room", path.display()))
        }
        _ => Failure::new(Code::Failed, format!("cannot write {}: {error}", path.display())),
    }
}
