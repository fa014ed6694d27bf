//! `shm://`: channels in shared memory, of all processes of the machine.

mod inlet;
mod outlet;
mod settings;

use crate::inlet::{Inlet, Outlet};
use crate::provider::Provider;
use crate::{Options, Pattern, Result};
use inlet::ShmInlet;
use outlet::ShmOutlet;
use saltus_channel::{Description, Domain, Name};
use saltus_transport::Url;
use settings::Settings;
use std::sync::Arc;

/// A domain of channels in shared memory.
#[derive(Debug)]
struct Shm(Arc<Settings>);

pub(crate) fn open(url: Url) -> Result<Arc<dyn Provider>> {
    Ok(Arc::new(Shm(Arc::new(Settings::of(url)?))))
}

impl Provider for Shm {
    fn outlet(&self, name: Name, what: Option<&Description>) -> Result<Box<dyn Outlet>> {
        Ok(Box::new(ShmOutlet::new(self.0.clone(), name, what)))
    }
    fn inlet(&self, pattern: Pattern, options: &Options) -> Result<Box<dyn Inlet>> {
        Ok(Box::new(ShmInlet::new(self.0.clone(), pattern, options)?))
    }
    /// Whoever receives finds the types with the channel.
    fn learn(&self, _: &Description) {}
    fn names(&self) -> Result<Vec<Name>> {
        Ok(self.0.domain.list()?)
    }
    fn shared_memory(&self) -> Option<&Domain> {
        Some(&self.0.domain)
    }
}
