//! Sockets for many ports behind one descriptor.

use crate::udp::{Bound, Datagram, Incoming, Options};
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddrV4;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// Most ready sockets per `epoll_wait`.
const READY: usize = 64;

/// A socket for each port listened to. The first port always is.
pub(super) struct Sockets {
    options: Options,
    epoll: OwnedFd,
    /// Each with the number of its listeners.
    bound: BTreeMap<u16, (Bound, usize)>,
    incoming: Incoming,
}

impl Sockets {
    pub fn open(options: &Options) -> Result<Sockets> {
        // SAFETY: requests a new descriptor.
        let fd = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if fd < 0 {
            return Err(many(io::Error::last_os_error()));
        }
        // SAFETY: the descriptor is new and has no other owner.
        let epoll = unsafe { OwnedFd::from_raw_fd(fd) };
        let mut sockets =
            Sockets { options: options.clone(), epoll, bound: BTreeMap::new(), incoming: Incoming::new() };
        sockets.listen(options.group.port())?;
        Ok(sockets)
    }

    pub fn listen(&mut self, port: u16) -> Result<()> {
        if let Some((_, users)) = self.bound.get_mut(&port) {
            *users += 1;
            return Ok(());
        }
        self.options.group = SocketAddrV4::new(*self.options.group.ip(), port);
        let bound = Bound::open(&self.options)?;
        let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: u64::from(port) };
        let (epoll, fd) = (self.epoll.as_raw_fd(), bound.fd.as_raw_fd());
        // SAFETY: both descriptors are open and the event stays alive across the call.
        if unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_ADD, fd, &mut event) } < 0 {
            return Err(many(io::Error::last_os_error()));
        }
        self.bound.insert(port, (bound, 1));
        Ok(())
    }

    pub fn leave(&mut self, port: u16) {
        if let Some((_, users)) = self.bound.get_mut(&port) {
            *users -= 1;
            if *users == 0 {
                self.bound.remove(&port); // which closes it, and so removes it from `epoll`
            }
        }
    }

    /// Receives up to `most` datagrams of each readable socket.
    pub fn drain(&mut self, most: usize, mut take: impl FnMut(Datagram<'_>)) -> Result<usize> {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; READY];
        let (at, room) = (events.as_mut_ptr(), READY as i32);
        // SAFETY: the kernel writes at most `READY` events into an array that stays alive across the call.
        let ready = unsafe { libc::epoll_wait(self.epoll.as_raw_fd(), at, room, 0) };
        let mut taken = 0;
        for event in &events[..usize::try_from(ready).unwrap_or(0)] {
            if let Some((bound, _)) = self.bound.get(&(event.u64 as u16)) {
                taken += bound.drain(&mut self.incoming, most, &mut take)?;
            }
        }
        Ok(taken)
    }

    pub fn dropped(&self) -> u64 {
        self.bound.values().map(|(bound, _)| u64::from(bound.dropped().unwrap_or(0))).sum()
    }
}

impl AsFd for Sockets {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }
}

fn many(why: io::Error) -> Error {
    Error::socket("cannot wait for many ports", "raise the limit of open files (`ulimit -n`)", why)
}
