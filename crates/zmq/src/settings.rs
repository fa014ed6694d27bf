//! What the sockets are set to.

/// The longest message.
pub const LONGEST: usize = 256 << 20;

/// What the URL says of the sockets.
pub struct Settings {
    /// Messages that wait for each peer.
    pub hwm: i32,
    /// How long the end waits for what is not sent yet, in ms.
    pub linger: i32,
}
