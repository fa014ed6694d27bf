//! The view model behind the terminal spy and the browser spy.
//!
//! - [`Model`] holds the state of every channel. It does no I/O and reads no clock: callers pass in messages and the time.
//! - [`Watch`] opens domains, receives messages, and feeds a model that front ends share.
//! - Front ends show [`Row`], [`Tree`] and [`Series`]. All of them are `Serialize`.
//!
//! ```no_run
//! use saltus_spy::{Column, Options, Source, Watch, sort};
//! let watch = Watch::start(vec![Source::all(saltus_domain::Domain::open("shm://")?)], Options::default())?;
//! let mut model = watch.model(); // locked: hold it only briefly
//! let mut rows = model.rows();
//! sort(&mut rows, Column::Bandwidth, true);
//! if let Some(row) = rows.first() {
//!     model.open(row.id); // from now on its messages are decoded
//! }
//! # Ok::<(), saltus_domain::Error>(())
//! ```
//!
//! Times are nanoseconds of the boot-time clock (`CLOCK_BOOTTIME`), as everywhere in Saltus. Text from other processes, such as channel
//! names, is escaped: it has no control characters.

mod changes;
mod channel;
mod latency;
mod mismatch;
mod model;
mod opened;
mod order;
mod rate;
mod row;
mod series;
pub mod tally;
mod text;
mod tree;
mod unit;
mod watch;
mod window;

pub use channel::{Counted, Published, Seen};
pub use latency::Latency;
pub use model::{Model, Options};
pub use order::{Column, Filter, sort};
pub use row::{ChannelId, Peer, Row};
pub use series::{Point, Series, SeriesId};
pub use tree::{Expand, Kind, Node, Tree};
pub use unit::unit;
pub use watch::{Source, Trouble, Wants, Watch};
