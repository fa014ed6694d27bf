//! A contender that this build does not contain, so that the report lists it as missing.

use crate::contender::{Ask, Contender, Link};
use crate::error::Fallible;

/// See the module.
pub struct Absent {
    /// The contender.
    pub name: &'static str,
    /// Why it is missing.
    pub why: &'static str,
}

impl Contender for Absent {
    fn name(&self) -> &'static str {
        self.name
    }

    fn supports(&self, _: &Ask) -> Result<(), &'static str> {
        Err(self.why)
    }

    fn link(&self, _: &Ask) -> Fallible<Box<dyn Link>> {
        Err(self.why.into())
    }
}
