//! Logs of the CARMEN robot navigation toolkit, plain or gzip: laser scans and odometry, a message a line.
//!
//! ```text
//! FLASER n r_1 … r_n x y theta odom_x odom_y odom_theta stamp host log_stamp      the front laser
//! RLASER …                                                                        the rear laser, likewise
//! ODOM x y theta tv rv accel stamp host log_stamp                                 odometry
//! ```
//!
//! Such logs come from everywhere. Whatever is none of these is passed over and counted by its kind. A line that calls
//! itself one of them and is none, a line that does not end, a file that was cut short: counted too, never an error.
//! The memory it takes does not grow with the file.
//!
//! [`Log`] reads; [`typed`] turns what was read into messages of the types in [`typed::SCHEMA`]; [`convert()`] writes an LCM log
//! of it, and [`events`] hands the events of that log over.

mod convert;
mod line;
mod log;
mod message;
pub mod typed;

pub use convert::{Broken, Converter, Steps, Summary, convert, events};
pub use line::LINE;
pub use log::{Counts, Entry, Log};
pub use message::{Laser, Malformed, Message, Odometry, Scan};
