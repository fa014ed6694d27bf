//! Limits of kept messages and waiting times.

use std::time::Duration;

/// Messages of a topic that the library keeps by default.
pub(super) const DEPTH: u64 = 64;
/// Least number of unacknowledged messages that a reliable publisher keeps.
pub(super) const LEAST_WINDOW: u64 = 16;
/// How long the library may take to send queued messages, in addition to the time for acknowledgments.
pub(super) const SENDING: Duration = Duration::from_millis(100);
