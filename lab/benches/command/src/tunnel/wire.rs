//! A simulated bad cable: frames are read from one interface and sent to another, as a [`Link`] allows. It affects
//! every protocol in the same way.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use saltus_links::{Badness, Link};
use saltus_netns::Space;
use saltus_os::clock;

use crate::outcome::{Failure, Outcome};

/// Bytes of Ethernet's header, which a radio does not have.
const ETHERNET: usize = 14;
/// Address resolution is never lost, since it is not part of the measurement.
const ARP: [u8; 2] = [0x08, 0x06];
const IPV4: [u8; 2] = [0x08, 0x00];
/// Bytes that the kernel holds for a relay that is not scheduled.
const BUFFER: libc::c_int = 64 << 20;
/// Longest sleep of the relay, in ns, so that it notices its end.
const SLEEP: u64 = 20_000_000;

/// Two interfaces, joined by a thread.
pub struct Wire {
    over: Arc<AtomicBool>,
    bytes: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Wire {
    /// Connects the cables of these two in the relay's network.
    pub fn start(ends: [(&Space, &str); 2], relay: &Space, badness: Badness) -> Outcome<Wire> {
        let failed = |e| Failure::new(format!("cannot make a relay of packets: {e}"));
        for (space, cable) in ends {
            // Otherwise the ends pass on packets that are not yet segmented, with checksums that are not yet
            // computed.
            space.run(|| plain(cable)).map_err(failed)?;
        }
        let sockets = relay.run(|| Ok([open(ends[0].1)?, open(ends[1].1)?])).map_err(failed)?;
        let (over, bytes) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
        let thread = {
            let (over, bytes) = (over.clone(), bytes.clone());
            std::thread::spawn(move || carry(&sockets, badness, &over, &bytes))
        };
        Ok(Wire { over, bytes, thread: Some(thread) })
    }

    /// Bytes received at the first end, with the headers of IP.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed) // a count, which orders nothing
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed); // the join below waits for it
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn carry(sockets: &[OwnedFd; 2], badness: Badness, over: &AtomicBool, bytes: &AtomicU64) {
    let seed = clock::monotonic();
    let mut links = [Link::new(badness, seed), Link::new(badness, !seed)];
    let mut frame = vec![0; 1 << 16];
    while !over.load(Ordering::Relaxed) {
        let mut next = clock::monotonic() + SLEEP;
        for (end, link) in links.iter_mut().enumerate() {
            let (from, to) = (&sockets[end], &sockets[1 - end]);
            while let Some(len) = receive(from, &mut frame) {
                let Some(rest) = len.checked_sub(ETHERNET) else { continue };
                match frame.get(12..14) {
                    Some(kind) if kind == ARP => send(to, &frame[..len]),
                    Some(kind) if kind == IPV4 => {
                        if end == 0 {
                            bytes.fetch_add(rest as u64, Ordering::Relaxed);
                        }
                        link.send(frame[..len].to_vec(), rest as u64, clock::monotonic());
                    }
                    _ => {}
                }
            }
            while let Some(frame) = link.receive(clock::monotonic()) {
                send(to, &frame);
            }
            next = next.min(link.next().unwrap_or(u64::MAX));
        }
        let poll = |fd: &OwnedFd| libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let mut polls = [poll(&sockets[0]), poll(&sockets[1])];
        let left = next.saturating_sub(clock::monotonic());
        let time = libc::timespec { tv_sec: 0, tv_nsec: left.min(SLEEP) as libc::c_long };
        // SAFETY: the list and the time stay alive across the call; the signal mask is unchanged.
        unsafe { libc::ppoll(polls.as_mut_ptr(), 2, &time, std::ptr::null()) };
    }
}

/// The length of the next frame, if there is one.
fn receive(from: &OwnedFd, frame: &mut [u8]) -> Option<usize> {
    // SAFETY: at most the buffer's length is written.
    let len =
        unsafe { libc::recv(from.as_raw_fd(), frame.as_mut_ptr().cast(), frame.len(), libc::MSG_DONTWAIT) };
    usize::try_from(len).ok()
}

/// A frame that the interface refuses is lost, as on any cable.
fn send(to: &OwnedFd, frame: &[u8]) {
    // SAFETY: at most the buffer's length is read.
    unsafe { libc::send(to.as_raw_fd(), frame.as_ptr().cast(), frame.len(), libc::MSG_DONTWAIT) };
}

fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// A socket for all frames that arrive on an interface.
fn open(interface: &str) -> io::Result<OwnedFd> {
    let all = (libc::ETH_P_ALL as u16).to_be();
    // SAFETY: passes three integers, and returns a new descriptor or -1.
    let fd =
        checked(unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC, all.into()) })?;
    // SAFETY: the descriptor is new and has no other owner.
    let socket = unsafe { OwnedFd::from_raw_fd(fd) };
    let name = std::ffi::CString::new(interface)?;
    // SAFETY: the string ends with a zero byte.
    let index = unsafe { libc::if_nametoindex(name.as_ptr()) };
    // SAFETY: all zeros are a valid address.
    let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = all;
    address.sll_ifindex = index.cast_signed();
    let len = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: an address of that family and that length.
    checked(unsafe { libc::bind(fd, (&raw const address).cast(), len) })?;
    // Frames that we send must not be received again.
    for (level, option, value) in [
        (libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, 1),
        (libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, BUFFER),
        (libc::SOL_SOCKET, libc::SO_SNDBUFFORCE, BUFFER),
    ] {
        let len = size_of::<libc::c_int>() as libc::socklen_t;
        // SAFETY: the option's value is an integer that stays alive across the call.
        checked(unsafe { libc::setsockopt(fd, level, option, (&raw const value).cast(), len) })?;
    }
    Ok(socket)
}

/// Makes an interface send packets as on a cable: segmented, with their checksums.
fn plain(interface: &str) -> io::Result<()> {
    /// `ethtool` commands: checksums, scatter-gather, TCP segmentation, generic segmentation.
    const OFF: [u32; 4] = [0x17, 0x19, 0x1f, 0x24];
    const SIOCETHTOOL: libc::Ioctl = 0x8946;
    let socket = std::net::UdpSocket::bind("0.0.0.0:0")?;
    for command in OFF {
        let mut value = [command, 0_u32];
        // SAFETY: all zeros are a valid request.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        for (to, from) in request.ifr_name.iter_mut().zip(interface.bytes()) {
            *to = from as libc::c_char;
        }
        request.ifr_ifru.ifru_data = value.as_mut_ptr().cast();
        // SAFETY: the request names an interface, and points to a command with its value.
        checked(unsafe { libc::ioctl(socket.as_raw_fd(), SIOCETHTOOL, &mut request) })?;
    }
    Ok(())
}
