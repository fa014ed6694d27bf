//! `saltus import carmen`: convert a CARMEN log to an LCM log.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use clap::Args;
use saltus_carmen::{Log, Report, Summary, convert, events};
use saltus_log::Format;
use saltus_log::edit;

use crate::commands::log::failed;
use crate::exit::{Code, Failure, Outcome, note, unreadable, unwritable};
use crate::flags::mcap::format_of;
use crate::flags::output::Target;
use crate::flags::types;
use crate::flags::{Force, Mcap, Output};
use crate::print::out::Out;
use crate::print::progress::Progress;
use crate::stop;
use saltus_text::escape::harmless;
use saltus_text::human::plural;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Carmen {
    /// CARMEN log to read, plain or gzip
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Log to write: MCAP if it ends in .mcap (-: standard output)
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    #[command(flatten)]
    force: Force,

    #[command(flatten)]
    mcap: Mcap,

    #[command(flatten)]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  saltus import carmen intel.log.gz -o intel.lcmlog
  saltus import carmen intel.log.gz -o intel.mcap
  saltus import carmen old.log -o old.lcmlog --json | jq '.channels'";

/// Bytes per read.
const CHUNK: usize = 1 << 16;

/// Converts the file. The output appears completely or not at all.
pub(crate) fn run(args: Carmen) -> Outcome {
    stop::on_signals()?;
    format_of(&args.out)?;
    let target = Target::new(&args.out, args.force.force)?;
    if args.output.is_json() && matches!(target, Target::Stdout) {
        let words = "--json and -o - both go to standard output: name a file";
        return Err(Failure::new(Code::Usage, words));
    }
    let shown = harmless(&args.file.display().to_string());
    let failed = |e: io::Error| unreadable(&shown, &e);
    let file = File::open(&args.file).map_err(failed)?;
    let size = file.metadata().map_err(failed)?;
    if size.is_dir() {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    let read = Arc::new(AtomicU64::new(0));
    let counted = Counted { file, read: read.clone() };
    let log = Log::read(io::BufReader::with_capacity(CHUNK, counted)).map_err(failed)?;
    let progress = (Progress::new(size.len(), args.output.is_quiet()), read);
    let report = target.fill(|out| import(log, progress, out, &args))?;
    if args.output.is_json() {
        let mut out = Out::new()?;
        out.json(&report)?;
        out.flush()?;
    } else if !args.output.is_quiet() {
        report.words().iter().for_each(note);
    }
    Ok(())
}

fn import(
    mut log: Log,
    (mut progress, read): (Progress, Arc<AtomicU64>),
    out: &mut dyn Write,
    args: &Carmen,
) -> Outcome<Report> {
    let go_on = || {
        progress.draw(read.load(Ordering::Relaxed)); // Relaxed: for display only
        !stop::requested()
    };
    let done = match format_of(&args.out)? {
        Format::Lcm => convert(&mut log, out, go_on).map_err(|e| unwritable(&args.out, &e)),
        Format::Mcap => mcap(&mut log, out, args, go_on),
    };
    progress.clear();
    let summary = done?;
    let interrupted = || Failure::new(Code::Failed, "interrupted: no output was written");
    let (counts, summary) = (log.counts(), summary.ok_or_else(interrupted)?);
    if summary.events == 0 {
        let lines = counts.others.values().sum::<u64>() + counts.too_long + summary.broken;
        let words = format!(
            "{} has no CARMEN scan or odometry in {}: name a log with lines such as FLASER, RLASER or ODOM",
            harmless(&args.file.display().to_string()),
            plural(lines, "line")
        );
        return Err(Failure::new(Code::Failed, words));
    }
    let (file, out) = (args.file.display().to_string(), args.out.display().to_string());
    Ok(Report::new(file, out, summary, counts))
}

/// Converts to MCAP, with the types.
fn mcap(
    log: &mut Log,
    out: &mut dyn Write,
    args: &Carmen,
    mut go_on: impl FnMut() -> bool,
) -> Outcome<Option<Summary>> {
    let mut written = edit::Output::new(out, Format::Mcap, args.mcap.options().interval(Duration::MAX))
        .map_err(|e| failed(&args.out, e))?;
    types::carried().iter().for_each(|schema| written.types().add_all(schema));
    let mut whole = true;
    let summary = events(log, |event| {
        written.add(event).map_err(|e| failed(&args.out, e))?;
        whole = go_on();
        Ok::<_, Failure>(whole)
    })?;
    written.finish().map_err(|e| failed(&args.out, e))?;
    Ok(whole.then_some(summary))
}

/// A file that counts the bytes read.
struct Counted {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(bytes)?;
        self.read.fetch_add(n as u64, Ordering::Relaxed); // Relaxed: for display only
        Ok(n)
    }
}
