//! What a provider gives a publisher and a subscriber to stand on.

use crate::{Error, Pattern, RawMessage, Result};
use saltus_channel::{CancelHandle, Description, DetachedView, Name};
use saltus_ring::Which;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

/// The sending side of one channel.
pub(crate) trait BackendPublisher: Send {
    /// Publishes a message.
    fn publish(&mut self, payload: &[u8]) -> Result<()>;
    /// Publishes a message with a timestamp of another time, as [`Publisher::publish_with_timestamp`](crate::Publisher::publish_with_timestamp) says.
    fn publish_with_timestamp(&mut self, _: &[u8], _: i64) -> Result<i64> {
        Err(Error::unsupported(
            "messages that carry no timestamp, or only that of their publication, cannot be given another",
        ))
    }
    /// What [`Message::sender`](crate::Message::sender) will be of what this publishes, if the transport has such a number.
    fn sender(&self) -> Option<u64>;
    /// Leaves what the messages are with the channel, where there is a place for it.
    fn describe(&mut self, _: &Description) -> Result<()> {
        Ok(())
    }
}

/// The receiving side of one subscription, which may be to several channels.
pub(crate) trait BackendSubscriber: Send {
    /// Takes a message, if there is one. Does not wait. `poll`: nobody will wait if there is none, so that what has come to
    /// this machine but not to this process counts.
    fn take(&mut self, which: Which, poll: bool, meta: &mut Meta) -> Result<bool>;
    /// As `take`, but looks at the message where it lies, if it lies anywhere but in this process.
    fn look(&mut self, which: Which, poll: bool, meta: &mut Meta) -> Result<Option<Place>> {
        if !self.take(which, poll, meta)? {
            return Ok(None);
        }
        let (bytes, skip) = (std::mem::take(&mut meta.buf), std::mem::take(&mut meta.skip));
        Ok(Some(Place::Own(Arc::new(bytes), skip)))
    }
    /// Whether what `look` found was whole until now.
    fn validate(&mut self, _: &DetachedView, _: Which, _: &mut Meta) -> Result<()> {
        Err(Error::invalid("this view is of another kind of domain"))
    }
    /// Whether anything is unseen, as far as can be told without asking the system.
    fn unseen(&mut self) -> bool;
    /// Waits until something may be unseen: `true`; or until `deadline` (monotonic, ns): `false`.
    fn wait(&mut self, deadline: u64) -> Result<bool>;
    /// A descriptor that is readable while something may be unseen.
    fn fd(&mut self) -> Result<BorrowedFd<'_>>;
    /// After a take that found nothing: lowers the descriptor until something comes.
    fn rest(&mut self) -> Result<()>;
    /// The handle that cancels waits.
    fn cancel_handle(&mut self) -> CancelHandle;
    /// Whether they are canceled.
    fn is_canceled(&self) -> bool;
    /// The channels joined so far.
    fn channels(&mut self) -> Vec<Name>;
    /// What publishers said about a channel's messages, where there is a place for it.
    fn descriptions(&mut self, _: &Name) -> Vec<Description> {
        Vec::new()
    }
}

/// Where a message lies that is looked at.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// In shared memory.
    Shared(DetachedView, Which),
    /// In memory of its own, behind so many bytes that are not of it.
    Own(Arc<Vec<u8>>, usize),
}

/// A message as it was taken.
#[derive(Debug, Default)]
pub(crate) struct Meta {
    /// The message, behind `skip` bytes that are not of it.
    pub buf: Vec<u8>,
    pub skip: usize,
    pub channel: Option<Name>,
    /// What else is known of it. Where it lies is filled in for those who ask.
    pub raw: RawMessage,
}

impl Meta {
    /// Notes its channel. Where the subscriber has asked for one by its name, that is done once.
    #[inline]
    pub fn is_of(&mut self, channel: &Name, asked: &Pattern) {
        if self.channel.is_none() || asked.exact().is_none() {
            self.channel = Some(channel.clone());
        }
    }
    /// Its bytes and its channel, if one was taken.
    #[inline]
    pub fn message(&self) -> Option<(&[u8], &Name)> {
        Some((self.buf.get(self.skip..)?, self.channel.as_ref()?))
    }
}
