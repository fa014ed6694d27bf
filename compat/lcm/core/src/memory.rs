//! `memq://`: a queue inside one instance.

use crate::pattern::Pattern;
use crate::shared::Shared;
use crate::source::Source;
use saltus_domain::Result;
use std::os::fd::RawFd;
use std::sync::Arc;

/// Queues each published message that has a subscription. As in LCM, capacities do not limit it.
pub(crate) struct Memory(Arc<Shared>);

impl Memory {
    pub fn new(shared: Arc<Shared>) -> Memory {
        Memory(shared)
    }
}

impl Source for Memory {
    fn publish(&self, channel: &[u8], data: &[u8]) -> Result<()> {
        self.0.publish(channel, data);
        Ok(())
    }
    fn subscribe(&self, _: &Pattern) -> Result<()> {
        Ok(())
    }
    fn unsubscribe(&self, _: &Pattern) {}
    fn fd(&self) -> Result<RawFd> {
        Ok(self.0.fd())
    }
    fn pull(&self) -> Result<()> {
        Ok(())
    }
    fn ends_at_fork(&self) -> bool {
        false
    }
    fn is_pulled(&self) -> bool {
        false
    }
    fn receives(&self) -> bool {
        true
    }
}
