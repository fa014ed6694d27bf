//! Receiving messages of one type.

use crate::description;
use crate::{Error, Message as Bytes, Result, Subscriber};
use saltus_channel::{Description, Name, Until};
use saltus_types::diff::diff;
use saltus_types::{Loader, Schema, StructId};
use saltus_wire::Message;
use std::collections::HashSet;

/// Channels and types that were told to differ; what is beyond it is counted and not told.
const MOST_TOLD: usize = 1024;

/// What the messages of a subscriber shall be, known at run time; and which others have come.
#[derive(Debug)]
pub struct Expected {
    what: Description,
    told: HashSet<(Name, u64)>,
    mismatched: u64,
}

impl Expected {
    /// Messages that begin with this fingerprint, or with this hash of a plain layout.
    pub fn new(what: Description) -> Expected {
        Expected { what, told: HashSet::new(), mismatched: 0 }
    }

    /// Receives a message of the type, as [`Subscriber::receive`].
    ///
    /// # Errors
    /// [`Error::Type`], once a channel and type, for a message of another type, with the difference where that type is known;
    /// later ones are passed over and counted.
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

    /// Whether the message that was received last is of the type. Errors as [`Expected::receive`].
    pub fn accepts(&mut self, subscriber: &mut Subscriber) -> Result<bool> {
        let Some(last) = subscriber.last() else { return Ok(false) };
        if self.fits(last.data) {
            return Ok(true);
        }
        let (found, channel) = (fingerprint(last.data), last.channel.clone());
        self.refuse(found, channel, |channel| subscriber.descriptions(channel)).map(|()| false)
    }

    /// Whether this is a message of the type, where nobody can be asked what else it is. Errors as [`Expected::receive`].
    pub fn check(&mut self, message: Bytes<'_>) -> Result<bool> {
        if self.fits(message.data) {
            return Ok(true);
        }
        self.refuse(fingerprint(message.data), message.channel.clone(), |_| Vec::new()).map(|()| false)
    }

    /// Messages of other types that were passed over.
    pub fn mismatched(&self) -> u64 {
        self.mismatched
    }

    /// A plain layout's hash lies in the machine's order.
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
        if self.told.len() >= MOST_TOLD || self.told.contains(&key) {
            return Ok(());
        }
        let (ours, channel) = (&self.what, key.0.clone());
        let found = match found {
            None => "messages too short to have a type".to_string(),
            Some(print) => match said(&channel).iter().find(|d| d.fingerprint == print) {
                Some(theirs) => format!("`{}` {}", theirs.name, difference(ours, theirs)),
                None => format!(
                    "messages with the fingerprint {print:016x} (its own is {:016x}); nobody said what they are",
                    ours.fingerprint
                ),
            },
        };
        let expected = ours.name.clone();
        self.told.insert(key);
        Err(Error::Type { channel, expected, found })
    }
}

/// Receives messages of one type from one channel or many.
#[derive(Debug)]
pub struct TypedSubscriber<M> {
    subscriber: Subscriber,
    expected: Expected,
    message: M,
}

/// A message of a known type, and what is known about it.
#[derive(Debug)]
pub struct Typed<'a, M> {
    /// The message. Its memory is used again by the next receive.
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

    /// Receives and decodes, as [`Subscriber::receive`].
    ///
    /// # Errors
    /// Those of [`Expected::receive`]. [`Error::Decode`] for a message that is damaged.
    pub fn receive(&mut self, until: impl Into<Until>) -> Result<Option<Typed<'_, M>>> {
        let Some(about) = self.expected.receive(&mut self.subscriber, until)? else { return Ok(None) };
        let decoded = self.message.decode_from(about.data);
        decoded.map_err(|source| Error::Decode { channel: about.channel.clone(), source })?;
        Ok(Some(Typed { message: &self.message, about }))
    }

    /// Messages of other types that were passed over.
    pub fn mismatched(&self) -> u64 {
        self.expected.mismatched()
    }
    /// What it stands on: its descriptor, its cancel handle, its channels.
    pub fn subscriber(&mut self) -> &mut Subscriber {
        &mut self.subscriber
    }
}

/// What a message begins with.
fn fingerprint(data: &[u8]) -> Option<u64> {
    data.first_chunk().map(|bytes| u64::from_be_bytes(*bytes))
}

/// How the type that was described differs from the expected one, in words.
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
