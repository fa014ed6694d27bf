//! The traits that a provider implements for publishers and subscribers.

use crate::{Error, Pattern, RawMessage, Result};
use saltus_channel::{CancelHandle, Description, DetachedView, Name};
use saltus_os::fd::BorrowedFd;
use saltus_ring::Which;
use std::sync::Arc;

/// The sending side of one channel.
pub(crate) trait BackendPublisher: Send {
    /// Publishes a message.
    fn publish(&mut self, payload: &[u8]) -> Result<()>;
    /// Publishes a message with a given timestamp; see
    /// [`Publisher::publish_with_timestamp`](crate::Publisher::publish_with_timestamp).
    fn publish_with_timestamp(&mut self, _: &[u8], _: i64) -> Result<i64> {
        Err(Error::unsupported("this transport does not support publishing with a given timestamp"))
    }
    /// The value of [`Message::sender`](crate::Message::sender) in its messages, if the transport has such a
    /// number.
    fn sender(&self) -> Option<u64>;
    /// Stores a description of the messages with the channel, where the transport supports that.
    fn describe(&mut self, _: &Description) -> Result<()> {
        Ok(())
    }
}

/// The receiving side of one subscription, which may be to several channels.
pub(crate) trait BackendSubscriber: Send {
    /// Receives a message, if there is one. Does not wait. `poll`: the caller will not wait afterwards, so messages
    /// that reached this machine but not yet this process must be received too.
    fn take(&mut self, which: Which, poll: bool, meta: &mut Meta) -> Result<bool>;
    /// As `take`, but returns the message in place, if it is outside this process.
    fn look(&mut self, which: Which, poll: bool, meta: &mut Meta) -> Result<Option<Place>> {
        if !self.take(which, poll, meta)? {
            return Ok(None);
        }
        let (bytes, skip) = (std::mem::take(&mut meta.buf), std::mem::take(&mut meta.skip));
        Ok(Some(Place::Own(Arc::new(bytes), skip)))
    }
    /// Checks that the message that `look` returned is still whole.
    fn validate(&mut self, _: &DetachedView, _: Which, _: &mut Meta) -> Result<()> {
        Err(Error::invalid("this view belongs to another kind of domain"))
    }
    /// Whether anything is unseen, as far as is known without a system call.
    fn unseen(&mut self) -> bool;
    /// Waits until something may be unseen: `true`; or until `deadline` (monotonic, ns): `false`.
    fn wait(&mut self, deadline: u64) -> Result<bool>;
    /// A descriptor that is readable when something may be unseen.
    fn fd(&mut self) -> Result<BorrowedFd<'_>>;
    /// After a `take` that found nothing: makes the descriptor unreadable until something arrives.
    fn rest(&mut self) -> Result<()>;
    /// The handle that cancels waits.
    fn cancel_handle(&mut self) -> CancelHandle;
    /// Whether waits are canceled.
    fn is_canceled(&self) -> bool;
    /// Joins channels created so far, where that takes a search.
    fn join_new(&mut self) -> Result<()> {
        Ok(())
    }
    /// The channels joined so far.
    fn channels(&mut self) -> Vec<Name>;
    /// The publishers' descriptions of a channel's messages, where the transport supports that.
    fn descriptions(&mut self, _: &Name) -> Vec<Description> {
        Vec::new()
    }
}

/// Location of a message that is viewed in place.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// In shared memory.
    Shared(DetachedView, Which),
    /// In this process's memory, after this many bytes that are not part of the message.
    Own(Arc<Vec<u8>>, usize),
}

/// A received message and its metadata.
#[derive(Debug, Default)]
pub(crate) struct Meta {
    /// The message, after `skip` bytes that are not part of it.
    pub buf: Vec<u8>,
    pub skip: usize,
    pub channel: Option<Name>,
    /// Its other metadata. The pointers are set on request.
    pub raw: RawMessage,
}

impl Meta {
    /// Records its channel. A subscription to one channel by name does so once.
    #[inline]
    pub fn is_of(&mut self, channel: &Name, asked: &Pattern) {
        if self.channel.is_none() || asked.exact().is_none() {
            self.channel = Some(channel.clone());
        }
    }
    /// Its bytes and its channel, if a message was received.
    #[inline]
    pub fn message(&self) -> Option<(&[u8], &Name)> {
        Some((self.buf.get(self.skip..)?, self.channel.as_ref()?))
    }
}
