//! Conversion of the kernel's datagram timestamps (wall time) to boot time.

use saltus_os::clock::{self, Clock};

/// Converts the timestamps of one drain to boot time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timestamps {
    /// The value to add to wall time.
    offset: i128,
    /// An earlier moment, in boot time.
    passed: u64,
}

impl Timestamps {
    /// Reads both clocks.
    pub fn read() -> Timestamps {
        let passed = clock::boottime();
        Timestamps { offset: i128::from(passed) - i128::from(clock::now(Clock::Realtime)), passed }
    }

    /// When a datagram arrived. Wall time may have been set since then: nothing arrives in the future.
    pub fn boottime(&mut self, wall: u64) -> u64 {
        let arrived = u64::try_from(i128::from(wall) + self.offset).unwrap_or(0);
        if arrived > self.passed {
            self.passed = clock::boottime();
        }
        arrived.min(self.passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_arrival_is_in_the_future_or_before_boot() {
        let mut timestamps = Timestamps::read();
        let wall = clock::now(Clock::Realtime);
        let before = clock::boottime();
        for future in [wall + 3_600_000_000_000, u64::MAX] {
            let arrived = timestamps.boottime(future);
            assert!(arrived >= before && arrived <= clock::boottime());
        }
        assert_eq!(timestamps.boottime(0), 0);
        let second = timestamps.boottime(wall - 1_000_000_000);
        assert!(second <= before, "{second} {before}");
    }
}
