//! Subscribers to messages of one type.

use crate::description;
use crate::{Error, Message as Bytes, Result, Subscriber};
use saltus_channel::{Description, Name, Until};
use saltus_types::diff::diff;
use saltus_types::{Loader, Schema, StructId};
use saltus_wire::Message;
use std::collections::HashSet;

/// Most channels and types whose difference is reported; mismatches beyond it are only counted.
const MAX_REPORTED: usize = 1024;

/// The expected type of a subscriber's messages, known at run time, and the other types received.
#[derive(Debug)]
pub struct Expected {
    what: Description,
    reported: HashSet<(Name, u64)>,
    mismatched: u64,
}

impl Expected {
    /// Expects messages that begin with this fingerprint, or with this hash of a plain layout.
    pub fn new(what: Description) -> Expected {
        Expected { what, reported: HashSet::new(), mismatched: 0 }
    }

    /// Receives a message of the type; see [`Subscriber::receive`].
    ///
    /// # Errors
    /// [`Error::Type`], once per channel and type, for a message of another type, with the difference if that type
    /// is known. Later ones are skipped and counted.
    pub fn receive<'s>(
        &mut self,
        subscriber: &'s mut Subscriber,
        until: impl Into<Until>,
    ) -> Result<Option<Bytes<'s>>> {
        let until = match until.into().deadline() {
            None => Until::Poll,
            Some(ns) => Until::At(ns),
        };
        while subscriber.receive(until)?.is_some() {
            if self.accepts(subscriber)? {
                return Ok(subscriber.last());
            }
        }
        Ok(None)
    }

    /// Whether the last received message is of the type. Errors as [`Expected::receive`].
    pub fn accepts(&mut self, subscriber: &mut Subscriber) -> Result<bool> {
        let Some(last) = subscriber.last() else { return Ok(false) };
        if self.fits(last.data) {
            return Ok(true);
        }
        let (found, channel) = (fingerprint(last.data), last.channel.clone());
        self.refuse(found, channel, |channel| subscriber.descriptions(channel)).map(|()| false)
    }

    /// Whether a message is of the type, without a subscriber to look up other types. Errors as
    /// [`Expected::receive`].
    pub fn check(&mut self, message: Bytes<'_>) -> Result<bool> {
        if self.fits(message.data) {
            return Ok(true);
        }
        self.refuse(fingerprint(message.data), message.channel.clone(), |_| Vec::new()).map(|()| false)
    }

    /// The number of messages of other types skipped.
    pub fn mismatched(&self) -> u64 {
        self.mismatched
    }

    /// A plain layout's hash is in the machine's byte order.
    fn fits(&self, data: &[u8]) -> bool {
        let is = |bytes: &[u8; 8]| {
            [u64::from_be_bytes(*bytes), u64::from_ne_bytes(*bytes)].contains(&self.what.fingerprint)
        };
        data.first_chunk().is_some_and(is)
    }

    #[cold]
    fn refuse(
        &mut self,
        found: Option<u64>,
        channel: Name,
        said: impl FnOnce(&Name) -> Vec<Description>,
    ) -> Result<()> {
        self.mismatched += 1;
        let key = (channel, found.unwrap_or(0));
        if self.reported.len() >= MAX_REPORTED || self.reported.contains(&key) {
            return Ok(());
        }
        let (ours, channel) = (&self.what, key.0.clone());
        let found = match found {
            None => "messages too short to have a type".to_string(),
            Some(print) => match said(&channel).iter().find(|d| d.fingerprint == print) {
                Some(theirs) => format!("`{}` {}", theirs.name, difference(ours, theirs)),
                None => format!(
                    "messages with the fingerprint {print:016x} (expected {:016x}); no publisher described them",
                    ours.fingerprint
                ),
            },
        };
        let expected = ours.name.clone();
        self.reported.insert(key);
        Err(Error::Type { channel, expected, found })
    }
}

/// Receives messages of one type from one or many channels.
#[derive(Debug)]
pub struct TypedSubscriber<M> {
    subscriber: Subscriber,
    expected: Expected,
    message: M,
}

/// A message of a known type, and its metadata.
#[derive(Debug)]
pub struct Typed<'a, M> {
    /// The message. The next receive reuses its memory.
    pub message: &'a M,
    /// The same as bytes, with its channel, timestamps and losses.
    pub about: Bytes<'a>,
}

impl<M: Message> TypedSubscriber<M> {
    pub(crate) fn new(subscriber: Subscriber) -> TypedSubscriber<M> {
        TypedSubscriber {
            subscriber,
            expected: Expected::new(description::of_type::<M>()),
            message: M::default(),
        }
    }

    /// Receives and decodes; see [`Subscriber::receive`].
    ///
    /// # Errors
    /// Those of [`Expected::receive`], and [`Error::Decode`] for a damaged message.
    pub fn receive(&mut self, until: impl Into<Until>) -> Result<Option<Typed<'_, M>>> {
        let Some(about) = self.expected.receive(&mut self.subscriber, until)? else { return Ok(None) };
        let decoded = self.message.decode_from(about.data);
        decoded.map_err(|source| Error::Decode { channel: about.channel.clone(), source })?;
        Ok(Some(Typed { message: &self.message, about }))
    }

    /// The number of messages of other types skipped.
    pub fn mismatched(&self) -> u64 {
        self.expected.mismatched()
    }
    /// The underlying subscriber: its descriptor, its cancel handle, its channels.
    pub fn subscriber(&mut self) -> &mut Subscriber {
        &mut self.subscriber
    }
}

/// The fingerprint at the start of a message.
fn fingerprint(data: &[u8]) -> Option<u64> {
    data.first_chunk().map(|bytes| u64::from_be_bytes(*bytes))
}

/// Describes how the type of a message differs from the expected one.
fn difference(ours: &Description, theirs: &Description) -> String {
    let load = |said: &Description| -> Option<(Schema, StructId)> {
        let loaded = Loader::new().text(&said.name, &said.schema).load().ok()?;
        let id = loaded.schema.find(&said.name)?;
        Some((loaded.schema, id))
    };
    let both = load(ours).zip(load(theirs));
    let Some(((ours, a), (other, b))) = both else {
        return format!("(fingerprint {:016x}), whose description cannot be read", theirs.fingerprint);
    };
    let changes: Vec<String> = diff(&ours, a, &other, b)
        .iter()
        .filter(|change| change.alters_fingerprint())
        .map(ToString::to_string)
        .collect();
    if changes.is_empty() { "of another layout".into() } else { format!("in which {}", changes.join("; ")) }
}
