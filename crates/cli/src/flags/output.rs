//! What is printed and written: one rule for JSON, for messages, for quiet, and for files.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};

use crate::exit::{Outcome, taken, unwritable};
use crate::print::Format;

/// Print for programs.
#[derive(Args)]
pub(crate) struct Json {
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

/// How messages are printed: at most one of these, but for the hexadecimal digits in JSON.
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
    /// The one that was chosen.
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

/// Say only what has to be known.
#[derive(Args)]
pub(crate) struct Quiet {
    /// Print only errors and warnings
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Whether an existing file is overwritten.
#[derive(Args)]
pub(crate) struct Force {
    /// Overwrite an existing file
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// Where output goes. A file is written whole or not at all.
pub(crate) enum Target {
    /// Standard output.
    Stdout,
    /// A file, written aside under the second name, and overwritten if the third says so.
    File(PathBuf, PathBuf, bool),
}

impl Target {
    /// For `-` or a file. What is there is only overwritten by force.
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

    /// Lets `write` fill it. A file appears under its name when all is written; after a failure nothing is left.
    pub(crate) fn fill<T>(self, write: impl FnOnce(&mut dyn Write) -> Outcome<T>) -> Outcome<T> {
        let Target::File(path, aside, force) = self else { return write(&mut BufWriter::new(io::stdout())) };
        let failed = |e: io::Error| unwritable(&path, &e);
        let put = || {
            let mut file = File::options().write(true).create_new(true).open(&aside).map_err(failed)?;
            let done = write(&mut file)?;
            if force {
                fs::rename(&aside, &path).map_err(failed)?;
            } else {
                // A link, since a rename would overwrite what came meanwhile.
                match fs::hard_link(&aside, &path) {
                    Ok(()) => fs::remove_file(&aside).map_err(failed)?,
                    Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Err(taken(&path)),
                    Err(_) => fs::rename(&aside, &path).map_err(failed)?, // a file system without links
                }
            }
            Ok(done)
        };
        let done = put();
        if done.is_err() {
            let _ = fs::remove_file(&aside); // it may not even be there
        }
        done
    }
}
