//! A socket that is bound to a group.

use super::options::RECEIVE_BUFFER;
use super::{BATCH, Options};
use crate::system::{Incoming, remedy, socket};
use crate::{Error, Result};
use saltus_os::clock::{self, Clock};
use std::io::{self, ErrorKind};
use std::net::SocketAddrV4;

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

/// A socket that receives from one group, into memory that several may share.
pub(crate) struct Bound {
    pub fd: socket::Socket,
    pub group: SocketAddrV4,
}

impl Bound {
    /// As [`super::Receiver::open`].
    pub fn open(options: &Options) -> Result<Bound> {
        let fd = socket::open()?;
        let group = options.group;
        let refused = |e| {
            let remedy = remedy::receiving(group, &e);
            Error::socket(format!("cannot receive on {group}"), remedy, e)
        };
        if group.port() == 0 {
            return Err(Error::Invalid { what: format!("{group} has no port: LCM's default is 7667") });
        }
        buffer(&fd, options.recv_buf).map_err(refused)?;
        socket::set_timestamps(&fd).map_err(refused)?;
        if group.ip().is_multicast() {
            socket::share_port(&fd).map_err(refused)?;
        }
        socket::bind(&fd, group).map_err(refused)?;
        if group.ip().is_multicast() {
            socket::join(&fd, *group.ip(), options.iface.as_deref(), refused)?;
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
            let got = match incoming.receive(&self.fd, asked) {
                Ok(got) => got,
                Err(e) => match e.kind() {
                    ErrorKind::WouldBlock => break,
                    // Caused by a datagram sent to a port where nothing listens; Windows resets.
                    ErrorKind::Interrupted | ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset => {
                        continue;
                    }
                    _ => {
                        let remedy = "open the network again";
                        return Err(Error::socket(format!("cannot receive on {}", self.group), remedy, e));
                    }
                },
            };
            for i in 0..got {
                let (bytes, from, stamp_ns) = incoming.datagram(i);
                let stamp_ns = if stamp_ns == 0 { clock::now(Clock::Realtime) } else { stamp_ns };
                take(Datagram { from, bytes, stamp_ns });
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
        socket::dropped(&self.fd)
    }
}

/// Requests a receive buffer.
fn buffer(fd: &socket::Socket, wish: Option<usize>) -> io::Result<()> {
    match wish {
        Some(0) => Ok(()),
        wish => {
            socket::set_receive_buffer(fd, i32::try_from(wish.unwrap_or(RECEIVE_BUFFER)).unwrap_or(i32::MAX))
        }
    }
}
