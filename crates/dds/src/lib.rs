//! `dds://`: RTPS, the protocol of DDS and ROS 2. A channel is a topic.
//!
//! ```text
//! publish ─► Writer (LCM ─► CDR by the type, or bytes in a wrapper) ─► the library's thread ─► network
//! network ─► the library's thread ─► its cache ─► an event ─► Readers (CDR ─► LCM) ─► the inbox
//! ```

#![cfg(feature = "library")]

mod failed;
mod guard;
mod kinds;
mod limits;
mod names;
mod node;
mod overwrite;
mod raw;
mod readers;
mod writer;

use futures_core::Stream;
use kinds::{Kind, Kinds};
use limits::DEPTH;
use names::Names;
use node::{Node, Settings};
use readers::Readers;
use rustdds::{DomainParticipantStatusListener, StatusEvented};
use saltus_channel::{Description, Name};
use saltus_transport::{
    Abilities, Announces, Count, Describes, Error, Event, Fd, Of, Pattern, ReportsLosses, Result, Sink,
    Transport, Url,
};
use std::collections::HashMap;
use std::path::Path;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};
use writer::Writer;

/// Most messages of a topic that are kept for a subscriber.
const DEEPEST: u64 = 1024;
/// How long a subscriber may take to acknowledge a message, before a newer one may replace it.
const PATIENCE: Duration = Duration::from_millis(100);
/// Longest wait for the last messages when a domain closes.
const LINGER: Duration = Duration::from_millis(500);

const OPTIONS: &str = "reliability (reliable or best_effort), depth, names (plain or ros2), types (a directory of \
                       .lcm files), iface (a network interface, or all), patience (ms)";

/// A DDS domain.
pub(crate) struct Dds {
    settings: Settings,
    kinds: Kinds,
    writers: RwLock<HashMap<Name, Arc<Writer>>>,
    /// Created on first use.
    receiving: Mutex<Option<Joined>>,
    news: Arc<NewEvents>,
}

/// The part that has joined the network. Parts of the node are dropped before it.
struct Joined {
    readers: Readers,
    /// Whether to check again which topics are published.
    changed: bool,
    listener: DomainParticipantStatusListener,
    node: Arc<Node>,
}

/// Raised by the library's threads when there is something to receive.
struct NewEvents(Event);

impl Wake for NewEvents {
    fn wake(self: Arc<Self>) {
        self.0.raise();
    }
    fn wake_by_ref(self: &Arc<Self>) {
        self.0.raise();
    }
}

/// Opens `dds://`.
///
/// # Errors
/// An invalid URL, and errors of the system.
pub fn open(mut url: Url) -> Result<Box<dyn Transport>> {
    let id = match url.network.as_str() {
        "" => 0,
        text => {
            let bad = || {
                url.invalid(
                    "the number of a DDS domain must be from 0 to 232: expected, for example, dds://0",
                )
            };
            text.parse().ok().filter(|id| *id <= 232).ok_or_else(bad)?
        }
    };
    let reliable = match url.take::<String>("reliability", "")?.as_deref() {
        None | Some("reliable") => true,
        Some("best_effort") => false,
        Some(_) => return Err(url.invalid("`reliability` must be reliable or best_effort")),
    };
    let names = match url.take::<String>("names", "")?.as_deref() {
        None | Some("plain") => Names::Plain,
        Some("ros2") => Names::Ros2,
        Some(_) => return Err(url.invalid("`names` must be plain or ros2")),
    };
    let depth = url.take("depth", "a number of messages")?;
    if depth.is_some_and(|depth| !(1..=1 << 20).contains(&depth)) {
        return Err(url.invalid("`depth` must be from 1 to 1048576"));
    }
    let patience = url
        .take("patience", "a number of milliseconds")?
        .map_or(PATIENCE, |ms: u32| Duration::from_millis(ms.into()));
    let iface = url.take("iface", "the name or address of a network interface")?;
    let types = url.take::<String>("types", "a directory")?;
    url.finish(OPTIONS)?;
    let kinds = Kinds::new(names);
    if let Some(types) = types {
        kinds.learn_directory(Path::new(&types))?;
    }
    let settings = Settings { id, names, reliable, depth, iface, patience };
    let news = Arc::new(NewEvents(Event::new()?));
    Ok(Box::new(Dds { settings, kinds, writers: RwLock::default(), receiving: Mutex::default(), news }))
}

impl Dds {
    /// The part that has joined the network; joins it if necessary.
    fn join(&self) -> Result<Joint<'_>> {
        // Lists that are whole between any two lines, and the library's own data.
        let mut receiving = self.receiving.lock().unwrap_or_else(PoisonError::into_inner);
        if receiving.is_none() {
            let node = Arc::new(Node::open(&self.settings)?);
            let readers = Readers::new(self.settings.depth.unwrap_or(DEPTH));
            *receiving = Some(Joined { readers, changed: true, listener: node.listener(), node });
        }
        Ok(Joint(receiving))
    }

    /// The writer of a channel; `kind`: the type of its messages, for a channel that has no writer yet or one of
    /// bytes.
    fn writer(&self, name: &Name, kind: Option<Arc<Kind>>) -> Result<Arc<Writer>> {
        let node = self.join()?.node()?;
        let mut writers = self.writers.write().unwrap_or_else(PoisonError::into_inner);
        match writers.get(name) {
            Some(writer) if kind.is_none() || !writer.is_of_bytes() => return Ok(writer.clone()),
            _ => {}
        }
        writers.remove(name); // two writers of one channel would give one topic two types
        let (topic, bytes) = (self.settings.names.topic(name)?, self.settings.names.bytes());
        let writer = Arc::new(Writer::new(node, &topic, bytes, kind)?);
        writers.insert(name.clone(), writer.clone());
        Ok(writer)
    }
    fn known_writer(&self, name: &Name) -> Option<Arc<Writer>> {
        self.writers.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}

/// The joined part, locked.
struct Joint<'a>(MutexGuard<'a, Option<Joined>>);

impl Joint<'_> {
    fn node(&self) -> Result<Arc<Node>> {
        let node = self.0.as_ref().map(|joined| joined.node.clone());
        node.ok_or_else(|| Error::invalid("the DDS domain is closed"))
    }
}

impl Joined {
    fn drain(&mut self, kinds: &Kinds, waker: &Waker, sink: &mut dyn Sink) -> Result<bool> {
        let mut stream = pin!(self.listener.as_async_status_stream());
        while let Poll::Ready(Some(_)) = stream.as_mut().poll_next(&mut Context::from_waker(waker)) {
            self.changed = true;
        }
        let surveyed = match std::mem::take(&mut self.changed) {
            true => self.readers.survey(&self.node, waker),
            false => Ok(()),
        };
        let drained = self.readers.drain(&self.node, kinds, waker, sink)?;
        surveyed.map(|()| drained)
    }
}

impl Announces for Dds {
    fn announce(&self, name: &Name, what: Option<&Description>) -> Result<()> {
        let kind = what.and_then(|what| self.kinds.learn(what));
        // Where types are known, the first message determines the channel's type.
        if kind.is_some() || self.kinds.is_empty() {
            self.writer(name, kind)?;
        }
        Ok(())
    }
}

impl Describes for Dds {
    fn learn(&self, what: &Description) {
        self.kinds.learn(what);
    }
    fn descriptions(&self, name: &Name) -> Vec<Description> {
        let receiving = self.receiving.lock().unwrap_or_else(PoisonError::into_inner);
        let kind = receiving.as_ref().and_then(|joined| self.kinds.named(joined.readers.kind_of(name)?));
        kind.iter().map(|kind| kind.description()).collect()
    }
}

impl ReportsLosses for Dds {
    fn losses(&self) -> Vec<(Of, Count)> {
        let receiving = self.receiving.lock().unwrap_or_else(PoisonError::into_inner);
        receiving.as_ref().map_or(Vec::new(), |joined| joined.readers.losses())
    }
}

impl Transport for Dds {
    fn publish(&self, name: &Name, message: &[u8]) -> Result<()> {
        let writer = match self.known_writer(name) {
            Some(writer) => writer,
            None => self.writer(name, self.kinds.of_message(message))?,
        };
        writer.publish(name, message)
    }
    fn sender(&self, name: &Name) -> Option<u64> {
        self.known_writer(name).map(|writer| writer.number)
    }

    fn receive(&self, sink: &mut dyn Sink) -> Result<()> {
        let mut receiving = self.receiving.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(joined) = receiving.as_mut() else { return Ok(()) };
        self.news.0.lower();
        if !joined.drain(&self.kinds, &Waker::from(self.news.clone()), sink)? {
            self.news.0.raise();
        }
        Ok(())
    }
    fn descriptors(&self) -> Vec<Fd> {
        vec![Fd { raw: self.news.0.raw(), alone: true }]
    }

    fn subscribe(&self, pattern: &Pattern, depth: u64) -> Result<()> {
        for joined in self.join()?.0.iter_mut() {
            if self.settings.depth.is_none() {
                joined.readers.deepen(depth.min(DEEPEST));
            }
            joined.readers.subscribe(pattern);
            joined.changed = true;
        }
        self.news.0.raise(); // the next drain checks which topics are published
        Ok(())
    }
    fn unsubscribe(&self, pattern: &Pattern) {
        let mut receiving = self.receiving.lock().unwrap_or_else(PoisonError::into_inner);
        receiving.iter_mut().for_each(|joined| joined.readers.unsubscribe(pattern));
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { announces: Some(self), describes: Some(self), reports_losses: Some(self) }
    }
}

impl Drop for Dds {
    fn drop(&mut self) {
        let end = Instant::now() + LINGER;
        let writers = self.writers.get_mut().unwrap_or_else(PoisonError::into_inner);
        writers.values().for_each(|writer| writer.flush(end));
    }
}
