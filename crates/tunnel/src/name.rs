//! The name that a connecter was given, looked up again while nobody is there: the other end may have another address by then.

use crate::carrier::resolve;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// How long after one look the next may begin, in ns.
const AGAIN: u64 = 5_000_000_000;

/// A name, and what it meant at the last look.
pub(crate) struct Name {
    text: String,
    found: Vec<SocketAddr>,
    looked: u64,
    /// Where the present look tells what it finds.
    answer: Option<Receiver<Vec<SocketAddr>>>,
}

impl Name {
    /// `None` of what is an address itself.
    pub fn new(text: &str, found: &[SocketAddr], now: u64) -> Option<Name> {
        let is_name = text.parse::<SocketAddr>().is_err();
        is_name.then(|| Name { text: text.into(), found: found.into(), looked: now, answer: None })
    }

    /// Looks again, if it is time, and says what the name means now if that is something else. Never waits: the system may take
    /// long to answer, above all while the link is down, so that a thread asks it.
    pub fn look(&mut self, now: u64) -> Option<Vec<SocketAddr>> {
        if let Some(answer) = &self.answer {
            match answer.try_recv() {
                Ok(found) => {
                    self.answer = None;
                    let is_new = found != self.found;
                    self.found.clone_from(&found);
                    return is_new.then_some(found);
                }
                Err(std::sync::mpsc::TryRecvError::Empty) => return None,
                // It has found nothing.
                Err(std::sync::mpsc::TryRecvError::Disconnected) => self.answer = None,
            }
        }
        if now.saturating_sub(self.looked) >= AGAIN {
            self.looked = now;
            let (text, (tell, answer)) = (self.text.clone(), channel());
            let look = move || resolve(&text).map(|found| tell.send(found));
            // Without a thread it is tried again.
            let begun = thread::Builder::new().name("saltus-name".into()).spawn(look);
            self.answer = begun.is_ok().then_some(answer);
        }
        None
    }
}
