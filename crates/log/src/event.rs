//! What a log holds, whatever its format.

use crate::channel::Channel;
use std::sync::Arc;

/// One message of a log.
#[derive(Clone, Copy, Debug, Default)]
pub struct Event<'a> {
    /// The channel it came on; any bytes.
    pub channel: &'a [u8],
    /// The message as it was published, byte for byte.
    pub data: &'a [u8],
    /// When it was logged, ns since 1970, as far as the file is to be trusted. Times may go back. What lies outside the years
    /// 1678 to 2262 is the nearest time within them.
    pub log_time: i64,
    /// When it was published, ns since 1970; none where the format does not say.
    pub publish_time: Option<i64>,
    /// The number that its publisher gave it; none where the format does not say. MCAP has 32 bits for it, and 0 for none.
    pub sequence: Option<u64>,
    /// What the file says about the channel; none where the format says nothing.
    pub about: Option<&'a Arc<Channel>>,
}
