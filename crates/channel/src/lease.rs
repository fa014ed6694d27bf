//! Leases of lanes: the kernel decides which publisher may write which lane.

use crate::geometry::{self, DATA, LANES_USED, LEASE, LEASES};
use crate::mapped::Mapped;
use crate::mapping::Mapping;
use crate::space::check_room;
use crate::{Error, Result, Retired};
use saltus_os::file::Inode;
use saltus_os::file::{self, Mode};
use saltus_os::lock::{self, Held, Kind};
use saltus_os::map::Access;
use saltus_ring::{LaneWriter, Lanes, MAX_LANES, Memory, Shm, reader::Owner};
use std::fs::File;
use std::sync::atomic::Ordering::{Relaxed, Release};

/// A leased lane, ready for writing.
#[derive(Debug)]
pub(crate) struct Lease {
    pub writer: LaneWriter<Shm>,
    pub claim: Claim,
}

/// The right to write a lane.
#[derive(Debug)]
pub(crate) struct Claim {
    pub lane: usize,
    pub number: u64,
    /// The channel's words, writable.
    pub page: Mapped,
    _memory: Mapped,
    /// The lock on the lease file: no other publisher writes the lane.
    lock: Held,
    /// The lock on the data file, which shows readers that the publisher lives.
    _alive: Option<Held>,
}

impl Lease {
    /// Leases the first free lane; grows the file if all are leased.
    pub fn take(mapping: &Mapping) -> Result<Lease> {
        let what = |what: &str| format!("{what} of channel `{}`", mapping.name);
        let system = |text: &str, e| Error::system(what(text), e);
        // The files are deleted one by one when the channel is removed or replaced: a missing one means the end, not a fault.
        let failed = |text: &str, e| match mapping.vanished() {
            Some(how) => mapping.retired_error(how),
            None => system(text, e),
        };
        let data = file::open_at(&mapping.dir, DATA, Mode::Write)
            .map_err(|e| failed("open for publishing the data", e))?;
        let same = |a: &Inode, b: &Inode| (a.device, a.number) == (b.device, b.number);
        if !matches!((file::inode(&data), file::inode(&mapping.data)), (Ok(a), Ok(b)) if same(&a, &b)) {
            return Err(mapping.retired_error(Retired::Vanished)); // another file has replaced it
        }
        let lease =
            file::open_at(&mapping.dir, LEASE, Mode::Write).map_err(|e| failed("open the lease", e))?;
        let page = Mapped::of_channel(
            &data,
            geometry::PAGE,
            geometry::PAGE as usize,
            Access::Write,
            true,
            &mapping.page,
        )
        .map_err(|e| system("map the words", e))?;
        let most = if mapping.geometry.attributes.timestamps { MAX_LANES } else { 1 };
        let mut damaged = None;
        for lane in 0..most {
            // Asking first saves four calls for each leased lane.
            if lock::is_locked(&lease, lane as u64).map_err(|e| system("ask for the leases", e))? {
                continue;
            }
            let open = || file::open_at(&mapping.dir, LEASE, Mode::Write);
            // [l1] From here on the lane is leased to this process, until it ends.
            let held =
                lock::try_lock(open, lane as u64, Kind::Exclusive).map_err(|e| failed("take a lease", e))?;
            let Some(held) = held else { continue };
            match adopt(mapping, &data, &page, lane) {
                Ok((memory, writer)) => return Ok(Lease::sign(mapping, lane, memory, writer, page, held)),
                Err(e @ Error::Damaged { .. }) => damaged = Some(e), // leave it to the repair; try the next
                Err(e) => return Err(e),
            }
        }
        Err(damaged.unwrap_or(Error::TooManyPublishers { channel: mapping.name.clone(), most }))
    }

    fn sign(
        mapping: &Mapping,
        lane: usize,
        memory: Mapped,
        writer: LaneWriter<Shm>,
        page: Mapped,
        lock: Held,
    ) -> Lease {
        let number = page.mem.fetch_add(LEASES, 1, Relaxed).wrapping_add(1); // Relaxed: only each number once
        let open = || file::open_at(&mapping.dir, DATA, Mode::Read);
        // [l4] A dead owner's forked children may still hold its lock. Many processes can hold this one at the same time.
        let alive = lock::try_lock(open, lane as u64, Kind::Shared).ok().flatten();
        writer.sign(&Owner {
            lease: number,
            pid: saltus_os::process::id(),
            since: saltus_os::clock::boottime(),
            uid: saltus_os::process::user(),
            name: saltus_os::process::name(),
        });
        Lease { writer, claim: Claim { lane, number, page, _memory: memory, lock, _alive: alive } }
    }
}

impl Claim {
    /// Whether this process acquired the lease. False in a forked child, which inherited this value.
    #[inline(always)]
    pub fn is_ours(&self) -> bool {
        self.lock.is_ours()
    }
}

/// Maps lane `lane` for writing, and adopts it. Reserves its memory first if it is new.
fn adopt(mapping: &Mapping, data: &File, page: &Mapped, lane: usize) -> Result<(Mapped, LaneWriter<Shm>)> {
    let (layout, attributes) = (mapping.geometry.layout, &mapping.geometry.attributes);
    let system = |text: &str, e| Error::system(format!("{text} of channel `{}`", mapping.name), e);
    let used = mapping.used();
    // [l2] Starts at the first lane that is not in use, not only at ours. The publisher that leased a lane below may not have reserved
    // it yet, or may have died before. No hole may remain that a reader could fill by reading. A lane in use is reserved already. If
    // the count is false, this keeps us from accessing memory that is not there.
    let (from, end) = (geometry::lane_at(&layout, lane.min(used)), geometry::lane_at(&layout, lane + 1));
    let size = file::inode(data).map_err(|e| system("look at the data", e))?.len;
    if size < end {
        check_room(&mapping.name, end - size, &mapping.dir)?;
    }
    if lane >= used || size < end {
        file::reserve(data, from, end - from).map_err(|e| system("reserve a lane", e))?;
    }
    if lane >= used {
        // [l3] Release: pairs with the readers' acquire in `used`.
        page.mem.fetch_max(LANES_USED, lane as u64 + 1, Release);
    }
    let mut memory = Mapped::of_channel(
        data,
        geometry::lane_at(&layout, lane),
        layout.stride() as usize,
        Access::Write,
        attributes.prefault,
        &mapping.page,
    )
    .map_err(|e| system("map a lane", e))?;
    if attributes.lock_memory {
        memory.map.lock().map_err(|e| mapping.lock_refused(e))?;
    }
    // A forked child leases its own lane; no inherited mapping may lead into ours.
    memory.map.keep_from_children().map_err(|e| system("keep a lane from children", e))?;
    // A core dump of a large lane would keep the lease held while it is written.
    let _ = memory.map.keep_from_dumps();
    let writer = LaneWriter::adopt(memory.mem, layout, mapping.now()).map_err(|_| Error::Damaged {
        what: format!(
            "lane {lane} of channel `{}` is corrupted: impossible head or reserved position",
            mapping.name
        ),
    })?;
    Ok((memory, writer))
}
