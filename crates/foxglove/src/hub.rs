//! Where sources and clients meet: which channels there are, and who wants which.

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

/// What a client said about publishing. Channels have numbers of its own.
pub(crate) enum Order {
    Advertise(ClientAdvert),
    Unadvertise(u32),
    Publish(u32, Vec<u8>),
    /// It has gone.
    Left,
}

/// A domain in which clients may publish: what its channels' names begin with, and where its orders go.
pub(crate) type Inlet = (String, Sender<(u64, Order)>);

/// Channels that are told of together: a text has a bounded length then.
const TOGETHER: usize = 16;

/// The sending side of a client.
pub(crate) struct Mailbox {
    outbox: Mutex<Outbox>,
    /// There is something to send, or an end.
    pub bell: Notify,
    /// It is let go.
    pub end: Notify,
    /// Why it is let go, once it is.
    over: Mutex<Option<Over>>,
    /// Everything sent so far must reach the socket before anything else is read from the client.
    flush: AtomicBool,
    /// It has.
    pub flushed: Notify,
}

/// Why a client's connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// The client closed it: its Close frame is answered.
    Left,
    /// The server closes it, for this reason.
    LetGo(&'static str),
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What panics under these locks leaves nothing half done that others could not go on with.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Mailbox {
    fn push(&self, item: Item) {
        if !lock(&self.outbox).push(item) {
            self.close("the client does not read what it is told");
        }
        self.bell.notify_one();
    }
    /// What is to be sent next, and how many messages were lost so far.
    pub fn pop(&self) -> (Option<Item>, u64) {
        let mut outbox = lock(&self.outbox);
        (outbox.pop(), outbox.dropped())
    }
    /// Lets the client go.
    pub fn close(&self, why: &'static str) {
        self.finish(Over::LetGo(why));
    }
    /// Ends the connection; the first reason counts.
    pub fn finish(&self, why: Over) {
        lock(&self.over).get_or_insert(why);
        self.bell.notify_one();
        self.end.notify_one();
    }
    /// Why it is let go, if it is.
    pub fn over(&self) -> Option<Over> {
        *lock(&self.over)
    }
    /// Asks the sender to write everything to the socket; it answers by [`flushed`](Mailbox::flushed).
    pub fn ask_to_flush(&self) {
        self.flush.store(true, Release); // pairs with the acquire in `must_flush`
        self.bell.notify_one();
    }
    /// Whether that was asked for since the last call.
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

/// Who wants a channel, and its newest message since somebody does.
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
    /// Who talks to whom, as each source says.
    graphs: HashMap<String, Graph>,
    /// The same with the clients of this server.
    graph: Graph,
    state: Option<State>,
}

/// Where sources and clients meet. Cheap to share; everything is done under one lock, and nothing waits under it.
pub(crate) struct Hub {
    inner: Mutex<Inner>,
    /// Counts changes of what is wanted.
    version: AtomicU64,
    player: Option<SyncSender<Playback>>,
    /// Domains in which clients may publish.
    inlets: Vec<Inlet>,
    limit: usize,
}

impl Hub {
    /// Nobody is there. Messages that wait for one client may take `limit` bytes. Clients may publish by `inlets`.
    pub fn new(limit: usize, player: Option<SyncSender<Playback>>, inlets: Vec<Inlet>) -> Hub {
        Hub { inner: Mutex::default(), version: AtomicU64::new(0), player, inlets, limit }
    }
    /// Domains in which clients may publish.
    pub fn inlets(&self) -> &[Inlet] {
        &self.inlets
    }

    /// Channels that are there from now on; gives them their numbers, in this order.
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
        inner.clients.values().for_each(|client| tell_channels(&client.mailbox, &new));
        new.iter().map(|advert| advert.id).collect()
    }

    /// Channels that are there no more. Their subscriptions end.
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
        drop(inner); // who holds a session may be waiting for it
        sessions.iter().for_each(|session| lock(session).gone(channels));
    }

    /// Changes with what is wanted.
    pub fn version(&self) -> u64 {
        self.version.load(Acquire) // pairs with the release in `changed`
    }
    /// The channels that somebody wants.
    pub fn wanted(&self) -> HashSet<u32> {
        lock(&self.inner).wanted.keys().copied().collect()
    }
    /// Of those, the channels of which no message came since somebody wants them.
    pub fn lacking(&self) -> HashSet<u32> {
        let inner = lock(&self.inner);
        inner.wanted.iter().filter(|(_, wanted)| wanted.newest.is_none()).map(|(id, _)| *id).collect()
    }
    fn changed(&self, inner: &mut Inner) {
        self.version.fetch_add(1, Release);
        self.regraph(inner);
    }

    /// A message of a channel, with its time in ns since 1970, to all who want it.
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

    /// Tells everybody.
    pub fn status(&self, status: &Status) {
        self.all(|| Item::Text(protocol::status(status)));
    }
    /// Tells those who want a channel.
    pub fn tell_of(&self, channel: u32, status: &Status) {
        let inner = lock(&self.inner);
        let Some(wanted) = inner.wanted.get(&channel) else { return };
        let who = wanted.by.iter().filter_map(|(client, _)| inner.clients.get(client));
        who.for_each(|client| client.mailbox.push(Item::Text(protocol::status(status))));
    }
    /// Tells everybody what time it is.
    pub fn time(&self, time: u64) {
        self.all(|| Item::Time(time));
    }
    fn all(&self, item: impl Fn() -> Item) {
        lock(&self.inner).clients.values().for_each(|client| client.mailbox.push(item()));
    }
    /// Tells everybody how the player stands. If it was moved, what waits is out of date.
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

    /// Whether anybody wants to know who talks to whom.
    pub fn wants_graph(&self) -> bool {
        lock(&self.inner).clients.values().any(|client| client.graph)
    }
    /// Who talks to whom, as one source says.
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

    /// How many clients there are.
    #[cfg(test)]
    pub fn clients(&self) -> usize {
        lock(&self.inner).clients.len()
    }
    /// A client of this subprotocol comes; `first` is what it is told before anything else.
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
        tell_channels(&mailbox, &all);
        if all.is_empty() {
            mailbox.push(Item::Advertise(all)); // the protocol promises one
        }
        if let Some(state) = inner.state.as_ref().filter(|_| playback) {
            mailbox.push(Item::Binary(protocol::playback(state)));
        }
        let name = format!("client {id} ({protocol})");
        let client = Client { name, mailbox: mailbox.clone(), session, graph: false, playback };
        inner.clients.insert(id, client);
        (id, mailbox)
    }
    /// A client has gone.
    pub fn leave(&self, id: u64) {
        let mut inner = lock(&self.inner);
        inner.clients.remove(&id);
        inner.wanted.retain(|_, wanted| {
            wanted.by.retain(|(client, _)| *client != id);
            !wanted.by.is_empty()
        });
        self.changed(&mut inner);
    }

    /// Whether there is a channel of this number.
    pub fn exists(&self, channel: u32) -> bool {
        lock(&self.inner).channels.contains_key(&channel)
    }
    /// A client wants a channel. It gets its newest message at once, if others want it already. `false`: the channel has gone.
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
    /// A client has enough of a channel.
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
    /// A client wants to know who talks to whom, or no longer.
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
    /// Tells one client.
    pub fn tell(&self, id: u64, status: &Status) {
        if let Some(client) = lock(&self.inner).clients.get(&id) {
            client.mailbox.push(Item::Text(protocol::status(status)));
        }
    }
    /// The player is to do this.
    pub fn playback(&self, id: u64, playback: Playback) {
        let Some(player) = &self.player else { return };
        if let Err(TrySendError::Full(_)) = player.try_send(playback) {
            self.tell(id, &Status::new(Level::Error, "the player is busy: ask again"));
        }
    }
}

fn tell_channels(mailbox: &Mailbox, channels: &[Arc<Advert>]) {
    channels.chunks(TOGETHER).for_each(|some| mailbox.push(Item::Advertise(some.to_vec())));
}
