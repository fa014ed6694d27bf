//! Publishing in a shared-memory channel, which is replaced by a larger one when messages grow.

use super::settings::Settings;
use crate::backend::BackendPublisher;
use crate::{Error, Result};
use saltus_channel::{Description, Name, Owners, Publisher};
use saltus_os::clock;
use std::sync::Arc;

/// Most tries to publish a message while its channel is being replaced repeatedly.
const TRIES: usize = 1000;
/// How often a publisher that demands an owner checks whether the name still leads to its channel, in ns.
const CHECK: u64 = 1_000_000_000;

/// Publishes in one channel. The first message opens or creates the channel.
#[derive(Debug)]
pub(super) struct ShmPublisher {
    settings: Arc<Settings>,
    name: Name,
    publisher: Option<Publisher>,
    described: Vec<Description>,
    /// When to check that next, monotonic ns; `None` where no owner is demanded: the check makes system calls.
    next_check: Option<u64>,
}

impl ShmPublisher {
    pub fn new(settings: Arc<Settings>, name: Name, what: Option<&Description>) -> ShmPublisher {
        let demands = *settings.domain.owners() != Owners::any();
        let described = what.cloned().into_iter().collect();
        ShmPublisher { settings, name, publisher: None, described, next_check: demands.then_some(0) }
    }

    fn open(&mut self, len: usize) -> saltus_channel::Result<&mut Publisher> {
        let domain = &self.settings.domain;
        let channel = match domain.open_channel(self.name.as_bytes()) {
            Err(saltus_channel::Error::NotFound { .. }) => {
                domain.open_or_create(self.name.as_bytes(), &self.settings.attributes(&self.name, len))?
            }
            other => other?,
        };
        channel.forget_predecessors();
        let publisher = channel.publisher()?;
        for d in &self.described {
            publisher.describe(&d.name, d.fingerprint, &d.schema)?;
        }
        Ok(self.publisher.insert(publisher))
    }

    /// Calls a function with the publisher, and again if the channel was removed, replaced, or is too small: the
    /// name counts, not the files.
    #[inline]
    fn with_publisher<T>(
        &mut self,
        len: usize,
        mut publish: impl FnMut(&mut Publisher) -> saltus_channel::Result<T>,
    ) -> Result<T> {
        if self.next_check.is_some() {
            self.check_name();
        }
        if let Some(publisher) = &mut self.publisher {
            match publish(publisher) {
                Ok(published) => Ok(published),
                Err(e) => self.again(len, Some(e), publish),
            }
        } else {
            self.again(len, None, publish)
        }
    }

    /// Lets go of the channel if another one, or nothing, has its name, and it is time to look.
    #[cold]
    fn check_name(&mut self) {
        let now = clock::monotonic();
        if self.next_check.is_none_or(|next| now < next) {
            return;
        }
        self.next_check = Some(now + CHECK);
        if self.publisher.as_ref().is_some_and(Publisher::is_retired) {
            self.publisher = None; // what has the name now is opened, if its owner is accepted
        }
    }

    /// After the error of the last try, or before the first one.
    #[cold]
    fn again<T>(
        &mut self,
        len: usize,
        mut failed: Option<saltus_channel::Error>,
        mut publish: impl FnMut(&mut Publisher) -> saltus_channel::Result<T>,
    ) -> Result<T> {
        for _ in 0..TRIES {
            match failed.take() {
                None => {}
                // Other publishers may be ahead of us: the present channel is opened, and grown further if
                // necessary.
                Some(saltus_channel::Error::Retired { .. }) => self.publisher = None,
                Some(e @ saltus_channel::Error::TooLong { .. }) => {
                    if let Some(publisher) = &self.publisher
                        && !self.settings.grow(&publisher.channel(), len)?
                    {
                        return Err(e.into());
                    }
                    self.publisher = None;
                }
                Some(e) => return Err(e.into()),
            }
            let tried = match &mut self.publisher {
                Some(publisher) => publish(publisher),
                None => self.open(len).and_then(&mut publish),
            };
            match tried {
                Ok(published) => return Ok(published),
                Err(e) => failed = Some(e),
            }
        }
        Err(failed.map_or(Error::invalid("nothing was published"), Error::from))
    }
}

impl BackendPublisher for ShmPublisher {
    #[inline]
    fn publish(&mut self, payload: &[u8]) -> Result<()> {
        self.with_publisher(payload.len(), |publisher| publisher.publish(payload)).map(drop)
    }
    fn publish_with_timestamp(&mut self, payload: &[u8], timestamp: i64) -> Result<i64> {
        let timestamp = u64::try_from(timestamp)
            .map_err(|_| Error::invalid("a timestamp must not be earlier than the start of the machine"))?;
        self.with_publisher(payload.len(), |publisher| {
            let channel = publisher.channel();
            if !channel.attributes().get_timestamps()
                || channel.attributes().get_clock() != clock::Clock::Boottime
            {
                let what = format!("channel `{}` has no timestamps of boot time", channel.name());
                return Err(saltus_channel::Error::Invalid { what });
            }
            Ok(publisher.publish_with_timestamp(payload, timestamp)?.timestamp as i64)
        })
    }

    fn sender(&self) -> Option<u64> {
        self.publisher.as_ref().map(|publisher| publisher.id().lease)
    }

    fn describe(&mut self, what: &Description) -> Result<()> {
        if let Some(publisher) = &self.publisher {
            publisher.describe(&what.name, what.fingerprint, &what.schema)?;
        }
        self.described.push(what.clone());
        Ok(())
    }
}
