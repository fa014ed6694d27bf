//! Options for output: JSON, message formats, quiet, and files.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use saltus_printer::Format;

use crate::exit::{Outcome, taken, unwritable};

/// The option `--json`.
#[derive(Args)]
pub(crate) struct Json {
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

/// Formats of messages. At most one is chosen, except that `--json` allows hexadecimal digits.
#[derive(Args)]
#[command(group = ArgGroup::new("format").args(["lines", "raw"]).conflicts_with_all(["hex", "json"]))]
pub(crate) struct Printed {
    /// Print long arrays in full
    #[arg(long, conflicts_with_all = ["format", "hex", "json"])]
    full: bool,

    /// Use one line per message
    #[arg(long)]
    lines: bool,

    /// Print messages as hexadecimal digits
    #[arg(short = 'x', long)]
    hex: bool,

    /// Print only the bytes of messages
    #[arg(long)]
    raw: bool,

    #[command(flatten)]
    json: Json,
}

impl Printed {
    /// The chosen format.
    pub(crate) fn format(&self) -> Format {
        match self {
            Printed { json: Json { json: true }, hex, .. } => Format::Json { hex: *hex },
            Printed { lines: true, .. } => Format::Lines,
            Printed { raw: true, .. } => Format::Raw,
            Printed { hex: true, .. } => Format::Hex,
            _ => Format::Human { full: self.full },
        }
    }
}

/// The option `--quiet`.
#[derive(Args)]
pub(crate) struct Quiet {
    /// Print only errors and warnings
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Both options.
#[derive(Args)]
pub(crate) struct Output {
    #[command(flatten)]
    json: Json,

    #[command(flatten)]
    quiet: Quiet,
}

impl Output {
    /// Whether to print JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json.json
    }

    /// Whether to print only errors and warnings.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet.quiet
    }
}

/// The option `--force`.
#[derive(Args)]
pub(crate) struct Force {
    /// Overwrite an existing file
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// The destination of output. A file is written completely or not at all.
pub(crate) enum Target {
    /// Standard output.
    Stdout,
    /// The file, its temporary name, and whether to overwrite an existing file.
    File(PathBuf, PathBuf, bool),
}

impl Target {
    /// The target for `-` (standard output) or a file. Fails if the file exists and `force` is not set.
    pub(crate) fn new(path: &Path, force: bool) -> Outcome<Target> {
        if path == Path::new("-") {
            return Ok(Target::Stdout);
        }
        if !force && path.symlink_metadata().is_ok() {
            return Err(taken(path));
        }
        let mut aside = path.as_os_str().to_owned();
        aside.push(format!(".{}.part", std::process::id()));
        Ok(Target::File(path.into(), aside.into(), force))
    }

    /// Lets `write` fill the target. A file appears under its name when it is complete; a failure leaves no file.
    pub(crate) fn fill<T>(self, write: impl FnOnce(&mut dyn Write) -> Outcome<T>) -> Outcome<T> {
        let Target::File(path, aside, force) = self else { return write(&mut BufWriter::new(io::stdout())) };
        let failed = |e: io::Error| unwritable(&path, &e);
        let put = || {
            let mut file = File::options().write(true).create_new(true).open(&aside).map_err(failed)?;
            let done = write(&mut file)?;
            if force {
                fs::rename(&aside, &path).map_err(failed)?;
            } else {
                // A link, because a rename would overwrite a file that another process created in the meantime.
                match fs::hard_link(&aside, &path) {
                    Ok(()) => fs::remove_file(&aside).map_err(failed)?,
                    Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Err(taken(&path)),
                    Err(_) => fs::rename(&aside, &path).map_err(failed)?, // the file system has no hard links
                }
            }
            Ok(done)
        };
        let done = put();
        if done.is_err() {
            let _ = fs::remove_file(&aside); // it may not exist
        }
        done
    }
}
