//! Logs of the CARMEN robot navigation toolkit, plain or gzip: laser scans and odometry, one message per line.
//!
//! ```text
//! FLASER n r_1 … r_n x y theta odom_x odom_y odom_theta stamp host log_stamp      the front laser
//! RLASER …                                                                        the rear laser, likewise
//! ODOM x y theta tv rv accel stamp host log_stamp                                 odometry
//! ```
//!
//! Such logs have many sources. Lines of other kinds are skipped and counted by kind. A malformed line, a line
//! without an end, and a truncated file are also counted and never an error. The memory used does not grow with the
//! file.
//!
//! [`Log`] reads; [`typed`] turns lines into messages of the types in [`typed::SCHEMA`]; [`convert()`] writes an
//! LCM log, and [`events`] returns the events of that log.

mod convert;
mod line;
mod log;
mod message;
mod report;
pub mod typed;

pub use convert::{Broken, Converter, Steps, Summary, convert, events};
pub use line::LINE;
pub use log::{Counts, Entry, Log};
pub use message::{Laser, Malformed, Message, Odometry, Scan};
pub use report::Report;
