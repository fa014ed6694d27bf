//! Sockets that receive from a group.

use super::Options;
use super::bound::{Bound, Datagram};
use crate::Result;
use crate::system::{self, Incoming, socket};
use saltus_os::fd::{AsFd, BorrowedFd};
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};

/// A socket that receives from one group, with memory for datagrams.
pub struct Receiver {
    bound: Bound,
    incoming: Incoming,
}

impl Receiver {
    /// Opens it, bound to the group's address and port, a member of the group. Others on this host may join too, if
    /// it is a multicast group. Makes system calls, does not wait.
    ///
    /// # Errors
    /// An error of the kernel, with a remedy.
    pub fn open(options: &Options) -> Result<Receiver> {
        Ok(Receiver { bound: Bound::open(options)?, incoming: Incoming::new() })
    }

    /// Passes up to `most` datagrams that have arrived to `take`, oldest first, and returns their number; fewer
    /// than `most` means that none is left. Never waits, does not allocate.
    ///
    /// # Errors
    /// The kernel's error, if the socket is broken.
    pub fn drain(&mut self, most: usize, take: impl FnMut(Datagram<'_>)) -> Result<usize> {
        self.bound.drain(&mut self.incoming, most, take)
    }

    /// How many datagrams the kernel has dropped because the buffer was full, since the socket was opened; it wraps
    /// at 2^32. Makes a system call.
    ///
    /// # Errors
    /// Not supported by kernels before 4.12.
    pub fn dropped(&self) -> io::Result<u32> {
        self.bound.dropped()
    }
    /// Makes the kernel drop datagrams from `ip` and one of `ports`, before it wakes anybody: datagrams of this
    /// process, which multicast loops back. [`Receiver::dropped`] counts them. Makes a system call.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn ignore(&self, ip: Ipv4Addr, ports: [u16; 2]) -> io::Result<()> {
        system::ignore(&self.bound.fd, ip, ports)
    }
    /// Size of the kernel's buffer for this socket in bytes, including its own bookkeeping. Makes a system call.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn buffer(&self) -> io::Result<usize> {
        socket::receive_buffer(&self.bound.fd)
    }
    /// The group it receives from.
    pub fn group(&self) -> SocketAddrV4 {
        self.bound.group
    }
}

impl AsFd for Receiver {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bound.fd.as_fd()
    }
}
