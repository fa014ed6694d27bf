//! System calls for both kinds of socket.

use crate::{Error, Result};
use std::ffi::CString;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// A non-blocking UDP socket that `exec` closes.
pub(super) fn open() -> Result<OwnedFd> {
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
pub(super) fn set<T: Copy>(fd: &OwnedFd, level: i32, name: i32, value: T) -> io::Result<()> {
    let len = size_of::<T>() as libc::socklen_t;
    // SAFETY: the value stays alive across the call and has that many bytes.
    let result = unsafe { libc::setsockopt(fd.as_raw_fd(), level, name, (&raw const value).cast(), len) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Reads a socket option into `value`, as far as the kernel fills it.
pub(super) fn get<T: Copy>(fd: &OwnedFd, level: i32, name: i32, mut value: T) -> io::Result<T> {
    let mut len = size_of::<T>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `len` bytes of a value that stays alive across the call. `T` is made of
    // integers.
    let result = unsafe { libc::getsockopt(fd.as_raw_fd(), level, name, (&raw mut value).cast(), &mut len) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(value) }
}

/// An address in the kernel's format.
pub(super) fn to_kernel(address: SocketAddrV4) -> libc::sockaddr_in {
    libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: address.port().to_be(),
        sin_addr: in_addr(*address.ip()),
        sin_zero: [0; 8],
    }
}

/// An address from the kernel's format.
pub(super) fn from_kernel(address: &libc::sockaddr_in) -> SocketAddrV4 {
    let ip = Ipv4Addr::from(address.sin_addr.s_addr.to_ne_bytes());
    SocketAddrV4::new(ip, u16::from_be(address.sin_port))
}

fn in_addr(ip: Ipv4Addr) -> libc::in_addr {
    libc::in_addr { s_addr: u32::from_ne_bytes(ip.octets()) }
}

/// Binds to an address of this machine, or to a group.
pub(super) fn bind(fd: &OwnedFd, address: SocketAddrV4) -> io::Result<()> {
    let address = to_kernel(address);
    let len = size_of_val(&address) as libc::socklen_t;
    // SAFETY: the address stays alive across the call and has that many bytes.
    let result = unsafe { libc::bind(fd.as_raw_fd(), (&raw const address).cast(), len) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The address that a socket is bound to.
pub(super) fn local(fd: &OwnedFd) -> io::Result<SocketAddrV4> {
    let mut address = to_kernel(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0));
    let mut len = size_of_val(&address) as libc::socklen_t;
    // SAFETY: the kernel writes at most `len` bytes of an address that stays alive across the call.
    let result = unsafe { libc::getsockname(fd.as_raw_fd(), (&raw mut address).cast(), &mut len) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(from_kernel(&address)) }
}

/// A group membership on an interface, given by name or address, or chosen by the routes.
pub(super) fn membership(group: Ipv4Addr, iface: Option<&str>) -> Result<libc::ip_mreqn> {
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

/// The error for a missing interface.
pub(super) fn no_interface(iface: &str) -> Error {
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
