//! Datagrams that the kernel shall not deliver: one's own.
//!
//! Multicast is looped back to the host, since other processes there listen. The sender's own process need not be woken
//! for it: what it wants of its own messages it has already.

use super::socket;
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::OwnedFd;

/// `BPF` code, in the kernel's words.
const LOAD_HALF: u16 = (libc::BPF_LD | libc::BPF_H | libc::BPF_ABS) as u16;
const LOAD_WORD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
/// Where a UDP socket's filter finds the IPv4 header, and in it the source address.
const SOURCE_ADDRESS: u32 = (libc::SKF_NET_OFF as u32).wrapping_add(12);
/// Where it finds the source port: at the start of the UDP header, the data of a UDP socket's filter.
const SOURCE_PORT: u32 = 0;

/// Lets the kernel drop what comes from `ip` and one of `ports`, before it wakes anybody. Takes the place of an earlier
/// filter. The kernel counts what it drops so among the socket's drops.
pub(super) fn ignore(fd: &OwnedFd, ip: Ipv4Addr, ports: [u16; 2]) -> io::Result<()> {
    let step = |code, k, jt, jf| libc::sock_filter { code, jt, jf, k };
    let mut program = [
        step(LOAD_HALF, SOURCE_PORT, 0, 0),
        step(IF_EQUAL, ports[0].into(), 1, 0),
        step(IF_EQUAL, ports[1].into(), 0, 2),
        step(LOAD_WORD, SOURCE_ADDRESS, 0, 0),
        step(IF_EQUAL, ip.to_bits(), 1, 0),
        step(RETURN, u32::MAX, 0, 0),
        step(RETURN, 0, 0, 0),
    ];
    let program = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    socket::set(fd, libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, program)
}
