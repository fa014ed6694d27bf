//! Joins a domain at each end: messages published in one are published in the other.

use crate::{Driver, Error, Event, Result, Stats};
use saltus_bridge::Own;
use saltus_domain::{Domain, Options, Pattern, Publisher, Subscriber, Until};
use saltus_os::clock;
use std::collections::HashMap;
use std::net::SocketAddr;

/// Most messages received from the domain per cycle.
const BATCH: usize = 64;

/// Most channels published in. Any process with the key may choose names, but must not fill this machine with
/// channels.
const CHANNELS: usize = 4096;
/// Errors of the domain's network at shorter intervals, in ns, count as permanent.
const APART: u64 = 500_000_000;

/// A change of the other end's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// It answers.
    Connected(SocketAddr),
    /// It no longer answers.
    Lost,
}

/// Messages that did not pass between the domain and the tunnel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Here {
    /// The tunnel's own messages, which are not sent back.
    pub own: u64,
    /// Messages too long for the tunnel.
    pub too_long: u64,
    /// Messages that the domain did not accept.
    pub refused: u64,
    /// Messages of channels that this end does not accept.
    pub unwanted: u64,
    /// Messages that the domain dropped because this end was slow.
    pub dropped: u64,
}

/// Carries messages between a domain and the other end of a tunnel, without sending them back.
#[derive(Debug)]
pub struct Join {
    driver: Driver,
    domain: Domain,
    channels: Pattern,
    subscriber: Subscriber,
    publishers: HashMap<Vec<u8>, Publisher>,
    /// Messages that this tunnel has published in the domain.
    own: Own,
    deadline: u64,
    /// Until then, another error of the domain's network is fatal; monotonic ns.
    troubled: u64,
    here: Here,
    /// The last non-fatal error: of the domain, a message or the network.
    trouble: Option<Error>,
}

impl Join {
    /// Joins the channels that match, in both directions. `deadline` is for outgoing messages, in ns.
    ///
    /// # Errors
    /// Errors of the domain.
    pub fn new(
        driver: Driver,
        domain: &Domain,
        channels: Pattern,
        options: Options,
        deadline: u64,
    ) -> Result<Join> {
        let subscriber = domain.subscriber_with(channels.clone(), options)?;
        let (domain, publishers, own) = (domain.clone(), HashMap::new(), Own::default());
        let (here, troubled, trouble) = (Here::default(), 0, None);
        Ok(Join { driver, domain, channels, subscriber, publishers, own, deadline, troubled, here, trouble })
    }

    /// Does everything possible without waiting, then waits until there is more, or until that time (monotonic, in
    /// ns), at most 100 ms.
    ///
    /// Temporary errors of the domain's network, such as a lost hub, are returned by [`Join::trouble`].
    ///
    /// # Errors
    /// A socket or a subscriber that no longer works.
    pub fn step(&mut self, until: u64, mut notices: impl FnMut(Notice)) -> Result<()> {
        let more = self.take_from_domain()?;
        let Join { driver, domain, channels, publishers, own, here, trouble, .. } = self;
        driver.turn(|event| match event {
            Event::Connected(from) => notices(Notice::Connected(from)),
            Event::Lost => notices(Notice::Lost),
            // This end filters incoming channels, whatever the other sends.
            Event::Message(message) if channels.matches(message.channel) => {
                let published = publish(domain, publishers, own, message.channel, message.payload);
                if let Err(e) = published {
                    here.refused += 1;
                    *trouble = Some(e.into());
                }
            }
            Event::Message(_) => here.unwanted += 1,
        })?;
        let fd = self.subscriber.fd()?;
        self.driver.wait(&[fd], if more { 0 } else { until })
    }

    /// Passes new messages of the domain to the tunnel; returns whether there may be more.
    fn take_from_domain(&mut self) -> Result<bool> {
        for _ in 0..BATCH {
            let now = clock::monotonic();
            let message = match self.subscriber.receive(Until::Poll) {
                Ok(Some(message)) => message,
                Ok(None) => return Ok(false),
                // For instance a lost hub: the domain reconnects by itself.
                Err(e @ saltus_domain::Error::Network(_)) if now >= self.troubled => {
                    self.troubled = now.saturating_add(APART);
                    self.trouble = Some(e.into());
                    return Ok(false);
                }
                Err(e) => return Err(e.into()),
            };
            self.here.dropped += message.dropped;
            if self.own.is(&message, now) {
                self.here.own += 1;
            } else if let Err(e) = self.driver.send(message.channel.as_bytes(), message.data, self.deadline) {
                self.here.too_long += 1;
                self.trouble = Some(e);
            }
        }
        Ok(true)
    }

    /// The tunnel's statistics.
    pub fn stats(&self) -> Stats {
        self.driver.stats()
    }
    /// Counts of messages between the domain and the tunnel.
    pub fn here(&self) -> Here {
        self.here
    }
    /// The last non-fatal error, returned once: a message that the domain or the tunnel did not accept, or a
    /// network that does not send.
    pub fn trouble(&mut self) -> Option<Error> {
        self.trouble.take().or_else(|| self.driver.trouble())
    }
    /// The local address of this end.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn local(&self) -> std::io::Result<SocketAddr> {
        self.driver.local()
    }
}

fn publish(
    domain: &Domain,
    publishers: &mut HashMap<Vec<u8>, Publisher>,
    own: &mut Own,
    channel: &[u8],
    payload: &[u8],
) -> saltus_domain::Result<()> {
    if !publishers.contains_key(channel) {
        if publishers.len() >= CHANNELS {
            let what = format!("the other end sends more than {CHANNELS} channels: select some with --regex");
            return Err(saltus_domain::Error::Invalid { what });
        }
        publishers.insert(channel.to_vec(), domain.publisher(channel)?);
    }
    let Some(publisher) = publishers.get_mut(channel) else { return Ok(()) };
    publisher.publish(payload)?;
    own.note(publisher, payload, clock::monotonic(), true);
    Ok(())
}
