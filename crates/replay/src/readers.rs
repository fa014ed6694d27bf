//! As fast as readers keep up: in shared memory their counters tell how far they are, and the player waits for them, though
//! channels do not.

use std::collections::HashMap;

use saltus_channel::{Channel, Directory, Info, Name};
use saltus_domain::Publisher;
use saltus_os::{clock, process, stop};
use saltus_text::escape::{escaped, harmless};

use crate::lags::{JOINING, Lags};

/// Tells a sentence that somebody should hear while a log is played.
pub type Tell = Box<dyn FnMut(&str) + Send>;

/// Counters are read again after so long, in ns.
const PAUSE: u64 = 100_000;

/// The readers of what is played.
pub(crate) struct Readers {
    domain: Directory,
    /// Since when, boot time in ns.
    began: u64,
    all: HashMap<Name, Read>,
}

/// A channel that is played into.
struct Read {
    channel: Channel,
    /// When it was played into for the first time, boot time in ns. Readers of many channels are yet to find it.
    since: u64,
    /// How many messages a reader may be behind, so that it cannot miss any.
    room: u64,
    /// How many it may be behind now.
    ahead: u64,
    /// `None` before the first look.
    lags: Option<Lags>,
}

impl Readers {
    /// Those of a domain in shared memory; of others nothing is known.
    pub(crate) fn of(domain: &saltus_domain::Domain) -> Option<Readers> {
        let domain = domain.shared_memory()?.clone();
        Some(Readers { domain, began: clock::boottime(), all: HashMap::new() })
    }

    /// After a message was published: waits while a living reader is so far behind that it could miss the next. A reader that keeps no
    /// counters is not known, and where others publish too nobody is waited for.
    pub(crate) fn wait(&mut self, publisher: &Publisher, tell: &mut Tell) {
        let name = publisher.channel();
        if !self.all.contains_key(name) {
            let Ok(channel) = self.domain.open_channel(name.as_bytes()) else { return };
            let room = (channel.attributes().get_depth() / 2).max(1);
            let read = Read { channel, since: clock::boottime(), room, ahead: 0, lags: None };
            self.all.insert(name.clone(), read);
        }
        let Some(read) = self.all.get_mut(name) else { return };
        read.ahead += 1;
        if read.ahead < read.room {
            return;
        }
        read.lags.iter_mut().for_each(|lags| lags.begin(clock::monotonic()));
        while !stop::requested() {
            let info = read.channel.info().ok();
            let Some((info, published)) = info.and_then(|info| published(info, publisher)) else {
                // Removed, or replaced.
                self.all.remove(name);
                return;
            };
            let Some(published) = published else {
                read.ahead = 0;
                return;
            };
            let now = (clock::boottime(), clock::monotonic());
            let (room, before) = (read.room, published.saturating_sub(read.ahead));
            let lags = read.lags.get_or_insert_with(|| Lags::new(room, self.began, before));
            let (most, left) = lags.look(&info.subscribers, published, now);
            for reader in left {
                let (who, channel) = (harmless(&reader.process), escaped(name.as_bytes()));
                tell(&format!("{who} ({}) does not read `{channel}`: it is not waited for", reader.pid));
            }
            let is_new = now.0.saturating_sub(read.since) < JOINING;
            if most.map_or(!is_new, |most| most < room) {
                read.ahead = most.unwrap_or(0);
                return;
            }
            process::sleep_until(clock::monotonic() + PAUSE);
        }
    }
}

/// A channel, if this publisher is there, and how many messages were published in its lane, if no other one lives.
fn published(info: Info, publisher: &Publisher) -> Option<(Info, Option<u64>)> {
    let living = info.lanes.iter().filter(|lane| lane.alive);
    let own = living.clone().find(|lane| Some(lane.publisher.lease) == publisher.sender())?.published;
    let alone = living.count() == 1;
    Some((info, alone.then_some(own)))
}
