//! How a subscriber joins.

use saltus_ring::{Start, Which};

/// What a subscriber wants of its channels. A builder.
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
}

impl Default for Options {
    fn default() -> Self {
        Options::newest()
    }
}

impl Options {
    /// The newest message of each receive; what is older and unseen is passed over.
    pub fn newest() -> Options {
        Options { which: Which::Newest, depth: 1, start: Start::Newest }
    }
    /// All messages in their order, as long as no more than `depth` of a channel are waiting: then the oldest are dropped.
    ///
    /// Over shared memory the channel's own frames are a limit as well; a network's channels are made as deep as the
    /// deepest subscriber of this process wants, up to 64 MiB a channel.
    pub fn next(depth: u64) -> Options {
        Options { which: Which::Next, depth: depth.max(1), start: Start::Newest }
    }
    /// Where to start in channels that are there already. Channels that come later are read from their beginning.
    pub fn start(mut self, start: Start) -> Options {
        self.start = start;
        self
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
