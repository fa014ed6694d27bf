//! Events, in any log format.

use crate::channel::Channel;
use std::sync::Arc;

/// One message of a log.
#[derive(Clone, Copy, Debug, Default)]
pub struct Event<'a> {
    /// The channel; any bytes.
    pub channel: &'a [u8],
    /// The message as it was published, byte for byte.
    pub data: &'a [u8],
    /// When it was logged, ns since 1970, as far as the file can be trusted. Times may go back. A time outside the
    /// years 1678 to 2262 becomes the nearest one within them.
    pub log_time: i64,
    /// When it was published, ns since 1970; `None` if the format does not contain it.
    pub publish_time: Option<i64>,
    /// The publisher's sequence number; `None` if the format does not contain it. MCAP has 32 bits for it, and 0
    /// for none.
    pub sequence: Option<u64>,
    /// The file's description of the channel; `None` if the format has none.
    pub about: Option<&'a Arc<Channel>>,
}
