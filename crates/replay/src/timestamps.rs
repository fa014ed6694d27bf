//! Original timestamps for played messages.

use saltus_domain::{Domain, Publisher, Timestamps};
use saltus_os::clock;

use saltus_text::escape::harmless;

use crate::{Error, Result};

/// Publishes messages with timestamps from the log.
pub struct Restamp {
    /// Offset to add to a time of the log, in ns.
    shift: i64,
    later: u64,
}

impl Restamp {
    /// For a log with this first and last time. A log file gets the times unchanged. In shared memory, where timestamps count from boot,
    /// all are shifted by the same offset, so that the last one is now.
    ///
    /// # Errors
    /// The domain has no timestamps, or the log is longer than the uptime of this machine.
    pub fn new(domain: &Domain, (first, last): (i64, i64)) -> Result<Restamp> {
        let shift = match domain.timestamps() {
            Timestamps::WallTime => 0,
            Timestamps::BootTime => (clock::boottime() as i64).saturating_sub(last),
            Timestamps::Present => return Err(Error::NoTimestamps { url: harmless(domain.url()) }),
        };
        if domain.timestamps() == Timestamps::BootTime && first.saturating_add(shift) <= 0 {
            return Err(Error::TooLong);
        }
        Ok(Restamp { shift, later: 0 })
    }

    /// Publishes a message with this time of the log.
    pub(crate) fn publish(
        &mut self,
        publisher: &mut Publisher,
        data: &[u8],
        time: i64,
    ) -> saltus_domain::Result<()> {
        let original = time.saturating_add(self.shift);
        let timestamp = publisher.publish_with_timestamp(data, original)?;
        self.later += u64::from(timestamp > original);
        Ok(())
    }

    /// Number of messages that got a later timestamp.
    pub(crate) fn later(&self) -> u64 {
        self.later
    }
}
