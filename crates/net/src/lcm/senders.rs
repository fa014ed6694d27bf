//! What each sender's sequence numbers tell about loss.
//!
//! A sender is an address and a port. It counts its messages over all its channels, so that a gap says how many
//! messages were lost, not of which channel. The last [`WINDOW`] numbers are remembered one by one: a number that was missing
//! and comes after all is late and no longer lost, one that had come is a copy.

mod window;

use crate::lru::Lru;
use std::net::SocketAddrV4;
use window::Window;

pub use window::WINDOW;

/// How far a number may run ahead and still count as a gap.
const FARTHEST: u32 = 1 << 24;
/// Silence after which an old number means that the sender began anew, in ns. No network holds a datagram back so long.
const SILENCE: u64 = 1_000_000_000;

/// Where a message stands among those of its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The first that was heard of this sender. What came before it is not known.
    First,
    /// Newer than all before it.
    Next,
    /// Older than one that has come already; it was counted as lost and no longer is.
    Late,
    /// The sender has begun anew on the same port, or was not heard for very long.
    Restarted,
    /// This message has come already.
    Copy,
}

/// What is said of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    /// Its place among the others.
    pub order: Order,
    /// How many messages of this sender, on whatever channels, are missing between the newest before and this one.
    pub lost: u64,
}

/// Counts of one sender, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages that came, copies not counted.
    pub received: u64,
    /// Messages missing now.
    pub lost: u64,
    /// Messages that came after newer ones.
    pub late: u64,
    /// Messages that came again.
    pub copies: u64,
    /// How often a sender began anew.
    pub restarts: u64,
}

struct Sender {
    window: Window,
    counts: Counts,
    heard_ns: u64,
}

/// All senders that were heard, up to a number; then those not heard for longest are forgotten.
pub struct Senders {
    most: usize,
    senders: Lru<SocketAddrV4, Sender>,
    total: Counts,
    forgotten: u64,
}

impl Senders {
    /// Remembers at most `most` senders, at least one.
    pub fn new(most: usize) -> Senders {
        Senders { most: most.max(1), senders: Lru::new(), total: Counts::default(), forgotten: 0 }
    }

    /// Notes that message `sequence` of `from` has come, all of it. Each message is noted once, however many fragments it
    /// has. `now_ns` is any clock that does not go back. Allocates for a new sender only.
    pub fn note(&mut self, from: SocketAddrV4, sequence: u32, now_ns: u64) -> Noted {
        let Some(sender) = self.senders.get_mut(&from) else {
            self.add(from, sequence, now_ns);
            return Noted { order: Order::First, lost: 0 };
        };
        let silent = now_ns.saturating_sub(sender.heard_ns) > SILENCE;
        sender.heard_ns = now_ns;
        let noted = place(&mut sender.window, sequence, silent);
        count(&mut sender.counts, &sender.window, sequence, noted);
        count(&mut self.total, &sender.window, sequence, noted);
        noted
    }

    /// Whether message `sequence` of `from` was noted already, as far as is remembered. Counts nothing.
    pub fn has(&mut self, from: SocketAddrV4, sequence: u32, now_ns: u64) -> bool {
        let Some(sender) = self.senders.get_mut(&from) else { return false };
        let silent = now_ns.saturating_sub(sender.heard_ns) > SILENCE;
        let has = !silent && sender.window.has(sequence);
        if has {
            sender.heard_ns = now_ns; // it still sends this message
        }
        has
    }

    /// Each sender with its counts, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (SocketAddrV4, Counts)> {
        self.senders.iter().map(|(from, sender)| (*from, sender.counts))
    }
    /// The counts of all senders, also of those that are forgotten.
    pub fn total(&self) -> Counts {
        self.total
    }
    /// How many senders were forgotten for new ones.
    pub fn forgotten(&self) -> u64 {
        self.forgotten
    }

    fn add(&mut self, from: SocketAddrV4, sequence: u32, now_ns: u64) {
        if self.senders.len() >= self.most
            && let Some(oldest) = self.senders.oldest().map(|(from, _)| *from)
        {
            self.senders.remove(&oldest);
            self.forgotten += 1;
        }
        let counts = Counts { received: 1, ..Counts::default() };
        self.total.received += 1;
        self.senders.insert(from, Sender { window: Window::new(sequence), counts, heard_ns: now_ns });
    }
}

/// Marks `sequence` in the window and says what it means.
fn place(window: &mut Window, sequence: u32, silent: bool) -> Noted {
    let ahead = sequence.wrapping_sub(window.newest());
    let behind = ahead.wrapping_neg();
    let order = match ahead {
        1..=FARTHEST => {
            window.advance(sequence);
            return Noted { order: Order::Next, lost: u64::from(ahead - 1) };
        }
        _ if silent || behind >= WINDOW => {
            *window = Window::new(sequence);
            Order::Restarted
        }
        _ if window.has(sequence) => Order::Copy,
        _ => {
            window.mark(sequence);
            Order::Late
        }
    };
    Noted { order, lost: 0 }
}

fn count(counts: &mut Counts, window: &Window, sequence: u32, noted: Noted) {
    counts.lost += noted.lost;
    counts.received += u64::from(noted.order != Order::Copy);
    match noted.order {
        Order::First | Order::Next => {}
        Order::Late => {
            counts.late += 1;
            counts.lost -= u64::from(window.was_expected(sequence) && counts.lost > 0);
        }
        Order::Restarted => counts.restarts += 1,
        Order::Copy => counts.copies += 1,
    }
}

#[cfg(test)]
mod tests;
