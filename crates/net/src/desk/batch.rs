//! Sends and receives datagrams, one after the other.

use super::socket::Socket;
use crate::Result;
use crate::udp::BATCH;
use socket2::SockAddr;
use std::io::{self, ErrorKind, IoSlice};
use std::mem::MaybeUninit;
use std::net::SocketAddrV4;
use std::ops::Range;

/// Bytes for one datagram: more than the maximum of UDP over IPv4.
const STRIDE: usize = 65536;

/// Memory to receive a batch.
pub(crate) struct Incoming {
    bytes: Vec<MaybeUninit<u8>>,
    /// The lengths of those received, and their senders.
    heads: Vec<(usize, SocketAddrV4)>,
}

impl Incoming {
    /// Memory for [`BATCH`] datagrams: 2 MiB.
    pub fn new() -> Incoming {
        Incoming { bytes: vec![MaybeUninit::new(0); STRIDE * BATCH], heads: Vec::with_capacity(BATCH) }
    }

    /// Receives up to `most` datagrams that have arrived. Never waits.
    pub fn receive(&mut self, socket: &Socket, most: usize) -> io::Result<usize> {
        let most = most.min(BATCH);
        self.heads.clear();
        while self.heads.len() < most {
            let at = self.heads.len() * STRIDE;
            match socket.recv_from(&mut self.bytes[at..at + STRIDE]) {
                Ok((len, from)) => {
                    let from = from.as_socket_ipv4().ok_or(ErrorKind::InvalidData)?;
                    self.heads.push((len, from));
                }
                Err(e) if self.heads.is_empty() => return Err(e),
                Err(_) => break, // usually none is left; another error is lost
            }
        }
        Ok(self.heads.len())
    }

    /// Datagram `i` of those received: its bytes, its sender, and 0 for a time that is not known.
    pub fn datagram(&self, i: usize) -> (&[u8], SocketAddrV4, u64) {
        let (len, from) = self.heads[i];
        let bytes = &self.bytes[i * STRIDE..i * STRIDE + len];
        // SAFETY: all bytes were initialized at first, and receiving writes only bytes.
        let bytes = unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) };
        (bytes, from, 0)
    }

    /// Nothing to do: the next call starts again from the first.
    pub fn reset(&mut self, _: usize) {}
}

/// Sends one datagram, made of two pieces. One system call. Never waits.
pub(crate) fn send(socket: &Socket, to: SocketAddrV4, header: &[u8], payload: &[u8]) -> io::Result<()> {
    let pieces = [IoSlice::new(header), IoSlice::new(payload)];
    socket.send_to_vectored(&pieces, &SockAddr::from(to)).map(drop)
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
    let mut sent = 0;
    for (header, range) in burst.iter().flatten() {
        while let Err(e) = send(socket, to, header.as_ref(), &payload[range.clone()]) {
            if let Err(why) = failed(e, sent) {
                return (sent, Err(why));
            }
        }
        sent += 1;
    }
    (sent, Ok(()))
}
