//! A recorder that accounts for every message: written, dropped or missed.
//!
//! ```text
//! domains ──receive──► Batch ──Queue (bounded)──► Format ──► file, file, …
//!            one thread  │                       another thread
//!                        └── Keep: the most recent messages, with `Settings::last`
//! ```
//!
//! Recording only reads: no publisher waits for it. While messages arrive frequently, the recorder polls, so that publishers need not wake
//! it. If the disk is slow, messages wait in a bounded queue; those that do not fit count as dropped. Files are readable however the
//! process ends.

mod account;
mod batch;
mod error;
mod format;
mod keep;
mod name;
mod output;
mod queue;
mod recorder;
mod report;
mod when;

pub use account::{Account, Counts, Line, Total, UnreadLine};
pub use batch::{Batch, Channel, Head};
pub use error::{Error, Result};
pub use format::{ACCOUNT, Format, Log};
pub use name::{Naming, Style};
pub use output::{Files, Limits};
pub use recorder::{Control, Recorder, Settings, Source, Status, Told, Trigger, Wants};
pub use report::Report;
pub use when::When;
