//! The memory that the channels of a domain may take.
//!
//! Half of the domain's memory is for lanes; the other half is for messages that are still incomplete, which the transport bounds. An
//! eighth of the lanes' half is for short lanes only. So channels with short messages find memory after others have sent long ones.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes of a short lane, at most.
const SHORT: u64 = 64 << 10;

/// Bytes that lanes take, and may take.
#[derive(Debug)]
pub(crate) struct Budget {
    /// The memory of the whole domain; `None`: unlimited.
    memory: Option<u64>,
    used: AtomicU64,
}

/// Bytes of one lane, returned when it is dropped.
#[derive(Debug)]
pub(crate) struct Charge {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { memory: None, used: AtomicU64::new(0) }
    }
}

impl Budget {
    /// For a domain whose messages take at most `memory` bytes, incomplete ones included.
    pub fn new(memory: u64) -> Budget {
        Budget { memory: Some(memory), ..Budget::default() }
    }

    /// Takes `bytes` for a lane, if there are enough. A lane gets at most a quarter of what is left, so that later ones get some too;
    /// with `all`, it gets as much as there is.
    pub fn charge(self: &Arc<Budget>, bytes: u64, all: bool) -> Option<Charge> {
        let lanes = self.memory.map(|memory| memory / 2);
        let admitted = |used: u64| {
            let Some(lanes) = lanes else { return Some(used + bytes) };
            let short = bytes <= SHORT;
            let left = lanes.saturating_sub(if short { 0 } else { lanes / 8 }).saturating_sub(used);
            let most = if short || all { left } else { left / 4 };
            (bytes <= most).then_some(used + bytes)
        };
        // A sum: nothing else is published by it.
        self.used.fetch_update(Relaxed, Relaxed, admitted).ok()?;
        Some(Charge { budget: self.clone(), bytes })
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Relaxed); // as above
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = self.memory.unwrap_or(u64::MAX);
        write!(
            f,
            "received messages of this domain may take half of its {memory} B; subscribe to fewer channels, or raise `memory=` in the \
             domain's URL"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lanes_leave_memory_for_short_ones_and_give_theirs_back() {
        let budget = Arc::new(Budget::new(2 << 30));
        assert!(budget.charge(900 << 20, true).is_none(), "an eighth of the half is for short lanes");
        assert!(budget.charge(300 << 20, false).is_none(), "more than a quarter of what is left");
        let large = budget.charge(896 << 20, true).expect("all that is left for long lanes");
        assert!(budget.charge(SHORT + 1, true).is_none());
        let short: Vec<_> = std::iter::from_fn(|| budget.charge(SHORT, false)).collect();
        assert_eq!(short.len(), (128 << 20) / SHORT as usize);
        drop((large, short));
        assert_eq!(budget.used.load(Relaxed), 0);
        assert!(Arc::new(Budget::default()).charge(1 << 45, false).is_some(), "unlimited");
    }
}
