//! "Keep last" history for reliable writers: messages that a subscriber has not acknowledged are overwritten. The
//! library keeps them instead, and refuses new messages, until the subscriber acknowledges or a time limit expires.
//!
//! It uses standard parts of RTPS. One participant may send for another (`INFO_SRC`), so we send ourselves the
//! acknowledgment in the subscriber's name. A `GAP` message tells the subscriber that earlier messages are
//! irrelevant, so that it stops waiting for them, if it is alive. Neither has an effect on a subscriber that has
//! acknowledged more.

use super::failed::failed;
use rustdds::GUID;
use saltus_transport::Result;
use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Sends messages in the name of other participants, and to them.
#[derive(Debug)]
pub(super) struct Speaker {
    socket: UdpSocket,
    /// The address at which this participant receives acknowledgments.
    own: SocketAddr,
    /// Counts acknowledgments, downwards from here; readers count upwards.
    number: AtomicI32,
}

impl Speaker {
    /// `stays`: whether the network is this machine only.
    pub fn new(domain: u16, participant: u16, stays: bool) -> Result<Speaker> {
        let ip = if stays { Ipv4Addr::LOCALHOST } else { Ipv4Addr::UNSPECIFIED };
        let socket = UdpSocket::bind((ip, 0)).and_then(|s| s.set_nonblocking(true).map(|()| s));
        let socket = socket.map_err(|e| failed("make a socket for DDS", e))?;
        // RTPS, section 9.6.2: the port on which a participant receives data.
        let port = 7411 + 250 * u32::from(domain) + 2 * u32::from(participant);
        let port = u16::try_from(port).map_err(|_| failed("join DDS", "too many participants"))?;
        Ok(Speaker { socket, own: (Ipv4Addr::LOCALHOST, port).into(), number: AtomicI32::new(-1) })
    }

    /// Releases `reader`, which listens at `places`, from the messages of `writer` up to `last`. If a datagram is
    /// lost, the next call repeats it.
    pub fn skip(&self, writer: GUID, reader: GUID, places: impl Iterator<Item = SocketAddr>, last: i64) {
        let number = self.number.fetch_sub(1, Relaxed); // any number that was not used recently will do
        let _ = self.socket.send_to(&confirm(writer, reader, last, number), self.own);
        let gap = gap(writer, reader, last);
        places.for_each(|place| drop(self.socket.send_to(&gap, place)));
    }
}

/// Submessage IDs, as in section 9.4.5 of RTPS, and the flag for little-endian numbers.
const ACKNACK: u8 = 0x06;
const GAP: u8 = 0x08;
const INFO_SRC: u8 = 0x0c;
const INFO_DST: u8 = 0x0e;
const LITTLE: u8 = 1;
/// Version 2.1, without a vendor.
const VERSION: [u8; 4] = [2, 1, 0, 0];

fn parts(guid: GUID) -> ([u8; 12], [u8; 4]) {
    let bytes = guid.to_bytes();
    let (mut participant, mut entity) = ([0; 12], [0; 4]);
    participant.copy_from_slice(&bytes[..12]);
    entity.copy_from_slice(&bytes[12..]);
    (participant, entity)
}
fn number(n: i64) -> [u8; 8] {
    n.rotate_left(32).to_le_bytes() // the upper half first
}
fn message(from: [u8; 12], submessages: [(u8, u8, &[&[u8]]); 2]) -> Vec<u8> {
    let mut bytes = [&b"RTPS"[..], &VERSION, &from].concat();
    for (kind, flags, body) in submessages {
        let body = body.concat();
        bytes.extend([kind, flags | LITTLE, body.len() as u8, 0]);
        bytes.extend(body);
    }
    bytes
}

/// `reader` has everything up to `last` and requests nothing. The message itself has no sender: otherwise the
/// library would take our address for the reader's participant.
fn confirm(writer: GUID, reader: GUID, last: i64, count: i32) -> Vec<u8> {
    let ((_, to), (of, by)) = (parts(writer), parts(reader));
    let source: [&[u8]; 3] = [&[0; 4], &VERSION, &of];
    let state: [&[u8]; 5] = [&by, &to, &number(last + 1), &[0; 4], &count.to_le_bytes()];
    const FINAL: u8 = 2; // no answer is requested
    message([0; 12], [(INFO_SRC, 0, &source), (ACKNACK, FINAL, &state)])
}

/// Messages up to `last` are irrelevant to `reader`.
fn gap(writer: GUID, reader: GUID, last: i64) -> Vec<u8> {
    let ((own, from), (to, by)) = (parts(writer), parts(reader));
    let list: [&[u8]; 5] = [&by, &from, &number(1), &number(last + 1), &[0; 4]];
    message(own, [(INFO_DST, 0, &[&to]), (GAP, 0, &list)])
}

/// Which messages were published when, approximately.
#[derive(Debug)]
pub(super) struct Past {
    /// Most unacknowledged messages.
    window: i64,
    marks: VecDeque<Mark>,
    last: i64,
    /// Bytes of all messages, ever.
    bytes: u64,
    /// When a reader was last found to acknowledge nothing within its time limit.
    found: Option<Instant>,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    number: i64,
    at: Instant,
    bytes: u64,
}

/// A mark is set at least every this many bytes.
const STEP: u64 = 4 << 20;
/// Most bytes kept for readers that do not acknowledge, beyond those published in 6 s, after which the library
/// checks.
const MOST_BYTES: u64 = 64 << 20;
/// After a reader was found to acknowledge nothing, the time limit is this much,
const SHORT: Duration = Duration::from_millis(5);
/// until none was found for this long.
const AGAIN: Duration = Duration::from_secs(10);
/// Marks kept.
const MARKS: i64 = 16;

impl Past {
    pub fn new(window: i64) -> Past {
        Past { window, marks: VecDeque::new(), last: 0, bytes: 0, found: None }
    }
    /// Records that a message was published. Returns the last message beyond the limits, if any, among those
    /// unacknowledged for `patience`.
    pub fn note(&mut self, number: i64, len: usize, patience: Duration) -> Option<i64> {
        self.last = self.last.max(number);
        self.bytes += len as u64;
        let step = (self.window / MARKS).max(1);
        if self.marks.back().is_none_or(|m| number - m.number >= step || self.bytes - m.bytes >= STEP) {
            self.marks.push_back(Mark { number, at: Instant::now(), bytes: self.bytes });
        }
        let oldest = *self.marks.front()?;
        let too_many = number - oldest.number > self.window;
        let too_much = self.bytes - oldest.bytes > MOST_BYTES && oldest.at.elapsed() >= patience;
        if too_many || too_much {
            self.marks.pop_front();
        }
        too_much.then_some(oldest.number)
    }
    /// The last message that may be overwritten now: published at least `patience` ago, and in the older half.
    pub fn old(&mut self, patience: Duration) -> Option<i64> {
        let lately = self.found.is_some_and(|at| at.elapsed() < AGAIN);
        let patience = if lately { patience.min(SHORT) } else { patience };
        let newest = self.last - self.window / 2;
        let old = |mark: &&Mark| mark.number <= newest && mark.at.elapsed() >= patience;
        let found = self.marks.iter().rev().find(old).map(|mark| mark.number);
        self.found = found.map(|_| Instant::now()).or(self.found);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_follow_rtps() {
        let (writer, reader) = (GUID::from_bytes([1; 16]), GUID::from_bytes([2; 16]));
        let said = confirm(writer, reader, 6, -1);
        assert_eq!(said[..20], [b"RTPS\x02\x01\0\0", &[0; 12][..]].concat());
        assert_eq!(said[20..44], [&[0x0c, 1, 20, 0, 0, 0, 0, 0, 2, 1, 0, 0][..], &[2; 12]].concat());
        let state = [2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255];
        assert_eq!(said[44..], [&[0x06, 3, 24, 0][..], &state].concat());
        let reported = gap(writer, reader, 1 << 32);
        assert_eq!(reported[8..36], [&[1; 12][..], &[0x0e, 1, 12, 0], &[2; 12]].concat());
        let list = [2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(reported[36..], [&[0x08, 1, 28, 0][..], &list].concat());
    }

    #[test]
    fn the_older_half_goes_when_its_time_is_over_and_what_takes_too_much_memory() {
        let (mut past, now, hour) = (Past::new(64), Duration::ZERO, Duration::from_secs(3600));
        assert!((1..=1000).all(|n| past.note(n, 10, now).is_none()));
        assert_eq!(past.old(hour), None);
        let old = past.old(now).expect("all are old enough");
        assert!((960..=968).contains(&old), "{old}");
        assert!(past.marks.len() <= 18);
        std::thread::sleep(SHORT); // the time limit
        assert_eq!(past.old(hour), Some(old), "once found, the time limit is short");
        let (mut past, half) = (Past::new(1000), MOST_BYTES as usize / 2);
        assert_eq!([1, 2, 3].map(|n| past.note(n, half, hour)), [None; 3]);
        assert_eq!([4, 5].map(|n| past.note(n, half, now)), [Some(1), Some(2)]);
    }
}
