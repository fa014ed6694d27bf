//! A domain that is shown: its channels as they come and go, and the messages of those that somebody wants.

use crate::hub::{Hub, Order};
use crate::protocol::{ClientAdvert, Graph, Level, Status};
use crate::publishing::{self, Publishing};
use crate::shown::{self, Shown};
use crate::way::{self, Way};
use saltus_domain::{Description, Domain, Error, Message, Missed, Name, Options, Pattern, Subscriber, Until};
use saltus_log::Types;
use saltus_os::clock;
use saltus_types::cdr::Dialect;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::time::{Duration, Instant};

/// Channels come and go so often.
const SCAN: Duration = Duration::from_millis(250);
/// What has no type is asked for it so often.
const ASK: Duration = Duration::from_secs(1);
/// Looks for messages, while somebody wants some: no publisher ever has to wake this reader.
const LOOK: Duration = Duration::from_millis(2);
/// Messages of a channel that may wait here.
const DEPTH: u64 = 256;
/// Messages taken of one channel before the next has its turn.
const TURN: usize = 256;
/// Channels of a domain that are shown. A network may invent them without end.
const MOST: usize = 4096;
/// Bytes of the newest messages of a network's channels that are kept for clients who subscribe later.
const KEPT: usize = 64 << 20;

/// A domain that is shown.
pub(crate) struct Live {
    hub: Arc<Hub>,
    domain: Domain,
    /// The same in shared memory, to see who is there without reading.
    shm: Option<saltus_channel::Directory>,
    prefix: String,
    types: Types,
    dialect: Dialect,
    /// A network does not know its channels: there everything is listened to.
    all: Option<Subscriber>,
    channels: HashMap<Name, Shown>,
    version: u64,
    /// Bytes of the newest messages of a network's channels.
    kept: usize,
    /// What to add to boot time for ns since 1970.
    to_wall: i64,
    full: bool,
    /// What clients publish, if they may.
    publishing: Option<Publishing>,
    /// Messages of senders that did not come here, on networks that do not tell of which channels they were; and how many of them
    /// were told of.
    lost: (u64, u64),
    /// Descriptions of types that were read, or tried.
    tried: HashSet<Description>,
    /// Errors that everybody was told of.
    told: HashSet<String>,
}

impl Live {
    /// Shows a domain. Names of channels get `prefix` before them.
    pub fn new(
        hub: Arc<Hub>,
        domain: Domain,
        prefix: String,
        types: Types,
        dialect: Dialect,
    ) -> Result<Live, Error> {
        let (shm, all) = match domain.shared_memory() {
            Some(shm) => (Some(shm.clone()), None),
            None => (None, Some(domain.subscriber_with(Pattern::all(), Options::next(DEPTH))?)),
        };
        let to_wall = clock::now(clock::Clock::Realtime).wrapping_sub(clock::boottime()) as i64;
        let (channels, version) = (HashMap::new(), u64::MAX);
        let (tried, told) = (HashSet::new(), HashSet::new());
        Ok(Live {
            hub,
            domain,
            shm,
            prefix,
            types,
            dialect,
            all,
            channels,
            version,
            kept: 0,
            to_wall,
            full: false,
            publishing: None,
            lost: (0, 0),
            tried,
            told,
        })
    }

    /// Lets clients publish, if they may.
    pub fn with_publishing(self, publishing: Option<Publishing>) -> Live {
        Live { publishing, ..self }
    }

    /// Shows it until `stop`.
    pub fn run(mut self, stop: &AtomicBool) {
        let mut scan = Instant::now();
        while !stop.load(Acquire) {
            let now = Instant::now();
            let mut done = Ok(0);
            if now >= scan {
                scan = now + SCAN;
                self.version = u64::MAX; // what could not be subscribed is tried again
                done = self.scan().map(|()| 0);
            }
            self.follow();
            self.obey();
            done = done.and_then(|_| self.take());
            match done {
                Ok(0) => std::thread::sleep(LOOK),
                Ok(_) => {}
                Err(Error::Ended) => {
                    self.hub.status(&Status::new(Level::Info, format!("{} has ended", self.domain.url())));
                    return;
                }
                Err(error) => {
                    self.tell(&error);
                    std::thread::sleep(SCAN);
                }
            }
        }
    }

    /// Tells everybody of an error, once.
    fn tell(&mut self, error: &Error) {
        let words = format!("{}: {error}", self.domain.url());
        if self.told.len() < 100 && self.told.insert(words.clone()) {
            self.hub.status(&Status::new(Level::Error, words));
        }
    }

    /// Publishes what clients want published.
    fn obey(&mut self) {
        let Some(mut publishing) = self.publishing.take() else { return };
        for _ in 0..TURN {
            let Ok((client, order)) = publishing.orders.try_recv() else { break };
            match order {
                Order::Advertise(advert) => {
                    let topic = advert.topic.clone();
                    if let Err(why) = self.advertise(&mut publishing, client, advert) {
                        let words = format!("`{topic}` cannot be published: {why}");
                        self.hub.tell(client, &Status::new(Level::Error, words));
                    }
                }
                Order::Unadvertise(channel) => publishing.unadvertise(client, channel),
                Order::Publish(channel, data) => publishing.publish(&self.hub, client, channel, &data),
                Order::Left => publishing.left(client),
            }
        }
        self.publishing = Some(publishing);
    }

    /// A client wants to publish a channel: of the type that it has already, or of the one that the client names.
    fn advertise(&mut self, to: &mut Publishing, client: u64, advert: ClientAdvert) -> Result<(), String> {
        let name = advert.topic.strip_prefix(&self.prefix).unwrap_or_default();
        let name = Name::new(name).map_err(|e| e.to_string())?;
        let known = match self.channels.get(&name).and_then(|shown| shown.way.kind().cloned()) {
            None => self.kind_of(&name),
            known => known,
        };
        let asked = &advert.schema_name;
        let kind = match known {
            Some(kind) if !asked.is_empty() && !publishing::is_named(&kind, asked, self.dialect) => {
                return Err(format!("its messages are `{}`, not `{asked}`", kind.name()));
            }
            Some(kind) => Some(kind),
            None => publishing::named(&self.types, asked, self.dialect),
        };
        to.advertise((client, advert), &self.domain, &name, kind, self.dialect)
    }

    /// Tells those who want a channel what of it was lost on its way here, and everybody what nobody knows the channel of.
    fn tell_losses(&mut self) {
        if self.lost.0 > self.lost.1 {
            self.lost.1 = self.lost.0;
            let (lost, url) = (self.lost.0, self.domain.url());
            let message = format!(
                "{lost} messages on {url} were lost so far, before they came to this server, of channels unknown"
            );
            let id = Some(format!("lost-{url}"));
            self.hub.status(&Status { level: Level::Warning, message, id });
        }
        for shown in self.channels.values_mut().filter(|shown| shown.lost > shown.told) {
            shown.told = shown.lost;
            let message = format!(
                "{} messages of `{}` were lost so far, before they came to this server",
                shown.lost, shown.topic
            );
            let id = Some(format!("lost-{}", shown.id));
            self.hub.tell_of(shown.id, &Status { level: Level::Warning, message, id });
        }
    }

    /// Looks which channels there are, and who talks to whom.
    fn scan(&mut self) -> Result<(), Error> {
        self.tell_losses();
        if self.shm.is_some() {
            let names: HashSet<Name> = self.domain.channels()?.into_iter().collect();
            let gone: Vec<Name> =
                self.channels.keys().filter(|name| !names.contains(name)).cloned().collect();
            let ids: Vec<u32> =
                gone.iter().filter_map(|name| self.channels.remove(name)).map(|c| c.id).collect();
            self.hub.unadvertise(&ids);
            for name in names {
                self.show(&name, None);
            }
            if self.hub.wants_graph() {
                self.hub.graph(self.domain.url(), self.graph());
            }
        } else if self.hub.wants_graph() {
            let network = |shown: &Shown| (shown.topic.clone(), [self.domain.url().to_string()].into());
            let published = self.channels.values().map(network).collect();
            self.hub.graph(self.domain.url(), Graph { published, ..Graph::default() });
        }
        Ok(())
    }

    /// Who publishes and subscribes in shared memory.
    fn graph(&self) -> Graph {
        let mut graph = Graph::default();
        let infos = self.channels.iter().filter_map(|(name, shown)| {
            let info = self.shm.as_ref()?.open_channel(name.as_bytes()).ok()?.info().ok()?;
            Some((shown.topic.clone(), info))
        });
        let own = std::process::id();
        for (topic, info) in infos {
            let publishers = info.lanes.iter().filter(|lane| lane.alive);
            let who = |process: &str, pid: u32| format!("{} ({pid})", way::topic("", process.as_bytes()));
            let publishers = publishers.map(|lane| who(&lane.process, lane.pid)).collect();
            // What this server reads, its clients read.
            let subscribers = info.subscribers.iter().filter(|one| one.alive && one.pid != own);
            let subscribers = subscribers.map(|one| who(&one.process, one.pid)).collect();
            graph.published.insert(topic.clone(), publishers);
            graph.subscribed.insert(topic, subscribers);
        }
        graph
    }

    /// A channel is there; `message` came on it. Clients are told of what is new about it.
    fn show(&mut self, name: &Name, message: Option<&[u8]>) {
        let known = self.channels.get(name);
        let unasked =
            known.is_none_or(|c| c.way.kind().is_none() && c.asked.is_none_or(|at| at.elapsed() >= ASK));
        if known.is_none() && self.channels.len() >= MOST {
            if !std::mem::replace(&mut self.full, true) {
                let words =
                    format!("{} has over {MOST} channels: the others are not shown", self.domain.url());
                self.hub.status(&Status::new(Level::Warning, words));
            }
            return;
        }
        let mut kind = message.and_then(|data| self.types.of(data)).cloned();
        if kind.is_none() && unasked {
            kind = self.kind_of(name);
            if let Some(shown) = self.channels.get_mut(name) {
                shown.asked = Some(Instant::now());
            }
        }
        if self.channels.contains_key(name) && kind.is_none() {
            return;
        }
        let topic = way::topic(&self.prefix, name.as_bytes());
        let way = Way::of(kind.as_ref(), self.dialect);
        if let Some(before) = self.channels.remove(name) {
            self.kept -= before.newest.map_or(0, |(_, data)| data.len());
            self.hub.unadvertise(&[before.id]);
        }
        let id = self.hub.advertise(vec![way.advert(topic.clone())])[0];
        let (asked, told_by_channel) = (Some(Instant::now()), self.domain.tells_losses_by_channel());
        let shown = Shown { asked, told_by_channel, ..Shown::new(id, topic, way) };
        self.channels.insert(name.clone(), shown);
    }

    /// What the publishers of a channel in shared memory say of it; or else what its newest message is.
    fn kind_of(&mut self, name: &Name) -> Option<Arc<saltus_log::Kind>> {
        let channel = self.shm.as_ref()?.open_channel(name.as_bytes()).ok()?;
        for said in channel.descriptions().unwrap_or_default().iter().rev() {
            let keys = [said.fingerprint.to_be_bytes(), said.fingerprint.to_ne_bytes()];
            let known = keys.iter().find_map(|key| self.types.of(key)).cloned();
            if known.is_some() {
                return known;
            }
            let new = self.tried.len() < MOST && self.tried.insert(said.clone());
            if new && self.types.learn(&said.name, &said.schema) {
                let learnt = keys.iter().find_map(|key| self.types.of(key)).cloned();
                if learnt.is_some() {
                    return learnt;
                }
            }
        }
        if self.types.is_empty() {
            return None;
        }
        let mut subscriber = self.domain.subscriber(name.as_bytes()).ok()?;
        let newest = subscriber.current(Until::Poll).ok()??;
        self.types.of(newest.data).cloned()
    }

    /// Subscribes what somebody wants now, and what nobody wants no longer.
    fn follow(&mut self) {
        let version = self.hub.version();
        if version == self.version {
            return;
        }
        let wanted = self.hub.wanted();
        let mut troubles = Vec::new();
        for (name, shown) in &mut self.channels {
            shown.wanted = wanted.contains(&shown.id);
            if !shown.wanted {
                shown.subscriber = None;
            } else if shown.subscriber.is_none() && self.all.is_none() {
                let pattern = Pattern::name(name);
                let opened = pattern
                    .and_then(|name| self.domain.subscriber_with(name, Options::next(DEPTH).at_most()));
                match opened {
                    Ok(subscriber) => shown.subscriber = Some(subscriber),
                    Err(error) => troubles.push(error),
                }
            }
        }
        if self.all.is_some() {
            let lacking = self.hub.lacking();
            let lacking = self.channels.values_mut().filter(|shown| lacking.contains(&shown.id));
            lacking.for_each(|shown| shown.pass_newest(&self.hub));
        }
        troubles.iter().for_each(|error| self.tell(error));
        self.version = version;
    }

    /// Keeps a message of a network as the newest of its channel, as far as there is room for it.
    fn keep(&mut self, message: &Message<'_>) {
        let Some(shown) = self.channels.get_mut(message.channel) else { return };
        let mut data = shown.newest.take().map(|(_, data)| data).unwrap_or_default();
        self.kept -= data.len();
        data.clear();
        if self.kept + message.data.len() <= KEPT {
            data.extend_from_slice(message.data);
            data.shrink_to(data.len().saturating_mul(2));
            self.kept += data.len();
            shown.newest = Some((shown::time(message, self.to_wall), data));
        }
    }

    /// Takes what has come; says how many messages.
    fn take(&mut self) -> Result<usize, Error> {
        let mut count = 0;
        if let Some(mut all) = self.all.take() {
            let taken = (0..TURN).try_for_each(|_| match all.receive(Until::Poll) {
                Ok(Some(message)) => {
                    count += 1;
                    self.came(&message);
                    Ok(())
                }
                Ok(None) => Err(None),
                Err(error) => Err(Some(error)),
            });
            self.all = Some(all);
            return match taken {
                Err(Some(error)) => Err(error),
                _ => Ok(count),
            };
        }
        let (mut changed, mut troubles) = (Vec::new(), Vec::new());
        for (name, shown) in &mut self.channels {
            let Some(mut subscriber) = shown.subscriber.take() else { continue };
            let mut turns = 0..TURN;
            let taken = loop {
                if turns.next().is_none() {
                    break Ok(());
                }
                match subscriber.receive(Until::Poll) {
                    Ok(Some(message)) => {
                        count += 1;
                        if shown.pass(&self.hub, &message, &self.types, self.to_wall) {
                            changed.push((name.clone(), message.data.to_vec()));
                            break Ok(());
                        }
                    }
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(error),
                }
            };
            match taken {
                Ok(()) => shown.subscriber = Some(subscriber),
                Err(error) => troubles.push(error),
            }
        }
        troubles.iter().for_each(|error| self.tell(error));
        for (name, data) in changed {
            self.show(&name, Some(&data));
        }
        Ok(count)
    }

    /// A message came on a network.
    fn came(&mut self, message: &Message<'_>) {
        if let Missed::OfSender(lost) = message.missed
            && !self.domain.tells_losses_by_channel()
        {
            self.lost.0 = self.lost.0.saturating_add(lost);
        }
        let changes = match self.channels.get_mut(message.channel) {
            None => true,
            Some(shown) => shown.pass(&self.hub, message, &self.types, self.to_wall),
        };
        if changes {
            self.show(message.channel, Some(message.data));
        }
        self.keep(message);
    }
}
