//! The tunnel's protocol as a state machine without sockets or a clock: its inputs and outputs are datagrams and
//! messages.

use crate::handshake::{HELLO, Handshake, WELCOME};
use crate::seal::{DATA, Nonce, Seal};
use crate::sender::Sender;
use crate::session::{Event, Session};
use crate::{Config, Result, Role, Stats};
use std::collections::VecDeque;
use std::net::SocketAddr;

/// Silence of the other end after which a new session is tried; and after which the old one is given up.
const SILENCE: u64 = 1_000_000_000;
const GONE: u64 = 5_000_000_000;
/// First interval between hellos, which then doubles, up to the longest.
const HELLO_AFTER: u64 = 200_000_000;
const HELLO_AT_MOST: u64 = 1_000_000_000;
/// Most sessions requested and not begun. An attacker with this many recorded hellos can keep others out.
const CANDIDATES: usize = 1024;
/// Least interval between answers to hellos, and most answers waiting to be sent: a flood of recorded hellos has
/// little effect.
const ANSWER_AFTER: u64 = HELLO_AFTER / 2;
const ANSWERS: usize = 16;
/// Longest time to live of a message.
const LONGEST: u64 = 60_000_000_000;

/// Fills bytes with randomness.
pub type Random = Box<dyn FnMut(&mut [u8]) + Send>;

/// A session that was requested.
struct Candidate {
    hello: Nonce,
    welcome: Nonce,
    seal: Seal,
    answered: u64,
}

/// The hello that a connecter repeats until it is answered.
struct Hello {
    nonce: Nonce,
    again: u64,
    wait: u64,
}

/// One end of a tunnel. All times are in ns of one clock that never goes back.
pub struct Tunnel {
    config: Config,
    role: Role,
    handshake: Handshake,
    random: Random,
    /// The addresses that a connecter tries, in turn.
    remotes: VecDeque<SocketAddr>,
    hello: Option<Hello>,
    candidates: VecDeque<Candidate>,
    /// Welcomes to send.
    welcomes: VecDeque<(SocketAddr, Vec<u8>)>,
    session: Option<Box<Session>>,
    sender: Sender,
    stats: Stats,
}

impl Tunnel {
    /// An end that listens.
    ///
    /// `random` must return unpredictable bytes that never repeat, except in tests.
    ///
    /// # Errors
    /// Invalid settings.
    pub fn listen(config: Config, random: Random) -> Result<Tunnel> {
        Tunnel::new(config, Role::Listen, &[], 0, random)
    }

    /// An end that connects to these addresses, one after the other, until one answers.
    ///
    /// # Errors
    /// Those of [`Tunnel::listen`].
    pub fn connect(config: Config, to: &[SocketAddr], now: u64, random: Random) -> Result<Tunnel> {
        Tunnel::new(config, Role::Connect, to, now, random)
    }

    fn new(config: Config, role: Role, remotes: &[SocketAddr], now: u64, random: Random) -> Result<Tunnel> {
        config.check()?;
        let mut tunnel = Tunnel {
            role,
            handshake: Handshake::new(&config.key),
            random,
            remotes: remotes.iter().copied().collect(),
            hello: None,
            candidates: VecDeque::new(),
            welcomes: VecDeque::new(),
            session: None,
            sender: Sender::new(&config),
            stats: Stats::default(),
            config,
        };
        if role == Role::Connect {
            tunnel.call(now);
        }
        Ok(tunnel)
    }

    /// Replaces the addresses of the other end.
    pub fn call_at(&mut self, to: &[SocketAddr]) {
        self.remotes = to.iter().copied().collect();
    }

    /// Begins to request a session.
    fn call(&mut self, now: u64) {
        let nonce = self.nonce();
        self.hello = Some(Hello { nonce, again: now, wait: HELLO_AFTER });
    }

    fn nonce(&mut self) -> Nonce {
        let mut nonce = Nonce::default();
        (self.random)(&mut nonce);
        nonce
    }

    /// Queues a message to deliver within `deadline` ns from now, a minute at most: beyond that it is dropped.
    ///
    /// # Errors
    /// A message that is too long. All other outcomes are counted, see [`Tunnel::stats`].
    pub fn send(&mut self, channel: &[u8], payload: &[u8], deadline: u64, now: u64) -> Result<()> {
        let Some(session) = &self.session else {
            self.stats.accepted += 1;
            self.stats.dropped.no_peer += 1;
            return Ok(());
        };
        self.sender.fit(session.datagram(), &mut self.stats);
        let until = now.saturating_add(deadline.min(LONGEST));
        self.sender.push(channel, payload, until, now, &mut self.stats)
    }

    /// Processes a datagram from that address, decrypting it in place, and passes on the resulting events.
    pub fn receive(
        &mut self,
        datagram: &mut [u8],
        from: SocketAddr,
        now: u64,
        mut events: impl FnMut(Event<'_>),
    ) {
        let known = match (datagram.first(), self.role) {
            (Some(&HELLO), Role::Listen) => self.take_hello(datagram, from, now),
            (Some(&WELCOME), Role::Connect) => self.take_welcome(datagram, from, now, &mut events),
            (Some(&DATA), _) => self.take_data(datagram, from, now, &mut events),
            _ => None,
        };
        self.stats.rejected.foreign += u64::from(known.is_none());
    }

    fn take_hello(&mut self, datagram: &[u8], from: SocketAddr, now: u64) -> Option<()> {
        let hello = self.handshake.read_hello(datagram)?;
        // A repetition, because the answer was lost or is still in transit: the answer is the same.
        let welcome = match self.candidates.iter_mut().find(|c| c.hello == hello) {
            Some(known) if now < known.answered.saturating_add(ANSWER_AFTER) => return Some(()),
            Some(known) => {
                known.answered = now;
                known.welcome
            }
            None => {
                let welcome = self.nonce();
                let seal = Seal::new(&self.config.key, self.role, &hello, &welcome);
                self.candidates.push_back(Candidate { hello, welcome, seal, answered: now });
                if self.candidates.len() > CANDIDATES {
                    self.candidates.pop_front();
                }
                welcome
            }
        };
        if self.welcomes.len() < ANSWERS {
            self.welcomes.push_back((from, self.handshake.welcome(&welcome, &hello)));
        }
        Some(())
    }

    fn take_welcome(
        &mut self,
        datagram: &[u8],
        from: SocketAddr,
        now: u64,
        events: &mut impl FnMut(Event<'_>),
    ) -> Option<()> {
        let (welcome, hello) = self.handshake.read_welcome(datagram)?;
        if self.hello.as_ref().is_none_or(|own| own.nonce != hello) {
            return Some(()); // it was answered already
        }
        self.hello = None;
        let seal = Seal::new(&self.config.key, self.role, &hello, &welcome);
        self.begin(Box::new(Session::new(seal, &self.config, from, now)), events);
        Some(())
    }

    fn begin(&mut self, session: Box<Session>, events: &mut impl FnMut(Event<'_>)) {
        events(Event::Connected(session.peer()));
        let old = self.session.replace(session);
        self.stats.dropped.incomplete += old.map_or(0, |mut old| old.end());
        self.sender.restart(&mut self.stats);
        self.stats.sessions += 1;
    }

    fn take_data(
        &mut self,
        datagram: &mut [u8],
        from: SocketAddr,
        now: u64,
        events: &mut impl FnMut(Event<'_>),
    ) -> Option<()> {
        if !self.session.as_ref().is_some_and(|session| session.concerns(datagram)) {
            let index = self.candidates.iter().position(|c| c.seal.concerns(datagram))?;
            // Genuine: the connecter has our welcome, and this is the session from now on.
            self.candidates[index].seal.open(&mut datagram.to_vec())?;
            let candidate = self.candidates.remove(index)?;
            self.candidates.clear();
            self.begin(Box::new(Session::new(candidate.seal, &self.config, from, now)), events);
        }
        self.session.as_mut()?.receive(datagram, from, now, &mut self.stats, events)
    }

    /// The next datagram to send now, and its destination. Call until there is none.
    pub fn poll_transmit(&mut self, now: u64) -> Option<(SocketAddr, Vec<u8>)> {
        let transmit = self.next_transmit(now)?;
        self.stats.sent_datagrams += 1;
        self.stats.sent_bytes += transmit.1.len() as u64;
        self.sender.spent(now, transmit.1.len());
        Some(transmit)
    }

    fn next_transmit(&mut self, now: u64) -> Option<(SocketAddr, Vec<u8>)> {
        if let Some(welcome) = self.welcomes.pop_front() {
            return Some(welcome);
        }
        if let (Some(hello), Some(remote)) = (&mut self.hello, self.remotes.front().copied())
            && now >= hello.again
        {
            self.remotes.rotate_left(1);
            hello.again = now.saturating_add(hello.wait);
            hello.wait = (hello.wait * 2).min(HELLO_AT_MOST);
            return Some((remote, self.handshake.hello(&hello.nonce)));
        }
        let session = self.session.as_mut()?;
        if let Some(words) = session.own_words(now, &mut self.stats) {
            return Some((session.peer(), words));
        }
        self.sender.fit(session.datagram(), &mut self.stats);
        let plain = self.sender.next(now, session.expected(), &mut self.stats)?;
        Some((session.peer(), session.seal(&plain)))
    }

    /// Does the work that is due by now. Call it at [`Tunnel::next_timeout`].
    pub fn handle_timeout(&mut self, now: u64, mut events: impl FnMut(Event<'_>)) {
        let Some(session) = &self.session else { return };
        let silent = now.saturating_sub(session.last_received());
        if silent > SILENCE && self.role == Role::Connect && self.hello.is_none() {
            self.call(now);
        }
        if silent > GONE {
            self.stats.dropped.incomplete += self.session.take().map_or(0, |mut session| session.end());
            self.sender.clear(&mut self.stats);
            events(Event::Lost);
        }
    }

    /// When the next work is due: to send, or to give up. May be in the past.
    pub fn next_timeout(&self) -> u64 {
        let hello = self.hello.as_ref().map_or(u64::MAX, |hello| hello.again);
        let session = self.session.as_ref().map_or(u64::MAX, |session| {
            let gone = session.last_received().saturating_add(GONE + 1);
            session.timeout().min(gone).min(self.sender.timeout())
        });
        let welcome = if self.welcomes.is_empty() { u64::MAX } else { 0 };
        hello.min(session).min(welcome)
    }

    /// This machine refused to send a datagram because it is too long for its own network: shorter ones from now
    /// on.
    pub fn refused(&mut self, len: usize, now: u64) {
        if let Some(session) = &mut self.session {
            session.refused(len, now);
        }
    }

    /// Whether the other end answers.
    pub fn is_connected(&self) -> bool {
        self.session.is_some()
    }
    /// Its statistics.
    pub fn stats(&self) -> Stats {
        let mut stats = self.stats;
        if let Some(session) = &self.session {
            (stats.loss, stats.round_trip) = session.measured();
            stats.mtu = Some(session.packet());
        }
        stats
    }

    /// For tests: seals any content, as only an end with the key can.
    #[doc(hidden)]
    pub fn forge(&mut self, plain: &[u8]) -> Option<Vec<u8>> {
        Some(self.session.as_mut()?.seal(plain))
    }
}

impl std::fmt::Debug for Tunnel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tunnel")
            .field("role", &self.role)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}
