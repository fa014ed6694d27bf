//! Datagrams in, messages out.

use super::packet::{Fragment, Packet, parse};
use super::reassembly::{Limits, Reassembly, Taken};
use super::senders::{Order, Senders};
use std::net::SocketAddrV4;

/// How many senders are remembered.
const SENDERS: usize = 1024;

/// A message, as it came. It borrows memory that the next one uses again.
#[derive(Clone, Copy, Debug)]
pub struct Received<'a> {
    /// The channel's name, 0 to 63 bytes of any kind but NUL.
    pub channel: &'a [u8],
    /// The message.
    pub payload: &'a [u8],
    /// Who sent it.
    pub from: SocketAddrV4,
    /// Its number among all messages of that sender.
    pub sequence: u32,
    /// When its last datagram reached this machine's kernel, ns since 1970.
    pub stamp_ns: u64,
    /// How many messages of that sender, on whatever channels, are missing since the newest before this one. One that
    /// comes late after all is told with [`Order::Late`].
    pub lost: u64,
    /// Its place among the others of that sender. Copies are counted and not delivered.
    pub order: Order,
}

/// Who takes messages. Every closure that takes a [`Received`] is one, and wants all.
pub trait Sink {
    /// Whether a message of this channel is wanted at all. Asked for the first fragment of a long message, so that what
    /// nobody wants is not put together; not for messages of one datagram.
    fn wants(&mut self, channel: &[u8]) -> bool {
        let _ = channel;
        true
    }
    /// Takes a message. It is called in the thread that drains and should not wait.
    fn message(&mut self, message: Received<'_>);
}

impl<F: FnMut(Received<'_>)> Sink for F {
    fn message(&mut self, message: Received<'_>) {
        self(message);
    }
}

/// What has happened so far. What [`Reassembly`] and [`Senders`] count, they tell themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Datagrams that came, of whatever kind.
    pub datagrams: u64,
    /// Datagrams that are none of LCM.
    pub malformed: u64,
    /// Messages delivered.
    pub messages: u64,
    /// Bytes of their payload.
    pub bytes: u64,
    /// Long messages that nobody wanted.
    pub unwanted: u64,
    /// Fragments of messages that were delivered already or are unwanted.
    pub ignored: u64,
}

/// The state of a receiver, without its socket: fragments, senders, counters.
pub struct Intake {
    reassembly: Reassembly,
    senders: Senders,
    counters: Counters,
}

impl Intake {
    /// Nothing has come yet.
    pub fn new(limits: Limits) -> Intake {
        Intake {
            reassembly: Reassembly::new(limits),
            senders: Senders::new(SENDERS),
            counters: Counters::default(),
        }
    }

    /// Takes a datagram; gives the message to `sink` that is whole with it, if there is one. `stamp_ns` is passed on,
    /// `now_ns` is any clock that does not go back. Does not block. Allocates nothing in the steady state but for fragments
    /// that come out of order.
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

    /// Whether the message of this fragment was delivered already, or nobody wants it.
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
        // Noted as if it had come: its other fragments are ignored, and it is not counted as lost.
        self.senders.note(from, fragment.sequence, now_ns);
        self.reassembly.forget(from, fragment.sequence, now_ns);
        self.counters.unwanted += 1;
        true
    }

    /// What has happened so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }
    /// Long messages: what is on its way, and what became of the others.
    pub fn reassembly(&self) -> &Reassembly {
        &self.reassembly
    }
    /// The senders, and what was lost of each.
    pub fn senders(&self) -> &Senders {
        &self.senders
    }
}
