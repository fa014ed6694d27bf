//! Datagrams from a group.

use super::batch::Incoming;
use super::bound::{Bound, Datagram};
use super::{Options, filter, socket};
use crate::Result;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, BorrowedFd};

/// A socket that receives what is sent to one group, with memory for what comes.
pub struct Receiver {
    bound: Bound,
    incoming: Incoming,
}

impl Receiver {
    /// Opens it, bound to the group's address and port, a member of the group. Others on this host may be so too, if it is
    /// a multicast group. Calls the kernel, does not wait.
    ///
    /// # Errors
    /// Words on what the kernel refused.
    pub fn open(options: &Options) -> Result<Receiver> {
        Ok(Receiver { bound: Bound::open(options)?, incoming: Incoming::new() })
    }

    /// Gives `take` up to `most` datagrams that have come, oldest first, and returns how many there were; fewer than `most`: all
    /// that had come. Never waits, does not allocate.
    ///
    /// # Errors
    /// What the kernel said, if the socket is broken.
    pub fn drain(&mut self, most: usize, take: impl FnMut(Datagram<'_>)) -> Result<usize> {
        self.bound.drain(&mut self.incoming, most, take)
    }

    /// How many datagrams the kernel has dropped for want of room in the buffer, since the socket was opened; it counts
    /// up to 2^32. Calls the kernel.
    ///
    /// # Errors
    /// A kernel older than 4.12 cannot tell.
    pub fn dropped(&self) -> io::Result<u32> {
        self.bound.dropped()
    }
    /// Lets the kernel drop what comes from `ip` and one of `ports`, before it wakes anybody: datagrams of this very
    /// process, which multicast loops back. [`Receiver::dropped`] counts them. Calls the kernel.
    ///
    /// # Errors
    /// What the kernel said.
    pub fn ignore(&self, ip: Ipv4Addr, ports: [u16; 2]) -> io::Result<()> {
        filter::ignore(&self.bound.fd, ip, ports)
    }
    /// Bytes that the kernel holds for this socket, its own bookkeeping included. Calls the kernel.
    ///
    /// # Errors
    /// What the kernel said.
    pub fn buffer(&self) -> io::Result<usize> {
        socket::get(&self.bound.fd, libc::SOL_SOCKET, libc::SO_RCVBUF, 0_i32)
            .map(|bytes| bytes.max(0) as usize)
    }
    /// What it receives.
    pub fn group(&self) -> SocketAddrV4 {
        self.bound.group
    }
}

impl AsFd for Receiver {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bound.fd.as_fd()
    }
}
