//! The sockets of Linux: many datagrams per system call, timestamps and drop counts of the kernel, filters in the kernel.

mod batch;
mod filter;
pub(crate) mod remedy;
pub(crate) mod socket;

pub(crate) use batch::{Incoming, send, send_burst};
pub(crate) use filter::ignore;

use std::io;
use std::net::TcpStream;
use std::os::fd::AsRawFd;

/// Sending on a broken connection raises no signal, since the program may not expect one.
pub(crate) const NO_SIGNAL: i32 = libc::MSG_NOSIGNAL;

/// Whether an error means that a connection is being made.
pub(crate) fn is_connecting(why: &io::Error) -> bool {
    why.raw_os_error() == Some(libc::EINPROGRESS)
}

/// Limits the bytes that the kernel holds unsent for a connection.
pub(crate) fn limit_unsent(stream: &TcpStream, bytes: i32) -> io::Result<()> {
    let len = size_of_val(&bytes) as libc::socklen_t;
    // SAFETY: the value stays alive across the call and has that many bytes.
    let result = unsafe {
        let value = (&raw const bytes).cast();
        libc::setsockopt(stream.as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT, value, len)
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
