//! `zenoh://`: Zenoh, through its own library.
//!
//! The first publisher or subscriber that needs it opens the session. Zenoh calls back from its own threads, which
//! deliver messages immediately and never wait for a subscriber. The metadata that Saltus publishers send with a
//! message is described in `attachment.rs`; other publishers send none.

#![cfg(feature = "library")]

mod attachment;
mod config;
mod key;
mod words;

use attachment::{Attachment, Told};
use config::MOST_BYTES;
use saltus_channel::Name;
use saltus_os::{clock, process};
use saltus_transport::losses::Gaps;
use saltus_transport::{
    Abilities, About, Arrival, Count, Delivery, Error, Fd, Of, Pattern, ReportsLosses, Result, Sink,
    Transport, Url,
};
use std::collections::{HashMap, HashSet};
use std::io;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use zenoh::pubsub::{Publisher, Subscriber};
use zenoh::sample::{Sample, SampleKind};
use zenoh::{Session, Wait};

/// Most channels that one domain publishes.
const MOST_CHANNELS: usize = 4096;

/// A session, with its publishers and subscribers.
struct Zenoh {
    options: config::Options,
    sender: u64,
    delivery: Arc<dyn Delivery>,
    session: OnceLock<Session>,
    opening: Mutex<()>,
    outgoing: Mutex<HashMap<Name, Arc<Outgoing>>>,
    wanted: Mutex<Wanted>,
    /// The losses counted by each present subscription. Never locked while waiting for Zenoh.
    losses: Mutex<Vec<Weak<Losses>>>,
}

/// The losses of each sender on each channel.
type Losses = Mutex<Gaps<Of>>;

/// A published channel.
struct Outgoing {
    publisher: Publisher<'static>,
    /// The number of its last message. Locked while one is sent, so that they are sent in order.
    sequence: Mutex<u64>,
}

/// The subscriptions. A message arrives through only one of them.
#[derive(Default)]
struct Wanted {
    /// Channels by name, each with its number of subscribers.
    exact: HashMap<Name, (usize, Subscriber<()>)>,
    /// All channels, except those in `exact` when it was declared; present from the first subscriber by pattern
    /// until the last of all subscribers has left.
    all: Option<Subscriber<()>>,
    /// Subscribers.
    count: usize,
}

/// Opens `zenoh://`, whose messages go to `delivery` as they arrive.
///
/// # Errors
/// An invalid URL, and a configuration that Zenoh does not accept.
pub fn open(url: Url, delivery: Arc<dyn Delivery>) -> Result<Box<dyn Transport>> {
    Ok(Box::new(Zenoh {
        options: config::options(url)?,
        sender: process::random().max(1),
        delivery,
        session: OnceLock::new(),
        opening: Mutex::default(),
        outgoing: Mutex::default(),
        wanted: Mutex::default(),
        losses: Mutex::default(),
    }))
}

fn failed(what: impl Into<String>, why: zenoh::Error) -> Error {
    Error::system(what, io::Error::other(words::of(&why)))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner) // maps and numbers, whole between any two lines
}

/// Runs `work` on a separate thread, and waits for it. Zenoh starts its threads from it, so they receive no
/// signals; and the caller may be in a runtime in which Zenoh must not block.
fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("saltus-zenoh".into());
        let thread = process::without_signals(|| builder.spawn_scoped(scope, work))?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

impl Zenoh {
    fn session(&self) -> Result<&Session> {
        if let Some(session) = self.session.get() {
            return Ok(session);
        }
        let _one = lock(&self.opening);
        if self.session.get().is_none() {
            let config = self.options.config.clone();
            let session = apart(|| zenoh::open(config).wait());
            let session = session.map_err(|e| Error::system("start a thread for Zenoh", e))?;
            let _ = self.session.set(session.map_err(|e| failed("open Zenoh's session", e))?); // it was not set
        }
        Ok(self.session.get().expect("it is set above"))
    }

    fn outgoing(&self, name: &Name) -> Result<Arc<Outgoing>> {
        if let Some(outgoing) = lock(&self.outgoing).get(name) {
            return Ok(outgoing.clone());
        }
        let session = self.session()?;
        let mut all = lock(&self.outgoing);
        if let Some(outgoing) = all.get(name) {
            return Ok(outgoing.clone());
        }
        if all.len() >= MOST_CHANNELS {
            return Err(Error::invalid(format!(
                "more than {MOST_CHANNELS} channels are published in one zenoh:// domain, `{name}` is not published"
            )));
        }
        let publisher = session.declare_publisher(key::of(&self.options.prefix, name));
        let publisher = publisher.congestion_control(self.options.congestion).wait();
        let publisher = publisher.map_err(|e| failed(format!("publish `{name}` over Zenoh"), e))?;
        let outgoing = Arc::new(Outgoing { publisher, sequence: Mutex::new(0) });
        all.insert(name.clone(), outgoing.clone());
        Ok(outgoing)
    }

    /// Subscribes to a key, except for the channels in `passed_over`, which have their own subscription.
    fn declare(&self, key: String, passed_over: HashSet<Name>) -> Result<Subscriber<()>> {
        let (delivery, prefix, losses) =
            (self.delivery.clone(), self.options.prefix.clone(), Arc::<Losses>::default());
        let mut all = lock(&self.losses);
        all.retain(|losses| losses.strong_count() > 0);
        all.push(Arc::downgrade(&losses));
        drop(all);
        let take = move |sample: Sample| {
            let Some(name) = key::name(&prefix, sample.key_expr()).and_then(|name| Name::new(name).ok())
            else {
                return;
            };
            if sample.kind() == SampleKind::Put && !passed_over.contains(&name) {
                land(&*delivery, &losses, &name, &sample);
            }
        };
        let subscriber = self.session()?.declare_subscriber(&key).callback(take).wait();
        subscriber.map_err(|e| failed(format!("subscribe to `{key}` over Zenoh"), e))
    }
}

/// Delivers a message, if it is undamaged.
fn land(delivery: &dyn Delivery, losses: &Losses, name: &Name, sample: &Sample) {
    let payload = sample.payload().to_bytes();
    let attachment = sample.attachment().filter(|it| it.len() == Attachment::SIZE);
    let reported = attachment.map_or(Told::Nothing, |it| Attachment::of_bytes(&it.to_bytes(), &payload));
    if reported == Told::Damaged {
        return delivery.fail(Error::undecodable(format!(
            "a message on `{name}` was damaged in transit through Zenoh: it is skipped, and counts as missed"
        )));
    }
    delivery.deliver(&mut |sink| {
        let arrived = clock::boottime();
        let mut about = About { arrived, lost: About::UNKNOWN, ..About::default() };
        if let Told::Ours(reported) = reported {
            about.published = reported.published_here(arrived).unwrap_or(0);
            about.sender = reported.sender;
            about.sequence = reported.sequence;
            let of = (reported.sender, Some(name.clone()));
            (Count { lost: about.lost, count: about.count }, _) = lock(losses).note(of, reported.sequence);
        }
        if sink.wants(name.as_bytes()) {
            sink.take(Arrival { channel: name.as_bytes(), payload: &payload, about });
        }
    });
}

impl ReportsLosses for Zenoh {
    fn losses(&self) -> Vec<(Of, Count)> {
        let mut found = Vec::new();
        for losses in lock(&self.losses).iter().filter_map(Weak::upgrade) {
            found.extend(lock(&losses).iter().map(|(of, count)| (of.clone(), count)));
        }
        found
    }
}

impl Transport for Zenoh {
    fn publish(&self, name: &Name, payload: &[u8]) -> Result<()> {
        if payload.len() > MOST_BYTES {
            return Err(Error::TooLong { len: payload.len(), most: MOST_BYTES });
        }
        let outgoing = self.outgoing(name)?;
        let mut sequence = lock(&outgoing.sequence);
        let attachment = Attachment {
            sender: self.sender,
            sequence: *sequence + 1,
            published: clock::boottime(),
            boot: attachment::boot(),
        };
        let sent = outgoing.publisher.put(payload).attachment(attachment.to_bytes(payload)).wait();
        sent.map_err(|e| failed(format!("publish `{name}` over Zenoh"), e))?;
        *sequence += 1;
        Ok(())
    }

    fn sender(&self, _: &Name) -> Option<u64> {
        Some(self.sender)
    }
    /// Zenoh's threads deliver.
    fn receive(&self, _: &mut dyn Sink) -> Result<()> {
        Ok(())
    }
    fn descriptors(&self) -> Vec<Fd> {
        Vec::new()
    }

    fn subscribe(&self, pattern: &Pattern, _: u64) -> Result<()> {
        self.session()?;
        let mut wanted = lock(&self.wanted);
        match pattern.exact() {
            _ if wanted.all.is_some() => {}
            Some(name) => match wanted.exact.get_mut(name) {
                Some((count, _)) => *count += 1,
                None => {
                    let subscriber = self.declare(key::of(&self.options.prefix, name), HashSet::new())?;
                    wanted.exact.insert(name.clone(), (1, subscriber));
                }
            },
            None => {
                let passed_over = wanted.exact.keys().cloned().collect();
                wanted.all = Some(self.declare(key::all(&self.options.prefix), passed_over)?);
            }
        }
        wanted.count += 1;
        Ok(())
    }

    fn unsubscribe(&self, pattern: &Pattern) {
        let mut wanted = lock(&self.wanted);
        wanted.count -= 1;
        let gone = match pattern.exact() {
            _ if wanted.count == 0 => Some(std::mem::take(&mut *wanted)),
            Some(name) if wanted.all.is_none() => {
                if let Some((count, _)) = wanted.exact.get_mut(name) {
                    *count -= 1;
                }
                wanted.exact.retain(|_, (count, _)| *count > 0);
                None
            }
            _ => None,
        };
        drop(wanted);
        drop(gone);
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { reports_losses: Some(self), ..Abilities::NONE }
    }
}

impl Drop for Zenoh {
    fn drop(&mut self) {
        let (outgoing, wanted, session) =
            (std::mem::take(&mut self.outgoing), std::mem::take(&mut self.wanted), self.session.take());
        // If no thread can be started, the session is closed here; peers that Zenoh cannot notify will detect it.
        let _ = apart(move || {
            drop((outgoing, wanted));
            session.map(|session| session.close().wait())
        });
    }
}
