//! A piece of a file in memory.

use saltus_os::map::{Access, Map};
use saltus_ring::Shm;
use std::fs::File;
use std::io;

/// Memory mapped, and how the algorithm sees it.
#[derive(Debug)]
pub(crate) struct Mapped {
    pub map: Map,
    pub mem: Shm,
}

impl Mapped {
    pub fn new(file: &File, offset: u64, len: usize, access: Access, populate: bool) -> io::Result<Mapped> {
        let map = Map::new(file, offset, len, access, populate)?;
        // SAFETY: mapped for as long as `map` lives, which is as long as `mem` can be reached; page-aligned; the
        // callers write only what they map for writing.
        let mem = unsafe { Shm::new(map.base(), map.len()) };
        Ok(Mapped { map, mem })
    }
}
