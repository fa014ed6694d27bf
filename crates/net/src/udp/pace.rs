//! How fast datagrams may follow each other.

/// A rate limit: `burst` bytes at once, then `rate` bytes per second. Datagrams count with their [`weight`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Bytes per second.
    pub rate: u64,
    /// Bytes that may be sent at once.
    pub burst: u64,
}

impl Default for Pace {
    /// One of the longest datagrams at once, and 200 MB/s: one every third of a millisecond. The default receive
    /// buffer of a kernel (212,992 B) holds three, so a reader may be late by one millisecond. A megabyte takes
    /// five.
    fn default() -> Pace {
        Pace { rate: 200_000_000, burst: weight(65507) }
    }
}

/// Approximate bytes that a datagram of `len` bytes takes of a receive buffer on this host, including the kernel's
/// bookkeeping and rounding by allocators.
pub fn weight(len: usize) -> u64 {
    let len = len as u64;
    if len < 16384 { (len + 512).next_power_of_two() + 512 } else { len + 4096 }
}

/// A token bucket for a [`Pace`]. It reads no clock and does not wait.
#[derive(Clone, Debug)]
pub struct Pacer {
    pace: Option<Pace>,
    /// When the bucket will be full again, in ns.
    full_ns: u64,
}

impl Pacer {
    /// A full bucket. `None` never waits.
    pub fn new(pace: Option<Pace>) -> Pacer {
        Pacer { pace, full_ns: 0 }
    }
    /// Most bytes that may be sent at once.
    pub fn burst(&self) -> u64 {
        self.pace.map_or(u64::MAX, |p| p.burst)
    }
    /// Takes `bytes` out of the bucket. Returns how long to wait before sending them, in ns.
    pub fn take(&mut self, now_ns: u64, bytes: u64) -> u64 {
        let Some(pace) = self.pace else { return 0 };
        let time = |bytes: u64| {
            u64::try_from(u128::from(bytes) * 1_000_000_000 / u128::from(pace.rate.max(1)))
                .unwrap_or(u64::MAX)
        };
        self.full_ns = self.full_ns.max(now_ns).saturating_add(time(bytes));
        // More than a whole bucket may be sent when the bucket is full.
        self.full_ns.saturating_sub(time(pace.burst.max(bytes))).saturating_sub(now_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_goes_at_once_and_the_rest_at_the_rate() {
        let mut pacer = Pacer::new(Some(Pace { rate: 1_000_000_000, burst: 100 }));
        assert_eq!(pacer.take(1000, 60), 0);
        assert_eq!(pacer.take(1000, 40), 0);
        assert_eq!(pacer.take(1000, 50), 50);
        assert_eq!(pacer.take(1050, 50), 50);
        assert_eq!(pacer.take(5000, 100), 0, "the bucket fills, but no higher than a burst");
        assert_eq!(pacer.take(5000, 1), 1);
        assert_eq!(pacer.take(9000, 300), 0, "one datagram larger than a burst");
        assert_eq!(pacer.take(9000, 100), 300);
    }

    #[test]
    fn small_datagrams_weigh_more_than_they_say() {
        assert_eq!([0, 64, 256, 1472, 8000, 65507].map(weight), [1024, 1536, 1536, 2560, 16896, 69603]);
        assert!(3 * Pace::default().burst < 212_992);
    }

    #[test]
    fn odd_limits_do_not_overflow() {
        let mut pacer = Pacer::new(Some(Pace { rate: 0, burst: 0 }));
        assert_eq!(pacer.take(0, u64::MAX), 0);
        assert!(pacer.take(0, 1) > 0);
        assert_eq!(Pacer::new(None).take(7, u64::MAX), 0);
    }
}
