//! What is known of a message besides its bytes.

/// Who published a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PublisherId {
    /// The lane.
    pub lane: u32,
    /// The lease: a number that each publisher of a channel has for itself.
    pub lease: u64,
}

/// What is known of a received message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageInfo {
    /// Length in bytes.
    pub len: usize,
    /// Number of the message in its lane, from 1.
    pub seq: u64,
    /// When it was published, in ns of the channel's clock; 0 if the channel has no timestamps.
    pub timestamp: u64,
    /// Who published it.
    pub publisher: PublisherId,
    /// How many messages this subscriber missed since the last one it received.
    pub missed: u64,
}

/// What became of a published message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// Its number in the publisher's lane, from 1; goes on where a dead publisher's left off.
    pub seq: u64,
    /// When it was published, in ns of the channel's clock; 0 if the channel has no timestamps.
    pub timestamp: u64,
}
