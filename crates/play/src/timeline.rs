//! Events in the order of time, with a place between two of them.

use saltus_log::Result;

/// Where an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Which of the logs it is in.
    pub log: usize,
    /// Its position there.
    pub position: u64,
    /// The number of its channel in that log.
    pub channel: usize,
    /// When it was logged, ns since 1970.
    pub time: i64,
}

/// Events in the order of time. There is a place between two of them, or before the first or behind the last; all moves
/// start there. Going back undoes going forward, event by event.
pub trait Timeline {
    /// The times of the first event and the last; none if there are no events.
    fn span(&mut self) -> Result<Option<(i64, i64)>>;
    /// Goes before the first event at or after this time, or to the end.
    fn seek(&mut self, time: i64) -> Result<()>;
    /// The event that comes next; the place stays.
    fn next(&mut self) -> Result<Option<Spot>>;
    /// The event that was before; the place stays.
    fn previous(&mut self) -> Result<Option<Spot>>;
    /// Goes behind the next event, if there is one.
    fn forward(&mut self) -> Result<()>;
    /// Goes before the previous event, if there is one.
    fn back(&mut self) -> Result<()>;
}
