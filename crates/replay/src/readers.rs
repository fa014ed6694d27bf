//! Waiting for readers at speed 0: in shared memory, the player reads their counters, and waits for them, although channels do not.

use std::collections::HashMap;

use saltus_channel::{Channel, Directory, Info, Name};
use saltus_domain::Publisher;
use saltus_os::{clock, process, stop};
use saltus_text::escape::{escaped, harmless};

use crate::lags::{JOINING, Lags};

/// Receives messages for the user during playback.
pub type Tell = Box<dyn FnMut(&str) + Send>;

/// Time between two readings of counters, in ns.
const PAUSE: u64 = 100_000;

/// The readers of the played channels.
pub(crate) struct Readers {
    domain: Directory,
    /// Start of playback, boot time in ns.
    began: u64,
    all: HashMap<Name, Read>,
}

/// A played channel.
struct Read {
    channel: Channel,
    /// Time of its first message, boot time in ns. Readers that subscribe to patterns need time to find it.
    since: u64,
    /// Largest lag, in messages, at which a reader cannot miss any.
    room: u64,
    /// Upper bound of the current lag.
    ahead: u64,
    /// `None` before the first reading.
    lags: Option<Lags>,
}

impl Readers {
    /// The readers in a shared-memory domain; `None` for other domains, where readers are unknown.
    pub(crate) fn of(domain: &saltus_domain::Domain) -> Option<Readers> {
        let domain = domain.shared_memory()?.clone();
        Some(Readers { domain, began: clock::boottime(), all: HashMap::new() })
    }

    /// Call this after each message. Waits while a live reader lags so far behind that it could miss the next message. Readers without
    /// counters are unknown. Does not wait if others publish on the channel too.
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
            let (most, left) = lags.check(&info.subscribers, published, now);
            for reader in left {
                let (who, channel) = (harmless(&reader.process), escaped(name.as_bytes()));
                tell(&format!("{who} ({}) does not read `{channel}`: continuing without it", reader.pid));
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

/// The channel's state if this publisher is in it, and the number of messages in its lane if no other publisher is alive.
fn published(info: Info, publisher: &Publisher) -> Option<(Info, Option<u64>)> {
    let living = info.lanes.iter().filter(|lane| lane.alive);
    let own = living.clone().find(|lane| Some(lane.publisher.lease) == publisher.sender())?.published;
    let alone = living.count() == 1;
    Some((info, alone.then_some(own)))
}
