//! Where `pub` publishes.

use saltus_channel::Description;

use crate::exit::Outcome;

/// A channel in shared memory, or one of a domain of another kind.
pub(crate) enum Sink {
    Channel(Box<saltus_channel::Publisher>),
    Domain(saltus_domain::Publisher),
}

/// Longest message that any transport carries.
const LONGEST: usize = 256 << 20;

impl Sink {
    pub(crate) fn publish(&mut self, message: &[u8]) -> Outcome {
        match self {
            Sink::Channel(publisher) => drop(publisher.publish(message)?),
            Sink::Domain(publisher) => publisher.publish(message)?,
        }
        Ok(())
    }

    /// Longer messages are refused.
    pub(crate) fn max_len(&self) -> usize {
        match self {
            Sink::Channel(publisher) => publisher.max_len(),
            Sink::Domain(_) => LONGEST,
        }
    }

    /// Leaves with the channel what the messages are, where there is a place for it.
    pub(crate) fn describe(&mut self, what: &Description) -> Outcome {
        match self {
            Sink::Channel(publisher) => Ok(publisher.describe(&what.name, what.fingerprint, &what.schema)?),
            Sink::Domain(publisher) => Ok(publisher.describe(what)?),
        }
    }
}
