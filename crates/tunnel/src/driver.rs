//! One end of a tunnel with a socket and the real clock.

use crate::carrier::{Carrier, Sent, resolve};
use crate::name::Name;
use crate::{Config, Error, Event, Result, Stats, Tunnel};
use saltus_os::fd::BorrowedFd;
use saltus_os::{clock, poll};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

/// Most datagrams sent per cycle, so that receiving proceeds too.
const BATCH: usize = 64;
/// Longest wait, in ns.
const LONGEST: u64 = 100_000_000;

/// One end of a tunnel. It starts no thread except to look up a host name again: the caller calls [`Driver::turn`]
/// and [`Driver::wait`].
pub struct Driver {
    tunnel: Tunnel,
    carrier: Carrier,
    tcp: bool,
    /// The other end's name, if it was given by name.
    name: Option<Name>,
    /// A datagram that the socket did not accept.
    waiting: Option<(SocketAddr, Vec<u8>)>,
    /// Whether more can be sent immediately.
    more: bool,
    /// Why the system last did not send, or did not connect to a new address of the name.
    trouble: Option<Error>,
}

impl Driver {
    /// An end that listens at an address, such as `127.0.0.1:7700` or `0.0.0.0:7700`.
    ///
    /// # Errors
    /// An address that is not this machine's or is in use; invalid settings.
    pub fn listen(config: Config, at: &str, tcp: bool) -> Result<Driver> {
        let carrier = Carrier::listen(resolve(at)?[0], tcp)?;
        Ok(Driver::new(Tunnel::listen(config, random())?, carrier, tcp))
    }

    /// An end that connects to the other, at `HOST:PORT`. While it does not answer, the name is looked up again
    /// every 5 s.
    ///
    /// # Errors
    /// A name without an address; invalid settings. It is not an error if the other end does not answer.
    pub fn connect(config: Config, to: &str, tcp: bool) -> Result<Driver> {
        let (found, now) = (resolve(to)?, clock::monotonic());
        let name = Name::new(to, &found, now);
        let (carrier, to) = Carrier::connect(found, tcp)?;
        Ok(Driver { name, ..Driver::new(Tunnel::connect(config, &to, now, random())?, carrier, tcp) })
    }

    fn new(tunnel: Tunnel, carrier: Carrier, tcp: bool) -> Driver {
        crate::code::prepare();
        Driver { tunnel, carrier, tcp, name: None, waiting: None, more: false, trouble: None }
    }

    /// While the other end does not answer: connects to the present addresses of its name. If that fails, all stays
    /// as it was until the next lookup.
    fn check(&mut self, now: u64) {
        let Some(name) = self.name.as_mut().filter(|_| !self.tunnel.is_connected()) else { return };
        let Some(found) = name.check(now) else { return };
        match Carrier::connect(found.clone(), self.tcp) {
            Ok((carrier, to)) => {
                name.goes_to(found);
                self.tunnel.call_at(&to);
                (self.carrier, self.waiting) = (carrier, None);
            }
            Err(e) => self.trouble = Some(e),
        }
    }

    /// Its local address.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn local(&self) -> io::Result<SocketAddr> {
        self.carrier.local()
    }
    /// Its statistics.
    pub fn stats(&self) -> Stats {
        self.tunnel.stats()
    }
    /// Whether the other end answers.
    pub fn is_connected(&self) -> bool {
        self.tunnel.is_connected()
    }

    /// Why the system refused to send, if it did since the last call: no route, or a firewall rule; or why it did
    /// not connect to a new address of the other end's name.
    pub fn trouble(&mut self) -> Option<Error> {
        self.trouble.take()
    }

    /// Queues a message for sending, see [`Tunnel::send`]. The next cycle sends it.
    ///
    /// # Errors
    /// Those of [`Tunnel::send`].
    pub fn send(&mut self, channel: &[u8], payload: &[u8], deadline: u64) -> Result<()> {
        self.tunnel.send(channel, payload, deadline, clock::monotonic())
    }

    /// Receives and sends everything possible without waiting.
    ///
    /// # Errors
    /// A socket that no longer works.
    pub fn turn(&mut self, mut events: impl FnMut(Event<'_>)) -> Result<()> {
        let Driver { tunnel, carrier, .. } = self;
        let now = clock::monotonic();
        carrier
            .receive(now, |datagram, from| tunnel.receive(datagram, from, clock::monotonic(), &mut events))?;
        let now = clock::monotonic();
        tunnel.handle_timeout(now, &mut events);
        carrier.check(tunnel.is_connected(), now);
        self.check(now);
        self.more = true;
        for _ in 0..BATCH {
            let next = self.waiting.take().or_else(|| self.tunnel.poll_transmit(clock::monotonic()));
            let Some((to, datagram)) = next else {
                self.more = false;
                break;
            };
            match self.carrier.send(&datagram, to) {
                Sent::Gone => {}
                Sent::Full => {
                    self.waiting = Some((to, datagram));
                    self.more = false;
                    break;
                }
                Sent::TooLong => self.tunnel.refused(datagram.len(), clock::monotonic()),
                // The tunnel counts it as lost, and keeps trying.
                Sent::Refused(e) => self.trouble = Some(Error::system(format!("cannot send to {to}"), e)),
            }
        }
        Ok(())
    }

    /// Waits until there is work, or one of `others` is readable, or until that time (monotonic, in ns); at most
    /// 100 ms, so that the caller can check whether to exit.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn wait(&self, others: &[BorrowedFd<'_>], until: u64) -> Result<()> {
        if self.more {
            return Ok(());
        }
        let full = self.waiting.is_some();
        let mut polls = vec![self.carrier.polls(full)];
        polls.extend(others.iter().map(|fd| poll::entry(Some(*fd), poll::READ)));
        // While the socket accepts nothing, datagrams due for sending do not count.
        let due = if full { u64::MAX } else { self.tunnel.next_timeout() };
        let now = clock::monotonic();
        let left = due.min(until).saturating_sub(now).min(LONGEST);
        match poll::wait(&mut polls, Some(Duration::from_nanos(left))) {
            Err(e) if e.kind() != io::ErrorKind::Interrupted => {
                Err(Error::system("cannot wait for the tunnel's socket", e))
            }
            _ => Ok(()),
        }
    }
}

fn random() -> crate::Random {
    Box::new(|bytes| {
        // A system that returned random numbers at the start keeps returning them.
        crate::fill_random(bytes).expect("the system's generator of random numbers works");
    })
}

impl std::fmt::Debug for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver").field("tunnel", &self.tunnel).finish_non_exhaustive()
    }
}
