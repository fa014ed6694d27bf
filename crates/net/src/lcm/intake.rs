//! Converts datagrams to messages.

use super::packet::{Fragment, Packet, parse};
use super::reassembly::{Limits, Reassembly, Taken};
use super::senders::{Order, Senders};
use std::net::SocketAddrV4;

/// Most senders remembered.
const SENDERS: usize = 1024;

/// A received message. It borrows memory that the next one reuses.
#[derive(Clone, Copy, Debug)]
pub struct Received<'a> {
    /// The channel's name: 0 to 63 bytes without NUL.
    pub channel: &'a [u8],
    /// The message.
    pub payload: &'a [u8],
    /// The sender's address.
    pub from: SocketAddrV4,
    /// Its sequence number among all messages of that sender.
    pub sequence: u32,
    /// When its last datagram reached this machine's kernel, ns since 1970.
    pub stamp_ns: u64,
    /// How many messages of that sender, on all its channels, are missing between the previous newest one and this.
    /// If one of them arrives later, its order is [`Order::Late`].
    pub lost: u64,
    /// Its position among the sender's messages. Copies are counted and not delivered.
    pub order: Order,
}

/// Receives messages. Every closure that accepts a [`Received`] is a sink that wants all messages.
pub trait Sink {
    /// Whether messages of this channel are wanted at all. Called for the first fragment of a long message, so that
    /// unwanted ones are not reassembled; not called for messages of one datagram.
    fn wants(&mut self, channel: &[u8]) -> bool {
        let _ = channel;
        true
    }
    /// Receives a message. Called in the thread that drains; it should not block.
    fn message(&mut self, message: Received<'_>);
}

impl<F: FnMut(Received<'_>)> Sink for F {
    fn message(&mut self, message: Received<'_>) {
        self(message);
    }
}

/// Counts of datagrams and messages. [`Reassembly`] and [`Senders`] have their own counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Datagrams received, of any kind.
    pub datagrams: u64,
    /// Datagrams that are not LCM's.
    pub malformed: u64,
    /// Messages delivered.
    pub messages: u64,
    /// Bytes of their payload.
    pub bytes: u64,
    /// Long messages that were not wanted.
    pub unwanted: u64,
    /// Fragments of messages already delivered or not wanted.
    pub ignored: u64,
}

/// The state of a receiver without its socket: fragments, senders, counters.
pub struct Intake {
    reassembly: Reassembly,
    senders: Senders,
    counters: Counters,
}

impl Intake {
    /// A receiver before its first datagram.
    pub fn new(limits: Limits) -> Intake {
        Intake {
            reassembly: Reassembly::new(limits),
            senders: Senders::new(SENDERS),
            counters: Counters::default(),
        }
    }

    /// Processes a datagram and passes the message that it completes, if any, to `sink`. `stamp_ns` is passed on;
    /// `now_ns` is any clock that does not go back. Does not block. In the steady state it allocates only for
    /// fragments that arrive out of order.
    pub fn take(
        &mut self,
        from: SocketAddrV4,
        datagram: &[u8],
        stamp_ns: u64,
        now_ns: u64,
        sink: &mut impl Sink,
    ) {
        self.counters.datagrams += 1;
        let (sequence, channel, payload) = match parse(datagram) {
            Ok(Packet::Short { sequence, channel, payload }) => (sequence, channel, payload),
            Ok(Packet::Fragment(fragment)) => {
                if self.is_over(from, &fragment, now_ns, sink) {
                    return;
                }
                match self.reassembly.take(from, now_ns, &fragment) {
                    Taken::Whole { channel, payload } => (fragment.sequence, channel, payload),
                    Taken::Pending | Taken::Refused(_) => return,
                }
            }
            Err(_) => {
                self.counters.malformed += 1;
                return;
            }
        };
        let noted = self.senders.note(from, sequence, now_ns);
        if noted.order == Order::Copy {
            return;
        }
        self.counters.messages += 1;
        self.counters.bytes += payload.len() as u64;
        let (lost, order) = (noted.lost, noted.order);
        sink.message(Received { channel, payload, from, sequence, stamp_ns, lost, order });
    }

    /// Whether the message of this fragment was already delivered, or is not wanted.
    fn is_over(
        &mut self,
        from: SocketAddrV4,
        fragment: &Fragment<'_>,
        now_ns: u64,
        sink: &mut impl Sink,
    ) -> bool {
        if self.senders.has(from, fragment.sequence, now_ns) {
            self.counters.ignored += 1;
            return true;
        }
        if fragment.channel.is_none_or(|channel| sink.wants(channel)) {
            return false;
        }
        // Recorded as if it had arrived: its other fragments are ignored, and it does not count as lost.
        self.senders.note(from, fragment.sequence, now_ns);
        self.reassembly.forget(from, fragment.sequence, now_ns);
        self.counters.unwanted += 1;
        true
    }

    /// The counters.
    pub fn counters(&self) -> Counters {
        self.counters
    }
    /// Messages being reassembled, and counters of others.
    pub fn reassembly(&self) -> &Reassembly {
        &self.reassembly
    }
    /// The senders, and the losses of each.
    pub fn senders(&self) -> &Senders {
        &self.senders
    }
}
