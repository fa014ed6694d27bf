//! The hub without its sockets: its inputs are bytes from clients, its outputs frames for clients.

use super::expression::{Expression, Scratch};
use super::frame::{self, Frame, Garbage};
use super::intake::{Intake, hello};
use super::queue::{Queue, QueueLimits};
use super::{HELLO_CLIENT, HELLO_HUB, VERSION_MARKS};
use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

/// Most subscriptions of one client.
const SUBSCRIPTIONS: usize = 1024;
/// Most subscriptions of one client that are neither one name nor everything, and so cost memory and time.
const EXPRESSIONS: usize = 64;
/// Most memory of the compiled expressions of one client together.
const PROGRAMS: usize = 512 << 10;
/// Most work before the next client's turn, in units of about a nanosecond.
const STEP: i64 = 2_000_000;
/// Cost of a comparison with a name.
const COMPARE: i64 = 10;
/// Cost of queuing a message for one client.
const PUSH: i64 = 50;
/// Most unanswered marks of a client.
const MARKS: u64 = 64;
/// Most channels whose receivers are remembered.
const ROUTES: usize = 4096;
/// How long a client may take to send its hello, in ns.
const PATIENCE: u64 = 10_000_000_000;

/// Why a client was disconnected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// It closed the connection.
    Left,
    /// The connection broke.
    Broken(String),
    /// It sent bytes that are not LCM's protocol.
    Garbage(Garbage),
    /// It has more subscriptions than are allowed.
    TooManySubscriptions,
    /// It requests marks and does not read them.
    TooManyMarks,
    /// Incomplete messages of all clients take more memory than allowed.
    Memory,
    /// It was silent for too long after connecting.
    Silent,
    /// The maximum number of clients is reached.
    Full,
    /// All queues are full, and it is receiving the longest message.
    Slow,
    /// Clients of its address, or of its user, are not accepted.
    Refused,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Left => f.write_str("it left"),
            Reason::Broken(why) => write!(f, "the connection broke: {why}"),
            Reason::Garbage(what) => write!(f, "it sent invalid data: {what}"),
            Reason::TooManySubscriptions => write!(
                f,
                "it has too many subscriptions: {SUBSCRIPTIONS} are allowed, {EXPRESSIONS} of them expressions other than names and `.*`"
            ),
            Reason::TooManyMarks => f.write_str("it requests marks and does not read them"),
            Reason::Memory => f.write_str("incomplete messages of all clients take too much memory"),
            Reason::Silent => f.write_str("it said nothing"),
            Reason::Slow => f.write_str(
                "messages for all clients take too much memory, and it takes the longest one too slowly",
            ),
            Reason::Refused => f.write_str("clients of its address or user are not accepted"),
            Reason::Full => f.write_str("the maximum number of clients is reached"),
        }
    }
}

/// Counters of one client, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Messages received.
    pub received: u64,
    /// Their bytes, as frames.
    pub received_bytes: u64,
    /// Messages sent.
    pub sent: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Messages dropped because the receiving client is slow.
    pub dropped: u64,
    /// Their bytes, as frames.
    pub dropped_bytes: u64,
    /// Subscriptions refused.
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

/// The state of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientStats {
    /// Its counters.
    pub counts: Stats,
    /// Its subscriptions.
    pub subscriptions: usize,
    /// Messages queued for it.
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
    /// Marks requested since its queue was last empty.
    marks: u64,
    /// Memory of its compiled expressions.
    programs: usize,
    /// The last change of its subscriptions, by [`Switch::generation`]; 0: never.
    changed: u64,
    /// A message it sent whose receivers are not determined yet; with its channel.
    waiting: Option<Waiting>,
    /// Bytes that it sent after that.
    input: Vec<u8>,
    /// Whether it is among [`Switch::busy`].
    busy: bool,
}

/// A message with its channel.
type Waiting = (Box<[u8]>, Arc<[u8]>);

/// The receivers of a channel's messages.
#[derive(Debug, Default)]
struct Route {
    /// The receiving clients, in order.
    to: Vec<u64>,
    /// Changes of subscriptions up to this one were processed.
    seen: u64,
    /// The change being processed, and how many of that client's subscriptions did not match.
    partly: (u64, usize),
    /// The count of departed clients when `to` was last purged of them.
    left: u64,
    /// Its last use, by [`Switch::uses`].
    used: u64,
}

/// The progress of a client's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Done {
    Yes,
    /// The client's turn is over; the frame continues at its next turn.
    Later,
}

impl Client {
    fn counts(&self) -> Stats {
        let (dropped, dropped_bytes) = self.queue.dropped();
        Stats { dropped, dropped_bytes, ..self.counts }
    }
    /// Bytes of incomplete messages, and of waiting ones.
    fn held(&self) -> usize {
        self.intake.held() + self.input.len() + self.waiting.as_ref().map_or(0, |(_, raw)| raw.len())
    }
    fn expressions(&self) -> usize {
        self.subscriptions.iter().filter(|s| s.is_costly()).count()
    }
}

/// Forwards messages. Clients are identified by numbers that the caller assigns.
#[derive(Debug)]
pub struct Switch {
    limits: QueueLimits,
    /// Most bytes of all queues together, and their present bytes.
    queues: usize,
    queued: usize,
    /// Clients to disconnect: they hold the most of all queues, in a message that is being sent.
    full: Vec<u64>,
    /// Most bytes of incomplete messages of all clients.
    intake: usize,
    clients: BTreeMap<u64, Client>,
    held: usize,
    routes: HashMap<Box<[u8]>, Route>,
    /// Counts uses of routes.
    uses: u64,
    /// Counts changes of subscriptions.
    generation: u64,
    /// The last change of each client that ever subscribed.
    changes: BTreeMap<u64, u64>,
    /// Departed clients.
    left: u64,
    /// Work left in this turn.
    fuel: i64,
    /// Clients whose input waits for their turn, in the order of their turns.
    busy: VecDeque<u64>,
    scratch: Scratch,
    /// Clients whose queue was empty and no longer is.
    ready: Vec<u64>,
    /// Refused subscriptions, and why.
    refused: Vec<(u64, String)>,
    gone: Stats,
}

impl Switch {
    /// A switch without clients. `queues`: the most bytes of all queues together; `intake`: the most of incomplete
    /// messages of all clients.
    pub fn new(limits: QueueLimits, queues: usize, intake: usize) -> Switch {
        Switch {
            limits,
            queues,
            queued: 0,
            full: Vec::new(),
            intake,
            clients: BTreeMap::new(),
            held: 0,
            routes: HashMap::new(),
            uses: 0,
            generation: 0,
            changes: BTreeMap::new(),
            left: 0,
            fuel: STEP,
            busy: VecDeque::new(),
            scratch: Scratch::default(),
            ready: Vec::new(),
            refused: Vec::new(),
            gone: Stats::default(),
        }
    }

    /// Adds a client that connected at `now` on some clock, in ns.
    pub fn join(&mut self, id: u64, now: u64) {
        let mut queue = Queue::new(self.limits);
        queue.push_control(hello(HELLO_HUB, VERSION_MARKS).as_slice().into());
        self.queued += queue.held();
        let intake = Intake::new(HELLO_CLIENT);
        let (subscriptions, counts) = (Vec::new(), Stats::default());
        let client = Client {
            intake,
            queue,
            subscriptions,
            counts,
            joined: now,
            marks: 0,
            programs: 0,
            changed: 0,
            waiting: None,
            input: Vec::new(),
            busy: false,
        };
        self.clients.insert(id, client);
        self.ready.push(id);
    }
    /// Removes a client.
    pub fn leave(&mut self, id: u64) {
        if let Some(client) = self.clients.remove(&id) {
            self.held -= client.held();
            self.queued -= client.queue.held();
            self.gone.add(&client.counts());
            self.changes.remove(&client.changed);
            self.left += 1;
        }
    }
    /// Records that the subscriptions of a client changed.
    fn changed(&mut self, id: u64) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        self.changes.remove(&client.changed);
        self.generation += 1;
        client.changed = self.generation;
        self.changes.insert(self.generation, id);
    }
    /// When the next client will have been silent for too long, if there is one.
    pub fn deadline(&self) -> Option<u64> {
        let silent = self.clients.values().filter(|c| c.intake.version().is_none());
        silent.map(|c| c.joined.saturating_add(PATIENCE)).min()
    }
    /// The clients that have been silent for too long.
    pub fn silent(&self, now: u64) -> Vec<u64> {
        let late = |c: &Client| c.intake.version().is_none() && c.joined.saturating_add(PATIENCE) <= now;
        self.clients.iter().filter(|(_, c)| late(c)).map(|(id, _)| *id).collect()
    }

    /// Processes bytes from a client. If they cost more time than a turn allows, [`work`](Switch::work) does the
    /// rest.
    ///
    /// # Errors
    /// Why the client must be closed. Messages before the fault were forwarded.
    pub fn received(&mut self, id: u64, bytes: &[u8]) -> Result<(), Reason> {
        let Some(client) = self.clients.get_mut(&id) else { return Ok(()) };
        if client.busy {
            client.input.extend_from_slice(bytes);
            self.held += bytes.len();
            return if self.held > self.intake { Err(Reason::Memory) } else { Ok(()) };
        }
        self.go_on(id, bytes)
    }
    /// Begins a new turn, with its full amount of work.
    pub fn begin(&mut self) {
        self.fuel = STEP;
    }
    /// Whether input of any client waits for its turn.
    pub fn is_busy(&self) -> bool {
        !self.busy.is_empty()
    }
    /// Whether this client's input does. Until then, its connection should not be read.
    pub fn waits(&self, id: u64) -> bool {
        self.clients.get(&id).is_some_and(|client| client.busy)
    }
    /// Gives a turn to the next client whose input waits. Returns which, and why it must be closed, if it must.
    pub fn work(&mut self) -> Option<(u64, Result<(), Reason>)> {
        self.begin();
        loop {
            let id = self.busy.pop_front()?;
            let Some(client) = self.clients.get_mut(&id) else { continue };
            client.busy = false;
            self.held -= client.input.len();
            let input = std::mem::take(&mut client.input);
            return Some((id, self.go_on(id, &input)));
        }
    }

    /// Processes a client's requests, as far as its turn allows.
    fn go_on(&mut self, id: u64, mut bytes: &[u8]) -> Result<(), Reason> {
        let Some(client) = self.clients.get_mut(&id) else { return Ok(()) };
        self.held -= client.held();
        let mut intake = client.intake.take();
        let mut done = match client.waiting.take() {
            Some((channel, raw)) => self.publish(id, &channel, raw),
            None => Done::Yes,
        };
        let result = loop {
            if done == Done::Later {
                break Ok(());
            }
            match intake.next(&mut bytes) {
                Ok(None) => break Ok(()),
                Ok(Some(frame)) => match self.frame(id, frame) {
                    Ok(how) => done = how,
                    Err(reason) => break Err(reason),
                },
                Err(garbage) => break Err(Reason::Garbage(garbage)),
            }
        };
        let Some(client) = self.clients.get_mut(&id) else { return result };
        client.intake = intake;
        if done == Done::Later {
            client.input.extend_from_slice(bytes);
            client.busy = true;
            self.busy.push_back(id);
        }
        let held = client.held();
        self.held += held;
        result?;
        if held > 0 && self.held > self.intake { Err(Reason::Memory) } else { Ok(()) }
    }

    fn frame(&mut self, id: u64, frame: Frame<'_>) -> Result<Done, Reason> {
        let Some(client) = self.clients.get_mut(&id) else { return Ok(Done::Yes) };
        match frame {
            Frame::Publish { channel, raw, .. } => {
                client.counts.received += 1;
                client.counts.received_bytes += raw.len() as u64;
                return Ok(self.publish(id, channel, raw));
            }
            Frame::Subscribe(text) => {
                let expression = Expression::new(text).and_then(|expression| {
                    let programs = client.programs + expression.memory();
                    if expression.is_costly() && programs > PROGRAMS {
                        return Err(format!(
                            "`{}` needs too much memory: the compiled expressions of a client take at most {PROGRAMS} bytes",
                            String::from_utf8_lossy(text)
                        ));
                    }
                    Ok(expression)
                });
                self.fuel -= COMPARE;
                match expression {
                    Ok(expression) => {
                        if expression.is_costly() {
                            client.programs += expression.memory();
                            self.fuel -= compiling(&expression);
                        }
                        client.subscriptions.push(expression);
                    }
                    Err(why) => {
                        client.counts.refused += 1;
                        self.fuel -= REFUSED;
                        self.refused.push((id, why));
                    }
                }
                if client.subscriptions.len() > SUBSCRIPTIONS || client.expressions() > EXPRESSIONS {
                    return Err(Reason::TooManySubscriptions);
                }
                self.changed(id);
            }
            Frame::Unsubscribe(text) => {
                self.fuel -= COMPARE * client.subscriptions.len() as i64;
                if let Some(at) = client.subscriptions.iter().position(|s| s.text() == text) {
                    let expression = client.subscriptions.remove(at);
                    if expression.is_costly() {
                        client.programs -= expression.memory();
                    }
                    self.changed(id);
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
                let before = client.queue.held();
                client.queue.push_control(raw.into());
                self.queued = self.queued - before + client.queue.held();
            }
        }
        Ok(if self.fuel > 0 { Done::Yes } else { Done::Later })
    }

    /// Forwards a client's message to each client that subscribed to it, once. If the turn ends before the
    /// receivers are known, the message waits, and with it the rest of its sender's input: no other client waits.
    fn publish(&mut self, from: u64, channel: &[u8], raw: impl Into<Arc<[u8]>>) -> Done {
        if self.fuel <= 0 || !self.resolve(channel) {
            if let Some(client) = self.clients.get_mut(&from) {
                client.waiting = Some((channel.into(), raw.into()));
            }
            return Done::Later;
        }
        let Switch { routes, clients, ready, fuel, queued, .. } = self;
        let to = routes.get(channel).map_or(&[][..], |route| &route.to);
        *fuel -= PUSH * (1 + to.len() as i64);
        if to.is_empty() {
            return Done::Yes;
        }
        let raw: Arc<[u8]> = raw.into();
        for id in to {
            let Some(client) = clients.get_mut(id) else { continue };
            if client.queue.is_empty() {
                ready.push(*id);
            }
            let before = client.queue.held();
            client.queue.push(channel, raw.clone());
            *queued = *queued - before + client.queue.held();
        }
        if self.queued > self.queues {
            self.shorten();
        }
        Done::Yes
    }

    /// Drops messages of the clients that hold the most, until all queues are within their limit together. Costs the turn its time.
    fn shorten(&mut self) {
        let Switch { clients, full, queued, queues, fuel, .. } = self;
        *fuel -= COMPARE * clients.len() as i64;
        let (leaving, staying): (Vec<_>, Vec<_>) = clients
            .iter()
            .map(|(id, client)| (client.queue.held(), *id))
            .partition(|(_, id)| full.contains(id));
        let mut leaving: usize = leaving.iter().map(|(held, _)| held).sum();
        let mut most = BinaryHeap::from(staying);
        while *queued - leaving > *queues {
            *fuel -= PUSH;
            let Some((held, id)) = most.pop() else { return };
            let Some(client) = clients.get_mut(&id) else { continue };
            if client.queue.drop_oldest() {
                let left = client.queue.held();
                *queued = *queued - held + left;
                most.push((left, id));
            } else {
                full.push(id);
                leaving += held;
            }
        }
    }
    /// Clients to disconnect for [`Reason::Slow`]; returned once.
    pub fn full(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.full)
    }

    /// Brings the route of a channel up to date; `false` if the turn ends before.
    fn resolve(&mut self, channel: &[u8]) -> bool {
        if !self.routes.contains_key(channel) {
            if self.routes.len() >= ROUTES {
                self.forget_old();
            }
            self.routes.insert(channel.into(), Route::default());
        }
        let Switch { routes, clients, changes, scratch, fuel, .. } = self;
        let Some(route) = routes.get_mut(channel) else { return true };
        self.uses += 1;
        route.used = self.uses;
        if route.left != self.left {
            route.left = self.left;
            route.to.retain(|id| clients.contains_key(id));
        }
        // Checks clients whose subscriptions have changed since.
        while let Some((&change, &id)) = changes.range(route.seen + 1..).next() {
            let subscriptions = clients.get(&id).map_or(&[][..], |client| &client.subscriptions);
            if route.partly.0 != change {
                route.partly = (change, 0);
            }
            let mut wants = false;
            while let Some(one) = subscriptions.get(route.partly.1).filter(|_| !wants) {
                if *fuel <= 0 {
                    return false;
                }
                *fuel -= if one.is_costly() { matching(one, channel) } else { COMPARE };
                wants = one.matches_with(scratch, channel);
                route.partly.1 += 1;
            }
            route.seen = change;
            match (route.to.binary_search(&id), wants) {
                (Ok(at), false) => drop(route.to.remove(at)),
                (Err(at), true) => route.to.insert(at, id),
                (Ok(_), true) | (Err(_), false) => {}
            }
        }
        true
    }

    /// Clients may invent any number of names: the least recently used half of the routes is dropped.
    fn forget_old(&mut self) {
        let mut used: Vec<u64> = self.routes.values().map(|route| route.used).collect();
        let middle = used.len() / 2;
        let (_, limit, _) = used.select_nth_unstable(middle);
        let limit = *limit;
        self.routes.retain(|_, route| route.used > limit);
    }

    /// Clients whose queue was empty and no longer is; returned once.
    pub fn ready(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.ready)
    }
    /// Refused subscriptions, and why; returned once. The client keeps its others.
    pub fn refused(&mut self) -> Vec<(u64, String)> {
        std::mem::take(&mut self.refused)
    }
    /// The queue of a client.
    pub fn queue(&self, id: u64) -> Option<&Queue> {
        Some(&self.clients.get(&id)?.queue)
    }
    /// Records that `bytes` of it were sent.
    pub fn sent(&mut self, id: u64, bytes: usize) {
        if let Some(client) = self.clients.get_mut(&id) {
            let before = client.queue.held();
            client.counts.sent += client.queue.sent(bytes);
            self.queued = self.queued - before + client.queue.held();
            client.counts.sent_bytes += bytes as u64;
        }
    }

    /// The state of a client.
    pub fn client(&self, id: u64) -> Option<ClientStats> {
        let client = self.clients.get(&id)?;
        let (waiting, waiting_bytes) = client.queue.waiting();
        let subscriptions = client.subscriptions.len();
        Some(ClientStats { counts: client.counts(), subscriptions, waiting, waiting_bytes })
    }
    /// Counts over all clients, including departed ones.
    pub fn total(&self) -> Stats {
        let mut total = self.gone;
        self.clients.values().for_each(|c| total.add(&c.counts()));
        total
    }
}

/// The cost of matching an expression with a name.
fn matching(expression: &Expression, channel: &[u8]) -> i64 {
    2_000 + ((expression.memory() >> 10) * channel.len()) as i64 * 20
}
/// The cost of compiling an expression, or one that was refused.
fn compiling(expression: &Expression) -> i64 {
    50_000 + expression.memory() as i64 * 10
}
const REFUSED: i64 = 1_000_000;

#[cfg(test)]
mod tests;
