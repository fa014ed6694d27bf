//! A socket that is bound to a group.

use super::batch::{BATCH, Incoming};
use super::options::RECEIVE_BUFFER;
use super::{Options, batch, diagnose, socket};
use crate::{Error, Result};
use saltus_os::clock::{self, Clock};
use std::io;
use std::net::SocketAddrV4;
use std::os::fd::{AsRawFd, OwnedFd};

/// A received datagram. It borrows memory that the next ones reuse.
#[derive(Clone, Copy, Debug)]
pub struct Datagram<'a> {
    /// The sender's address.
    pub from: SocketAddrV4,
    /// Its payload.
    pub bytes: &'a [u8],
    /// When it reached this machine's kernel, ns since 1970.
    pub stamp_ns: u64,
}

/// Index of the drop count in the kernel's `SO_MEMINFO` array.
const SK_MEMINFO_DROPS: usize = 8;
/// Most entries of that array.
const SK_MEMINFO_VARS: usize = 16;

/// A socket that receives from one group, into memory that several may share.
pub(crate) struct Bound {
    pub fd: OwnedFd,
    pub group: SocketAddrV4,
}

impl Bound {
    /// As [`super::Receiver::open`].
    pub fn open(options: &Options) -> Result<Bound> {
        let fd = socket::open()?;
        let group = options.group;
        let refused = |e| {
            let remedy = diagnose::receiving(group, &e);
            Error::socket(format!("cannot receive on {group}"), remedy, e)
        };
        if group.port() == 0 {
            return Err(Error::Invalid { what: format!("{group} has no port: LCM's default is 7667") });
        }
        buffer(&fd, options.recv_buf).map_err(refused)?;
        socket::set(&fd, libc::SOL_SOCKET, batch::TIMESTAMPS, 1).map_err(refused)?;
        if group.ip().is_multicast() {
            socket::set(&fd, libc::SOL_SOCKET, libc::SO_REUSEADDR, 1).map_err(refused)?;
        }
        socket::bind(&fd, group).map_err(refused)?;
        if group.ip().is_multicast() {
            let member = socket::membership(*group.ip(), options.iface.as_deref())?;
            let join = socket::set(&fd, libc::IPPROTO_IP, libc::IP_ADD_MEMBERSHIP, member);
            match &options.iface {
                None => join.map_err(refused)?,
                Some(iface) => {
                    join.map_err(|_| socket::no_interface(iface))?;
                    // Only from this interface, even if others on this host have joined on others.
                    socket::set(&fd, libc::IPPROTO_IP, libc::IP_MULTICAST_ALL, 0).map_err(refused)?;
                }
            }
        }
        Ok(Bound { fd, group })
    }

    /// As [`super::Receiver::drain`].
    pub fn drain(
        &self,
        incoming: &mut Incoming,
        most: usize,
        mut take: impl FnMut(Datagram<'_>),
    ) -> Result<usize> {
        let mut taken = 0;
        while taken < most {
            let asked = (most - taken).min(BATCH);
            let got = match incoming.receive(self.fd.as_raw_fd(), asked) {
                Ok(got) => got,
                Err(e) => match e.raw_os_error() {
                    Some(libc::EAGAIN) => break,
                    Some(libc::EINTR | libc::ECONNREFUSED) => continue,
                    _ => {
                        let remedy = "open the network again";
                        return Err(Error::socket(format!("cannot receive on {}", self.group), remedy, e));
                    }
                },
            };
            for i in 0..got {
                let (bytes, from, stamp_ns) = incoming.datagram(i);
                let stamp_ns = if stamp_ns == 0 { clock::now(Clock::Realtime) } else { stamp_ns };
                take(Datagram { from: socket::from_kernel(from), bytes, stamp_ns });
            }
            incoming.reset(got);
            taken += got;
            if got < asked {
                break;
            }
        }
        Ok(taken)
    }

    /// As [`super::Receiver::dropped`].
    pub fn dropped(&self) -> io::Result<u32> {
        let none = [0_u32; SK_MEMINFO_VARS];
        Ok(socket::get(&self.fd, libc::SOL_SOCKET, libc::SO_MEMINFO, none)?[SK_MEMINFO_DROPS])
    }
}

/// Requests a receive buffer. With the necessary privilege the kernel grants any size, otherwise at most
/// `net.core.rmem_max`.
fn buffer(fd: &OwnedFd, wish: Option<usize>) -> io::Result<()> {
    let bytes = match wish {
        Some(0) => return Ok(()),
        wish => i32::try_from(wish.unwrap_or(RECEIVE_BUFFER)).unwrap_or(i32::MAX),
    };
    socket::set(fd, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, bytes)
        .or_else(|_| socket::set(fd, libc::SOL_SOCKET, libc::SO_RCVBUF, bytes))
}
