//! System calls for both kinds of UDP socket.

use crate::{Error, Result};
use std::ffi::CString;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// A UDP socket.
pub(crate) type Socket = OwnedFd;

/// Index of the drop count in the kernel's `SO_MEMINFO` array.
const SK_MEMINFO_DROPS: usize = 8;
/// Most entries of that array.
const SK_MEMINFO_VARS: usize = 16;

/// The option of a socket, and the kind of the control data, for timestamps whose two words have 64 bits.
#[cfg(target_pointer_width = "64")]
pub(super) const TIMESTAMPS: libc::c_int = libc::SO_TIMESTAMPNS;
#[cfg(target_pointer_width = "32")]
pub(super) const TIMESTAMPS: libc::c_int = 64; // SO_TIMESTAMPNS_NEW, Linux 5.1

/// A non-blocking UDP socket that `exec` closes.
pub(crate) fn open() -> Result<OwnedFd> {
    let kind = libc::SOCK_DGRAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: requests a new descriptor.
    let fd = unsafe { libc::socket(libc::AF_INET, kind, 0) };
    if fd < 0 {
        let remedy = "raise the limit of open files (`ulimit -n`)";
        return Err(Error::socket("cannot open a UDP socket", remedy, io::Error::last_os_error()));
    }
    // SAFETY: the descriptor is new and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Sets a socket option.
pub(crate) fn set<T: Copy>(fd: &OwnedFd, level: i32, name: i32, value: T) -> io::Result<()> {
    let len = size_of::<T>() as libc::socklen_t;
    // SAFETY: the value stays alive across the call and has that many bytes.
    let result = unsafe { libc::setsockopt(fd.as_raw_fd(), level, name, (&raw const value).cast(), len) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Reads a socket option into `value`, as far as the kernel fills it.
fn get<T: Copy>(fd: &OwnedFd, level: i32, name: i32, mut value: T) -> io::Result<T> {
    let mut len = size_of::<T>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `len` bytes of a value that stays alive across the call. `T` is made of
    // integers.
    let result = unsafe { libc::getsockopt(fd.as_raw_fd(), level, name, (&raw mut value).cast(), &mut len) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(value) }
}

/// An address in the kernel's format.
pub(crate) fn to_kernel(address: SocketAddrV4) -> libc::sockaddr_in {
    libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: address.port().to_be(),
        sin_addr: in_addr(*address.ip()),
        sin_zero: [0; 8],
    }
}

/// An address from the kernel's format.
pub(crate) fn from_kernel(address: &libc::sockaddr_in) -> SocketAddrV4 {
    let ip = Ipv4Addr::from(address.sin_addr.s_addr.to_ne_bytes());
    SocketAddrV4::new(ip, u16::from_be(address.sin_port))
}

fn in_addr(ip: Ipv4Addr) -> libc::in_addr {
    libc::in_addr { s_addr: u32::from_ne_bytes(ip.octets()) }
}

/// Binds to an address of this machine, or to a group.
pub(crate) fn bind(fd: &OwnedFd, address: SocketAddrV4) -> io::Result<()> {
    let address = to_kernel(address);
    let len = size_of_val(&address) as libc::socklen_t;
    // SAFETY: the address stays alive across the call and has that many bytes.
    let result = unsafe { libc::bind(fd.as_raw_fd(), (&raw const address).cast(), len) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The address that a socket is bound to.
pub(crate) fn local(fd: &OwnedFd) -> io::Result<SocketAddrV4> {
    let mut address = to_kernel(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0));
    let mut len = size_of_val(&address) as libc::socklen_t;
    // SAFETY: the kernel writes at most `len` bytes of an address that stays alive across the call.
    let result = unsafe { libc::getsockname(fd.as_raw_fd(), (&raw mut address).cast(), &mut len) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(from_kernel(&address)) }
}

/// A group membership on an interface, given by name or address, or chosen by the routes.
fn membership(group: Ipv4Addr, iface: Option<&str>) -> Result<libc::ip_mreqn> {
    let mut member = libc::ip_mreqn {
        imr_multiaddr: in_addr(group),
        imr_address: in_addr(Ipv4Addr::UNSPECIFIED),
        imr_ifindex: 0,
    };
    let Some(iface) = iface else { return Ok(member) };
    if let Ok(address) = iface.parse() {
        member.imr_address = in_addr(address);
        return Ok(member);
    }
    let index = CString::new(iface).map_or(0, |name| {
        // SAFETY: the name is a C string that stays alive across the call.
        unsafe { libc::if_nametoindex(name.as_ptr()) }
    });
    if index == 0 {
        return Err(no_interface(iface));
    }
    member.imr_ifindex = index as i32;
    Ok(member)
}

/// Requests a receive buffer. With the necessary privilege the kernel grants any size, otherwise at most `net.core.rmem_max`.
pub(crate) fn set_receive_buffer(fd: &Socket, bytes: i32) -> io::Result<()> {
    set(fd, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, bytes)
        .or_else(|_| set(fd, libc::SOL_SOCKET, libc::SO_RCVBUF, bytes))
}

/// Size of the kernel's buffer for a socket in bytes, including its own bookkeeping.
pub(crate) fn receive_buffer(fd: &Socket) -> io::Result<usize> {
    get(fd, libc::SOL_SOCKET, libc::SO_RCVBUF, 0_i32).map(|bytes| bytes.max(0) as usize)
}

/// Requests a send buffer.
pub(crate) fn set_send_buffer(fd: &Socket, bytes: i32) -> io::Result<()> {
    set(fd, libc::SOL_SOCKET, libc::SO_SNDBUF, bytes)
}

/// Requests that the kernel notes when each datagram arrived.
pub(crate) fn set_timestamps(fd: &Socket) -> io::Result<()> {
    set(fd, libc::SOL_SOCKET, TIMESTAMPS, 1)
}

/// Lets other sockets of this machine bind to the same group.
pub(crate) fn share_port(fd: &Socket) -> io::Result<()> {
    set(fd, libc::SOL_SOCKET, libc::SO_REUSEADDR, 1)
}

/// Sets how many routers a multicast datagram may cross.
pub(crate) fn set_ttl(fd: &Socket, ttl: u8) -> io::Result<()> {
    set(fd, libc::IPPROTO_IP, libc::IP_MULTICAST_TTL, i32::from(ttl))
}

/// Sends multicast datagrams to this machine too.
pub(crate) fn set_loop(fd: &Socket) -> io::Result<()> {
    set(fd, libc::IPPROTO_IP, libc::IP_MULTICAST_LOOP, 1)
}

/// Sends multicast datagrams through this interface.
pub(crate) fn send_through(fd: &Socket, group: Ipv4Addr, iface: &str) -> Result<()> {
    let member = membership(group, Some(iface))?;
    set(fd, libc::IPPROTO_IP, libc::IP_MULTICAST_IF, member).map_err(|_| no_interface(iface))
}

/// Becomes a member of a group. `refused` makes an error from the kernel's.
pub(crate) fn join(
    fd: &Socket,
    group: Ipv4Addr,
    iface: Option<&str>,
    refused: impl Fn(io::Error) -> Error,
) -> Result<()> {
    let member = membership(group, iface)?;
    let join = set(fd, libc::IPPROTO_IP, libc::IP_ADD_MEMBERSHIP, member);
    match iface {
        None => join.map_err(refused),
        Some(iface) => {
            join.map_err(|_| no_interface(iface))?;
            // Only from this interface, even if others on this host have joined on others.
            set(fd, libc::IPPROTO_IP, libc::IP_MULTICAST_ALL, 0).map_err(refused)
        }
    }
}

/// How many datagrams the kernel has dropped because the buffer was full.
pub(crate) fn dropped(fd: &Socket) -> io::Result<u32> {
    let none = [0_u32; SK_MEMINFO_VARS];
    Ok(get(fd, libc::SOL_SOCKET, libc::SO_MEMINFO, none)?[SK_MEMINFO_DROPS])
}

/// Whether a send failed because the kernel's buffers are full.
pub(crate) fn is_full(why: &io::Error) -> bool {
    matches!(why.raw_os_error(), Some(libc::EAGAIN | libc::ENOBUFS))
}

/// The error for a missing interface.
fn no_interface(iface: &str) -> Error {
    let what = format!(
        "there is no network interface `{iface}` for multicast: `ip address` lists them; name or address will do"
    );
    Error::Invalid { what }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_keep_their_order_of_bytes() {
        let address = SocketAddrV4::new(Ipv4Addr::new(239, 255, 76, 67), 7667);
        assert_eq!(from_kernel(&to_kernel(address)), address);
        assert_eq!(to_kernel(address).sin_port.to_ne_bytes(), 7667_u16.to_be_bytes());
    }

    #[test]
    fn an_interface_is_a_name_or_an_address() {
        let group = Ipv4Addr::new(239, 1, 2, 3);
        assert_eq!(membership(group, None).unwrap().imr_ifindex, 0);
        assert!(membership(group, Some("lo")).unwrap().imr_ifindex > 0);
        let by_address = membership(group, Some("127.0.0.1")).unwrap();
        assert_eq!(by_address.imr_address.s_addr.to_ne_bytes(), [127, 0, 0, 1]);
        for odd in ["nowhere9", "a\0b"] {
            let why = membership(group, Some(odd)).unwrap_err().to_string();
            assert!(why.contains("no network interface") && why.contains("ip address"), "{why}");
        }
    }
}
