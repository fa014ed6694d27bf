//! Options of a subscriber.

use saltus_ring::{Start, Which};

/// Which messages a subscriber receives, and how many are kept for it. A builder.
///
/// ```
/// use saltus_domain::Options;
/// let controller = Options::newest();
/// let logger = Options::next(1000).start(saltus_domain::Start::Oldest);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    which: Which,
    depth: u64,
    start: Start,
    /// Whether the depth is a request and not a requirement.
    at_most: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options::newest()
    }
}

impl Options {
    /// Each receive returns the newest message; older unseen ones are skipped.
    pub fn newest() -> Options {
        Options { which: Which::Newest, depth: 1, start: Start::Newest, at_most: false }
    }
    /// Receives all messages in order, as long as at most `depth` of a channel are unread; beyond that, the oldest
    /// are dropped.
    ///
    /// Over shared memory, a channel subscribed to by its name is replaced by one that keeps `depth` messages if it
    /// keeps fewer. Its publishers and subscribers follow without loss if they do so within ten seconds. A channel
    /// that does not exist yet is created with that depth. If this process has no permission, or the channel would
    /// need more than 1 GiB (the URL's `grow`), subscribing returns an error with the command that helps. A URL
    /// with `frames` sets the depth itself, and channels subscribed to by a pattern keep theirs; see also
    /// [`Options::at_most`].
    ///
    /// A network's channels are as deep as the deepest subscriber of this process requests, up to 64 MiB per
    /// channel.
    pub fn next(depth: u64) -> Options {
        Options { which: Which::Next, depth: depth.max(1), start: Start::Newest, at_most: false }
    }
    /// Where to start in existing channels. Channels created later are read from their beginning.
    pub fn start(mut self, start: Start) -> Options {
        self.start = start;
        self
    }

    /// Leaves channels as deep as they are: none is replaced by a deeper one, and a channel that keeps fewer
    /// messages is not an error. Messages overwritten before they were received count as missed. Use it in programs
    /// that subscribe to all channels.
    ///
    /// ```
    /// # use saltus_domain::{Domain, Options, Pattern};
    /// let tool = Options::next(1000).at_most();
    /// let subscriber = Domain::open("mem://")?.subscriber_with(Pattern::name("imu")?, tool)?;
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn at_most(mut self) -> Options {
        self.at_most = true;
        self
    }

    /// How many messages a channel must keep, if that is required.
    pub(crate) fn demanded(&self) -> Option<u64> {
        (self.which == Which::Next && !self.at_most).then_some(self.depth)
    }
    pub(crate) fn which(&self) -> Which {
        self.which
    }
    pub(crate) fn depth(&self) -> u64 {
        self.depth
    }
    pub(crate) fn get_start(&self) -> Start {
        self.start
    }
}
