//! Losses of each sender, by its sequence numbers.
//!
//! A sender is an address and a port. It counts its messages over all its channels, so a gap gives the number of
//! lost messages, but not their channels. The last [`WINDOW`] numbers are remembered individually: a missing number
//! that arrives later is late and no longer lost, and one that had arrived is a copy.

mod window;

use crate::lru::Lru;
use std::net::SocketAddrV4;
use window::Window;

pub use window::WINDOW;

/// The largest gap: a number further ahead restarts the count.
const FARTHEST: u32 = 1 << 24;
/// Silence after which an old number means that the sender restarted, in ns. No network delays a datagram for so
/// long.
const SILENCE: u64 = 1_000_000_000;

/// The order of a message among those of its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The first one received from this sender. Losses before it are unknown.
    First,
    /// Newer than all before it.
    Next,
    /// Older than one already received; it was counted as lost and no longer is.
    Late,
    /// The sender has restarted on the same port, or was silent for very long.
    Restarted,
    /// This message was already received.
    Copy,
}

/// The result of recording a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    /// Its order among the others.
    pub order: Order,
    /// How many messages of this sender, on all its channels, are missing between the previous newest one and this.
    pub lost: u64,
}

/// Counts of one sender, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages received, without copies.
    pub received: u64,
    /// Messages missing now.
    pub lost: u64,
    /// Messages received after newer ones.
    pub late: u64,
    /// Messages received again.
    pub copies: u64,
    /// How often a sender restarted.
    pub restarts: u64,
}

struct Sender {
    window: Window,
    counts: Counts,
    heard_ns: u64,
}

/// All known senders, up to a maximum; then those silent for longest are forgotten.
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

    /// Records that message `sequence` of `from` has arrived completely. Each message is recorded once, regardless
    /// of its number of fragments. `now_ns` is any clock that does not go back. Allocates only for a new sender.
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

    /// Whether message `sequence` of `from` was already recorded, as far as remembered. Counts nothing.
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
    /// The counts of all senders, including forgotten ones.
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

/// Marks `sequence` in the window and returns its meaning.
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
