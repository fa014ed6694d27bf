//! Publishing on one topic.

use super::kinds::Kind;
use super::limits::SENDING;
use super::node::{self, Node};
use super::overwrite::Past;
use super::raw::{self, Adapter, Raw};
use rustdds::no_key::DataWriter;
use rustdds::{RTPSEntity, WriteOptions};
use saltus_channel::Name;
use saltus_transport::{Error, Result};
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Interval between checks whether skipped messages were released.
const CHECK_INTERVAL: Duration = Duration::from_millis(1);
/// Least number of checks: if this thread was stopped until the time was up, the library still gets time to act.
const MAX_CHECKS: u32 = 50;

/// Publishes on one topic.
pub(super) struct Writer {
    writer: DataWriter<Raw, Adapter>,
    topic: String,
    past: Mutex<Past>,
    node: Arc<Node>,
    /// The type; `None`: wrapped bytes.
    kind: Option<Arc<Kind>>,
    /// A number that identifies it.
    pub number: u64,
}

impl Writer {
    pub fn new(node: Arc<Node>, topic: &str, bytes: &str, kind: Option<Arc<Kind>>) -> Result<Writer> {
        let writer = node.writer(topic, kind.as_ref().map_or(bytes, |kind| &kind.name))?;
        let number = node::number(writer.guid());
        let past = Mutex::new(Past::new(i64::try_from(node.window()).unwrap_or(i64::MAX)));
        Ok(Writer { writer, topic: topic.into(), past, node, kind, number })
    }

    /// Whether it publishes messages without a known type.
    pub fn is_of_bytes(&self) -> bool {
        self.kind.is_none()
    }

    fn past<T>(&self, look: impl FnOnce(&mut Past) -> T) -> T {
        look(&mut self.past.lock().unwrap_or_else(PoisonError::into_inner)) // numbers, and usable as a hint in any state
    }
    fn skip(&self, last: Option<i64>) {
        if let Some(last) = last {
            self.node.skip(&self.topic, self.writer.guid(), last);
        }
    }

    /// Publishes. Slow subscribers are waited for only within their time limit: old messages that they have not
    /// acknowledged are dropped.
    pub fn publish(&self, name: &Name, message: &[u8]) -> Result<()> {
        let raw = match &self.kind {
            None => {
                raw::wrap(message).ok_or(Error::TooLong { len: message.len(), most: u32::MAX as usize })?
            }
            Some(kind) if kind.fits(message) => kind.to_cdr(message).map_err(|why| {
                Error::invalid(format!("a message for `{name}` is not a valid `{}`: {why}", kind.name))
            })?,
            Some(kind) => {
                return Err(Error::invalid(format!(
                    "`{name}` is published as `{}`, and this message is of another type",
                    kind.name
                )));
            }
        };
        let (len, patience) = (raw.0.len(), self.node.patience());
        let mut write = pin!(self.writer.async_write_with_options(raw, WriteOptions::default()));
        let end = Instant::now() + patience + SENDING;
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut looks = 0;
        loop {
            match write.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(Ok(sent)) => {
                    let number = sent.sequence_number.into();
                    self.skip(self.past(|past| past.note(number, len, patience)));
                    return Ok(());
                }
                Poll::Pending if looks < MAX_CHECKS || Instant::now() < end => {
                    looks += 1;
                    self.skip(self.past(|past| past.old(patience)));
                    thread::park_timeout(CHECK_INTERVAL);
                }
                Poll::Pending | Poll::Ready(Err(_)) => break,
            }
        }
        let why = "the network accepts nothing";
        Err(Error::system(format!("publish on `{name}`"), io::Error::new(io::ErrorKind::WouldBlock, why)))
    }

    /// Waits until `end` for all subscribers to acknowledge.
    pub fn flush(&self, end: Instant) {
        // Messages they do not have by then, they will never receive.
        let _ = self.writer.wait_for_acknowledgments(end.saturating_duration_since(Instant::now()));
    }
}

/// Wakes a parked thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
