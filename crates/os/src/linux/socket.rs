//! Options of UDP sockets that the standard library lacks.

use std::io;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;

/// Never fragments datagrams, and ignores routers' reports of the path MTU.
pub fn keep_whole(socket: &UdpSocket, v6: bool) -> io::Result<()> {
    set(socket, libc::IPPROTO_IP, libc::IP_MTU_DISCOVER, libc::IP_PMTUDISC_PROBE)?;
    if v6 {
        set(socket, libc::IPPROTO_IPV6, libc::IPV6_MTU_DISCOVER, libc::IPV6_PMTUDISC_PROBE)
    } else {
        Ok(())
    }
}

/// Requests buffers of `bytes` for receiving and sending. The system may grant less.
pub fn request_buffers(socket: &UdpSocket, bytes: i32) {
    for option in [libc::SO_RCVBUF, libc::SO_SNDBUF] {
        let _ = set(socket, libc::SOL_SOCKET, option, bytes);
    }
}

/// Whether a datagram was longer than the outgoing interface takes.
pub fn is_too_long(why: &io::Error) -> bool {
    why.raw_os_error() == Some(libc::EMSGSIZE)
}

fn set(socket: &UdpSocket, level: libc::c_int, option: libc::c_int, value: libc::c_int) -> io::Result<()> {
    let len = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: the option's value is an integer that stays alive across the call.
    let result =
        unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, (&raw const value).cast(), len) };
    super::check(result).map(drop)
}
