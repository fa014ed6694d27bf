//! Logs made of other logs.
//!
//! To filter, cut, convert or repair is the same [`copy()`] of a [`Source`] with another [`Selection`]. [`merge()`] puts several logs
//! together in the order of time. [`export()`] writes messages as a table or as JSON. Nothing here prints, opens a file, or asks
//! for a clock.

mod copy;
mod export;
mod meanings;
mod merge;
mod output;
mod selection;
mod source;

pub use copy::copy;
pub use export::{ExportError, Exported, Layout, export};
pub use meanings::Meanings;
pub use merge::{MergeError, merge};
pub use output::{Output, Written};
pub use selection::{Moment, Selection, Times};
pub use source::{ReadError, Rest, Source};
