//! A plain multicast socket: the kernel's cost of a datagram, with nothing on top of it. This is the reference.

use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::error::{Fallible, check};
use std::cell::Cell;
use std::mem::zeroed;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::os::fd::AsRawFd;
use std::ptr;
use std::rc::Rc;

/// The reference: every ratio is relative to it.
pub const REFERENCE: &str = "multicast";

/// The longest datagram.
const LONGEST: usize = 65_507;

/// See the module.
pub struct Multicast;

struct Group {
    group: SocketAddrV4,
    /// The port that this process sends from, and whether datagrams from it are skipped.
    own: Rc<Cell<Option<u16>>>,
    shared: bool,
}

impl Contender for Multicast {
    fn name(&self) -> &'static str {
        REFERENCE
    }

    fn supports(&self, ask: &Ask) -> Result<(), &'static str> {
        if ask.size > LONGEST { Err("longer than a datagram") } else { Ok(()) }
    }

    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>> {
        Ok(Box::new(Group { group: group(ask.number), own: Rc::default(), shared: false }))
    }

    fn pair(&self, there: &Ask, _: &Ask) -> Fallible<[Box<dyn Link>; 2]> {
        let own = Rc::<Cell<_>>::default();
        let link = || Box::new(Group { group: group(there.number), own: own.clone(), shared: true });
        Ok([link(), link()])
    }
}

impl Link for Group {
    fn sender(&self, _index: usize) -> Fallible<Box<dyn Sender>> {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        self.own.set(Some(socket.local_addr()?.port()));
        socket.connect(self.group)?;
        Ok(Box::new(In(socket)))
    }

    fn receiver(&self, _index: usize) -> Fallible<Box<dyn Receiver>> {
        let socket = several(self.group)?;
        socket.join_multicast_v4(self.group.ip(), &Ipv4Addr::UNSPECIFIED)?;
        Ok(Box::new(Out { socket, own: self.own.clone(), shared: self.shared }))
    }
}

/// A socket bound to the group's port; several may share it.
fn several(group: SocketAddrV4) -> Fallible<UdpSocket> {
    use std::os::fd::{FromRawFd, OwnedFd};
    // SAFETY: plain calls on a descriptor that is ours; the address and the option live across them.
    unsafe {
        let fd = check("socket", libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0))?;
        let fd = OwnedFd::from_raw_fd(fd);
        let (on, word) = (1i32, size_of::<i32>() as libc::socklen_t);
        let at = ptr::from_ref(&on).cast();
        check(
            "setsockopt",
            libc::setsockopt(fd.as_raw_fd(), libc::SOL_SOCKET, libc::SO_REUSEADDR, at, word),
        )?;
        let mut address: libc::sockaddr_in = zeroed();
        address.sin_family = libc::AF_INET as _;
        address.sin_port = group.port().to_be();
        address.sin_addr.s_addr = u32::from_ne_bytes(group.ip().octets());
        let at = ptr::from_ref(&address).cast();
        check("bind", libc::bind(fd.as_raw_fd(), at, size_of_val(&address) as _))?;
        Ok(fd.into())
    }
}

struct In(UdpSocket);

impl Sender for In {
    fn send(&mut self, message: &[u8]) -> Fallible<()> {
        self.0.send(message)?;
        Ok(())
    }
}

struct Out {
    socket: UdpSocket,
    own: Rc<Cell<Option<u16>>>,
    shared: bool,
}

impl Out {
    #[inline]
    fn receive(&self, buffer: &mut [u8], flags: i32) -> Fallible<bool> {
        // SAFETY: the buffer and the address live across the call, with the lengths that are given.
        let (got, from) = unsafe {
            let mut from: libc::sockaddr_in = zeroed();
            let mut length = size_of_val(&from) as libc::socklen_t;
            let (at, len) = (buffer.as_mut_ptr().cast(), buffer.len());
            let from_at = ptr::from_mut(&mut from).cast();
            (libc::recvfrom(self.socket.as_raw_fd(), at, len, flags, from_at, &mut length), from)
        };
        if got < 0 {
            let error = std::io::Error::last_os_error();
            return if error.kind() == std::io::ErrorKind::WouldBlock {
                Ok(false)
            } else {
                Err(error.into())
            };
        }
        Ok(!self.shared || Some(u16::from_be(from.sin_port)) != self.own.get())
    }
}

impl Receiver for Out {
    fn poll(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        self.receive(buffer, libc::MSG_DONTWAIT)
    }

    fn wait(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        self.receive(buffer, 0)
    }
}

/// The group of connection `number`: an address and a port that no other connection of the run uses.
pub fn group(number: u64) -> SocketAddrV4 {
    let [.., high, low] = number.to_be_bytes();
    SocketAddrV4::new(Ipv4Addr::new(239, 255, high, low), 7667 + (number % 20_000) as u16)
}
