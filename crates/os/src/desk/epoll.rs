//! Sets of descriptors that a thread sleeps on, events, timers: Linux's `epoll` in terms of `poll`.

use super::poll::{self, Leaves};
pub use super::timer::Timer;
use crate::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The events to wait for: the sum of [`READ`], [`WRITE`], [`EXCLUSIVE`].
pub type Interest = u32;
/// Data to read, or the end of the input.
pub const READ: Interest = 1;
/// Space to write.
pub const WRITE: Interest = 2;
/// Has no effect here: all that wait are woken.
pub const EXCLUSIVE: Interest = 4;
/// An error or a hang-up. Always reported.
pub const BROKEN: Interest = 8;

/// A set of descriptors. Its own descriptor is only of use to waits of this crate, in this process.
#[derive(Debug)]
pub struct Epoll(Arc<Set>);

#[derive(Debug)]
pub(super) struct Set {
    /// Raised when the members change, for threads that wait for them. Its descriptor is the set's.
    pub changed: Event,
    members: Mutex<BTreeMap<RawFd, (Interest, u64)>>,
}

/// The sets of this process, by their descriptors.
static SETS: Mutex<BTreeMap<RawFd, Weak<Set>>> = Mutex::new(BTreeMap::new());

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner) // nothing panics halfway
}

impl Set {
    /// The set that has this descriptor.
    pub fn of(fd: RawFd) -> Option<Arc<Set>> {
        lock(&SETS).get(&fd)?.upgrade()
    }
    /// Calls `each` with each member, its events and its token.
    pub fn each(&self, mut each: impl FnMut(RawFd, poll::Interest, u64)) {
        for (fd, (interest, token)) in lock(&self.members).iter() {
            each(*fd, events_of(*interest), *token);
        }
    }
}

impl Epoll {
    /// A set without descriptors.
    pub fn new() -> io::Result<Epoll> {
        let set = Arc::new(Set { changed: Event::new()?, members: Mutex::default() });
        lock(&SETS).insert(set.changed.raw(), Arc::downgrade(&set));
        Ok(Epoll(set))
    }
    /// Adds `fd`, whose events are reported with `token`. Remove it before you close it.
    pub fn add(&self, fd: RawFd, interest: Interest, token: u64) -> io::Result<()> {
        if lock(&self.0.members).insert(fd, (interest, token)).is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.0.changed.raise();
        Ok(())
    }
    /// Changes the events to wait for on `fd`.
    pub fn change(&self, fd: RawFd, interest: Interest, token: u64) -> io::Result<()> {
        let mut members = lock(&self.0.members);
        *members.get_mut(&fd).ok_or(io::ErrorKind::NotFound)? = (interest, token);
        drop(members);
        self.0.changed.raise();
        Ok(())
    }
    /// Removes `fd`. Does nothing if it was not added.
    pub fn remove(&self, fd: RawFd) {
        if lock(&self.0.members).remove(&fd).is_some() {
            self.0.changed.raise();
        }
    }

    /// Sleeps until a descriptor is ready, or until `deadline` on the monotonic clock, in ns. Calls `each` with the token and the
    /// events of each ready descriptor. May return early, without such calls.
    pub fn wait(&self, deadline: u64, mut each: impl FnMut(u64, Interest)) {
        let mut tokens = Vec::new();
        let fill = |leaves: &mut Leaves| {
            leaves.add_changes(&self.0);
            tokens.clear();
            self.0.each(|fd, events, token| {
                leaves.add(fd, events, tokens.len(), 1);
                tokens.push(token);
            });
        };
        let deadline = Some(deadline).filter(|deadline| *deadline < u64::MAX);
        for (member, events) in poll::sleep(fill, deadline).unwrap_or_default() {
            each(tokens[member], interest_in(events));
        }
    }
}

impl Drop for Epoll {
    fn drop(&mut self) {
        lock(&SETS).remove(&self.0.changed.raw());
    }
}

impl AsFd for Epoll {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.changed.as_fd()
    }
}

fn events_of(interest: Interest) -> poll::Interest {
    (if interest & READ != 0 { poll::READ } else { 0 })
        | (if interest & WRITE != 0 { poll::WRITE } else { 0 })
}

fn interest_in(events: poll::Interest) -> Interest {
    let broken = events & !(poll::READ | poll::WRITE) != 0;
    (if events & poll::READ != 0 { READ } else { 0 })
        | (if events & poll::WRITE != 0 { WRITE } else { 0 })
        | (if broken { BROKEN } else { 0 })
}

/// An event: raised, until it is lowered. A socket that is connected to itself, and readable while it is raised.
#[derive(Debug)]
pub struct Event(UdpSocket);

impl Event {
    /// A lowered event.
    pub fn new() -> io::Result<Event> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        socket.connect(socket.local_addr()?)?; // datagrams of others do not raise it
        socket.set_nonblocking(true)?;
        Ok(Event(socket))
    }
    /// Raises it. Async-signal-safe; one system call.
    pub fn raise(&self) {
        let _ = self.0.send(&[1]); // it fails only if the event is raised often already
    }
    /// Lowers it. Returns whether it was raised.
    pub fn lower(&self) -> bool {
        let mut was_raised = false;
        while self.0.recv(&mut [0]).is_ok() {
            was_raised = true;
        }
        was_raised
    }
    /// Its descriptor.
    pub fn raw(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

impl AsFd for Event {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
