//! A piece of a file in memory.

use crate::geometry::{CUT, PAGE, STATE};
use saltus_os::map::{Access, Map, Mark};
use saltus_ring::{Shm, bell};
use std::fs::File;
use std::io;
use std::sync::Arc;

/// Mapped memory, with the view that the algorithm uses. It turns into zeros when another process truncates the file.
#[derive(Debug)]
pub(crate) struct Mapped {
    pub map: Map,
    pub mem: Shm,
}

/// A channel's words, read-only. They live while any mapping may mark them to record that it was truncated.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    pub map: Arc<Map>,
    pub mem: Shm,
}

impl Mapped {
    /// Maps memory without recording when the file is truncated.
    pub fn new(file: &File, offset: u64, len: usize, access: Access, populate: bool) -> io::Result<Mapped> {
        Mapped::marked(file, offset, len, access, populate, None)
    }

    /// Maps memory of a channel: if it is truncated, `words` records that.
    pub fn of_channel(
        file: &File,
        offset: u64,
        len: usize,
        access: Access,
        populate: bool,
        words: &Words,
    ) -> io::Result<Mapped> {
        let mark = Mark { of: Some(words.map.clone()), at: STATE, value: CUT };
        Mapped::marked(file, offset, len, access, populate, Some(mark))
    }

    /// Maps the bell page. If it is truncated, its first word gets a value that leads publishers to their slow path. The fast path has no
    /// extra cost.
    pub fn bell(file: &File, access: Access) -> io::Result<Mapped> {
        let mark = Mark { of: None, at: bell::BELL, value: bell::CUT };
        Mapped::marked(file, 0, PAGE as usize, access, true, Some(mark))
    }

    fn marked(
        file: &File,
        offset: u64,
        len: usize,
        access: Access,
        populate: bool,
        mark: Option<Mark>,
    ) -> io::Result<Mapped> {
        let map = Map::surviving(file, offset, len, access, populate, mark)?;
        let mem = shm(&map);
        Ok(Mapped { map, mem })
    }
}

impl Words {
    pub fn new(data: &File) -> io::Result<Words> {
        let mark = Mark { of: None, at: STATE, value: CUT };
        let map = Map::surviving(data, PAGE, PAGE as usize, Access::Read, true, Some(mark))?;
        let mem = shm(&map);
        Ok(Words { map: Arc::new(map), mem })
    }
}

fn shm(map: &Map) -> Shm {
    // SAFETY: mapped for as long as `map` lives, and the memory cannot be reached longer; page-aligned; the callers write only memory
    // that they map for writing.
    unsafe { Shm::new(map.base(), map.len()) }
}
