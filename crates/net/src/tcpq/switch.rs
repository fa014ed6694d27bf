//! The hub without its sockets: bytes of clients in, frames for clients out.

use super::expression::Expression;
use super::frame::{self, Frame, Garbage};
use super::intake::{Intake, hello};
use super::queue::{Queue, QueueLimits};
use super::{HELLO_CLIENT, HELLO_HUB, VERSION_MARKS};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

/// Subscriptions of one client.
const SUBSCRIPTIONS: usize = 1024;
/// Those among them that are neither one name nor everything, and cost memory and time.
const EXPRESSIONS: usize = 64;
/// Marks that a client may have waiting.
const MARKS: u64 = 64;
/// Channels whose ways are remembered.
const ROUTES: usize = 4096;
/// How long a client may take to say hello, in ns.
const PATIENCE: u64 = 10_000_000_000;

/// Why a client is no more.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// It closed the connection.
    Left,
    /// The connection broke.
    Broken(String),
    /// It sent what is not LCM's.
    Garbage(Garbage),
    /// It has more subscriptions than are allowed.
    TooManySubscriptions,
    /// It asks for marks and does not read them.
    TooManyMarks,
    /// Unfinished messages of all clients take more memory than is allowed.
    Memory,
    /// It said nothing for too long after it connected.
    Silent,
    /// There are as many clients as are allowed.
    Full,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Left => f.write_str("it left"),
            Reason::Broken(why) => write!(f, "the connection broke: {why}"),
            Reason::Garbage(what) => write!(f, "it sent garbage: {what}"),
            Reason::TooManySubscriptions => write!(
                f,
                "it has too many subscriptions: {SUBSCRIPTIONS} are allowed, {EXPRESSIONS} of them expressions other than names and `.*`"
            ),
            Reason::TooManyMarks => f.write_str("it asks for marks and does not read them"),
            Reason::Memory => f.write_str("unfinished messages of all clients take too much memory"),
            Reason::Silent => f.write_str("it said nothing"),
            Reason::Full => f.write_str("there are as many clients as are allowed"),
        }
    }
}

/// What was counted of one client, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Messages that came.
    pub received: u64,
    /// Their bytes, as frames.
    pub received_bytes: u64,
    /// Messages that went out.
    pub sent: u64,
    /// Bytes that went out.
    pub sent_bytes: u64,
    /// Messages that were dropped because the client they were for is slow.
    pub dropped: u64,
    /// Their bytes, as frames.
    pub dropped_bytes: u64,
    /// Subscriptions that were refused.
    pub refused: u64,
}

impl Stats {
    fn add(&mut self, other: &Stats) {
        self.received += other.received;
        self.received_bytes += other.received_bytes;
        self.sent += other.sent;
        self.sent_bytes += other.sent_bytes;
        self.dropped += other.dropped;
        self.dropped_bytes += other.dropped_bytes;
        self.refused += other.refused;
    }
}

/// A client, as it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientStats {
    /// What was counted.
    pub counts: Stats,
    /// Its subscriptions.
    pub subscriptions: usize,
    /// Messages that wait for it.
    pub waiting: usize,
    /// Their bytes, as frames.
    pub waiting_bytes: usize,
}

#[derive(Debug)]
struct Client {
    intake: Intake,
    queue: Queue,
    subscriptions: Vec<Expression>,
    counts: Stats,
    joined: u64,
    /// Marks that were asked for since nothing waited for it.
    marks: u64,
}

impl Client {
    fn counts(&self) -> Stats {
        let (dropped, dropped_bytes) = self.queue.dropped();
        Stats { dropped, dropped_bytes, ..self.counts }
    }
    fn expressions(&self) -> usize {
        self.subscriptions.iter().filter(|s| s.is_costly()).count()
    }
}

/// Hands messages on. Clients are known by numbers that the caller gives them.
#[derive(Debug)]
pub struct Switch {
    limits: QueueLimits,
    /// The most that unfinished messages of all clients may take.
    intake: usize,
    clients: BTreeMap<u64, Client>,
    held: usize,
    /// Who gets what comes on a channel.
    routes: HashMap<Box<[u8]>, Arc<[u64]>>,
    /// Clients for which something was put into an empty queue.
    ready: Vec<u64>,
    /// Subscriptions that were refused, and why.
    refused: Vec<(u64, String)>,
    gone: Stats,
}

impl Switch {
    /// One without clients. `intake`: the most bytes that unfinished messages of all of them may take.
    pub fn new(limits: QueueLimits, intake: usize) -> Switch {
        Switch {
            limits,
            intake,
            clients: BTreeMap::new(),
            held: 0,
            routes: HashMap::new(),
            ready: Vec::new(),
            refused: Vec::new(),
            gone: Stats::default(),
        }
    }

    /// A client has connected, at `now` on some clock, in ns.
    pub fn join(&mut self, id: u64, now: u64) {
        let mut queue = Queue::new(self.limits);
        queue.push_control(hello(HELLO_HUB, VERSION_MARKS).as_slice().into());
        let intake = Intake::new(HELLO_CLIENT);
        let (subscriptions, counts) = (Vec::new(), Stats::default());
        self.clients.insert(id, Client { intake, queue, subscriptions, counts, joined: now, marks: 0 });
        self.ready.push(id);
    }
    /// A client is no more.
    pub fn leave(&mut self, id: u64) {
        if let Some(client) = self.clients.remove(&id) {
            self.held -= client.intake.held();
            self.gone.add(&client.counts());
            self.routes.clear();
        }
    }
    /// When somebody will have been silent for too long, if anybody is.
    pub fn deadline(&self) -> Option<u64> {
        let silent = self.clients.values().filter(|c| c.intake.version().is_none());
        silent.map(|c| c.joined.saturating_add(PATIENCE)).min()
    }
    /// Those who have been silent for too long.
    pub fn silent(&self, now: u64) -> Vec<u64> {
        let late = |c: &Client| c.intake.version().is_none() && c.joined.saturating_add(PATIENCE) <= now;
        self.clients.iter().filter(|(_, c)| late(c)).map(|(id, _)| *id).collect()
    }

    /// Bytes of a client have come.
    ///
    /// # Errors
    /// Why the client must be closed. What came before the fault was handed on.
    pub fn received(&mut self, id: u64, mut bytes: &[u8]) -> Result<(), Reason> {
        let Some(client) = self.clients.get_mut(&id) else { return Ok(()) };
        self.held -= client.intake.held();
        let mut intake = client.intake.take();
        let result = loop {
            match intake.next(&mut bytes) {
                Ok(None) => break Ok(()),
                Ok(Some(frame)) => match self.frame(id, frame) {
                    Ok(()) => {}
                    Err(reason) => break Err(reason),
                },
                Err(garbage) => break Err(Reason::Garbage(garbage)),
            }
        };
        let held = intake.held();
        self.held += held;
        if let Some(client) = self.clients.get_mut(&id) {
            client.intake = intake;
        }
        result?;
        if held > 0 && self.held > self.intake { Err(Reason::Memory) } else { Ok(()) }
    }

    fn frame(&mut self, id: u64, frame: Frame<'_>) -> Result<(), Reason> {
        let Some(client) = self.clients.get_mut(&id) else { return Ok(()) };
        match frame {
            Frame::Publish { channel, raw, .. } => {
                client.counts.received += 1;
                client.counts.received_bytes += raw.len() as u64;
                self.publish(channel, raw);
            }
            Frame::Subscribe(text) => {
                match Expression::new(text) {
                    Ok(expression) => client.subscriptions.push(expression),
                    Err(why) => {
                        client.counts.refused += 1;
                        self.refused.push((id, why));
                    }
                }
                if client.subscriptions.len() > SUBSCRIPTIONS || client.expressions() > EXPRESSIONS {
                    return Err(Reason::TooManySubscriptions);
                }
                self.routes.clear();
            }
            Frame::Unsubscribe(text) => {
                if let Some(at) = client.subscriptions.iter().position(|s| s.text() == text) {
                    client.subscriptions.remove(at);
                    self.routes.clear();
                }
            }
            Frame::Mark => {
                if client.queue.is_empty() {
                    client.marks = 0;
                    self.ready.push(id);
                }
                client.marks += 1;
                if client.marks > MARKS {
                    return Err(Reason::TooManyMarks);
                }
                let mut raw = Vec::new();
                frame::mark(&mut raw);
                client.queue.push_control(raw.into());
            }
        }
        Ok(())
    }

    /// Hands a message on to each client that wants it, once.
    fn publish(&mut self, channel: &[u8], raw: &[u8]) {
        let to = match self.routes.get(channel) {
            Some(to) => to.clone(),
            None => self.find(channel),
        };
        if to.is_empty() {
            return;
        }
        let raw: Arc<[u8]> = raw.into();
        for id in to.iter() {
            let Some(client) = self.clients.get_mut(id) else { continue };
            if client.queue.is_empty() {
                self.ready.push(*id);
            }
            client.queue.push(channel, raw.clone());
        }
    }
    fn find(&mut self, channel: &[u8]) -> Arc<[u64]> {
        let wants = |c: &Client| c.subscriptions.iter().any(|s| s.matches(channel));
        let to: Arc<[u64]> = self.clients.iter().filter(|(_, c)| wants(c)).map(|(id, _)| *id).collect();
        if self.routes.len() >= ROUTES {
            self.routes.clear(); // names may be invented without end
        }
        self.routes.insert(channel.into(), to.clone());
        to
    }

    /// Clients for which there is something to send, where there was nothing before; told once.
    pub fn ready(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.ready)
    }
    /// Subscriptions that were refused, and why; told once. The client keeps its others.
    pub fn refused(&mut self) -> Vec<(u64, String)> {
        std::mem::take(&mut self.refused)
    }
    /// What waits for a client.
    pub fn queue(&self, id: u64) -> Option<&Queue> {
        Some(&self.clients.get(&id)?.queue)
    }
    /// So many bytes of it were sent.
    pub fn sent(&mut self, id: u64, bytes: usize) {
        if let Some(client) = self.clients.get_mut(&id) {
            client.counts.sent += client.queue.sent(bytes);
            client.counts.sent_bytes += bytes as u64;
        }
    }

    /// A client, as it stands.
    pub fn client(&self, id: u64) -> Option<ClientStats> {
        let client = self.clients.get(&id)?;
        let (waiting, waiting_bytes) = client.queue.waiting();
        let subscriptions = client.subscriptions.len();
        Some(ClientStats { counts: client.counts(), subscriptions, waiting, waiting_bytes })
    }
    /// What was counted of all clients, those that are gone too.
    pub fn total(&self) -> Stats {
        let mut total = self.gone;
        self.clients.values().for_each(|c| total.add(&c.counts()));
        total
    }
}

#[cfg(test)]
mod tests;
