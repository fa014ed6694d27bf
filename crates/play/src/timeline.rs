//! Events in the order of time, with a position between two of them.

use saltus_log::Result;

/// The location of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The number of its log.
    pub log: usize,
    /// Its position there.
    pub position: u64,
    /// The number of its channel in that log.
    pub channel: usize,
    /// Its time in the log, ns since 1970.
    pub time: i64,
}

/// Events in the order of time, with a position between two of them, before the first, or after the last. All moves start at the position.
/// Moving back reverses moving forward, event by event.
pub trait Timeline {
    /// The times of the first and the last event; `None` if there are no events.
    fn span(&mut self) -> Result<Option<(i64, i64)>>;
    /// Moves before the first event at or after this time, or to the end.
    fn seek(&mut self, time: i64) -> Result<()>;
    /// The next event, without moving.
    fn next(&mut self) -> Result<Option<Spot>>;
    /// The previous event, without moving.
    fn previous(&mut self) -> Result<Option<Spot>>;
    /// Moves after the next event, if any.
    fn forward(&mut self) -> Result<()>;
    /// Moves before the previous event, if any.
    fn back(&mut self) -> Result<()>;
}
