//! Receiving messages of one type.

use crate::{Error, Message as Bytes, Result, Subscriber};
use saltus_channel::{Description, Name, Until};
use saltus_types::diff::diff;
use saltus_types::{Loader, Schema, StructId};
use saltus_wire::Message;
use std::collections::HashSet;

/// Channels and types that were told to differ; what is beyond it is counted and not told.
const MOST_TOLD: usize = 1024;

/// Receives messages of one type from one channel or many.
#[derive(Debug)]
pub struct TypedSubscriber<M> {
    subscriber: Subscriber,
    message: M,
    told: HashSet<(Name, u64)>,
    mismatched: u64,
}

/// A message of a known type, and what is known about it.
#[derive(Debug)]
pub struct Typed<'a, M> {
    /// The message. Its memory is used again by the next receive.
    pub message: &'a M,
    /// The same as bytes, with its channel, stamps and losses.
    pub about: Bytes<'a>,
}

impl<M: Message> TypedSubscriber<M> {
    pub(crate) fn new(subscriber: Subscriber) -> TypedSubscriber<M> {
        TypedSubscriber { subscriber, message: M::default(), told: HashSet::new(), mismatched: 0 }
    }

    /// Receives and decodes, as [`Subscriber::receive`].
    ///
    /// # Errors
    /// [`Error::Type`], once a channel and type, for a message of another type, with the difference where that type is known;
    /// later ones are passed over and counted. [`Error::Decode`] for a message that is damaged.
    pub fn receive(&mut self, until: impl Into<Until>) -> Result<Option<Typed<'_, M>>> {
        let until = match until.into().deadline() {
            None => Until::Poll,
            Some(ns) => Until::At(ns),
        };
        loop {
            let Some(message) = self.subscriber.receive(until)? else { return Ok(None) };
            let (found, channel) = (fingerprint(message.data), message.channel.clone());
            if found == Some(M::FINGERPRINT) {
                let decoded = self.message.decode_from(message.data);
                decoded.map_err(|source| Error::Decode { channel, source })?;
                break;
            }
            self.mismatched += 1;
            let key = (channel, found.unwrap_or(0));
            if self.told.len() < MOST_TOLD && !self.told.contains(&key) {
                let error = self.mismatch(&key.0, found);
                self.told.insert(key);
                return Err(error);
            }
        }
        let Some(about) = Bytes::new(self.subscriber.meta()) else { return Ok(None) };
        Ok(Some(Typed { message: &self.message, about }))
    }

    /// Messages of other types that were passed over.
    pub fn mismatched(&self) -> u64 {
        self.mismatched
    }
    /// What it stands on: its descriptor, its canceller, its channels.
    pub fn subscriber(&mut self) -> &mut Subscriber {
        &mut self.subscriber
    }

    #[cold]
    fn mismatch(&mut self, channel: &Name, found: Option<u64>) -> Error {
        let found = match found {
            None => "messages too short to have a type".to_string(),
            Some(print) => {
                let said = self.subscriber.descriptions(channel);
                match said.iter().find(|d| d.fingerprint == print) {
                    Some(theirs) => format!("`{}` {}", theirs.name, difference::<M>(theirs)),
                    None => format!(
                        "messages with the fingerprint {print:016x} (its own is {:016x}); nobody said what they are",
                        M::FINGERPRINT
                    ),
                }
            }
        };
        Error::Type { channel: channel.clone(), expected: M::NAME, found }
    }
}

/// What a message begins with.
fn fingerprint(data: &[u8]) -> Option<u64> {
    data.first_chunk().map(|bytes| u64::from_be_bytes(*bytes))
}

/// How the type that was described differs from `M`, in words.
fn difference<M: Message>(theirs: &Description) -> String {
    let load = |text: &str, name: &str| -> Option<(Schema, StructId)> {
        let loaded = Loader::new().text(name, text).load().ok()?;
        let id = loaded.schema.find(name)?;
        Some((loaded.schema, id))
    };
    let both = load(M::SCHEMA, M::NAME).zip(load(&theirs.schema, &theirs.name));
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
