//! Sockets that carry datagrams: UDP, or, for comparison, TCP with a length before each.

mod stream;

use crate::{Error, Result};
use saltus_os::fd::AsFd;
use saltus_os::poll::{self, PollFd};
use saltus_os::socket;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use stream::Stream;

/// Most datagrams received per cycle, so that sending proceeds too.
const BATCH: usize = 256;
/// Receive buffer requested from the kernel.
const BUFFER: i32 = 4 << 20;

/// The result of a send.
pub(crate) enum Sent {
    /// It was sent; it may still be lost.
    Gone,
    /// The send buffer is full.
    Full,
    /// It is too long for the outgoing interface.
    TooLong,
    /// The system did not send it: no route, or a firewall rule.
    Refused(io::Error),
}

/// Carries datagrams between two ends.
pub(crate) enum Carrier {
    Udp { socket: UdpSocket, buffer: Vec<u8> },
    Tcp(Stream),
}

/// Finds the addresses of a name, such as `robot.example:7700`; at least one.
pub(crate) fn resolve(name: &str) -> Result<Vec<SocketAddr>> {
    let what = || format!("no address for `{name}`: write HOST:PORT, such as 192.0.2.1:7700");
    let found: Vec<_> = name.to_socket_addrs().map_err(|e| Error::system(what(), e))?.collect();
    if found.is_empty() { Err(Error::Invalid(what())) } else { Ok(found) }
}

impl Carrier {
    /// Listens at that address.
    pub fn listen(at: SocketAddr, tcp: bool) -> Result<Carrier> {
        match tcp {
            true => Ok(Carrier::Tcp(Stream::listen(at)?)),
            false => Carrier::udp(at),
        }
    }
    /// Connects to the [resolved](resolve) addresses of a name; returns them in the socket's format. TCP uses the
    /// first.
    pub fn connect(to: Vec<SocketAddr>, tcp: bool) -> Result<(Carrier, Vec<SocketAddr>)> {
        if tcp {
            return Ok((Carrier::Tcp(Stream::connect(to[0])), to));
        }
        let v4 = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
        if to.iter().all(SocketAddr::is_ipv4) {
            return Ok((Carrier::udp(v4)?, to));
        }
        match Carrier::udp(SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0))) {
            Ok(both) => Ok((both, to.into_iter().map(mapped).collect())),
            // A machine without IPv6.
            Err(e) => {
                let to: Vec<_> = to.into_iter().filter(SocketAddr::is_ipv4).collect();
                if to.is_empty() { Err(e) } else { Ok((Carrier::udp(v4)?, to)) }
            }
        }
    }

    fn udp(at: SocketAddr) -> Result<Carrier> {
        let failed = |e| Error::system(format!("cannot open a UDP socket at {at}"), e);
        let socket = UdpSocket::bind(at).map_err(failed)?;
        socket.set_nonblocking(true).map_err(failed)?;
        socket::request_buffers(&socket, BUFFER);
        // The tunnel measures the path MTU itself.
        socket::keep_whole(&socket, at.is_ipv6()).map_err(failed)?;
        Ok(Carrier::Udp { socket, buffer: vec![0; 1 << 16] })
    }

    /// Its local address.
    pub fn local(&self) -> io::Result<SocketAddr> {
        match self {
            Carrier::Udp { socket, .. } => socket.local_addr(),
            Carrier::Tcp(stream) => stream.local(),
        }
    }

    /// The events to wait for. `full`: also for space to send.
    pub fn polls(&self, full: bool) -> PollFd {
        let fd = match self {
            Carrier::Udp { socket, .. } => Some(socket.as_fd()),
            Carrier::Tcp(stream) => stream.fd(),
        };
        poll::entry(fd, poll::READ | if full { poll::WRITE } else { 0 })
    }

    /// Passes on datagrams that have arrived.
    pub fn receive(&mut self, now: u64, mut take: impl FnMut(&mut [u8], SocketAddr)) -> Result<()> {
        let (socket, buffer) = match self {
            Carrier::Tcp(stream) => return stream.receive(now, take),
            Carrier::Udp { socket, buffer } => (socket, buffer),
        };
        for _ in 0..BATCH {
            match socket.recv_from(buffer) {
                Ok((len, from)) => take(&mut buffer[..len], from),
                Err(e) if e.kind() == ErrorKind::WouldBlock => break,
                // An error of an earlier datagram: no receiver, or no route. The tunnel detects that by silence.
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Sends a datagram, or returns why not.
    pub fn send(&mut self, datagram: &[u8], to: SocketAddr) -> Sent {
        let error = match self {
            Carrier::Tcp(stream) => return if stream.send(datagram) { Sent::Gone } else { Sent::Full },
            Carrier::Udp { socket, .. } => match socket.send_to(datagram, to) {
                Ok(_) => return Sent::Gone,
                Err(e) => e,
            },
        };
        match error {
            _ if error.kind() == ErrorKind::WouldBlock => Sent::Full,
            _ if socket::is_too_long(&error) => Sent::TooLong,
            _ => Sent::Refused(error),
        }
    }

    /// Called each cycle with whether the other end is known to be genuine.
    pub fn check(&mut self, genuine: bool, now: u64) {
        if let Carrier::Tcp(stream) = self {
            stream.check(genuine, now);
        }
    }
}

/// An address in the format of an IPv6 socket.
fn mapped(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) => SocketAddr::from((ip.to_ipv6_mapped(), address.port())),
        IpAddr::V6(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_addresses_of_both_families_reaches_either() {
        let ear = UdpSocket::bind("127.0.0.1:0").unwrap();
        ear.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
        let at = ear.local_addr().unwrap();
        let to = vec![SocketAddr::from((Ipv6Addr::LOCALHOST, at.port())), at];
        let (mut carrier, to) = Carrier::connect(to, false).unwrap();
        assert!(to.iter().all(|to| !matches!(carrier.send(b"word", *to), Sent::TooLong | Sent::Full)));
        let mut word = [0; 9];
        assert_eq!(ear.recv(&mut word).unwrap(), 4);
    }
}
