//! A kernel filter for datagrams of one's own process.
//!
//! Multicast is looped back to the host, since other processes there listen. The sender's own process need not be
//! woken for it: it delivers its own messages directly.

use super::socket;
use std::io;
use std::net::Ipv4Addr;

/// `BPF` instructions, with the kernel's constants.
const LOAD_HALF: u16 = (libc::BPF_LD | libc::BPF_H | libc::BPF_ABS) as u16;
const LOAD_WORD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
/// Offset of the IPv4 source address in a UDP socket's filter.
const SOURCE_ADDRESS: u32 = (libc::SKF_NET_OFF as u32).wrapping_add(12);
/// Offset of the source port: at the start of the UDP header, which is the start of a UDP socket filter's data.
const SOURCE_PORT: u32 = 0;

/// Makes the kernel drop datagrams from `ip` and one of `ports`, before it wakes anybody. Replaces an earlier
/// filter. The kernel counts them as drops of the socket.
pub(crate) fn ignore(fd: &socket::Socket, ip: Ipv4Addr, ports: [u16; 2]) -> io::Result<()> {
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
