//! Connects a module of a workload to the others: through a provider's domain, or through LCM's own library, as
//! programs do.

use crate::clock;
use crate::contender::{Ask, Contender, Node};
use crate::contenders::net::domain::{self, Domains};
use crate::contenders::net::lcm::{Lcm, node};
use crate::error::Fallible;
use crate::privilege;
use saltus_domain::{Domain, Options, Pattern, Publisher, Start, Subscriber, Until};

/// Depth of a subscriber, in messages.
const DEPTH: u64 = 1_000;

/// The library under a workload.
#[derive(Clone, Copy)]
pub enum Over {
    /// A provider.
    Domain(Domains),
    /// LCM's library, with its defaults or with a large buffer and a long queue.
    Lcm(Lcm),
}

impl Over {
    /// All libraries that a workload can use.
    pub fn all() -> impl Iterator<Item = Over> {
        let domains = Domains::BETWEEN_PROCESSES.iter().map(|kind| Over::Domain(*kind));
        domains.chain([false, true].map(|big| Over::Lcm(Lcm { big })))
    }

    /// Its name as a contender.
    pub fn contender(&self) -> &dyn Contender {
        match self {
            Over::Domain(kind) => kind,
            Over::Lcm(lcm) => lcm,
        }
    }

    /// What all modules of one run share; created before them.
    pub fn place(self, ask: &Ask) -> Fallible<Place> {
        Ok(match self {
            Over::Domain(kind) => Place::Domain(kind.place(ask)?),
            Over::Lcm(lcm) => Place::Lcm(lcm, lcm.url(ask.number)),
        })
    }
}

/// See [`Over::place`].
pub enum Place {
    /// A provider's.
    Domain(domain::Shared),
    /// A group of LCM's.
    Lcm(Lcm, String),
}

impl Place {
    /// Connects a module, in its own process.
    pub fn join(&self, channel: &str, inputs: &[String]) -> Fallible<Box<dyn Node>> {
        privilege::as_a_user()?;
        let pattern = (!inputs.is_empty()).then(|| inputs.join("|"));
        match self {
            Place::Lcm(lcm, url) => node::open(*lcm, url, channel, pattern.as_deref()),
            Place::Domain(shared) => {
                let domain = Domain::open(shared.url())?;
                let publisher = domain.publisher(channel)?;
                let options = Options::next(DEPTH).start(Start::Now);
                let open = |pattern: String| -> Fallible<_> {
                    Ok(domain.subscriber_with(Pattern::regex(&pattern)?, options)?)
                };
                let subscriber = pattern.map(open).transpose()?;
                Ok(Box::new(Member { publisher, subscriber, _domain: domain }))
            }
        }
    }
}

struct Member {
    publisher: Publisher,
    subscriber: Option<Subscriber>,
    _domain: Domain,
}

impl Node for Member {
    fn publish(&mut self, message: &[u8]) -> Fallible<()> {
        Ok(self.publisher.publish(message)?)
    }

    fn receive(&mut self, until: u64, each: &mut dyn FnMut(&[u8]) -> Fallible<()>) -> Fallible<bool> {
        let Some(subscriber) = &mut self.subscriber else {
            clock::sleep_until(until);
            return Ok(false);
        };
        match subscriber.receive(Until::At(until))? {
            Some(message) => each(message.data).map(|()| true),
            None => Ok(false),
        }
    }
}
