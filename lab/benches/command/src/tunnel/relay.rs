//! A UDP relay over loopback, for machines where no networks can be created.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use saltus_links::{Badness, Link};
use saltus_os::clock;
use saltus_tunnel::Driver;

use crate::outcome::{Failure, Outcome};

/// Bytes of the headers of IP and UDP.
const HEADERS: u64 = 28;
/// Longest sleep of the relay: datagrams are late by at most this.
const SLEEP: Duration = Duration::from_micros(200);

/// State shared by the thread and its owner.
#[derive(Default)]
struct Shared {
    over: AtomicBool,
    bytes: AtomicU64,
    receiver: Mutex<Option<SocketAddr>>,
}

/// Forwards datagrams, as a [`Link`] allows.
pub struct UdpRelay {
    shared: Arc<Shared>,
    at: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl UdpRelay {
    pub fn start(badness: Badness) -> Outcome<UdpRelay> {
        let failed = |e: io::Error| Failure::new(format!("cannot make a relay of UDP: {e}"));
        let socket = UdpSocket::bind("127.0.0.1:0").map_err(failed)?;
        socket.set_read_timeout(Some(SLEEP)).map_err(failed)?;
        let at = socket.local_addr().map_err(failed)?;
        let shared = Arc::<Shared>::default();
        let thread = {
            let shared = shared.clone();
            std::thread::spawn(move || carry(&socket, badness, &shared))
        };
        Ok(UdpRelay { shared, at, thread: Some(thread) })
    }

    /// Forwards to this receiver from now on; returns the relay's address.
    pub fn lead_to(&self, receiver: &Driver) -> SocketAddr {
        *self.shared.receiver.lock().unwrap_or_else(PoisonError::into_inner) = receiver.local().ok();
        self.at
    }
    /// Bytes that were sent to the receiver, with the headers of IP.
    pub fn bytes(&self) -> u64 {
        self.shared.bytes.load(Ordering::Relaxed) // a count, which orders nothing
    }
}

impl Drop for UdpRelay {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed); // the join below waits for it
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn carry(socket: &UdpSocket, badness: Badness, shared: &Shared) {
    let seed = clock::monotonic();
    let (mut there, mut back) = (Link::new(badness, seed), Link::new(badness, !seed));
    let (mut sender, mut datagram) = (None, vec![0; 1 << 16]);
    while !shared.over.load(Ordering::Relaxed) {
        let receiver = *shared.receiver.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok((len, from)) = socket.recv_from(&mut datagram) {
            let (bytes, now) = (len as u64 + HEADERS, clock::monotonic());
            if Some(from) == receiver {
                back.send(datagram[..len].to_vec(), bytes, now);
            } else {
                sender = Some(from);
                shared.bytes.fetch_add(bytes, Ordering::Relaxed);
                there.send(datagram[..len].to_vec(), bytes, now);
            }
        }
        for (link, to) in [(&mut there, receiver), (&mut back, sender)] {
            while let Some(datagram) = link.receive(clock::monotonic()) {
                // A datagram that is refused is lost, as on a link.
                let _ = to.map(|to| socket.send_to(&datagram, to));
            }
        }
    }
}
