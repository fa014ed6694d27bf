//! Flags that several commands have: each defined once, so that it means the same everywhere.

pub mod domain;
pub mod help;
pub mod output;
pub mod selection;
pub mod types;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args};

use crate::print::Format;
use crate::units;

/// Print for programs.
#[derive(Args)]
pub struct Json {
    /// Print JSON, one object a line, for programs
    #[arg(long)]
    pub json: bool,
}

/// How messages are printed: at most one of these, but for the hexadecimal digits in JSON.
#[derive(Args)]
#[command(group = ArgGroup::new("format").args(["lines", "raw"]).conflicts_with_all(["hex", "json"]))]
pub struct Printed {
    /// Show long arrays as a whole
    #[arg(long, conflicts_with_all = ["format", "hex", "json"])]
    full: bool,

    /// Print only the message and a line end: what pub --lines reads
    #[arg(short, long)]
    lines: bool,

    /// Print the message as a line of hexadecimal digits: what pub --hex takes
    #[arg(short = 'x', long)]
    hex: bool,

    /// Print only the message, byte for byte
    #[arg(long)]
    raw: bool,

    #[command(flatten)]
    json: Json,
}

impl Printed {
    /// The one that was chosen.
    pub fn format(&self) -> Format {
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
pub struct Quiet {
    /// Say nothing but errors and warnings
    #[arg(short, long)]
    pub quiet: bool,
}

/// How many, then it ends.
#[derive(Args)]
pub struct Count {
    /// End after so many
    #[arg(short = 'n', long, value_name = "N", value_parser = units::count)]
    pub count: Option<u64>,
}

/// How often.
#[derive(Args)]
pub struct Rate {
    /// So many a second; 0 is as fast as it goes
    #[arg(short, long, value_name = "HZ", value_parser = units::rate)]
    pub rate: Option<f64>,
}

/// How long to wait for what does not come.
#[derive(Args)]
pub struct Timeout {
    /// End with exit code 4 when nothing came for so long, such as 250ms, 1.5s or 2m
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,
}

/// Channels that exist, by name or pattern; at least one.
#[derive(Args)]
pub struct Names {
    /// Channels, by name or pattern (see Patterns below)
    #[arg(value_name = "NAME", required = true)]
    pub names: Vec<OsString>,
}

/// Channels that exist, by name or pattern; all when none is given.
#[derive(Args)]
pub struct AnyNames {
    /// Channels, by name or pattern (see Patterns below); all when none is given
    #[arg(value_name = "NAME")]
    pub names: Vec<OsString>,
}

/// Where types are looked for.
#[derive(Args)]
pub struct TypeDirs {
    /// Look for types in the .lcm files of this directory and below it; may be given several times
    #[arg(short = 'I', long = "include", alias = "types", value_name = "DIR")]
    pub include: Vec<PathBuf>,
}
