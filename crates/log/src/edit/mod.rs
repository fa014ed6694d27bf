//! Editing logs: copy, filter, merge, export.
//!
//! To filter, cut, convert or repair a log is the same [`copy()`] of a [`Source`] with another [`Selection`].
//! [`merge()`] merges several logs in the order of time. [`export()`] writes messages as a table or as JSON. This
//! module does not print, open files or read a clock.

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
