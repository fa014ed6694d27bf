//! How many messages are kept, and how long is waited.

use std::time::Duration;

/// Messages of a topic that the library keeps, if nobody wants more.
pub(super) const DEPTH: u64 = 64;
/// Messages that a reliable publisher keeps at least for those who have not confirmed them.
pub(super) const LEAST_WINDOW: u64 = 16;
/// How long the library may take to send what lies there, besides what subscribers have to confirm it.
pub(super) const SENDING: Duration = Duration::from_millis(100);
