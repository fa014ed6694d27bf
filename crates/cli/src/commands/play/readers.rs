//! As fast as readers keep up: in shared memory their counters tell how far they are, and the player waits for them, though
//! channels do not.

use std::collections::{HashMap, HashSet};

use saltus_channel::{Channel, Domain, Info, Name, SubscriberInfo};
use saltus_domain::Publisher;
use saltus_os::{clock, process};

use crate::escape::{escaped, harmless};
use crate::failure::say;
use crate::stop;

/// A channel that is new is found by readers of many channels within so long, in ns; and who has just subscribed has not read yet.
const JOINING: u64 = 50_000_000;
/// A reader that does not read for so long is not waited for any more, in ns.
const PATIENCE: u64 = 3_000_000_000;
/// Counters are read again after so long, in ns.
const PAUSE: u64 = 100_000;

/// The readers of what is played.
pub struct Readers {
    domain: Domain,
    all: HashMap<Name, Read>,
    /// Readers that are not waited for: process, and since when they subscribe.
    given_up: HashSet<(u32, u64)>,
}

/// A channel that is played into.
struct Read {
    channel: Channel,
    /// When it was played into for the first time, boot time in ns.
    since: u64,
    /// How many messages a reader may be behind, so that it cannot miss any.
    room: u64,
    /// How many it may be behind now.
    ahead: u64,
}

impl Readers {
    /// Those of a domain in shared memory; of others nothing is known.
    pub fn of(domain: &saltus_domain::Domain) -> Option<Readers> {
        let url = domain.url().split('?').next().filter(|url| url.starts_with("shm://"))?;
        let domain = Domain::open(url).ok()?;
        Some(Readers { domain, all: HashMap::new(), given_up: HashSet::new() })
    }

    /// After a message was published: waits while a living reader is so far behind that it could miss the next. A reader that keeps no
    /// counters is not known, and where others publish too nobody is waited for.
    pub fn wait(&mut self, publisher: &Publisher) {
        let name = publisher.channel();
        if !self.all.contains_key(name) {
            let Ok(channel) = self.domain.open_channel(name.as_bytes()) else { return };
            let room = (channel.attributes().get_frames() / 2).max(1);
            self.all.insert(name.clone(), Read { channel, since: clock::boottime(), room, ahead: 0 });
        }
        let Some(read) = self.all.get_mut(name) else { return };
        read.ahead += 1;
        if read.ahead < read.room {
            return;
        }
        let (mut moved, mut seen) = (clock::monotonic(), 0);
        while !stop::requested() {
            let info = read.channel.info().ok();
            let Some((info, published)) = info.and_then(|info| published(info, publisher)) else {
                // Removed, replaced, or not ours alone.
                self.all.remove(name);
                return;
            };
            let now = clock::boottime();
            let is_new = now.saturating_sub(read.since) < JOINING;
            let behind = |reader: &SubscriberInfo| match reader.received + reader.missed {
                0 if now.saturating_sub(reader.since) < JOINING => read.room,
                0 => 0,
                _ => published.saturating_sub(reader.last_seq),
            };
            let readers: Vec<_> = info.subscribers.iter().filter(|reader| reader.alive).collect();
            let waited = readers.iter().filter(|r| !self.given_up.contains(&(r.pid, r.since)));
            let most = waited.clone().map(|reader| behind(reader)).max();
            if most.map_or(!is_new, |most| most < read.room) {
                read.ahead = most.unwrap_or(0);
                return;
            }
            let sum = readers.iter().fold(0u64, |sum, reader| sum.wrapping_add(reader.last_seq));
            if sum != seen {
                (moved, seen) = (clock::monotonic(), sum);
            }
            if clock::monotonic().saturating_sub(moved) > PATIENCE {
                for reader in readers.iter().filter(|reader| behind(reader) >= read.room) {
                    if self.given_up.insert((reader.pid, reader.since)) {
                        let (who, channel) = (harmless(&reader.process), escaped(name.as_bytes()));
                        say(format_args!(
                            "{who} ({}) does not read `{channel}`: it is not waited for",
                            reader.pid
                        ));
                    }
                }
            }
            process::sleep_until(clock::monotonic() + PAUSE);
        }
    }
}

/// How many messages were published in this publisher's lane, if no other one lives.
fn published(info: Info, publisher: &Publisher) -> Option<(Info, u64)> {
    let mut lanes = info.lanes.iter().filter(|lane| lane.alive);
    let lane = lanes.next().filter(|lane| Some(lane.writer.lease) == publisher.sender())?;
    let alone = lanes.next().is_none();
    let published = lane.published;
    alone.then_some((info, published))
}
