//! One end of a tunnel with a socket and the real clock.

use crate::carrier::{Carrier, Sent, resolve};
use crate::name::Name;
use crate::{Config, Error, Event, Result, Stats, Tunnel};
use saltus_os::clock;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Datagrams sent in one turn, so that receiving has its turn too.
const BATCH: usize = 64;
/// The longest wait, in ns.
const LONGEST: u64 = 100_000_000;

/// One end of a tunnel. It starts no thread, but to look up a host's name again: whoever has it calls [`Driver::turn`] and
/// [`Driver::wait`].
pub struct Driver {
    tunnel: Tunnel,
    carrier: Carrier,
    tcp: bool,
    /// The other end's, if it was called by a name.
    name: Option<Name>,
    /// What the socket had no room for.
    waiting: Option<(SocketAddr, Vec<u8>)>,
    /// Whether more can be sent at once.
    more: bool,
    /// Why the system did not send, or go where the name leads, the last time.
    trouble: Option<Error>,
}

impl Driver {
    /// An end that waits for the other at an address, such as `127.0.0.1:7700` or `0.0.0.0:7700`.
    ///
    /// # Errors
    /// An address that is not this machine's or that is in use; settings that make no sense.
    pub fn listen(config: Config, at: &str, tcp: bool) -> Result<Driver> {
        let carrier = Carrier::listen(resolve(at)?[0], tcp)?;
        Ok(Driver::new(Tunnel::listen(config, random())?, carrier, tcp))
    }

    /// An end that calls the other, at `HOST:PORT`. While nobody is there, a name is looked up again every 5 s.
    ///
    /// # Errors
    /// A name without an address; settings that make no sense. That nobody answers is no error.
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

    /// While nobody is there: goes where the other end's name leads now. If the system cannot, all stays as it was until the next
    /// look.
    fn look(&mut self, now: u64) {
        let Some(name) = self.name.as_mut().filter(|_| !self.tunnel.is_connected()) else { return };
        let Some(found) = name.look(now) else { return };
        match Carrier::connect(found.clone(), self.tcp) {
            Ok((carrier, to)) => {
                name.goes_to(found);
                self.tunnel.call_at(&to);
                (self.carrier, self.waiting) = (carrier, None);
            }
            Err(e) => self.trouble = Some(e),
        }
    }

    /// Where it is.
    ///
    /// # Errors
    /// What the system says.
    pub fn local(&self) -> io::Result<SocketAddr> {
        self.carrier.local()
    }
    /// What it has done so far.
    pub fn stats(&self) -> Stats {
        self.tunnel.stats()
    }
    /// Whether there is somebody at the other end.
    pub fn is_connected(&self) -> bool {
        self.tunnel.is_connected()
    }

    /// Why the system refused to send, the last time since this was asked last: no route, or a rule of a firewall; or to go where
    /// the other end's name leads now.
    pub fn trouble(&mut self) -> Option<Error> {
        self.trouble.take()
    }

    /// Takes a message to send, see [`Tunnel::send`]. It goes with the next turn.
    ///
    /// # Errors
    /// As [`Tunnel::send`].
    pub fn send(&mut self, channel: &[u8], payload: &[u8], deadline: u64) -> Result<()> {
        self.tunnel.send(channel, payload, deadline, clock::monotonic())
    }

    /// Receives and sends what can be at once.
    ///
    /// # Errors
    /// A socket that does not work any more.
    pub fn turn(&mut self, mut events: impl FnMut(Event<'_>)) -> Result<()> {
        let Driver { tunnel, carrier, .. } = self;
        let now = clock::monotonic();
        carrier
            .receive(now, |datagram, from| tunnel.receive(datagram, from, clock::monotonic(), &mut events))?;
        let now = clock::monotonic();
        tunnel.handle_timeout(now, &mut events);
        carrier.check(tunnel.is_connected(), now);
        self.look(now);
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
                // The tunnel counts it as lost on the way, and tries on.
                Sent::Refused(e) => self.trouble = Some(Error::system(format!("cannot send to {to}"), e)),
            }
        }
        Ok(())
    }

    /// Waits until there is something to do, or one of `others` is readable, or that time (monotonic, in ns); never longer than
    /// 100 ms, so that a caller can look whether to end.
    ///
    /// # Errors
    /// What the system says.
    pub fn wait(&self, others: &[BorrowedFd<'_>], until: u64) -> Result<()> {
        if self.more {
            return Ok(());
        }
        let full = self.waiting.is_some();
        let mut polls = vec![self.carrier.polls(full)];
        let other =
            |fd: &BorrowedFd<'_>| libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        polls.extend(others.iter().map(other));
        // While there is no room, what is due to be sent does not count.
        let due = if full { u64::MAX } else { self.tunnel.next_timeout() };
        let now = clock::monotonic();
        let left = due.min(until).saturating_sub(now).min(LONGEST);
        let time = libc::timespec { tv_sec: 0, tv_nsec: left as libc::c_long };
        // SAFETY: the list and the time live as long as the call; the signal mask stays.
        let ready = unsafe { libc::ppoll(polls.as_mut_ptr(), polls.len() as _, &time, std::ptr::null()) };
        match io::Error::last_os_error() {
            e if ready < 0 && e.kind() != io::ErrorKind::Interrupted => {
                Err(Error::system("cannot wait for the tunnel's socket", e))
            }
            _ => Ok(()),
        }
    }
}

fn random() -> crate::Random {
    Box::new(|bytes| {
        // A system that gave random numbers at its start gives them later.
        crate::fill_random(bytes).expect("the system's generator of random numbers works");
    })
}

impl std::fmt::Debug for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver").field("tunnel", &self.tunnel).finish_non_exhaustive()
    }
}
