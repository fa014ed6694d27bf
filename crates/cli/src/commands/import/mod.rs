//! `saltus import`: turn recordings of other tools into logs of typed messages.

mod carmen;

use clap::{Args, Subcommand};

use crate::exit::Outcome;
use crate::flags::help;

/// The options of `import`.
#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES]))]
pub(crate) struct Import {
    /// What the file is.
    #[command(subcommand)]
    format: Format,
}

/// The formats.
#[derive(Subcommand)]
enum Format {
    /// A CARMEN log: laser scans and odometry, plain or gzip
    ///
    /// FLASER and RLASER become LASER_FRONT and LASER_REAR of type carmen.laser_t, with the poses that stand in the
    /// same lines as LASER_FRONT_POSE and LASER_REAR_POSE of type carmen.pose_t; ODOM becomes ODOMETRY of type
    /// carmen.odometry_t. Messages keep the order of the lines. Their utime is the stamp of the line, the time in the
    /// log the stamp of its logger, both in microseconds. Stamps that jump or go back are kept and told. Lines of other
    /// kinds and lines that are broken are left out, counted and told.
    Carmen(carmen::Carmen),
}

const EXAMPLES: &str = "\
Examples:
  saltus import carmen intel.log.gz -o intel.lcmlog
  saltus import carmen --help                   everything about it";

/// Imports.
pub(crate) fn run(import: Import) -> Outcome {
    match import.format {
        Format::Carmen(args) => carmen::run(args),
    }
}
