//! The sockets of macOS and Windows: one datagram per system call. Times are those of receipt, and drops are not counted.

mod batch;
pub(crate) mod remedy;
pub(crate) mod socket;

pub(crate) use batch::{Incoming, send, send_burst};

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, TcpStream};

/// Sending on a broken connection raises no signal: `socket2` asks for that where it could.
pub(crate) const NO_SIGNAL: i32 = 0;

/// Whether an error means that a connection is being made.
pub(crate) fn is_connecting(why: &io::Error) -> bool {
    // Windows says that it would block, macOS that it is in progress.
    why.kind() == ErrorKind::WouldBlock || cfg!(unix) && why.raw_os_error() == Some(libc::EINPROGRESS)
}

/// Nothing to do: the system's own limit holds.
pub(crate) fn limit_unsent(_: &TcpStream, _: i32) -> io::Result<()> {
    Ok(())
}

/// Fails: there are no such filters. Receivers skip the datagrams of their own process themselves.
pub(crate) fn ignore(_: &socket::Socket, _: Ipv4Addr, _: [u16; 2]) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}
