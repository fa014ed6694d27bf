//! Sets of descriptors, found by the descriptors that they have themselves.

use super::event::Event;
use super::own::Interest;
use super::own::fd::RawFd;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A set of descriptors.
#[derive(Debug)]
pub struct Set {
    /// Raised when the members change, for threads that wait for them. Its descriptor is the set's.
    pub changed: Event,
    members: Mutex<BTreeMap<RawFd, Member>>,
}

/// What a set knows of a member.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// The events to wait for.
    pub events: Interest,
    /// What the events are reported with.
    pub token: u64,
}

/// The sets of this process, by their descriptors.
static SETS: Mutex<BTreeMap<RawFd, Weak<Set>>> = Mutex::new(BTreeMap::new());

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner) // nothing panics halfway
}

impl Set {
    /// An empty set.
    pub fn new() -> io::Result<Arc<Set>> {
        let set = Arc::new(Set { changed: Event::new()?, members: Mutex::default() });
        lock(&SETS).insert(set.changed.raw(), Arc::downgrade(&set));
        Ok(set)
    }
    /// The set that has this descriptor.
    pub fn of(fd: RawFd) -> Option<Arc<Set>> {
        lock(&SETS).get(&fd)?.upgrade()
    }
    /// Adds a member.
    pub fn add(&self, fd: RawFd, member: Member) -> io::Result<()> {
        match lock(&self.members).entry(fd) {
            Entry::Occupied(_) => return Err(io::ErrorKind::AlreadyExists.into()),
            Entry::Vacant(place) => place.insert(member),
        };
        self.changed.raise();
        Ok(())
    }
    /// Changes a member.
    pub fn change(&self, fd: RawFd, member: Member) -> io::Result<()> {
        *lock(&self.members).get_mut(&fd).ok_or(io::ErrorKind::NotFound)? = member;
        self.changed.raise();
        Ok(())
    }
    /// Removes a member, if it is there.
    pub fn remove(&self, fd: RawFd) {
        if lock(&self.members).remove(&fd).is_some() {
            self.changed.raise();
        }
    }
    /// Calls `each` with each member.
    pub fn each(&self, mut each: impl FnMut(RawFd, Member)) {
        // A copy: `each` may look for sets, and so end one.
        let members = lock(&self.members).clone();
        members.into_iter().for_each(|(fd, member)| each(fd, member));
    }
}

impl Drop for Set {
    fn drop(&mut self) {
        lock(&SETS).remove(&self.changed.raw());
    }
}
