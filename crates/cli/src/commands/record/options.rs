//! The options of `record`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use saltus_domain::{Domain, Name};
use saltus_log::Format;
use saltus_record::{Error, Limits, Log, Naming, Settings, Source, Style, When};

use crate::exit::{Code, Failure, Outcome, note, taken};
use crate::flags::domain;
use crate::flags::help;
use crate::flags::mcap::format_of;
use crate::flags::types;
use crate::flags::{AnyNames, Count, Mcap, Output, RunTime, StartAt, TypeDirs};
use saltus_text::units;

#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES, help::PATTERNS]))]
pub(crate) struct Record {
    #[command(flatten)]
    pub(crate) names: AnyNames,

    /// Log to write: MCAP if it ends in .mcap [default: by date]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Include the domain URL too (repeatable)
    #[arg(long, value_name = "URL")]
    pub(crate) also: Vec<String>,

    #[command(flatten)]
    pub(crate) start: StartAt,

    #[command(flatten)]
    pub(crate) time: RunTime,

    #[command(flatten)]
    pub(crate) count: Count,

    /// Overwrite an existing file
    #[arg(short, long, conflicts_with_all = ["append", "increment", "rotate"])]
    pub(crate) force: bool,

    /// Append to an existing LCM log
    #[arg(short, long, conflicts_with_all = ["increment", "rotate"])]
    pub(crate) append: bool,

    /// Number files from 00 and use the first free number
    #[arg(long, conflicts_with = "rotate")]
    pub(crate) increment: bool,

    /// Keep the newest N files, numbered from 0
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rotate: Option<u32>,

    /// Format the name with the time, as strftime does
    #[arg(long)]
    pub(crate) strftime: bool,

    /// Start a new numbered file every SIZE
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub(crate) split_size: Option<u64>,

    /// Start a new numbered file every TIME
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(crate) split_time: Option<Duration>,

    /// Stop when the disk has less than SIZE left
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub(crate) disk_quota: Option<u64>,

    #[command(flatten)]
    pub(crate) mcap: Mcap,

    /// Memory for unwritten messages (more are dropped)
    #[arg(long, value_name = "SIZE", default_value = "100M", value_parser = units::size)]
    pub(crate) max_unwritten: u64,

    /// Flush to disk at least every TIME [default: 100ms, MCAP: 1s]
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(crate) flush_interval: Option<Duration>,

    /// Write only the messages of the last TIME, on request
    ///
    /// It writes them when you press Enter, on SIGUSR1, or when --when becomes true.
    #[arg(long, value_name = "TIME", value_parser = units::duration, conflicts_with_all = ["split_size", "split_time"])]
    pub(crate) last: Option<Duration>,

    /// Continue to write for TIME afterwards (requires --last)
    #[arg(long, value_name = "TIME", value_parser = units::duration, requires = "last")]
    pub(crate) after: Option<Duration>,

    /// Write when EXPR becomes true (requires --last)
    ///
    /// EXPR compares a field of a channel, such as 'ESTOP.active == true' or 'IMU.tilt > 30'.
    #[arg(long, value_name = "EXPR", requires = "last")]
    pub(crate) when: Option<String>,

    #[command(flatten)]
    pub(crate) dirs: TypeDirs,

    #[command(flatten)]
    pub(crate) output: Output,
}

const EXAMPLES: &str = "\
Examples:
  saltus record -o run.mcap                        everything, for every viewer
  saltus record POSE 'SCAN_*' -o run.lcmlog
  saltus record --domain udpm:// --also shm:// -o both.lcmlog
  saltus record --split-size 500M -o run.lcmlog    run.lcmlog.00, ...
  saltus record --strftime -o '%Y-%m-%d/%H%M%S.mcap' --disk-quota 2G
  saltus record --last 30s --after 5s --when 'ESTOP.on == true' -o e.mcap";

impl Record {
    /// The domains and channels to record.
    pub(crate) fn sources(&self, url: Option<&str>) -> Outcome<Vec<Source>> {
        let mut sources: Vec<Source> = Vec::new();
        for url in self.urls(url) {
            let domain = domain::network(url)?;
            if sources.iter().any(|source| source.domain.is(&domain)) {
                return Err(Failure::new(
                    Code::Usage,
                    format!("{url} is given twice: name each domain once"),
                ));
            }
            sources.push(self.source(domain)?);
        }
        Ok(sources)
    }

    /// The URLs of all domains.
    fn urls<'a>(&'a self, url: Option<&'a str>) -> impl Iterator<Item = &'a str> {
        [url.unwrap_or("shm://")].into_iter().chain(self.also.iter().map(String::as_str))
    }

    /// The channels that can be listed, and whether the list is complete.
    fn listed(&self, url: Option<&str>) -> Outcome<(Vec<Name>, bool)> {
        let (mut names, mut all) = (Vec::new(), true);
        for url in self.urls(url) {
            match domain::in_shared_memory(url)? {
                Some(domain) => names.extend(domain.list()?),
                None => all = false,
            }
        }
        Ok((names, all))
    }

    /// A warning for each named channel that does not exist now, in domains that can be listed.
    pub(super) fn absent_now(&self, url: Option<&str>) -> Outcome<Vec<Failure>> {
        match self.listed(url)? {
            (_, false) => Ok(Vec::new()),
            (names, true) => Ok(self.names.meant()?.missing(&names, &self.shown(url))),
        }
    }

    /// A message for each named channel that neither exists now nor was in `came` before.
    pub(super) fn never_appeared(&self, url: Option<&str>, came: Vec<Name>) -> Outcome<Vec<Failure>> {
        let mut names = self.listed(url)?.0;
        names.extend(came);
        Ok(self.names.meant()?.missing(&names, &self.shown(url)))
    }

    fn shown(&self, url: Option<&str>) -> String {
        self.urls(url).collect::<Vec<_>>().join(" and ")
    }

    fn source(&self, domain: Domain) -> Outcome<Source> {
        let start = self.start.meant();
        let (pattern, wants) = self.names.meant()?.subscription()?;
        Ok(Source { domain, pattern, wants, start })
    }

    /// The condition of `--when`, if given.
    pub(super) fn when(&self) -> Outcome<Option<When>> {
        let Some(text) = &self.when else { return Ok(None) };
        let reader = types::decoder(None, &self.dirs)?;
        let when = When::new(text, reader, |words| note(words)).ok_or_else(|| {
            let words = format!(
                "--when `{text}`: expected CHANNEL.FIELD, one of == != < <= > >=, and a number, true, false or \"text\", such \
                 as 'ESTOP.active == true' or 'IMU.accel[2] > 30'"
            );
            Failure::new(Code::Usage, words)
        })?;
        Ok(Some(when))
    }

    /// The output of the recorder.
    pub(crate) fn format(&self, template: &Path) -> Outcome<Log> {
        let types = types::types(&self.dirs)?;
        Ok(Log::new(format_of(template)?, self.mcap.options(), types))
    }

    /// The options of the recorder.
    pub(crate) fn settings(&self) -> Outcome<Settings> {
        let several = self.split_size.is_some() || self.split_time.is_some() || self.last.is_some();
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
                _ => "--append: cannot append to an MCAP file; number files with --increment".into(),
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
        let is_mcap = format_of(naming.template())? == Format::Mcap;
        let interval = Duration::from_millis(if is_mcap { 1000 } else { 100 });
        let limits = Limits {
            split_bytes: self.split_size,
            split_time: self.split_time,
            quota: self.disk_quota,
            sync: self.flush_interval.unwrap_or(interval).max(Duration::from_millis(1)),
        };
        Ok(Settings {
            naming,
            limits,
            memory: usize::try_from(self.max_unwritten).unwrap_or(usize::MAX),
            last: self.last,
            after: self.after.unwrap_or_default(),
            count: self.count.count,
            time: self.time.duration,
        })
    }
}

impl std::convert::From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Domain(error) => error.into(),
            Error::Exists { path } => taken(&path),
            Error::Name { .. } | Error::Options(_) => Failure::new(Code::Usage, error.to_string()),
            _ => Failure::new(Code::Failed, error.to_string()),
        }
    }
}
