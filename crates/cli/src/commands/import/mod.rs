//! `saltus import`: convert recordings of other tools to logs of typed messages.

mod carmen;

use clap::{Args, Subcommand};

use crate::exit::Outcome;
use crate::flags::help;

#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES]))]
pub(crate) struct Import {
    /// The format of the file.
    #[command(subcommand)]
    format: Format,
}

#[derive(Subcommand)]
enum Format {
    /// Convert a CARMEN log of laser scans and odometry
    ///
    /// FLASER and RLASER become LASER_FRONT and LASER_REAR of type carmen.laser_t, with the poses of the same lines as
    /// LASER_FRONT_POSE and LASER_REAR_POSE of type carmen.pose_t; ODOM becomes ODOMETRY of type carmen.odometry_t. The field
    /// utime is the timestamp of the line; the time in the log is that of its logger. Timestamps that jump are kept and
    /// reported. Other lines are counted and skipped.
    Carmen(carmen::Carmen),
}

const EXAMPLES: &str = "\
Examples:
  saltus import carmen intel.log.gz -o intel.lcmlog
  saltus import carmen intel.log.gz -o intel.mcap";

pub(crate) fn run(import: Import) -> Outcome {
    match import.format {
        Format::Carmen(args) => carmen::run(args),
    }
}
