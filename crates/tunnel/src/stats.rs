//! What a tunnel has done, in numbers.

/// Messages that were not carried, by reason. Each is counted where it is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Nobody was at the other end, or it began anew while the message was being sent.
    pub no_peer: u64,
    /// A newer message of the channel came first: while this one waited, or on the way.
    pub superseded: u64,
    /// The deadline was over before all of it was sent.
    pub expired: u64,
    /// It could not have been sent before its deadline at the rate that is allowed.
    pub too_slow: u64,
    /// There was no memory for it, or too many channels.
    pub full: u64,
    /// The path's packets became so short that it does not fit any more, after it was taken.
    pub too_long: u64,
    /// It came whole, but too late.
    pub late: u64,
    /// Some of it came, but not enough.
    pub incomplete: u64,
}

impl Dropped {
    /// All of them.
    pub fn total(&self) -> u64 {
        let Dropped { no_peer, superseded, expired, too_slow, full, too_long, late, incomplete } = *self;
        no_peer + superseded + expired + too_slow + full + too_long + late + incomplete
    }
}

/// Datagrams that were thrown away, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rejected {
    /// Not of this tunnel: too short, of another key or session, or forged.
    pub foreign: u64,
    /// Genuine, but came before: copied on the way, or recorded and sent again.
    pub copies: u64,
    /// Genuine, but makes no sense.
    pub malformed: u64,
}

/// What an end of a tunnel has done since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Messages handed over for sending.
    pub accepted: u64,
    /// Messages of which all was sent once.
    pub sent: u64,
    /// Bytes of their payloads.
    pub sent_payload: u64,
    /// Datagrams sent, and their bytes, without the headers of IP and UDP.
    pub sent_datagrams: u64,
    /// See `sent_datagrams`.
    pub sent_bytes: u64,
    /// Those among them that only make losses good.
    pub sent_parity: u64,
    /// Messages delivered.
    pub delivered: u64,
    /// Those among them that the code restored.
    pub recovered: u64,
    /// Bytes of the payloads delivered.
    pub delivered_payload: u64,
    /// Genuine datagrams received, and their bytes.
    pub received_datagrams: u64,
    /// See `received_datagrams`.
    pub received_bytes: u64,
    /// Messages that were not carried.
    pub dropped: Dropped,
    /// Datagrams that were thrown away.
    pub rejected: Rejected,
    /// Sessions that were begun.
    pub sessions: u64,
    /// The part of this end's datagrams that was lost lately, as the other end reports it.
    pub loss: Option<f64>,
    /// Bytes of the longest packet that is sent now, with the headers of IP and UDP: what the path is known to carry.
    pub mtu: Option<usize>,
    /// The shortest round trip of late, in µs.
    pub round_trip: Option<u32>,
}
