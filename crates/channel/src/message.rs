//! The metadata of a message.

/// Identifies the publisher of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PublisherId {
    /// The publisher's buffer, which a later publisher may reuse.
    pub lane: u32,
    /// A number that identifies the publisher within the channel, ever.
    pub lease: u64,
}

/// The metadata of a received message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageInfo {
    /// Length in bytes.
    pub len: usize,
    /// Sequence number in the publisher's buffer, from 1.
    pub seq: u64,
    /// When it was published, in ns of the channel's clock; 0 if the channel has no timestamps.
    pub timestamp: u64,
    /// The publisher.
    pub publisher: PublisherId,
    /// How many messages this subscriber missed since the last one it received.
    pub missed: u64,
}

/// The sequence number and timestamp assigned to a published message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// Sequence number in the publisher's buffer, from 1; continues after the last message of a dead publisher.
    pub seq: u64,
    /// When it was published, in ns of the channel's clock; 0 if the channel has no timestamps.
    pub timestamp: u64,
}
