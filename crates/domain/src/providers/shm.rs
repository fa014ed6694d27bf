//! `shm://`: channels in shared memory, for all processes of the machine.

mod publisher;
mod settings;
mod subscriber;

use crate::backend::{BackendPublisher, BackendSubscriber};
use crate::provider::Provider;
use crate::{Options, Pattern, Result};
use publisher::ShmPublisher;
use saltus_channel::{Description, Directory, Name};
use saltus_transport::Url;
use settings::Settings;
use std::sync::Arc;
use subscriber::ShmSubscriber;

/// A domain of channels in shared memory.
#[derive(Debug)]
struct Shm(Arc<Settings>);

pub(crate) fn open(url: Url) -> Result<Arc<dyn Provider>> {
    Ok(Arc::new(Shm(Arc::new(Settings::of(url)?))))
}

impl Provider for Shm {
    fn publisher(&self, name: Name, what: Option<&Description>) -> Result<Box<dyn BackendPublisher>> {
        Ok(Box::new(ShmPublisher::new(self.0.clone(), name, what)))
    }
    fn subscriber(&self, pattern: Pattern, options: &Options) -> Result<Box<dyn BackendSubscriber>> {
        Ok(Box::new(ShmSubscriber::new(self.0.clone(), pattern, options)?))
    }
    /// Subscribers find the types with the channel.
    fn learn(&self, _: &Description) {}
    fn names(&self) -> Result<Vec<Name>> {
        Ok(self.0.domain.list()?)
    }
    fn shared_memory(&self) -> Option<&Directory> {
        Some(&self.0.domain)
    }
}
