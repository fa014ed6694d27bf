//! Statistics of a tunnel.

/// Messages that were not delivered, by reason. Each is counted where it is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// The other end did not answer, or restarted while the message was being sent.
    pub no_peer: u64,
    /// A newer message of the channel overtook it, while it waited or in transit.
    pub superseded: u64,
    /// The deadline passed before all of it was sent.
    pub expired: u64,
    /// It could not have been sent before its deadline at the allowed rate.
    pub too_slow: u64,
    /// There was no memory for it, or there were too many channels.
    pub full: u64,
    /// The path's packets became too short for it after it was accepted.
    pub too_long: u64,
    /// It arrived completely, but too late.
    pub late: u64,
    /// Too few of its packets arrived.
    pub incomplete: u64,
}

impl Dropped {
    /// The sum.
    pub fn total(&self) -> u64 {
        let Dropped { no_peer, superseded, expired, too_slow, full, too_long, late, incomplete } = *self;
        no_peer + superseded + expired + too_slow + full + too_long + late + incomplete
    }
}

/// Datagrams discarded, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rejected {
    /// Datagrams that do not belong to this tunnel: too short, of another key or session, or forged.
    pub foreign: u64,
    /// Genuine, but received before: copied in transit, or recorded and sent again.
    pub copies: u64,
    /// Genuine, but malformed.
    pub malformed: u64,
}

/// Statistics of one end of a tunnel since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Messages accepted for sending.
    pub accepted: u64,
    /// Messages that were sent completely once.
    pub sent: u64,
    /// Bytes of their payloads.
    pub sent_payload: u64,
    /// Datagrams sent, and their bytes, without the headers of IP and UDP.
    pub sent_datagrams: u64,
    /// See `sent_datagrams`.
    pub sent_bytes: u64,
    /// Of `sent_datagrams`, those that carry only parity.
    pub sent_parity: u64,
    /// Messages delivered.
    pub delivered: u64,
    /// Of `delivered`, messages with lost packets that the erasure code restored.
    pub recovered: u64,
    /// Bytes of the payloads delivered.
    pub delivered_payload: u64,
    /// Genuine datagrams received, and their bytes.
    pub received_datagrams: u64,
    /// See `received_datagrams`.
    pub received_bytes: u64,
    /// Messages that were not carried.
    pub dropped: Dropped,
    /// Datagrams discarded.
    pub rejected: Rejected,
    /// Sessions started.
    pub sessions: u64,
    /// The fraction of this end's datagrams lost recently, as reported by the other end.
    pub loss: Option<f64>,
    /// The longest packet that the path is known to carry, in bytes, with the headers of IP and UDP.
    pub mtu: Option<usize>,
    /// The shortest recent round trip, in µs.
    pub round_trip: Option<u32>,
}
