//! Properties of each kind of domain, as data, known before one is opened.

/// Properties of the domains of a scheme. Programs decide by these fields, never by the text of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// How far messages get.
    pub reach: Reach,
    /// Channels are files in shared memory, which [`saltus_channel::Directory`] opens by the same URL: they can be listed,
    /// inspected, created and removed, and they keep messages on their own.
    pub shared_memory: bool,
    /// How losses are reported to subscribers.
    pub losses: Losses,
    /// What `Message::sender` identifies.
    pub senders: Senders,
    /// Messages of different channels arrive in the order in which one process published them.
    pub orders_channels: bool,
    /// Which earlier messages a new subscriber can receive.
    pub keeps: Keeps,
    /// What publishers and subscribers must discover before messages flow.
    pub discovery: Discovery,
    /// A publisher can store a description of its messages with the channel, for tools to read.
    pub describes: bool,
    /// Which timestamps `Publisher::publish_with_timestamp` accepts.
    pub timestamps: Timestamps,
    /// Publishing may wait: for the kernel, a peer or a disk.
    pub publish_waits: bool,
    /// The transport returns a process's own messages to its subscribers. If not, they receive them directly, and
    /// the transport skips returned ones.
    pub returns_own: bool,
    /// A process that only publishes must receive too, because others ask it which channels it has.
    pub answers: bool,
    /// The host and the port that a URL may leave out.
    pub address: Option<(&'static str, u16)>,
}

impl Traits {
    /// Whether a loss is reported for the channel on which it happened. If not,
    /// `Missed::OfSender` counts over all channels of a sender.
    pub const fn reports_losses_by_channel(&self) -> bool {
        matches!(self.losses, Losses::Exact | Losses::OfPublisher | Losses::OfSenderOnChannel)
    }
}

/// How far messages get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only this process.
    Process,
    /// The processes of this machine.
    Machine,
    /// Other machines.
    Network,
    /// A file, for later playback.
    File,
}

/// How losses are reported to subscribers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Losses {
    /// Each published message is received, missed or dropped, and counted.
    Exact,
    /// Gaps in the numbers of each publisher, which has one channel.
    OfPublisher,
    /// Gaps in the numbers that a sender gives its messages on each channel.
    OfSenderOnChannel,
    /// Gaps in the numbers that a sender gives its messages on all channels together.
    OfSender,
    /// That messages may be missing, by an error, but not how many.
    Interruptions,
    /// Nothing.
    Nothing,
}

/// What the sender of a message identifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Senders {
    /// Nothing: the transport does not identify senders.
    Unknown,
    /// A publisher.
    Publishers,
    /// A domain in a process, with all its publishers.
    Processes,
    /// The address and port of a process. A later process on that port counts as the same sender.
    Ports,
}

/// Which earlier messages a new subscriber can receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// None.
    Nothing,
    /// Those that a publisher still has for others: perhaps some, perhaps none.
    Some,
    /// The most recent ones of each channel.
    Recent,
}

/// What publishers and subscribers must discover before messages flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discovery {
    /// Nothing: the first message arrives.
    Immediate,
    /// A subscriber by pattern must discover the channels, and may miss the first messages of a new one.
    Channels,
    /// Publishers and subscribers must discover each other. Messages published before are lost.
    Peers,
    /// Both of these.
    PeersAndChannels,
}

impl Discovery {
    /// Whether a subscriber by pattern may miss the first messages of a new channel.
    pub const fn finds_channels_slowly(self) -> bool {
        matches!(self, Discovery::Channels | Discovery::PeersAndChannels)
    }
    /// Whether messages are lost until publishers and subscribers have discovered each other.
    pub const fn meets_slowly(self) -> bool {
        matches!(self, Discovery::Peers | Discovery::PeersAndChannels)
    }
}

/// Which timestamps `Publisher::publish_with_timestamp` accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timestamps {
    /// None: the transport carries no timestamps, or only that of the publication.
    Present,
    /// ns of boot time.
    BootTime,
    /// ns since 1970, of which a log keeps µs.
    WallTime,
}
