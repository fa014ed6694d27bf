//! A message in C's layout, shared by all bindings. The documentation of [`RawMessage`] and its fields is also that
//! of C: `saltus.h` is generated from it.
//!
//! ```text
//!  0 data │ 8 len │ 16 channel │ 24 channel_len │ 32 published_ns │ 40 arrived_ns │ 48 logged_us │ 56 sender │ 64 sequence
//!  72 missed │ 80 dropped │ 88 missed_of_sender, reserved                            (bytes, where addresses have 8)
//! ```
//!
//! The reserved values for "unknown" have that meaning wherever they appear.

use crate::{Message, Missed};
use std::ffi::{c_char, c_void};

/// A message and its metadata. Saltus owns it; later versions may add fields at its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RawMessage {
    /// Its bytes; never NULL.
    pub data: *const c_void,
    /// The number of bytes.
    pub len: usize,
    /// The name of its channel, followed by a zero byte.
    pub channel: *const c_char,
    /// Bytes of the name.
    pub channel_len: usize,
    /// When it was published, in ns of boot time (see saltus_now_ns()), or SALTUS_UNKNOWN.
    pub published_ns: u64,
    /// When it arrived on this machine, in ns of boot time.
    pub arrived_ns: u64,
    /// When it was recorded according to the log, in us since 1970; SALTUS_NO_TIME if it is not from a log.
    pub logged_us: i64,
    /// A number that identifies its sender, or SALTUS_UNKNOWN.
    pub sender: u64,
    /// Its sequence number among the sender's messages, or SALTUS_UNKNOWN.
    pub sequence: u64,
    /// Messages missed since the last one received: lost on the network, or overwritten in shared memory. SALTUS_UNKNOWN if the transport
    /// cannot tell.
    pub missed: u64,
    /// Messages dropped in this process since the last one received, because this subscriber was slow or receives only the newest.
    pub dropped: u64,
    /// 1: `missed` counts over all channels of the sender; 0: over this one.
    pub missed_of_sender: u32,
    /// Always 0.
    pub reserved: u32,
}

// As drawn above.
#[cfg(target_pointer_width = "64")]
const _: () = {
    use std::mem::offset_of;
    assert!(offset_of!(RawMessage, published_ns) == 32 && offset_of!(RawMessage, missed) == 72);
    assert!(offset_of!(RawMessage, missed_of_sender) == 88 && size_of::<RawMessage>() == 96);
};

// SAFETY: it does not follow its pointers; code that does must ensure that they are valid.
unsafe impl Send for RawMessage {}

impl Default for RawMessage {
    fn default() -> RawMessage {
        RawMessage {
            data: c"".as_ptr().cast(),
            len: 0,
            channel: c"".as_ptr(),
            channel_len: 0,
            published_ns: Self::UNKNOWN,
            arrived_ns: 0,
            logged_us: Self::NO_TIME,
            sender: Self::UNKNOWN,
            sequence: Self::UNKNOWN,
            missed: Self::UNKNOWN,
            dropped: 0,
            missed_of_sender: 0,
            reserved: 0,
        }
    }
}

impl From<&Message<'_>> for RawMessage {
    /// Its pointers are valid as long as the message borrows.
    fn from(m: &Message<'_>) -> RawMessage {
        let mut raw = RawMessage::default();
        raw.lead_to(m.data, m.channel);
        raw.set_published(m.published);
        raw.arrived_ns = m.arrived;
        raw.logged_us = m.logged.unwrap_or(Self::NO_TIME);
        raw.set_sender(m.sender, m.sequence);
        raw.set_missed(m.missed, m.dropped);
        raw
    }
}

// The C header generated from this file has these numbers under its own names.
/// cbindgen:ignore
impl RawMessage {
    /// The value of an unknown number: SALTUS_UNKNOWN.
    pub const UNKNOWN: u64 = u64::MAX;
    /// The value of a time that is not from a log: SALTUS_NO_TIME.
    pub const NO_TIME: i64 = i64::MIN;
}

impl RawMessage {
    /// Sets the pointers to its bytes and its channel name.
    #[inline(always)]
    pub(crate) fn lead_to(&mut self, data: &[u8], channel: &saltus_channel::Name) {
        // An empty message has no address.
        let at = if data.is_empty() { c"".as_ptr().cast() } else { data.as_ptr() };
        (self.data, self.len) = (at.cast(), data.len());
        self.channel = channel.as_bytes_with_nul().as_ptr().cast();
        self.channel_len = channel.as_bytes().len();
    }
    #[inline(always)]
    pub(crate) fn set_published(&mut self, published: Option<u64>) {
        self.published_ns = published.unwrap_or(Self::UNKNOWN);
    }
    #[inline(always)]
    pub(crate) fn set_sender(&mut self, sender: Option<u64>, sequence: Option<u64>) {
        self.sender = sender.unwrap_or(Self::UNKNOWN);
        self.sequence = sequence.unwrap_or(Self::UNKNOWN);
    }
    #[inline(always)]
    pub(crate) fn set_missed(&mut self, missed: Missed, dropped: u64) {
        self.missed = missed.count().unwrap_or(Self::UNKNOWN);
        self.missed_of_sender = matches!(missed, Missed::OfSender(_)).into();
        self.dropped = dropped;
    }

    /// The message, with its bytes and name given separately.
    #[inline(always)]
    pub(crate) fn message<'a>(&self, data: &'a [u8], channel: &'a saltus_channel::Name) -> Message<'a> {
        let reported = |n: u64| (n != Self::UNKNOWN).then_some(n);
        let missed = if self.missed_of_sender == 1 { Missed::OfSender } else { Missed::Exact };
        Message {
            data,
            channel,
            published: reported(self.published_ns),
            arrived: self.arrived_ns,
            logged: (self.logged_us != Self::NO_TIME).then_some(self.logged_us),
            sender: reported(self.sender),
            sequence: reported(self.sequence),
            missed: reported(self.missed).map_or(Missed::Unknown, missed),
            dropped: self.dropped,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_channel::Name;

    #[test]
    fn known_and_unknown_values_round_trip() {
        let name = Name::new("imu").unwrap();
        let known = Message {
            data: b"tilt",
            channel: &name,
            published: Some(1),
            arrived: 2,
            logged: Some(-3),
            sender: Some(4),
            sequence: Some(0),
            missed: Missed::OfSender(0),
            dropped: 5,
        };
        let (published, sender, sequence, logged) = (None, None, None, None);
        let unknown = Message { published, sender, sequence, logged, missed: Missed::Unknown, ..known };
        for message in [known, unknown, Message { missed: Missed::Exact(6), ..known }] {
            let raw = RawMessage::from(&message);
            assert_eq!(format!("{:?}", raw.message(b"tilt", &name)), format!("{message:?}"));
            assert_eq!((raw.len, raw.channel_len, raw.reserved), (4, 3, 0));
            assert_eq!(raw.data, message.data.as_ptr().cast());
        }
        let empty = RawMessage::from(&Message { data: b"", ..known });
        assert!(!empty.data.is_null() && empty.len == 0);
    }
}
