//! The lanes of a channel, as the merge finds them.

use crate::layout::{LaneLayout, MAX_LANES};
use crate::memory::Memory;

/// The lanes of a channel, as a subscriber finds them.
pub trait Lanes {
    /// Memory of one lane.
    type Mem: Memory;
    /// How many lanes are in use; never shrinks. At most [`MAX_LANES`].
    fn used(&self) -> usize;
    /// Lane `i < used()`. `None` if it cannot be reached; it is then passed over.
    fn lane(&self, i: usize) -> Option<&Self::Mem>;
    /// The shape of every lane.
    fn layout(&self) -> &LaneLayout;
    /// How many lanes there can ever be: room for as many is made when a subscriber joins.
    fn most(&self) -> usize {
        MAX_LANES
    }
    /// The time now on the channel's clock, in ns. Asked for only when several lanes have something new.
    fn now(&self) -> u64;
}
