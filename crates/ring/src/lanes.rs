//! The [`Lanes`] trait: a channel's lanes as the merge reads them.

use crate::layout::{LaneLayout, MAX_LANES};
use crate::memory::Memory;

/// A channel's lanes, as a subscriber reads them.
pub trait Lanes {
    /// Memory of one lane.
    type Mem: Memory;
    /// How many lanes are in use; never shrinks. At most [`MAX_LANES`].
    fn used(&self) -> usize;
    /// Lane `i < used()`. `None` if it cannot be read; it is then skipped.
    fn lane(&self, i: usize) -> Option<&Self::Mem>;
    /// The layout of every lane.
    fn layout(&self) -> &LaneLayout;
    /// Upper bound of the number of lanes. A subscriber allocates for this many when it joins.
    fn most(&self) -> usize {
        MAX_LANES
    }
    /// The present time on the channel's clock, in ns. Called only when several lanes have unseen messages.
    fn now(&self) -> u64;
}
