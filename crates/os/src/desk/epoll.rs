//! Sets of descriptors that a thread sleeps on, events, timers: Linux's `epoll` in terms of `poll`.

pub use super::event::Event;
use super::own::fd::{AsFd, BorrowedFd, RawFd};
use super::poll::{self, Leaves};
use super::process;
use super::set::{Member, Set};
pub use super::timer::Timer;
use std::io;
use std::sync::Arc;

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

/// Pause after a wait that fails, in ns.
const PAUSE: u64 = 1_000_000;

/// A set of descriptors. Its own descriptor is only of use to waits of this crate, in this process.
#[derive(Debug)]
pub struct Epoll(Arc<Set>);

impl Epoll {
    /// A set without descriptors.
    pub fn new() -> io::Result<Epoll> {
        Set::new().map(Epoll)
    }
    /// Adds `fd`, whose events are reported with `token`. Remove it before you close it.
    pub fn add(&self, fd: RawFd, interest: Interest, token: u64) -> io::Result<()> {
        self.0.add(fd, Member { events: events_of(interest), token })
    }
    /// Changes the events to wait for on `fd`.
    pub fn change(&self, fd: RawFd, interest: Interest, token: u64) -> io::Result<()> {
        self.0.change(fd, Member { events: events_of(interest), token })
    }
    /// Removes `fd`. Does nothing if it was not added.
    pub fn remove(&self, fd: RawFd) {
        self.0.remove(fd);
    }

    /// Sleeps until a descriptor is ready, or until `deadline` on the monotonic clock, in ns. Calls `each` with the token and the
    /// events of each ready descriptor. May return early, without such calls.
    pub fn wait(&self, deadline: u64, mut each: impl FnMut(u64, Interest)) {
        let mut tokens = Vec::new();
        let fill = |leaves: &mut Leaves| {
            leaves.add_changes(&self.0);
            tokens.clear();
            self.0.each(|fd, member| {
                leaves.add(fd, member.events, tokens.len(), 1);
                tokens.push(member.token);
            });
        };
        let deadline = Some(deadline).filter(|deadline| *deadline < u64::MAX);
        match poll::sleep(fill, deadline) {
            Ok(ready) => {
                ready.into_iter().for_each(|(member, events)| each(tokens[member], interest_in(events)))
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            // Of a descriptor that was closed, for instance: callers wait again, which must not take a whole processor.
            Err(_) => process::sleep_for(PAUSE),
        }
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
