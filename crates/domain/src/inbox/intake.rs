//! Storing messages in their channels, by one thread at a time.

use super::channel::{Channel, ChannelEnd};
use super::store::{Interest, Store};
use crate::{Error, Result};
use saltus_channel::Name;
use saltus_transport::recent::Recent;
use saltus_transport::{About, Arrival, Count, Of, Sink};
use std::collections::HashMap;
use std::sync::Arc;

/// Most names remembered, subscribed or not. A network may invent any number of them.
const MOST_NAMES: usize = 4096;

/// The writing ends of all channels with subscribers.
#[derive(Debug)]
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
    /// Messages of each sender that could not be stored. They count as lost.
    refused: Recent<Of, u64>,
    /// Whether losses are counted for each channel of a sender, or for all its channels together.
    each_channel: bool,
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
    /// `each_channel`: whether losses are counted for each channel of a sender.
    pub fn new(each_channel: bool) -> Intake {
        Intake {
            ends: HashMap::new(),
            interested: 0,
            last: 0,
            touched: Vec::new(),
            fault: None,
            refused: Recent::default(),
            each_channel,
        }
    }
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
        let lost = arrival.about.lost.saturating_add(self.refused_before(&arrival)); // unknown stays unknown
        let about = About { arrived: last, lost, ..arrival.about };
        let Some(end) = self.end(store, arrival.channel) else { return };
        let (kept, channel) = (end.publish(&about, arrival.payload), end.channel().clone());
        let is_first = kept.is_err() && end.is_first_refusal();
        self.last = last;
        if let Err(e) = kept {
            let of = (about.sender, self.each_channel.then(|| channel.name().clone()));
            *self.refused.get_or(of, |_| 0) += 1;
            if is_first {
                self.fault = Some(e); // once per channel: a sender must not fail its subscribers again and again
            }
            return;
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

    /// Messages of this sender that could not be stored.
    fn refused_before(&self, arrival: &Arrival<'_>) -> u64 {
        if self.refused.iter().next().is_none() {
            return 0;
        }
        let name = if self.each_channel { Name::new(arrival.channel).ok() } else { None };
        self.refused.get(&(arrival.about.sender, name)).copied().unwrap_or(0)
    }

    /// Adds messages that could not be stored to the losses that the transport counts.
    pub fn with_refused(&self, mut losses: Vec<(Of, Count)>) -> Vec<(Of, Count)> {
        for (of, count) in &mut losses {
            count.lost = count.lost.saturating_add(self.refused.get(of).copied().unwrap_or(0));
        }
        losses
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
