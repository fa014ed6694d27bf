//! A client without its socket: its subscriptions, and when it tries to connect.

use super::frame;
use super::intake::hello;
use super::{HELLO_CLIENT, VERSION};

/// First wait before another connection attempt, in ns. Each further wait is twice as long.
const FIRST: u64 = 50_000_000;
/// Longest wait, in ns.
const LONGEST: u64 = 2_000_000_000;
/// Longest time to establish a connection, in ns.
const PATIENCE: u64 = 5_000_000_000;

/// The subscriptions of a client, and the state of its connection. Times are of one clock, in ns.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// Expressions, and the number of subscriptions to each.
    wanted: Vec<(Box<[u8]>, usize)>,
    state: State,
    /// The wait after the next failure; 0: it was connected, or never tried.
    wait: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not connected; tries again at this time.
    Down(u64),
    /// Connecting, until this time.
    Connecting(u64),
    Up,
}

impl Default for State {
    fn default() -> State {
        State::Down(0)
    }
}

impl Session {
    /// Not connected; may try immediately.
    pub fn new() -> Session {
        Session::default()
    }
    /// Whether it is connected.
    pub fn is_up(&self) -> bool {
        self.state == State::Up
    }
    /// Whether it is time to connect.
    pub fn is_due(&self, now: u64) -> bool {
        matches!(self.state, State::Down(at) if at <= now)
    }
    /// Whether connecting takes too long.
    pub fn is_late(&self, now: u64) -> bool {
        matches!(self.state, State::Connecting(until) if until <= now)
    }
    /// Whether a connection is being made.
    pub fn is_connecting(&self) -> bool {
        matches!(self.state, State::Connecting(_))
    }
    /// The time of the next action: an attempt, or its end.
    pub fn due(&self) -> Option<u64> {
        match self.state {
            State::Down(at) | State::Connecting(at) => Some(at),
            State::Up => None,
        }
    }
    /// Records that connecting began at `now`.
    pub fn connecting(&mut self, now: u64) {
        self.state = State::Connecting(now.saturating_add(PATIENCE));
    }
    /// Records that the connection was established. Returns what to send first: the hello and all subscriptions.
    pub fn connected(&mut self) -> Vec<u8> {
        (self.state, self.wait) = (State::Up, 0);
        let mut out = hello(HELLO_CLIENT, VERSION).to_vec();
        self.wanted.iter().for_each(|(expression, _)| frame::subscribe(&mut out, expression));
        out
    }
    /// Records that connecting failed, or the connection broke. The first try after a good connection is soon.
    pub fn failed(&mut self, now: u64) {
        self.wait = (self.wait * 2).clamp(FIRST, LONGEST);
        self.state = State::Down(now.saturating_add(self.wait));
    }

    /// Adds a subscription. Returns what to send, if it is connected and the expression is new.
    pub fn subscribe(&mut self, expression: &[u8]) -> Option<Vec<u8>> {
        match self.wanted.iter_mut().find(|(e, _)| **e == *expression) {
            Some((_, count)) => {
                *count += 1;
                return None;
            }
            None => self.wanted.push((expression.into(), 1)),
        }
        self.say(frame::subscribe, expression)
    }
    /// Removes a subscription. Returns what to send, if it is connected and no equal subscription is left.
    pub fn unsubscribe(&mut self, expression: &[u8]) -> Option<Vec<u8>> {
        let at = self.wanted.iter().position(|(e, _)| **e == *expression)?;
        self.wanted[at].1 -= 1;
        if self.wanted[at].1 > 0 {
            return None;
        }
        self.wanted.remove(at);
        self.say(frame::unsubscribe, expression)
    }
    /// Whether there are subscriptions.
    pub fn wants_any(&self) -> bool {
        !self.wanted.is_empty()
    }
    fn say(&self, frame: fn(&mut Vec<u8>, &[u8]), expression: &[u8]) -> Option<Vec<u8>> {
        self.is_up().then(|| {
            let mut out = Vec::new();
            frame(&mut out, expression);
            out
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_is_said_once_and_again_after_each_connection() {
        let mut session = Session::new();
        assert!(session.is_due(0) && !session.wants_any());
        assert_eq!(session.subscribe(b"A"), None, "it is not connected");
        session.connecting(9);
        assert_eq!((session.is_due(u64::MAX), session.due()), (false, Some(9 + PATIENCE)));
        assert!(!session.is_late(8 + PATIENCE) && session.is_late(9 + PATIENCE));
        let first = session.connected();
        assert_eq!(first, b"\x28\x76\x17\xfb\0\0\x01\0\0\0\0\x02\0\0\0\x01A");
        assert_eq!(session.subscribe(b"A"), None);
        assert_eq!(session.subscribe(b"B").unwrap(), b"\0\0\0\x02\0\0\0\x01B");
        assert_eq!(session.unsubscribe(b"A"), None);
        assert_eq!(session.unsubscribe(b"A").unwrap(), b"\0\0\0\x03\0\0\0\x01A");
        assert_eq!(session.unsubscribe(b"A"), None);
        session.failed(0);
        assert_eq!(session.unsubscribe(b"never"), None);
        session.connecting(0);
        assert!(session.connected().ends_with(b"B"));
        assert!(session.wants_any());
    }

    #[test]
    fn tries_come_slower_and_soon_again_after_a_good_connection() {
        let mut session = Session::new();
        let (mut now, mut waits) = (1000, Vec::new());
        for _ in 0..8 {
            session.connecting(now);
            session.failed(now);
            let due = session.due().unwrap();
            assert!(!session.is_due(due - 1) && session.is_due(due));
            waits.push((due - now) / 1_000_000);
            now = due;
        }
        assert_eq!(waits, [50, 100, 200, 400, 800, 1600, 2000, 2000]);
        session.connecting(now);
        session.connected();
        session.failed(now);
        assert_eq!(session.due(), Some(now + FIRST));
    }
}
