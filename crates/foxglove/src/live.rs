//! Shows a domain: its channels as they appear and disappear, and the messages of subscribed channels.

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

/// Time between two searches for channels.
const SCAN: Duration = Duration::from_millis(250);
/// Time between two queries for the type of a channel without one.
const ASK: Duration = Duration::from_secs(1);
/// Polling period while clients subscribe. Publishers never have to wake this reader.
const CHECK_INTERVAL: Duration = Duration::from_millis(2);
/// Most messages of a channel that wait in this process.
const DEPTH: u64 = 256;
/// Most messages received from one channel before the next has its turn.
const TURN: usize = 256;
/// Most channels of a domain that are shown. A network could invent any number.
const MOST: usize = 4096;
/// Most bytes of newest messages of a network's channels that are kept for later subscriptions.
const KEPT: usize = 64 << 20;

/// A shown domain.
pub(crate) struct Live {
    hub: Arc<Hub>,
    domain: Domain,
    /// The same domain in shared memory, for participants without reading messages.
    shm: Option<saltus_channel::Directory>,
    prefix: String,
    types: Types,
    dialect: Dialect,
    /// On a network: a subscriber of all channels, because networks keep no list of channels.
    all: Option<Subscriber>,
    channels: HashMap<Name, Shown>,
    version: u64,
    /// Bytes of the kept newest messages of a network's channels.
    kept: usize,
    /// Offset from boot time to ns since 1970.
    to_wall: i64,
    full: bool,
    /// The channels that clients publish, if they may.
    publishing: Option<Publishing>,
    /// Messages lost before they arrived here, on networks that do not report their channels; and how many of them were reported.
    lost: (u64, u64),
    /// Descriptions of types that were read already, successfully or not.
    tried: HashSet<Description>,
    /// Errors already reported.
    reported: HashSet<String>,
}

impl Live {
    /// Opens a domain to show. Channel names get the prefix `prefix`.
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
        let (tried, reported) = (HashSet::new(), HashSet::new());
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
            reported,
        })
    }

    /// Allows clients to publish through `publishing`.
    pub fn with_publishing(self, publishing: Option<Publishing>) -> Live {
        Live { publishing, ..self }
    }

    /// Shows the domain until `stop`.
    pub fn run(mut self, stop: &AtomicBool) {
        let mut scan = Instant::now();
        while !stop.load(Acquire) {
            let now = Instant::now();
            let mut done = Ok(0);
            if now >= scan {
                scan = now + SCAN;
                self.version = u64::MAX; // retries failed subscriptions
                done = self.scan().map(|()| 0);
            }
            self.follow();
            self.update_subscriptions();
            done = done.and_then(|_| self.take());
            match done {
                Ok(0) => std::thread::sleep(CHECK_INTERVAL),
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

    /// Reports an error to all clients, once.
    fn tell(&mut self, error: &Error) {
        let words = format!("{}: {error}", self.domain.url());
        if self.reported.len() < 100 && self.reported.insert(words.clone()) {
            self.hub.status(&Status::new(Level::Error, words));
        }
    }

    /// Handles the clients' orders for publishing.
    fn update_subscriptions(&mut self) {
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

    /// Prepares a channel that a client publishes. Its type is the one that the channel has, else the one that the client names.
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

    /// Reports messages lost before they arrived here: to the subscribers of their channel, or to all clients if the channel is unknown.
    fn report_losses(&mut self) {
        if self.lost.0 > self.lost.1 {
            self.lost.1 = self.lost.0;
            let (lost, url) = (self.lost.0, self.domain.url());
            let message = format!(
                "{lost} messages on {url}, of unknown channels, were lost so far before they reached this server"
            );
            let id = Some(format!("lost-{url}"));
            self.hub.status(&Status { level: Level::Warning, message, id });
        }
        for shown in self.channels.values_mut().filter(|shown| shown.lost > shown.reported) {
            shown.reported = shown.lost;
            let message = format!(
                "{} messages of `{}` were lost so far before they reached this server",
                shown.lost, shown.topic
            );
            let id = Some(format!("lost-{}", shown.id));
            self.hub.send_status_of(shown.id, &Status { level: Level::Warning, message, id });
        }
    }

    /// Updates the channels and the connection graph.
    fn scan(&mut self) -> Result<(), Error> {
        self.report_losses();
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

    /// The publishers and subscribers in shared memory.
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
            // This server is left out: its clients are listed instead.
            let subscribers = info.subscribers.iter().filter(|one| one.alive && one.pid != own);
            let subscribers = subscribers.map(|one| who(&one.process, one.pid)).collect();
            graph.published.insert(topic.clone(), publishers);
            graph.subscribed.insert(topic, subscribers);
        }
        graph
    }

    /// Adds or updates a channel; `message` is a message of it. Reports changes to clients.
    fn show(&mut self, name: &Name, message: Option<&[u8]>) {
        let known = self.channels.get(name);
        let unasked =
            known.is_none_or(|c| c.way.kind().is_none() && c.asked.is_none_or(|at| at.elapsed() >= ASK));
        if known.is_none() && self.channels.len() >= MOST {
            if !std::mem::replace(&mut self.full, true) {
                let words =
                    format!("{} has more than {MOST} channels: the others are not shown", self.domain.url());
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
        let (asked, told_by_channel) = (Some(Instant::now()), self.domain.reports_losses_by_channel());
        let shown = Shown { asked, told_by_channel, ..Shown::new(id, topic, way) };
        self.channels.insert(name.clone(), shown);
    }

    /// The type of a channel in shared memory: by its publishers' descriptions, else by its newest message.
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

    /// Subscribes and unsubscribes channels by the clients' subscriptions.
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

    /// Keeps a network's message as the newest of its channel, if it fits into the limit.
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

    /// Receives waiting messages. Returns their number.
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

    /// Handles a message from a network.
    fn came(&mut self, message: &Message<'_>) {
        if let Missed::OfSender(lost) = message.missed
            && !self.domain.reports_losses_by_channel()
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
