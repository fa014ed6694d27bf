//! UDP sockets.

use crate::{Error, Result};
use socket2::{Domain, InterfaceIndexOrAddress, Protocol, SockAddr, Type};
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddrV4};

/// A UDP socket.
pub(crate) type Socket = socket2::Socket;

/// A non-blocking UDP socket.
pub(crate) fn open() -> Result<Socket> {
    let made = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP));
    let made = made.and_then(|socket| socket.set_nonblocking(true).map(|()| socket));
    // macOS sends no datagram that is longer than this buffer, which has 9 KiB by default.
    let longest = |socket: &Socket| {
        if cfg!(target_os = "macos") { socket.set_send_buffer_size(1 << 16) } else { Ok(()) }
    };
    let made = made.and_then(|socket| longest(&socket).map(|()| socket));
    made.map_err(|e| Error::socket("cannot open a UDP socket", "close other programs", e))
}

/// Requests a receive buffer. A request for more than the system allows is halved until it fits.
pub(crate) fn set_receive_buffer(socket: &Socket, bytes: i32) -> io::Result<()> {
    const LEAST: usize = 64 << 10;
    let mut bytes = bytes.max(0) as usize;
    loop {
        match socket.set_recv_buffer_size(bytes) {
            Err(_) if bytes > LEAST => bytes /= 2,
            result => return result,
        }
    }
}

/// Size of the system's buffer for a socket in bytes.
pub(crate) fn receive_buffer(socket: &Socket) -> io::Result<usize> {
    socket.recv_buffer_size()
}

/// Requests a send buffer.
pub(crate) fn set_send_buffer(socket: &Socket, bytes: i32) -> io::Result<()> {
    socket.set_send_buffer_size(bytes.max(1 << 16) as usize)
}

/// Nothing to do: the time of receipt is used.
pub(crate) fn set_timestamps(_: &Socket) -> io::Result<()> {
    Ok(())
}

/// Lets other sockets of this machine bind to the same group.
pub(crate) fn share_port(socket: &Socket) -> io::Result<()> {
    #[cfg(unix)]
    socket.set_reuse_port(true)?;
    socket.set_reuse_address(true)
}

/// Sets how many routers a multicast datagram may cross.
pub(crate) fn set_ttl(socket: &Socket, ttl: u8) -> io::Result<()> {
    socket.set_multicast_ttl_v4(ttl.into())
}

/// Sends multicast datagrams to this machine too. On Windows receivers decide that, and do by default.
pub(crate) fn set_loop(socket: &Socket) -> io::Result<()> {
    socket.set_multicast_loop_v4(true)
}

/// Sends multicast datagrams through this interface.
pub(crate) fn send_through(socket: &Socket, _: Ipv4Addr, iface: &str) -> Result<()> {
    socket.set_multicast_if_v4(&address_of(iface)?).map_err(|_| no_interface(iface))
}

/// Binds to an address of this machine, or to the port of a group: Windows does not bind to groups.
pub(crate) fn bind(socket: &Socket, mut address: SocketAddrV4) -> io::Result<()> {
    if cfg!(windows) && address.ip().is_multicast() {
        address.set_ip(Ipv4Addr::UNSPECIFIED);
    }
    socket.bind(&SockAddr::from(address))
}

/// The address that a socket is bound to.
pub(crate) fn local(socket: &Socket) -> io::Result<SocketAddrV4> {
    socket.local_addr()?.as_socket_ipv4().ok_or_else(|| ErrorKind::InvalidData.into())
}

/// Becomes a member of a group. `refused` makes an error from the system's.
pub(crate) fn join(
    socket: &Socket,
    group: Ipv4Addr,
    iface: Option<&str>,
    refused: impl Fn(io::Error) -> Error,
) -> Result<()> {
    let join = |address| socket.join_multicast_v4_n(&group, &InterfaceIndexOrAddress::Address(address));
    match iface {
        None => join(Ipv4Addr::UNSPECIFIED).map_err(refused),
        Some(iface) => join(address_of(iface)?).map_err(|_| no_interface(iface)),
    }
}

fn address_of(iface: &str) -> Result<Ipv4Addr> {
    iface.parse().map_err(|_| no_interface(iface))
}

/// The error for a missing interface.
fn no_interface(iface: &str) -> Error {
    let what = format!(
        "no network interface has the address `{iface}` for multicast: on this system, give an address"
    );
    Error::Invalid { what }
}

/// Fails: dropped datagrams are not counted per socket.
pub(crate) fn dropped(_: &Socket) -> io::Result<u32> {
    Err(ErrorKind::Unsupported.into())
}

/// Whether a send failed because the system's buffers are full.
pub(crate) fn is_full(why: &io::Error) -> bool {
    const WSAENOBUFS: i32 = 10055;
    let no_buffers = if cfg!(windows) { WSAENOBUFS } else { libc::ENOBUFS };
    why.kind() == ErrorKind::WouldBlock || why.raw_os_error() == Some(no_buffers)
}
