//! A channel for the unit tests of the parts of a subscriber.

use crate::create::Plan;
use crate::mapping::Mapping;
use crate::publisher::Publisher;
use crate::{Attributes, Directory, Name};
use std::sync::Arc;

/// An open channel, in a domain that is removed with it.
pub(crate) struct Temporary {
    domain: Directory,
    pub mapping: Arc<Mapping>,
    pub publisher: Publisher,
}

impl Temporary {
    pub fn new() -> Temporary {
        let url = format!("shm:///dev/shm/saltus-unit-{:016x}", saltus_os::process::random());
        let (domain, name) = (Directory::open(&url).unwrap(), Name::new("imu").unwrap());
        let plan = Plan::new(&Attributes::new()).unwrap();
        plan.create(&domain.make_dir().unwrap(), &url, &name, false).unwrap();
        let mapping = Mapping::open(&domain, &name).unwrap();
        let publisher = Publisher::open(mapping.clone()).unwrap();
        Temporary { domain, mapping, publisher }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.domain.path());
    }
}
