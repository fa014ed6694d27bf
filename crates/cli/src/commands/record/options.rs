//! What `record` may be told, and what that means.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use saltus_domain::{Domain, Start};
use saltus_log::{Compression, Format, WriterOptions};
use saltus_record::{Error, Limits, Log, Naming, Settings, Source, Style, When};

use crate::exit::{Code, Failure, Outcome, say};
use crate::flags::domain;
use crate::flags::help;
use crate::flags::types;
use crate::flags::{AnyNames, Count, Json, Quiet, TypeDirs};
use saltus_text::units;

/// The options of `record`.
#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES, help::PATTERNS]))]
pub(crate) struct Record {
    #[command(flatten)]
    pub(crate) names: AnyNames,

    /// The file: MCAP if its name ends in .mcap, else an LCM log; without it an MCAP of today's date and the next number
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Record this domain as well; may be given several times
    #[arg(long, value_name = "URL")]
    pub(crate) also: Vec<String>,

    /// Where to begin in channels that keep messages
    #[arg(long, value_name = "WHERE", default_value = "now", hide_default_value = true)]
    pub(crate) from: From,

    /// End after so much time, such as 250ms, 1.5s or 2m
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(crate) duration: Option<Duration>,

    #[command(flatten)]
    pub(crate) count: Count,

    /// Overwrite an existing file
    #[arg(short, long, conflicts_with_all = ["append", "increment", "rotate"])]
    pub(crate) force: bool,

    /// Go on at the end of an existing file
    #[arg(short, long, conflicts_with_all = ["increment", "rotate"])]
    pub(crate) append: bool,

    /// Number the files from 00, and take the first number that is free
    #[arg(short, long, conflicts_with = "rotate")]
    pub(crate) increment: bool,

    /// Keep the newest N files, of which the newest has the number 0
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rotate: Option<u32>,

    /// Put the time into the name, as strftime does: %Y-%m-%d
    #[arg(short, long)]
    pub(crate) strftime: bool,

    /// A new file after so many MiB; files are numbered then
    #[arg(long, value_name = "N", value_parser = mebibytes)]
    pub(crate) split_mb: Option<u64>,

    /// A new file after so much time; files are numbered then
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(crate) split_time: Option<Duration>,

    /// End when less than this is left on the disk, such as 500M or 2G
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub(crate) disk_quota: Option<u64>,

    /// How MCAP files are compressed
    #[arg(long, value_name = "HOW", default_value = "zstd", hide_default_value = true)]
    pub(crate) compress: Compress,

    /// In MCAP files keep messages as they were published; viewers do not decode them then
    #[arg(long)]
    pub(crate) raw: bool,

    /// Memory for messages that are not written yet, in MiB; beyond that they are dropped, and counted
    #[arg(short, long, value_name = "N", default_value = "100", value_parser = mebibytes)]
    pub(crate) max_unwritten_mb: u64,

    /// What was received is on the disk after so many milliseconds [default: 100, 1000 for MCAP]
    #[arg(short = 'u', long, value_name = "MS")]
    pub(crate) flush_interval: Option<u64>,

    /// Write nothing but the last moments, when they are asked for: with Enter, with SIGUSR1, or by --when
    #[arg(long, value_name = "TIME", value_parser = units::duration, conflicts_with_all = ["split_mb", "split_time"])]
    pub(crate) last: Option<Duration>,

    /// With --last: go on writing for so long afterwards
    #[arg(long, value_name = "TIME", value_parser = units::duration, requires = "last")]
    pub(crate) after: Option<Duration>,

    /// With --last: write when this becomes true of a message, such as 'ESTOP.active == true' or 'IMU.tilt > 30'
    #[arg(long, value_name = "CONDITION", requires = "last")]
    pub(crate) when: Option<String>,

    #[command(flatten)]
    pub(crate) dirs: TypeDirs,

    #[command(flatten)]
    pub(crate) json: Json,

    #[command(flatten)]
    pub(crate) quiet: Quiet,
}

/// How chunks of MCAP are compressed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compress {
    /// Zstandard: small
    Zstd,
    /// LZ4: quick
    Lz4,
    /// Not at all
    None,
}

/// Where to begin.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum From {
    /// With what comes from now on
    Now,
    /// With the newest message of each channel
    Newest,
    /// With the oldest that is kept
    Oldest,
}

const EXAMPLES: &str = "\
Examples:
  saltus record -o run.mcap                        everything, for every viewer
  saltus record POSE 'SCAN_*' -o run.lcmlog
  saltus record --domain udpm:// --also shm:// -o both.lcmlog
  saltus record -i --split-mb 500 -o run.lcmlog    run.lcmlog.00, ...
  saltus record -s -o '%Y-%m-%d/%H%M%S.mcap' --disk-quota 2G
  saltus record --last 30s --after 5s --when 'ESTOP.on == true' -o e.mcap";

/// A number of MiB, whole or not, in bytes.
fn mebibytes(text: &str) -> Result<u64, String> {
    match text.parse::<f64>() {
        Ok(n) if n > 0.0 && n <= 1e9 => Ok((n * f64::from(1 << 20)) as u64),
        _ => Err("a number of MiB is more than 0, such as 500 or 0.5".into()),
    }
}

impl Record {
    /// What is recorded.
    pub(crate) fn sources(&self, url: Option<&str>) -> Outcome<Vec<Source>> {
        let urls = [url.unwrap_or("shm://")].into_iter().chain(self.also.iter().map(String::as_str));
        let mut sources: Vec<Source> = Vec::new();
        for url in urls {
            let domain = domain::network(url)?;
            if sources.iter().any(|source| source.domain.is(&domain)) {
                return Err(Failure::new(Code::Usage, format!("{url} is recorded already: name it once")));
            }
            sources.push(self.source(domain)?);
        }
        Ok(sources)
    }

    fn source(&self, domain: Domain) -> Outcome<Source> {
        let start = match self.from {
            From::Now => Start::Now,
            From::Newest => Start::Newest,
            From::Oldest => Start::Oldest,
        };
        let (pattern, wants) = self.names.meant()?.subscription()?;
        Ok(Source { domain, pattern, wants, start })
    }

    /// What the last moments are written for, if that is told.
    pub(super) fn when(&self) -> Outcome<Option<When>> {
        let Some(text) = &self.when else { return Ok(None) };
        let reader = types::decoder(None, &self.dirs.include)?;
        let when = When::new(text, reader, |words| say(words)).ok_or_else(|| {
            let words = format!(
                "--when: `{text}` is no condition: write CHANNEL.FIELD, a sign of == != < <= > >=, and a number, true, false \
                 or \"text\", as in 'ESTOP.active == true' or 'IMU.accel[2] > 30'"
            );
            Failure::new(Code::Usage, words)
        })?;
        Ok(Some(when))
    }

    /// What is written.
    pub(crate) fn format(&self, template: &Path) -> Outcome<Log> {
        let compression = match self.compress {
            Compress::Zstd => Compression::Zstd,
            Compress::Lz4 => Compression::Lz4,
            Compress::None => Compression::None,
        };
        let types = types::types(&self.dirs.include)?;
        let options = WriterOptions::new().compression(compression).raw(self.raw);
        Ok(Log::new(format_of(template)?, options, types))
    }

    /// How it is recorded.
    pub(crate) fn settings(&self) -> Outcome<Settings> {
        let several = self.split_mb.is_some() || self.split_time.is_some() || self.last.is_some();
        let (template, timed) = match &self.out {
            Some(path) => (path.clone(), self.strftime),
            None => (PathBuf::from("saltus-%Y-%m-%d.mcap"), true),
        };
        if self.append && format_of(&template)? == Format::Mcap {
            let words = match saltus_log::is_finished(&template) {
                Ok(false) => format!(
                    "--append: the recorder of {0} was killed before it ended the file: `saltus log repair {0} WHOLE.mcap` makes a \
                     whole one; record into another file, for example with --increment, and join them with `saltus log merge`",
                    template.display()
                ),
                _ => "--append: nothing can be added to an MCAP file; number files with --increment".into(),
            };
            return Err(Failure::new(Code::Usage, words));
        }
        let style = match self.rotate {
            Some(count) => Style::Rotate(count),
            None if self.increment || several || self.out.is_none() => Style::Increment,
            None if self.append => Style::Append,
            None if self.force => Style::Replace,
            None => Style::Single,
        };
        let naming = Naming::new(template, timed, style)?;
        let interval = if format_of(naming.template())? == Format::Mcap { 1000 } else { 100 };
        let limits = Limits {
            split_bytes: self.split_mb,
            split_time: self.split_time,
            quota: self.disk_quota,
            sync: Duration::from_millis(self.flush_interval.unwrap_or(interval).max(1)),
        };
        Ok(Settings {
            naming,
            limits,
            memory: usize::try_from(self.max_unwritten_mb).unwrap_or(usize::MAX),
            last: self.last,
            after: self.after.unwrap_or_default(),
            count: self.count.count,
            time: self.duration,
        })
    }
}

/// The format that the name asks for.
fn format_of(template: &Path) -> Outcome<Format> {
    Format::of_name(template).ok_or_else(|| {
        let words = format!(
            "{}: a log ends in .mcap or .lcmlog (.lcm, .log, or nothing, which is an LCM log too)",
            template.display()
        );
        Failure::new(Code::Usage, words)
    })
}

impl std::convert::From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Domain(error) => error.into(),
            Error::Name { .. } | Error::Options(_) => Failure::new(Code::Usage, error.to_string()),
            _ => Failure::new(Code::Failed, error.to_string()),
        }
    }
}
