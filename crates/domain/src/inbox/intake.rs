//! Storing messages in their channels, by one thread at a time.

use super::channel::{Channel, ChannelEnd};
use super::store::{Interest, Store};
use crate::{Error, Result};
use saltus_channel::Name;
use saltus_transport::{About, Arrival, Sink};
use std::collections::HashMap;
use std::sync::Arc;

/// Most names remembered, subscribed or not. A network may invent any number of them.
const MOST_NAMES: usize = 4096;

/// The writing ends of all channels with subscribers.
#[derive(Debug, Default)]
pub(super) struct Intake {
    /// `None`: no subscriber.
    ends: HashMap<Name, Option<ChannelEnd>>,
    /// The state of subscriptions that `ends` was made for.
    interested: u64,
    /// The last arrival. Arrivals are in the order of their timestamps, and no two are equal.
    last: u64,
    /// Channels that received messages since the last wake.
    touched: Vec<Arc<Channel>>,
    /// Why the last message that could not be stored failed.
    fault: Option<Error>,
}

/// A receiver, and the channels that it stores messages in.
pub(super) struct Into<'a> {
    intake: &'a mut Intake,
    store: &'a Store,
}

impl Sink for Into<'_> {
    fn wants(&mut self, channel: &[u8]) -> bool {
        self.intake.end(self.store, channel).is_some()
    }
    fn take(&mut self, arrival: Arrival<'_>) {
        self.intake.take(self.store, arrival);
    }
}

impl Intake {
    pub fn of<'a>(&'a mut self, store: &'a Store) -> Into<'a> {
        Into { intake: self, store }
    }

    /// The writing end for `channel`, if it has a subscriber.
    fn end(&mut self, store: &Store, channel: &[u8]) -> Option<&mut ChannelEnd> {
        self.forget_unwanted(store);
        let name = Name::new(channel).ok()?; // nobody can subscribe to an invalid name
        if self.ends.len() >= MOST_NAMES && !self.ends.contains_key(&name) {
            self.ends.retain(|_, end| end.is_some());
            if self.ends.len() >= MOST_NAMES {
                self.fault = Some(Error::invalid(format!(
                    "more than {MOST_NAMES} channels: `{name}` is not received; subscribe to fewer"
                )));
                return None;
            }
        }
        let end = self.ends.entry(name);
        let end =
            end.or_insert_with_key(|name| store.wanted(name).map(|_| ChannelEnd::new(store.channel(name))));
        end.as_mut()
    }

    fn take(&mut self, store: &Store, arrival: Arrival<'_>) {
        let last = arrival.about.arrived.max(self.last + 1);
        let about = About { arrived: last, ..arrival.about };
        let Some(end) = self.end(store, arrival.channel) else { return };
        let (kept, channel) = (end.publish(&about, arrival.payload), end.channel().clone());
        self.last = last;
        if let Err(e) = kept {
            self.fault = Some(e);
        }
        if self.touched.last().is_none_or(|touched| !Arc::ptr_eq(touched, &channel)) {
            self.touched.push(channel);
        }
    }

    /// Wakes the subscribers that wait for stored messages.
    pub fn wake(&mut self, store: &Store, own: Option<&Arc<Interest>>) {
        for channel in self.touched.drain(..) {
            store.wake(channel.name(), own);
        }
    }

    /// Returns the error since the last call, if any.
    pub fn fault(&mut self) -> Result<()> {
        self.fault.take().map_or(Ok(()), Err)
    }

    /// When subscriptions have changed, checks again which channels have subscribers.
    fn forget_unwanted(&mut self, store: &Store) {
        let interested = store.interested();
        if interested == self.interested {
            return;
        }
        self.interested = interested;
        self.ends.retain(|name, end| {
            let wanted = end.is_some() && store.wanted(name).is_some();
            if end.is_some() && !wanted {
                store.forget(name);
            }
            wanted
        });
    }
}
