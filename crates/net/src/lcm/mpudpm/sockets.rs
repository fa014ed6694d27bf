//! Sockets for many ports behind one descriptor.

use crate::system::Incoming;
use crate::udp::{Bound, Datagram, Options};
use crate::{Error, Result};
use saltus_os::epoll::{Epoll, READ};
use saltus_os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddrV4;

/// A socket for each port listened to. The first port always is.
pub(super) struct Sockets {
    options: Options,
    epoll: Epoll,
    /// Each with the number of its listeners.
    bound: BTreeMap<u16, (Bound, usize)>,
    incoming: Incoming,
}

impl Sockets {
    pub fn open(options: &Options) -> Result<Sockets> {
        let epoll = Epoll::new().map_err(many)?;
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
        self.epoll.add(bound.fd.as_raw_fd(), READ, u64::from(port)).map_err(many)?;
        self.bound.insert(port, (bound, 1));
        Ok(())
    }

    pub fn leave(&mut self, port: u16) {
        if let Some((bound, users)) = self.bound.get_mut(&port) {
            *users -= 1;
            if *users == 0 {
                self.epoll.remove(bound.fd.as_raw_fd());
                self.bound.remove(&port);
            }
        }
    }

    /// Receives up to `most` datagrams of each readable socket.
    pub fn drain(&mut self, most: usize, mut take: impl FnMut(Datagram<'_>)) -> Result<usize> {
        let (bound, incoming) = (&self.bound, &mut self.incoming);
        let mut taken = Ok(0);
        self.epoll.wait(0, |port, _| {
            if let (Ok(sum), Some((bound, _))) = (&mut taken, bound.get(&(port as u16))) {
                match bound.drain(incoming, most, &mut take) {
                    Ok(more) => *sum += more,
                    Err(why) => taken = Err(why),
                }
            }
        });
        taken
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
