//! Watches a network, a log or the memory of this process, as a subscriber of all channels.

use super::shared::{Shared, Source};
use crate::{ChannelId, Seen};
use saltus_domain::{
    CancelHandle, Error, Message, Missed, Name, Options, Pattern, Result, Subscriber, Until,
};
use saltus_os::clock;
use std::collections::HashMap;
use std::thread;
use std::time::{Duration, Instant};

/// Most messages of a channel that wait to be read.
const DEPTH: u64 = 4096;
/// Most messages, and longest time, per lock of the model.
const TURN: (usize, Duration) = (256, Duration::from_millis(10));
/// Long enough for a waiting front end to wake and take the lock.
const BREATH: Duration = Duration::from_millis(1);
/// Pause after an error.
const PAUSE: Duration = Duration::from_millis(500);
/// Time between two requests for publishers' descriptions while a type is missing.
const ASK: Duration = Duration::from_secs(1);

pub(super) struct Network {
    source: Source,
    subscriber: Subscriber,
    /// Channels by name; `None` if not selected, or too many.
    known: HashMap<Name, Option<ChannelId>>,
    asked: HashMap<ChannelId, Instant>,
}

/// Most names that are remembered. More names make the spy slower, not larger.
const NAMES: usize = 20_000;

impl Network {
    pub fn new(source: Source) -> Result<Network> {
        let subscriber = source.domain.subscriber_with(Pattern::all(), Options::next(DEPTH))?;
        Ok(Network { source, subscriber, known: HashMap::new(), asked: HashMap::new() })
    }
    pub fn cancel_handle(&mut self) -> CancelHandle {
        self.subscriber.cancel_handle()
    }

    pub fn run(&mut self, shared: &Shared) {
        while !shared.is_stopped() {
            match self.subscriber.wait(Until::Forever).and_then(|_| self.turn(shared)) {
                Ok(()) | Err(Error::Canceled) => {}
                // A log has ended. Its state stays visible.
                Err(Error::Ended) => return,
                Err(error) => {
                    shared.trouble(self.source.domain.url(), error.to_string());
                    thread::park_timeout(PAUSE);
                }
            }
        }
    }

    fn turn(&mut self, shared: &Shared) -> Result<()> {
        let mut strangers = Vec::new();
        {
            let mut model = shared.model();
            let start = Instant::now();
            for _ in 0..TURN.0 {
                if start.elapsed() > TURN.1 {
                    drop(model);
                    // Without a pause before the next lock, no other thread would get it.
                    thread::park_timeout(BREATH);
                    break;
                }
                let Some(message) = self.subscriber.receive(Until::Poll)? else { break };
                let now = clock::boottime();
                let id = match self.known.get(message.channel) {
                    Some(id) => *id,
                    None => {
                        let wanted = self.source.wants(message.channel);
                        let url = self.source.domain.url();
                        let id = wanted.then(|| model.channel(url, message.channel.as_bytes())).flatten();
                        if self.known.len() < NAMES {
                            self.known.insert(message.channel.clone(), id);
                        }
                        id
                    }
                };
                let Some(id) = id else { continue };
                model.message(now, id, &seen(&message));
                if model.wants_type(id) && self.asked.get(&id).is_none_or(|at| at.elapsed() > ASK) {
                    self.asked.insert(id, Instant::now());
                    strangers.push((id, message.channel.clone()));
                }
            }
        }
        for (id, name) in strangers {
            let descriptions = self.subscriber.descriptions(&name);
            if !descriptions.is_empty() {
                shared.model().learn(id, &descriptions);
            }
        }
        Ok(())
    }
}

fn seen<'a>(message: &Message<'a>) -> Seen<'a> {
    Seen {
        data: message.data,
        size: message.data.len(),
        published: message.published,
        arrived: message.arrived,
        sender: message.sender,
        sequence: message.sequence.filter(|_| matches!(message.missed, Missed::Exact(_))),
        missed: message.missed,
        dropped: message.dropped,
    }
}
