//! Structures to send and receive many datagrams per system call.

use super::socket::{Socket, TIMESTAMPS, from_kernel, to_kernel};
use crate::Result;
use crate::udp::BATCH;
use libc::{c_void, iovec, mmsghdr, msghdr, sockaddr_in};
use std::io;
use std::net::SocketAddrV4;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::ptr;

/// Bytes for one datagram: more than the maximum of UDP over IPv4, and a little more, so that the starts of buffers
/// do not all map to the same lines of the processor's cache.
const STRIDE: usize = 65536 + 192;
/// Words for the kernel's control data of a datagram.
const CONTROL: usize = 8;

/// A piece of a datagram to send.
fn piece(bytes: &[u8]) -> iovec {
    iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() }
}

/// A datagram to send, made of two pieces. It points to its arguments; the kernel only reads them.
fn outgoing(to: &sockaddr_in, pieces: &mut [iovec; 2]) -> msghdr {
    let mut message = empty();
    message.msg_name = ptr::from_ref(to).cast_mut().cast();
    message.msg_namelen = size_of::<sockaddr_in>() as libc::socklen_t;
    message.msg_iov = pieces.as_mut_ptr();
    message.msg_iovlen = 2;
    message
}

/// Sends one datagram, made of two pieces. One system call. Never waits.
#[inline]
pub(crate) fn send(socket: &Socket, to: SocketAddrV4, header: &[u8], payload: &[u8]) -> io::Result<()> {
    let to = to_kernel(to);
    let mut pieces = [piece(header), piece(payload)];
    let message = outgoing(&to, &mut pieces);
    // SAFETY: the message, its pieces and its address stay alive across the call; the kernel only reads them.
    let sent = unsafe { libc::sendmsg(socket.as_raw_fd(), &message, libc::MSG_DONTWAIT) };
    if sent >= 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Sends the datagrams in `burst`, all of which are `Some`: headers, each with its range of `payload`. When a call fails, `failed` waits and
/// returns `Ok` for another try; it also gets the number of datagrams sent. Returns that number, and what ended it.
pub(crate) fn send_burst<H: AsRef<[u8]>>(
    socket: &Socket,
    to: SocketAddrV4,
    burst: &[Option<(H, Range<usize>)>],
    payload: &[u8],
    mut failed: impl FnMut(io::Error, usize) -> Result<()>,
) -> (usize, Result<()>) {
    let to = to_kernel(to);
    let mut pieces = [[piece(&[]); 2]; BATCH];
    let full = burst.iter().flatten();
    for (into, (header, range)) in pieces.iter_mut().zip(full) {
        *into = [piece(header.as_ref()), piece(&payload[range.clone()])];
    }
    let mut messages = pieces.each_mut().map(|p| mmsghdr { msg_hdr: outgoing(&to, p), msg_len: 0 });
    let mut sent = 0;
    while sent < burst.len() {
        let left = &mut messages[sent..burst.len()];
        let count = left.len() as libc::c_uint;
        // SAFETY: the messages, their pieces and their address stay alive across the call; the kernel reads them and writes only their
        // `msg_len`.
        let done =
            unsafe { libc::sendmmsg(socket.as_raw_fd(), left.as_mut_ptr(), count, libc::MSG_DONTWAIT) };
        if done >= 0 {
            sent += done as usize;
        } else if let Err(why) = failed(io::Error::last_os_error(), sent) {
            return (sent, Err(why));
        }
    }
    (sent, Ok(()))
}

fn empty() -> msghdr {
    // SAFETY: all zeros is an empty message: null pointers with lengths of 0.
    unsafe { std::mem::zeroed() }
}

/// Memory to receive a batch. `heads` points into the other vectors, which never grow, so that it can be passed to
/// the kernel repeatedly.
pub(crate) struct Incoming {
    heads: Vec<mmsghdr>,
    bytes: Vec<u8>,
    names: Vec<sockaddr_in>,
    control: Vec<[u64; CONTROL]>,
    _pieces: Vec<iovec>,
}

// SAFETY: its pointers point to memory that it owns, and it is used only through `&mut` or, to read, `&`.
unsafe impl Send for Incoming {}
// SAFETY: as above; nothing changes behind `&`.
unsafe impl Sync for Incoming {}

impl Incoming {
    /// Memory for [`BATCH`] datagrams: 2 MiB, of which only the filled parts are touched.
    pub fn new() -> Incoming {
        let mut bytes = vec![0; STRIDE * BATCH];
        let mut names = vec![to_kernel(crate::lcm::GROUP); BATCH];
        let mut control = vec![[0; CONTROL]; BATCH];
        let (first, name, words) = (bytes.as_mut_ptr(), names.as_mut_ptr(), control.as_mut_ptr());
        let mut pieces: Vec<iovec> = (0..BATCH)
            .map(|i| iovec { iov_base: first.wrapping_add(i * STRIDE).cast::<c_void>(), iov_len: STRIDE })
            .collect();
        let piece = pieces.as_mut_ptr();
        let head = |i: usize| {
            let mut message = empty();
            message.msg_name = name.wrapping_add(i).cast();
            message.msg_iov = piece.wrapping_add(i);
            message.msg_iovlen = 1;
            message.msg_control = words.wrapping_add(i).cast();
            mmsghdr { msg_hdr: message, msg_len: 0 }
        };
        let mut incoming =
            Incoming { heads: (0..BATCH).map(head).collect(), bytes, names, control, _pieces: pieces };
        incoming.reset(BATCH);
        incoming
    }

    /// Receives up to `most` datagrams that have arrived. Never waits.
    pub fn receive(&mut self, socket: &Socket, most: usize) -> io::Result<usize> {
        let most = most.min(BATCH) as libc::c_uint;
        let (heads, none) = (self.heads.as_mut_ptr(), ptr::null_mut());
        let fd = socket.as_raw_fd();
        // SAFETY: the heads point to memory that only this call uses, with its true lengths.
        let got = unsafe { libc::recvmmsg(fd, heads, most, libc::MSG_DONTWAIT, none) };
        if got < 0 { Err(io::Error::last_os_error()) } else { Ok(got as usize) }
    }

    /// Datagram `i` of those received: its bytes, its sender, and when it reached the kernel, in ns since 1970, or
    /// 0.
    pub fn datagram(&self, i: usize) -> (&[u8], SocketAddrV4, u64) {
        let at = i * STRIDE;
        let len = (self.heads[i].msg_len as usize).min(STRIDE);
        (
            &self.bytes[at..at + len],
            from_kernel(&self.names[i]),
            timestamp(&self.heads[i].msg_hdr, &self.control[i]),
        )
    }

    /// Prepares the first `used` slots for the next call: the kernel has overwritten their lengths.
    pub fn reset(&mut self, used: usize) {
        for head in &mut self.heads[..used] {
            head.msg_hdr.msg_namelen = size_of::<sockaddr_in>() as libc::socklen_t;
            head.msg_hdr.msg_controllen = size_of::<[u64; CONTROL]>() as _;
        }
    }
}

/// The kernel's timestamp in the control data of a datagram; 0 if there is none.
fn timestamp(head: &msghdr, control: &[u64; CONTROL]) -> u64 {
    // SAFETY: `control` is the message's control data, with the length that the kernel set.
    let first = unsafe { libc::CMSG_FIRSTHDR(head) };
    if first.is_null() || !ptr::eq(first.cast::<u64>(), control.as_ptr()) {
        return 0;
    }
    // SAFETY: the kernel wrote a whole header there, followed by data of the length in the header.
    let (level, kind, data) =
        unsafe { ((*first).cmsg_level, (*first).cmsg_type, libc::CMSG_DATA(first).cast::<[i64; 2]>()) };
    if (level, kind) != (libc::SOL_SOCKET, TIMESTAMPS) {
        return 0;
    }
    // SAFETY: data of that kind is a time in seconds and nanoseconds.
    let [seconds, nanoseconds] = unsafe { data.read_unaligned() };
    seconds as u64 * 1_000_000_000 + nanoseconds as u64
}
