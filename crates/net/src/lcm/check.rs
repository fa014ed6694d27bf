//! LCM's self test: whether a message sent to the group returns.

use super::intake::{Received, Sink};
use super::listener::Listener;
use super::publisher::Publisher;
use crate::udp::diagnose::{Facts, LOOPBACK_ROUTE};
use crate::{Error, Result};
use saltus_os::fd::AsFd;
use saltus_os::{clock, poll};
use std::time::Duration;

/// The channel of LCM's self test. Other programs' tests use it too.
pub const SELF_TEST: &[u8] = b"LCM_SELF_TEST";
/// The message that LCM sends on it.
const WORDS: &[u8] = b"lcm self test";
/// Longest wait for the answer, in ns.
const LONGEST: u64 = 300_000_000;
/// Interval between repetitions, in ns.
const AGAIN: u64 = 50_000_000;

/// Sends a message to the group and waits until it returns, at most 300 ms. Returns how long that took. All
/// messages that arrive in the meantime, including its own, go to `sink`.
///
/// It can succeed only if `listener` is a member of the group that `publisher` sends to, on the same host.
///
/// # Errors
/// [`Error::SelfTest`] explains what is wrong and which command fixes it; or the message could not be sent at all.
pub fn check(publisher: &Publisher, listener: &mut Listener, mut sink: impl Sink) -> Result<Duration> {
    let start = clock::monotonic();
    let mut sent = None;
    loop {
        let now = clock::monotonic();
        // If this thread was stopped until the time was up, the answer may have arrived all the same: it checks
        // once more.
        let over = sent.is_some() && now - start >= LONGEST;
        if !over && sent.is_none_or(|at| now - at >= AGAIN) {
            publisher.publish(SELF_TEST, WORDS)?;
            sent = Some(now);
        }
        if readable(listener, if over { 0 } else { AGAIN }) {
            let ports = publisher.ports();
            let mut watch = Watch { sink: &mut sink, port: ports[0], heard: false };
            while !watch.heard && listener.drain(64, &mut watch)? == 64 {}
            if watch.heard {
                return Ok(Duration::from_nanos(clock::monotonic() - start));
            }
        }
        if over {
            return Err(silence(publisher, listener));
        }
    }
}

/// A sink that passes all messages on and detects our own.
struct Watch<'a, S> {
    sink: &'a mut S,
    port: u16,
    heard: bool,
}

impl<S: Sink> Sink for &mut Watch<'_, S> {
    fn wants(&mut self, channel: &[u8]) -> bool {
        self.sink.wants(channel)
    }
    fn message(&mut self, message: Received<'_>) {
        self.heard |= message.channel == SELF_TEST && message.from.port() == self.port;
        self.sink.message(message);
    }
}

/// Whether a datagram arrives within `time` ns.
fn readable(listener: &Listener, time: u64) -> bool {
    let mut one = [poll::entry(Some(listener.as_fd()), poll::READ)];
    poll::wait(&mut one, Some(Duration::from_nanos(time))).is_ok_and(|ready| ready > 0)
}

/// Finds out why the message did not return.
fn silence(publisher: &Publisher, listener: &Listener) -> Error {
    let group = publisher.group();
    let facts = Facts::read(*group.ip());
    let dropped = listener.socket().dropped().unwrap_or(0);
    let what = format!("a message sent to {group} does not return to this host");
    let remedy = match facts.interface {
        None => format!("no route leads to {}; {LOOPBACK_ROUTE}", group.ip()),
        Some(_) if dropped > 0 => format!(
            "the receive buffer is too small, {dropped} datagrams were dropped: `sysctl -w net.core.rmem_max=4194304` \
             (now {}), and drain more often",
            facts.receive_most.map_or("unknown".to_owned(), |most| most.to_string())
        ),
        Some(name) => format!(
            "the route leads to interface {name}: check that it is up and multicast (`ip link show {name}`), that no firewall drops \
             it (`nft list ruleset`), or name another by `iface`; {LOOPBACK_ROUTE}"
        ),
    };
    Error::SelfTest { what, remedy }
}
