//! The registry of channels and of their subscriptions by clients.

use crate::outbox::{Item, Outbox};
use crate::protocol::{self, Advert, ClientAdvert, Graph, Level, OLD, Playback, State, Status};
use crate::session::Session;
use bytes::Bytes;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio::sync::mpsc::Sender;

/// A request of a client about publishing. Channels have the client's numbers.
pub(crate) enum Order {
    Advertise(ClientAdvert),
    Unadvertise(u32),
    Publish(u32, Vec<u8>),
    /// The client disconnected.
    Left,
}

/// A domain in which clients may publish: the prefix of its channels' names, and the queue for orders.
pub(crate) type Inlet = (String, Sender<(u64, Order)>);

/// Most channels per text, which limits the text's length.
const TOGETHER: usize = 16;

/// The mailbox of a client: messages to send to it.
pub(crate) struct Mailbox {
    outbox: Mutex<Outbox>,
    /// Notified when there is something to send, or when the client is closed.
    pub bell: Notify,
    /// Notified when the client is closed.
    pub end: Notify,
    /// The reason for closing, once closed.
    over: Mutex<Option<Over>>,
    /// Set if all queued data must reach the socket before more is read from the client.
    flush: AtomicBool,
    /// Notified when it has.
    pub flushed: Notify,
}

/// The reason why a client's connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// The client closed it. The server replies to its Close frame.
    Left,
    /// The server closes it, for this reason.
    LetGo(&'static str),
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic under these locks leaves consistent data.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Mailbox {
    fn push(&self, item: Item) {
        if !lock(&self.outbox).push(item) {
            self.close("the client does not read its messages");
        }
        self.bell.notify_one();
    }
    /// The next item to send, and the number of messages lost so far.
    pub fn pop(&self) -> (Option<Item>, u64) {
        let mut outbox = lock(&self.outbox);
        (outbox.pop(), outbox.dropped())
    }
    /// Closes the client.
    pub fn close(&self, why: &'static str) {
        self.finish(Over::LetGo(why));
    }
    /// Closes the connection. The first reason is kept.
    pub fn finish(&self, why: Over) {
        lock(&self.over).get_or_insert(why);
        self.bell.notify_one();
        self.end.notify_one();
    }
    /// The reason for closing, if closed.
    pub fn over(&self) -> Option<Over> {
        *lock(&self.over)
    }
    /// Requests that the sender writes everything to the socket, and then calls [`flushed`](Mailbox::flushed).
    pub fn ask_to_flush(&self) {
        self.flush.store(true, Release); // pairs with the acquire in `must_flush`
        self.bell.notify_one();
    }
    /// Whether a flush was requested since the last call.
    pub fn must_flush(&self) -> bool {
        self.flush.swap(false, Acquire)
    }
}

struct Client {
    name: String,
    mailbox: Arc<Mailbox>,
    session: Arc<Mutex<Session>>,
    graph: bool,
    /// Whether its protocol has messages about the player: only `foxglove.sdk.v1` does.
    playback: bool,
}

/// The subscribers of a channel, and its newest message since the first subscription.
#[derive(Default)]
struct Wanted {
    by: Vec<(u64, u32)>,
    newest: Option<(u64, Bytes)>,
}

#[derive(Default)]
struct Inner {
    channels: BTreeMap<u32, Arc<Advert>>,
    last_channel: u32,
    clients: BTreeMap<u64, Client>,
    last_client: u64,
    wanted: HashMap<u32, Wanted>,
    /// The connection graph of each source.
    graphs: HashMap<String, Graph>,
    /// The graph including this server's clients.
    graph: Graph,
    state: Option<State>,
}

/// The registry of channels and clients. Cheap to clone. One lock guards everything, and no code blocks while it holds it.
pub(crate) struct Hub {
    inner: Mutex<Inner>,
    /// Counts changes of subscriptions.
    version: AtomicU64,
    player: Option<SyncSender<Playback>>,
    /// Domains in which clients may publish.
    inlets: Vec<Inlet>,
    limit: usize,
}

impl Hub {
    /// A hub without clients. Messages that wait for one client may take `limit` bytes. Clients publish through `inlets`.
    pub fn new(limit: usize, player: Option<SyncSender<Playback>>, inlets: Vec<Inlet>) -> Hub {
        Hub { inner: Mutex::default(), version: AtomicU64::new(0), player, inlets, limit }
    }
    /// Domains in which clients may publish.
    pub fn inlets(&self) -> &[Inlet] {
        &self.inlets
    }

    /// Adds channels, and returns their numbers, in this order.
    pub fn advertise(&self, adverts: Vec<Advert>) -> Vec<u32> {
        let mut inner = lock(&self.inner);
        let mut new = Vec::new();
        for mut advert in adverts {
            inner.last_channel += 1;
            advert.id = inner.last_channel;
            let advert = Arc::new(advert);
            inner.channels.insert(advert.id, advert.clone());
            new.push(advert);
        }
        inner.clients.values().for_each(|client| announce_channels(&client.mailbox, &new));
        new.iter().map(|advert| advert.id).collect()
    }

    /// Removes channels. Their subscriptions end.
    pub fn unadvertise(&self, channels: &[u32]) {
        if channels.is_empty() {
            return;
        }
        let mut inner = lock(&self.inner);
        for channel in channels {
            inner.channels.remove(channel);
            for (client, subscription) in inner.wanted.remove(channel).unwrap_or_default().by {
                if let Some(client) = inner.clients.get(&client) {
                    lock(&client.mailbox.outbox).cut(subscription);
                }
            }
        }
        let text = protocol::unadvertise(channels);
        inner.clients.values().for_each(|client| client.mailbox.push(Item::Text(text.clone())));
        self.changed(&mut inner);
        let sessions: Vec<_> = inner.clients.values().map(|client| client.session.clone()).collect();
        drop(inner); // the holder of a session may wait for this lock
        sessions.iter().for_each(|session| lock(session).gone(channels));
    }

    /// Changes whenever subscriptions change.
    pub fn version(&self) -> u64 {
        self.version.load(Acquire) // pairs with the release in `changed`
    }
    /// The channels with subscriptions.
    pub fn wanted(&self) -> HashSet<u32> {
        lock(&self.inner).wanted.keys().copied().collect()
    }
    /// Of those, the channels without a message since their first subscription.
    pub fn lacking(&self) -> HashSet<u32> {
        let inner = lock(&self.inner);
        inner.wanted.iter().filter(|(_, wanted)| wanted.newest.is_none()).map(|(id, _)| *id).collect()
    }
    fn changed(&self, inner: &mut Inner) {
        self.version.fetch_add(1, Release);
        self.regraph(inner);
    }

    /// Sends a message of a channel, with its time in ns since 1970, to its subscribers.
    pub fn message(&self, channel: u32, time: u64, data: Vec<u8>) {
        let mut inner = lock(&self.inner);
        let inner = &mut *inner;
        let Some(wanted) = inner.wanted.get_mut(&channel) else { return };
        let data = Bytes::from(data);
        for (client, subscription) in &wanted.by {
            if let Some(client) = inner.clients.get(client) {
                let (subscription, data) = (*subscription, data.clone());
                client.mailbox.push(Item::Message { subscription, time, data });
            }
        }
        wanted.newest = Some((time, data));
    }

    /// Sends a status to all clients.
    pub fn status(&self, status: &Status) {
        self.all(|| Item::Text(protocol::status(status)));
    }
    /// Sends a status to the subscribers of a channel.
    pub fn send_status_of(&self, channel: u32, status: &Status) {
        let inner = lock(&self.inner);
        let Some(wanted) = inner.wanted.get(&channel) else { return };
        let who = wanted.by.iter().filter_map(|(client, _)| inner.clients.get(client));
        who.for_each(|client| client.mailbox.push(Item::Text(protocol::status(status))));
    }
    /// Sends the time to all clients.
    pub fn time(&self, time: u64) {
        self.all(|| Item::Time(time));
    }
    fn all(&self, item: impl Fn() -> Item) {
        lock(&self.inner).clients.values().for_each(|client| client.mailbox.push(item()));
    }
    /// Sends the player's state to all clients. After a seek, waiting messages are dropped.
    pub fn state(&self, state: State) {
        let mut inner = lock(&self.inner);
        if state.moved {
            inner.wanted.values_mut().for_each(|wanted| wanted.newest = None);
        }
        for client in inner.clients.values() {
            if state.moved {
                lock(&client.mailbox.outbox).clear();
            }
            if client.playback {
                client.mailbox.push(Item::Binary(protocol::playback(&state)));
            }
        }
        inner.state = Some(State { moved: false, request: None, ..state });
    }

    /// Whether any client subscribed to the connection graph.
    pub fn wants_graph(&self) -> bool {
        lock(&self.inner).clients.values().any(|client| client.graph)
    }
    /// Sets the connection graph of one source.
    pub fn graph(&self, source: &str, graph: Graph) {
        let mut inner = lock(&self.inner);
        inner.graphs.insert(source.into(), graph);
        self.regraph(&mut inner);
    }
    fn regraph(&self, inner: &mut Inner) {
        let mut all = Graph::default();
        for graph in inner.graphs.values() {
            let sides = [(&mut all.published, &graph.published), (&mut all.subscribed, &graph.subscribed)];
            for (into, from) in sides {
                from.iter().for_each(|(topic, who)| {
                    into.entry(topic.clone()).or_default().extend(who.iter().cloned())
                });
            }
        }
        for (channel, wanted) in &inner.wanted {
            let Some(advert) = inner.channels.get(channel) else { continue };
            let names = wanted.by.iter().filter_map(|(client, _)| inner.clients.get(client));
            all.subscribed
                .entry(advert.topic.clone())
                .or_default()
                .extend(names.map(|client| client.name.clone()));
        }
        if let Some(text) = all.since(&inner.graph) {
            let who = inner.clients.values().filter(|client| client.graph);
            who.for_each(|client| client.mailbox.push(Item::Text(text.clone())));
            inner.graph = all;
        }
    }

    /// Number of clients.
    #[cfg(test)]
    pub fn clients(&self) -> usize {
        lock(&self.inner).clients.len()
    }
    /// Adds a client with this subprotocol. `first` is sent to it before anything else.
    pub fn join(&self, protocol: &str, first: String, session: Arc<Mutex<Session>>) -> (u64, Arc<Mailbox>) {
        let mut inner = lock(&self.inner);
        inner.last_client += 1;
        let id = inner.last_client;
        let outbox = Mutex::new(Outbox::new(self.limit));
        let mailbox = Arc::new(Mailbox {
            outbox,
            bell: Notify::new(),
            end: Notify::new(),
            over: Mutex::default(),
            flush: AtomicBool::new(false),
            flushed: Notify::new(),
        });
        let playback = protocol != OLD;
        mailbox.push(Item::Text(first));
        let all: Vec<Arc<Advert>> = inner.channels.values().cloned().collect();
        announce_channels(&mailbox, &all);
        if all.is_empty() {
            mailbox.push(Item::Advertise(all)); // the protocol requires one
        }
        if let Some(state) = inner.state.as_ref().filter(|_| playback) {
            mailbox.push(Item::Binary(protocol::playback(state)));
        }
        let name = format!("client {id} ({protocol})");
        let client = Client { name, mailbox: mailbox.clone(), session, graph: false, playback };
        inner.clients.insert(id, client);
        (id, mailbox)
    }
    /// Removes a client.
    pub fn leave(&self, id: u64) {
        let mut inner = lock(&self.inner);
        inner.clients.remove(&id);
        inner.wanted.retain(|_, wanted| {
            wanted.by.retain(|(client, _)| *client != id);
            !wanted.by.is_empty()
        });
        self.changed(&mut inner);
    }

    /// Whether there is a channel with this number.
    pub fn exists(&self, channel: u32) -> bool {
        lock(&self.inner).channels.contains_key(&channel)
    }
    /// Subscribes a client to a channel. If others subscribed before, the client gets the newest message immediately. `false` if the
    /// channel is gone.
    pub fn subscribe(&self, id: u64, subscription: u32, channel: u32) -> bool {
        let mut inner = lock(&self.inner);
        if !inner.channels.contains_key(&channel) {
            return false;
        }
        let wanted = inner.wanted.entry(channel).or_default();
        wanted.by.push((id, subscription));
        if let Some((time, data)) = wanted.newest.clone()
            && let Some(client) = inner.clients.get(&id)
        {
            client.mailbox.push(Item::Message { subscription, time, data });
        }
        self.changed(&mut inner);
        true
    }
    /// Unsubscribes a client from a channel.
    pub fn unsubscribe(&self, id: u64, subscription: u32, channel: u32) {
        let mut inner = lock(&self.inner);
        if let Some(wanted) = inner.wanted.get_mut(&channel) {
            wanted.by.retain(|one| *one != (id, subscription));
            if wanted.by.is_empty() {
                inner.wanted.remove(&channel);
            }
        }
        if let Some(client) = inner.clients.get(&id) {
            lock(&client.mailbox.outbox).cut(subscription);
        }
        self.changed(&mut inner);
    }
    /// Subscribes a client to the connection graph, or unsubscribes it.
    pub fn show_graph(&self, id: u64, show: bool) {
        let mut inner = lock(&self.inner);
        let everything = inner.graph.since(&Graph::default());
        if let Some(client) = inner.clients.get_mut(&id) {
            if let Some(text) = everything.filter(|_| show && !client.graph) {
                client.mailbox.push(Item::Text(text));
            }
            client.graph = show;
        }
    }
    /// Sends a status to one client.
    pub fn tell(&self, id: u64, status: &Status) {
        if let Some(client) = lock(&self.inner).clients.get(&id) {
            client.mailbox.push(Item::Text(protocol::status(status)));
        }
    }
    /// Sends a command to the player.
    pub fn playback(&self, id: u64, playback: Playback) {
        let Some(player) = &self.player else { return };
        if let Err(TrySendError::Full(_)) = player.try_send(playback) {
            self.tell(id, &Status::new(Level::Error, "the player is busy: try again"));
        }
    }
}

fn announce_channels(mailbox: &Mailbox, channels: &[Arc<Advert>]) {
    channels.chunks(TOGETHER).for_each(|some| mailbox.push(Item::Advertise(some.to_vec())));
}
