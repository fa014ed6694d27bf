//! The destination of `pub`.

use saltus_channel::{Description, Error};

use crate::exit::Outcome;
use std::time::{Duration, Instant};

/// A channel in shared memory, or in a domain of another kind.
pub(crate) enum Sink {
    Channel {
        publisher: Box<saltus_channel::Publisher>,
        /// Whether the channel grows for longer messages.
        grows: bool,
        /// When to check that the channel has its name still.
        next_check: Instant,
    },
    Domain(saltus_domain::Publisher),
}

/// How often it is checked.
const CHECK: Duration = Duration::from_secs(1);

/// Checks that the channel has its name still, if it is time to.
fn present(publisher: &saltus_channel::Publisher, next: &mut Instant) -> saltus_channel::Result<()> {
    let now = Instant::now();
    if now < *next {
        return Ok(());
    }
    *next = now + CHECK;
    publisher.channel().check()
}

/// Longest message that any transport carries.
const LONGEST: usize = 256 << 20;

impl Sink {
    pub(crate) fn publish(&mut self, message: &[u8]) -> Outcome {
        match self {
            Sink::Channel { publisher, grows, next_check } => {
                match present(publisher, next_check).and_then(|()| publisher.publish(message)) {
                    Ok(_) => {}
                    Err(Error::TooLong { .. }) if *grows => {
                        let channel = publisher.channel();
                        let (domain, name) = (channel.domain(), channel.name().as_bytes());
                        // By its path: the root may have changed since, and with it what a name leads to.
                        let url = format!("shm://{}?owner={}", domain.path().display(), domain.owners());
                        saltus_domain::Domain::open(&url)?.publisher(name)?.publish(message)?;
                        **publisher = domain.open_channel(name)?.publisher()?;
                    }
                    // Another publisher enlarged it; a channel of another user is not followed.
                    Err(Error::Retired { by: None, .. }) if publisher.channel().continuation()?.is_some() => {
                        let channel = publisher.channel();
                        let now = channel.domain().open_channel(channel.name().as_bytes())?;
                        **publisher = now.publisher()?;
                        return self.publish(message);
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            Sink::Domain(publisher) => publisher.publish(message)?,
        }
        Ok(())
    }

    /// Longer messages are refused.
    pub(crate) fn max_len(&self) -> usize {
        match self {
            Sink::Channel { publisher, grows: false, .. } => publisher.max_len(),
            Sink::Channel { .. } | Sink::Domain(_) => LONGEST,
        }
    }

    /// Stores the type of the messages with the channel, in domains that can.
    pub(crate) fn describe(&mut self, what: &Description) -> Outcome {
        match self {
            Sink::Channel { publisher, .. } => {
                Ok(publisher.describe(&what.name, what.fingerprint, &what.schema)?)
            }
            Sink::Domain(publisher) => Ok(publisher.describe(what)?),
        }
    }
}
