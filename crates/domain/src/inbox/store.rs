//! The channels of an in-memory domain, and their subscribers.

use super::budget::Budget;
use super::channel::Channel;
use super::parker::Parker;
use crate::{Pattern, Result};
use saltus_channel::Name;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*, fence};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// All channels of a domain in this process.
#[derive(Debug, Default)]
pub(crate) struct Store {
    channels: RwLock<BTreeMap<Name, Arc<Channel>>>,
    /// Counts channels added or removed.
    generation: AtomicU64,
    interests: RwLock<Vec<Arc<Interest>>>,
    /// Counts subscribers added or removed.
    interested: AtomicU64,
    /// The number of subscribers that requested to be woken.
    waiters: AtomicU32,
    /// The memory of all lanes; by default unlimited.
    budget: Arc<Budget>,
}

/// One subscriber's pattern, depth and wait queue.
#[derive(Debug)]
pub(crate) struct Interest {
    pub pattern: Pattern,
    pub depth: u64,
    pub parker: Parker,
}

impl Interest {
    pub fn new(pattern: Pattern, depth: u64) -> Result<Interest> {
        Ok(Interest { pattern, depth, parker: Parker::new()? })
    }
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner) // nothing is half done when a line between panics
}
fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

impl Store {
    /// Without channels; for a network whose received messages take at most half of `memory` bytes.
    pub fn bounded(memory: u64) -> Store {
        Store { budget: Arc::new(Budget::new(memory)), ..Store::default() }
    }
    /// The channel with that name, created if necessary.
    pub fn channel(&self, name: &Name) -> Arc<Channel> {
        if let Some(channel) = read(&self.channels).get(name) {
            return channel.clone();
        }
        let mut channels = write(&self.channels);
        let made = channels
            .entry(name.clone())
            .or_insert_with(|| Arc::new(Channel::new(name.clone(), self.budget.clone())));
        let made = made.clone();
        drop(channels);
        // A subscriber that joins at this moment is in the list already, or will find the channel.
        made.deepen(self.wanted(name).unwrap_or(0));
        self.generation.fetch_add(1, Release); // pairs with the acquire in `generation`
        made
    }
    /// Removes a channel. Its readers keep its messages.
    pub fn forget(&self, name: &Name) {
        if write(&self.channels).remove(name).is_some() {
            self.generation.fetch_add(1, Release); // as above
        }
    }
    pub fn names(&self) -> Vec<Name> {
        read(&self.channels).keys().cloned().collect()
    }
    /// The channels that match `pattern`.
    pub fn matching(&self, pattern: &Pattern) -> Vec<Arc<Channel>> {
        let channels = read(&self.channels);
        match pattern.exact() {
            Some(name) => channels.get(name).cloned().into_iter().collect(),
            None => channels.values().filter(|c| pattern.matches(c.name())).cloned().collect(),
        }
    }
    /// Counts changes to the list of channels.
    #[inline]
    pub fn generation(&self) -> u64 {
        self.generation.load(Acquire) // pairs with the releases above
    }

    pub fn subscribe(&self, interest: Arc<Interest>) {
        write(&self.interests).push(interest.clone());
        for channel in self.matching(&interest.pattern) {
            channel.deepen(interest.depth);
        }
        self.interested.fetch_add(1, Release); // pairs with the acquire in `interested`
    }
    pub fn unsubscribe(&self, interest: &Arc<Interest>) {
        interest.parker.disarm(&self.waiters);
        write(&self.interests).retain(|i| !Arc::ptr_eq(i, interest));
        self.interested.fetch_add(1, Release); // as above
    }
    /// Counts changes to subscriptions.
    #[inline]
    pub fn interested(&self) -> u64 {
        self.interested.load(Acquire) // pairs with the releases above
    }
    pub fn interests(&self) -> Vec<Arc<Interest>> {
        read(&self.interests).clone()
    }
    /// The greatest depth of this channel's subscribers; `None` without subscribers.
    pub fn wanted(&self, name: &Name) -> Option<u64> {
        let interests = read(&self.interests);
        interests.iter().filter(|i| i.pattern.matches(name)).map(|i| i.depth).max()
    }

    pub fn waiters(&self) -> &AtomicU32 {
        &self.waiters
    }
    /// After a publish in `name`: wakes its waiting subscribers, except `own`. A fence and a load when none waits.
    #[inline]
    pub fn wake(&self, name: &Name, own: Option<&Arc<Interest>>) {
        fence(SeqCst); // pairs with the fence in `Parker::arm`
        if self.waiters.load(SeqCst) > 0 {
            self.wake_waiters(name, own);
        }
    }
    #[cold]
    fn wake_waiters(&self, name: &Name, own: Option<&Arc<Interest>>) {
        for interest in read(&self.interests).iter() {
            let is_own = own.is_some_and(|own| Arc::ptr_eq(own, interest));
            if !is_own && interest.parker.is_armed() && interest.pattern.matches(name) {
                interest.parker.wake(&self.waiters);
            }
        }
    }
}
