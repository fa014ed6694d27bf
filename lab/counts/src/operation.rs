//! One operation, and the directory in which it runs.

use crate::outcome::{Outcome, Result};
use crate::stepper::{Count, count};
use std::fs;
use std::path::{Path, PathBuf};

/// One operation, in a directory of its own.
pub struct Operation {
    /// Its name in the record.
    pub name: &'static str,
    /// Does it, in a child process.
    pub run: fn(&Path) -> Outcome,
}

impl Operation {
    /// Counts it.
    ///
    /// # Errors
    /// It failed, or this process may not trace.
    pub fn count(&self) -> Result<Count> {
        let place = Place::new()?;
        count(|| (self.run)(&place.0)).map_err(|why| format!("{}: {why}", self.name).into())
    }
}

/// An empty directory, removed when dropped.
struct Place(PathBuf);

impl Place {
    fn new() -> Result<Place> {
        let place = PathBuf::from(format!("/dev/shm/saltus-counts-{}", std::process::id()));
        fs::create_dir(&place).map_err(|e| format!("{}: {e}", place.display()))?;
        Ok(Place(place))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0); // leftovers stay visible
    }
}
