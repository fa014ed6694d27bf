//! Statistics of channels in shared memory: rates, periods, losses and latencies, from counters and timestamps.

mod facts;
mod hops;
mod latency;
mod periods;
mod watch;

pub use facts::Facts;
pub use hops::{Hop, Hops, MOST};
pub use latency::Latency;
pub use periods::{Period, Periods};
pub use watch::{Measured, Watch};
