//! Publishing in one topic.

use super::kinds::Kind;
use super::node::{self, Node};
use super::raw::{self, Adapter, Raw};
use crate::{Error, Result};
use rustdds::RTPSEntity;
use rustdds::no_key::DataWriter;
use saltus_channel::Name;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Publishes in one topic.
pub(super) struct Writer {
    writer: DataWriter<Raw, Adapter>,
    /// The type; `None`: bytes in their wrapper.
    kind: Option<Arc<Kind>>,
    /// What tells it from others.
    pub number: u64,
    /// Whether a subscriber was waited for in vain: it is not waited for again until there is room.
    stalled: AtomicBool,
}

impl Writer {
    pub fn new(node: &Node, topic: &str, bytes: &str, kind: Option<Arc<Kind>>) -> Result<Writer> {
        let writer = node.writer(topic, kind.as_ref().map_or(bytes, |kind| &kind.name))?;
        let number = node::number(writer.guid());
        Ok(Writer { writer, kind, number, stalled: AtomicBool::new(false) })
    }

    /// Whether messages of no known type travel in it.
    pub fn is_of_bytes(&self) -> bool {
        self.kind.is_none()
    }

    /// Publishes; waits up to `patience` for subscribers that are behind.
    pub fn publish(&self, name: &Name, message: &[u8], patience: Duration) -> Result<()> {
        let raw = match &self.kind {
            None => {
                raw::wrap(message).ok_or(Error::TooLong { len: message.len(), most: u32::MAX as usize })?
            }
            Some(kind) if kind.fits(message) => kind.to_cdr(message).map_err(|why| {
                Error::invalid(format!("a message for `{name}` is no `{}`: {why}", kind.name))
            })?,
            Some(kind) => {
                return Err(Error::invalid(format!(
                    "`{name}` is published as `{}`, and this message is of another type",
                    kind.name
                )));
            }
        };
        let mut write = pin!(self.writer.async_write(raw, None));
        let end = Instant::now() + patience;
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let written = loop {
            match write.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(result) => break result.is_ok(),
                Poll::Pending if self.stalled.load(Relaxed) || Instant::now() >= end => break false,
                Poll::Pending => thread::park_timeout(end.saturating_duration_since(Instant::now())),
            }
        };
        // A hint for the next message; it orders nothing.
        self.stalled.store(!written, Relaxed);
        if written {
            return Ok(());
        }
        let why = "a subscriber does not keep up; it is there still, or its time is not over yet";
        Err(Error::system(format!("publish on `{name}`"), io::Error::new(io::ErrorKind::WouldBlock, why)))
    }

    /// Waits until `end` that all have what was published.
    pub fn flush(&self, end: Instant) {
        // What they do not have by then, they never will.
        let _ = self.writer.wait_for_acknowledgments(end.saturating_duration_since(Instant::now()));
    }
}

/// Wakes a thread that is parked.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
