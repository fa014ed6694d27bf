//! Waiting for a few sockets at once. For many, or for the same ones again and again, use [`crate::epoll`].

use super::own::fd::{AsRawFd, BorrowedFd, RawFd};
use super::set::Set;
use super::{clock, own, process};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

pub use own::{Interest, PollFd, READ, WRITE};

/// An entry for [`wait`]. `None`: an entry that never has events.
pub fn entry(fd: Option<BorrowedFd<'_>>, events: Interest) -> PollFd {
    PollFd { fd: fd.map_or(own::NO_FD, |fd| fd.as_raw_fd()), events, revents: 0 }
}

/// Sleeps until a socket is ready or broken, for `time` at most; returns how many are.
///
/// An entry may be the descriptor of an [`crate::epoll::Epoll`] of this process: it is ready when a member is.
///
/// # Errors
/// The system's. On macOS, a signal ends the wait with `Interrupted`.
pub fn wait(polls: &mut [PollFd], time: Option<Duration>) -> io::Result<usize> {
    let deadline = time
        .map(|time| clock::monotonic().saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)));
    let fill = |leaves: &mut Leaves| {
        for (i, poll) in polls.iter().enumerate().filter(|(_, poll)| poll.fd != own::NO_FD) {
            leaves.add(poll.fd, poll.events, i, 0);
        }
    };
    let ready = sleep(fill, deadline)?;
    for (i, poll) in polls.iter_mut().enumerate() {
        poll.revents = ready.get(&i).copied().unwrap_or(0);
    }
    Ok(ready.len())
}

/// The longest sleep before the members of sets are read again, in ns. Every change of a set raises its event, but another thread that waits
/// for the same set may lower it first.
const SLICE: u64 = 100_000_000;
/// Sets within sets are followed to this depth: one that contains itself has no end.
const DEPTH: usize = 8;

/// Sleeps until a socket that `fill` adds is ready, or until `deadline` (monotonic, ns). Returns the owners of those, with their events.
pub(super) fn sleep(
    mut fill: impl FnMut(&mut Leaves),
    deadline: Option<u64>,
) -> io::Result<BTreeMap<usize, Interest>> {
    let mut leaves = Leaves::default();
    loop {
        leaves.clear();
        fill(&mut leaves);
        let left = deadline.map(|deadline| deadline.saturating_sub(clock::monotonic()));
        let time = left.map_or(SLICE, |left| left.min(SLICE));
        if leaves.sockets.is_empty() {
            process::sleep_for(time);
        } else if own::poll(&mut leaves.sockets, time)? > 0 {
            leaves.see_changes();
            let ready = leaves.ready();
            if !ready.is_empty() {
                return Ok(ready);
            }
        }
        if deadline.is_some_and(|deadline| clock::monotonic() >= deadline) {
            return Ok(BTreeMap::new());
        }
    }
}

/// The sockets behind entries.
#[derive(Default)]
pub(super) struct Leaves {
    sockets: Vec<PollFd>,
    /// What each socket belongs to.
    owners: Vec<Owner>,
}

/// What a socket belongs to.
enum Owner {
    /// The entry with this number.
    Entry(usize),
    /// A set: its event.
    Set(Arc<Set>),
}

impl Leaves {
    fn clear(&mut self) {
        self.sockets.clear();
        self.owners.clear();
    }

    /// Adds a socket of entry `owner`, or those of a set within `depth` others.
    pub fn add(&mut self, fd: RawFd, events: Interest, owner: usize, depth: usize) {
        match Set::of(fd) {
            None => self.push(fd, events, Owner::Entry(owner)),
            Some(set) if depth < DEPTH => {
                self.add_changes(&set);
                set.each(|fd, member| self.add(fd, member.events, owner, depth + 1));
            }
            Some(_) => {}
        }
    }
    /// Adds the event of a set, which ends the sleep so that the members are added again.
    pub fn add_changes(&mut self, set: &Arc<Set>) {
        self.push(set.changed.raw(), READ, Owner::Set(set.clone()));
    }
    fn push(&mut self, fd: RawFd, events: Interest, owner: Owner) {
        self.sockets.push(PollFd { fd, events, revents: 0 });
        self.owners.push(owner);
    }

    /// Lowers the events of sets that have changed.
    fn see_changes(&self) {
        for (socket, owner) in self.sockets.iter().zip(&self.owners) {
            if let Owner::Set(set) = owner
                && socket.revents != 0
            {
                set.changed.lower();
            }
        }
    }
    /// The entries that are ready, with their events.
    fn ready(&self) -> BTreeMap<usize, Interest> {
        let mut ready = BTreeMap::new();
        for (socket, owner) in self.sockets.iter().zip(&self.owners) {
            if let Owner::Entry(entry) = owner
                && socket.revents != 0
            {
                *ready.entry(*entry).or_insert(0) |= socket.revents;
            }
        }
        ready
    }
}
