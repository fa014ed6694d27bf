//! Socket options.

/// The longest message.
pub const LONGEST: usize = 256 << 20;

/// The socket options of a URL.
pub struct Settings {
    /// Most messages queued for each peer.
    pub hwm: i32,
    /// How long closing waits for unsent messages, in ms.
    pub linger: i32,
}
