//! The other end's host name, looked up again while it does not answer: its address may have changed.

use crate::carrier::resolve;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// Least time between two lookups, in ns.
const AGAIN: u64 = 5_000_000_000;

/// A name and its addresses.
pub(crate) struct Name {
    text: String,
    /// The addresses in use.
    goes_to: BTreeSet<SocketAddr>,
    looked: u64,
    /// Receives the result of the present lookup.
    answer: Option<Receiver<Vec<SocketAddr>>>,
}

impl Name {
    /// `None` if it is an address itself.
    pub fn new(text: &str, found: &[SocketAddr], now: u64) -> Option<Name> {
        let is_name = text.parse::<SocketAddr>().is_err();
        let goes_to = found.iter().copied().collect();
        is_name.then(|| Name { text: text.into(), goes_to, looked: now, answer: None })
    }
    /// Sets the addresses in use.
    pub fn goes_to(&mut self, found: Vec<SocketAddr>) {
        self.goes_to = found.into_iter().collect();
    }

    /// Starts another lookup, if it is time, and returns the name's addresses if they differ from those in use,
    /// regardless of order. Never waits: a thread does the lookup, which may take long, above all while the link is
    /// down.
    pub fn check(&mut self, now: u64) -> Option<Vec<SocketAddr>> {
        if let Some(answer) = &self.answer {
            match answer.try_recv() {
                Ok(found) => {
                    self.answer = None;
                    let is_new = found.iter().copied().collect::<BTreeSet<_>>() != self.goes_to;
                    return is_new.then_some(found);
                }
                Err(std::sync::mpsc::TryRecvError::Empty) => return None,
                // The lookup failed.
                Err(std::sync::mpsc::TryRecvError::Disconnected) => self.answer = None,
            }
        }
        if now.saturating_sub(self.looked) >= AGAIN {
            self.looked = now;
            let (text, (tell, answer)) = (self.text.clone(), channel());
            let check = move || resolve(&text).map(|found| tell.send(found));
            // If no thread can be started, it is tried again.
            let begun = thread::Builder::new().name("saltus-name".into()).spawn(check);
            self.answer = begun.is_ok().then_some(answer);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reordered_answer_is_no_change_and_an_unreachable_one_stays_a_change() {
        let [one, two, three] =
            ["192.0.2.1:7", "192.0.2.2:7", "[2001:db8::1]:7"].map(|to| to.parse().unwrap());
        let mut name = Name::new("robot.example:7", &[one, two], 0).unwrap();
        let answer = |name: &mut Name, found: &[SocketAddr]| {
            let (tell, answer) = channel();
            name.answer = Some(answer);
            tell.send(found.to_vec()).unwrap();
            name.check(0)
        };
        assert_eq!(answer(&mut name, &[two, one]), None);
        for _ in 0..2 {
            assert_eq!(answer(&mut name, &[three]), Some(vec![three]));
        }
        name.goes_to(vec![three]);
        assert_eq!([answer(&mut name, &[three]), answer(&mut name, &[one])], [None, Some(vec![one])]);
    }
}
