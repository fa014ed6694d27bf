//! A channel as one process has it open: its files and its lanes, read-only, shared by all its publishers and subscribers.

use crate::geometry::{self, BELL, DATA, Geometry, LANES_AT, LANES_USED, PAGE, STATE};
use crate::limits::{BELL_PAUSE, LONGEST_BELL_PAUSE, WAKE_AT_ONCE};
use crate::mapped::{Mapped, Words};
use crate::place;
use crate::{Directory, Error, Group, Name, Result, Retired, Wake};
use saltus_os::clock;
use saltus_os::file::{self, Mode};
use saltus_os::futex::Word;
use saltus_os::map::{Access, Map};
use saltus_ring::{LaneLayout, Lanes, MAX_LANES, Memory, Shm, bell};
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::{Arc, OnceLock};

/// How often opening begins again because the channel was replaced meanwhile.
const TRIES: u32 = 20;

#[derive(Debug)]
pub(crate) struct Mapping {
    pub domain: Directory,
    pub name: Name,
    pub geometry: Geometry,
    /// The channel's directory: leases and counters are opened from it.
    pub dir: File,
    /// The data file, read-only: lanes that come later are mapped from it.
    pub data: File,
    /// The channel's words, read-only.
    pub page: Words,
    /// The bell page, if we may sleep on it.
    pub bell: Option<Bell>,
    /// Where the channel's directory was when it was opened.
    path: PathBuf,
    /// Lanes, mapped as they come.
    lanes: Box<[OnceLock<Mapped>]>,
}

/// The bell page.
#[derive(Debug)]
pub(crate) struct Bell {
    pub mem: Shm,
    /// Whether we may ask to be woken; if not, publishers wake always.
    pub may_arm: bool,
    map: Map,
    /// When it may be mapped again by those who publish, and made whole by those who wait.
    mapping: Patience,
    repairing: Patience,
}

/// When to try again what a hostile process can undo at any time: the more often it does, the more rarely.
#[derive(Debug)]
struct Patience {
    /// Monotonic ns.
    next: AtomicU64,
    pause: AtomicU64,
}

impl Patience {
    fn new() -> Patience {
        Patience { next: AtomicU64::new(0), pause: AtomicU64::new(BELL_PAUSE) }
    }

    /// Whether to try now. Of several threads at once one is told so.
    fn allows(&self, now: u64) -> bool {
        // Relaxed: times, which publish nothing; threads that try at once do no harm.
        let (next, pause) = (self.next.load(Relaxed), self.pause.load(Relaxed));
        if now < next {
            return false;
        }
        // What lasted no longer than the pause was undone on purpose.
        let undone = now < next.saturating_add(pause);
        let pause = if undone { (2 * pause).min(LONGEST_BELL_PAUSE) } else { BELL_PAUSE };
        self.pause.store(pause, Relaxed);
        self.next.compare_exchange(next, now.saturating_add(pause), Relaxed, Relaxed).is_ok()
    }
}

impl Bell {
    /// Maps the page for writing; for reading where that is forbidden but enough. `None`: we may not sleep on it.
    fn open(dir: &File, wake: Wake) -> io::Result<Option<Bell>> {
        let map = |mode, access| match file::open_at(dir, BELL, mode) {
            Ok(file) => {
                let fit = make_whole(&file, mode)?;
                if fit { Mapped::bell(&file, access).map(Some) } else { Ok(None) }
            }
            // Not there, not for us, or not a file. That descriptors have run out is another matter.
            Err(e) if matches!(e.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM)) => Err(e),
            Err(_) => Ok(None),
        };
        let armed = map(Mode::Write, Access::Write)?;
        let may_arm = armed.is_some();
        let found = match armed {
            None if wake == Wake::Always => map(Mode::Read, Access::Read)?,
            found => found,
        };
        Ok(found.map(|Mapped { map, mem }| Bell {
            mem,
            may_arm,
            map,
            mapping: Patience::new(),
            repairing: Patience::new(),
        }))
    }

    fn arm(&self) -> u64 {
        if self.may_arm { bell::arm(&self.mem) } else { bell::watch(&self.mem) }
    }

    /// Whether a hostile reader has cut the page short, and it is this process's own since. One load.
    fn is_cut(&self) -> bool {
        self.map.is_cut()
    }

    /// For who waits: makes the page whole again and maps it, if it is time. Whether it is the bell again. May block for who cuts it just then.
    #[cold]
    fn repair(&self, dir: &File) -> bool {
        let whole = |file: &File, mode| make_whole(file, mode).unwrap_or(false);
        self.repairing.allows(clock::monotonic()) && self.renew(dir, whole)
    }

    /// For who publishes: maps the page again if it is whole, which is left to those who wait: growing a file takes a lock that who cuts it
    /// holds too. Whether it is the bell again.
    #[cold]
    fn remap(&self, dir: &File) -> bool {
        let whole = |file: &File, _| file.metadata().is_ok_and(|meta| is_whole(&meta));
        self.mapping.allows(clock::monotonic()) && self.renew(dir, whole)
    }

    fn renew(&self, dir: &File, is_whole: impl Fn(&File, Mode) -> bool) -> bool {
        let mode = if self.may_arm { Mode::Write } else { Mode::Read };
        let Ok(file) = file::open_at(dir, BELL, mode) else { return false };
        is_whole(&file, mode) && self.map.renew(&file, 0).is_ok() && !self.is_cut()
    }
}

/// Whether a bell's file can be mapped.
fn is_whole(meta: &Metadata) -> bool {
    meta.is_file() && meta.len() >= PAGE && !has_holes(meta)
}

/// Whether a bell's file can be mapped. What a hostile reader has cut from it is put back, if it is open for writing.
fn make_whole(file: &File, mode: Mode) -> io::Result<bool> {
    let meta = file.metadata()?;
    if is_whole(&meta) || !meta.is_file() || mode != Mode::Write {
        return Ok(is_whole(&meta));
    }
    file::reserve(file, 0, PAGE)?;
    Ok(file.metadata()?.len() >= PAGE)
}

impl Mapping {
    /// Opens a channel, and maps all but its lanes.
    pub fn open(domain: &Directory, name: &Name) -> Result<Arc<Mapping>> {
        clock::boottime(); // the first reading looks at the time namespace; no later one calls the kernel for that
        // One that was opened just before it lost its name is no channel any more: there may be another.
        for _ in 0..TRIES {
            match Mapping::open_once(domain, name) {
                Ok(mapping) if mapping.retired().is_some() => {}
                // It was replaced between two steps of opening it.
                Err(Error::NotFound { .. }) if domain.channel_dir(name).is_ok() => {}
                other => return other,
            }
        }
        Err(Error::NotFound { channel: name.clone(), domain: domain.url() })
    }

    fn open_once(domain: &Directory, name: &Name) -> Result<Arc<Mapping>> {
        Mapping::open_dir(domain, name, domain.channel_dir(name)?)
    }

    /// Opens the channel whose directory is `dir`, be it retired or not.
    pub fn open_dir(domain: &Directory, name: &Name, dir: File) -> Result<Arc<Mapping>> {
        let what = |what: &str| format!("{what} of channel `{name}`");
        let is_owners = |file: &File| -> Result<()> {
            let there = file::stat(file).map_err(|e| Error::system(what("look at the owner"), e))?;
            let belongs = || format!("channel `{name}` in {} belongs to", domain.url());
            domain.owners().check(there.user, belongs)
        };
        is_owners(&dir)?; // who owns the directory decides what its files are
        let data = file::open_at(&dir, DATA, Mode::Read).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => match domain.channel_dir(name) {
                Ok(again) if inode(&again) == inode(&dir) => {
                    Error::Damaged { what: format!("channel `{name}`: its directory has no data file") }
                }
                // It was emptied between the two steps: the channel is being removed.
                _ => Error::NotFound { channel: name.clone(), domain: domain.url() },
            },
            _ => match file::stat_at(&dir, DATA).map(|there| (there.kind, place::kind_and_owner(&there))) {
                Ok((file::Kind::Directory | file::Kind::File, _)) | Err(_) => {
                    Error::system(what("open the data"), e)
                }
                Ok((_, other)) => {
                    Error::Damaged { what: format!("channel `{name}`: its data is {other}, not a file") }
                }
            },
        })?;
        is_owners(&data)?;
        let meta = data.metadata().map_err(|e| Error::system(what("look at the data"), e))?;
        if !meta.is_file() || meta.len() < LANES_AT {
            return Err(Error::Damaged {
                what: format!("channel `{name}`: its data is no file of at least {LANES_AT} B"),
            });
        }
        let (_, in_memory) =
            file::file_system(&data).map_err(|e| Error::system(what("look at the data"), e))?;
        if !in_memory {
            return Err(Error::invalid(format!(
                "channel `{name}` in {} does not lie on a tmpfs: create it below /dev/shm or /run",
                domain.url()
            )));
        }
        let mut first = [0; PAGE as usize];
        data.read_exact_at(&mut first, 0).map_err(|e| Error::system(what("read the geometry"), e))?;
        let mut geometry = Geometry::decode(&first, name)?;
        // Its maker has reserved all of it: what is shorter, or has holes that reading would fill, is no channel.
        if meta.len() < least(&geometry) || has_holes(&meta) {
            return Err(Error::Damaged {
                what: format!("channel `{name}`: its data is shorter than its lanes, or has holes"),
            });
        }
        geometry.attributes.mode = meta.mode() & 0o777;
        geometry.attributes.group = Some(Group::Id(meta.gid()));
        let page = Words::new(&data).map_err(|e| Error::system(what("map the words"), e))?;
        let bell = Bell::open(&dir, geometry.attributes.wake)
            .map_err(|e| Error::system(what("open the bell"), e))?;
        let path = domain.path().join(name.file_name());
        let lanes = (0..MAX_LANES).map(|_| OnceLock::new()).collect();
        Ok(Arc::new(Mapping {
            domain: domain.clone(),
            name: name.clone(),
            geometry,
            dir,
            data,
            page,
            bell,
            path,
            lanes,
        }))
    }

    /// Why the channel is no more, if it says so. One load.
    #[inline(always)]
    pub fn retired(&self) -> Option<Retired> {
        // Acquire, with the fence of `retire`: who sees the end, and looks at the lanes then, sees all that was published before it.
        match self.page.mem.load(STATE, Acquire) {
            geometry::LIVE => None,
            geometry::REPLACED => Some(Retired::Replaced),
            geometry::CUT => Some(self.cut_short()),
            _ => Some(Retired::Removed),
        }
    }

    /// The end of a channel whose data file was cut short.
    #[cold]
    fn cut_short(&self) -> Retired {
        Retired::CutShort { owner: self.data.metadata().map_or(self.geometry.uid, |m| m.uid()) }
    }

    /// The timestamp of a message that is published now; 0 if the channel has no timestamps.
    #[inline(always)]
    pub fn timestamp(&self) -> u64 {
        let attributes = &self.geometry.attributes;
        if attributes.timestamps { clock::now(attributes.clock) } else { 0 }
    }

    /// Whether the channel's name or files are gone, though nobody said so: deleted by hand or at logout, or replaced by
    /// somebody who was killed before telling us. Two system calls.
    #[cold]
    pub fn vanished(&self) -> Option<Retired> {
        if let Ok(meta) = self.data.metadata() {
            if meta.nlink() == 0 {
                return Some(self.retired().unwrap_or(Retired::Vanished));
            }
            // Perhaps nothing was read while it was short: what is long again has holes, unless somebody filled them with zeros.
            if meta.len() < least(&self.geometry) || has_holes(&meta) {
                return Some(self.retired().unwrap_or_else(|| self.cut_short()));
            }
        }
        let there = match std::fs::symlink_metadata(&self.path) {
            Ok(there) => Some((there.dev(), there.ino())),
            // Deleted by hand meanwhile, perhaps.
            Err(e)
                if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
            {
                if file::links(&self.data).is_ok_and(|links| links == 0) {
                    return Some(self.retired().unwrap_or(Retired::Vanished));
                }
                None
            }
            Err(_) => return self.retired(), // we may not look
        };
        if there == inode(&self.dir) {
            return self.retired();
        }
        Some(self.retired().unwrap_or(if there.is_some() { Retired::Replaced } else { Retired::Removed }))
    }

    /// Whether the channel was removed, replaced, or deleted by force. One system call.
    pub fn is_retired(&self) -> bool {
        self.retired().or_else(|| self.vanished()).is_some()
    }

    /// Shared memory in bytes that the channel takes now, counters of subscribers and descriptions of types aside.
    pub fn memory(&self) -> u64 {
        self.data.metadata().map_or(0, |m| m.len()) + PAGE
    }

    /// The error for a channel whose name or files are gone, if they are.
    pub fn check_presence(&self) -> Result<()> {
        self.vanished().map_or(Ok(()), |how| Err(self.retired_error(how)))
    }

    /// The error for memory that cannot be locked.
    #[cold]
    pub fn lock_refused(&self, source: std::io::Error) -> Error {
        let what = format!(
            "lock the memory of channel `{}` (raise `ulimit -l` or LimitMEMLOCK=, grant CAP_IPC_LOCK, or create it without locking)",
            self.name
        );
        Error::System { what, source }
    }

    /// The error for a channel that is no more.
    #[cold]
    pub fn retired_error(&self, how: Retired) -> Error {
        // What was put in the place of this channel; its own directory if it has its name still.
        let mine = file::stat(&self.dir).ok();
        let there = file::stat_path(self.path.as_os_str()).ok();
        let by = there.filter(|there| mine.is_some_and(|mine| mine.user != there.user));
        Error::Retired { channel: self.name.clone(), how, by: by.map(|there| there.user) }
    }

    /// Wakes up to `most` who sleep on the bell, if we have it; returns how many there were. One system call.
    pub fn wake(&self, most: u32) -> u32 {
        let Some(bell) = &self.bell else { return 0 };
        if bell.is_cut() {
            if !bell.remap(&self.dir) {
                // Until it is repaired nobody is woken: they look by themselves. The next publish tries again.
                bell.mem.store(bell::BELL, bell::IMPOSSIBLE, Relaxed);
                return 0;
            }
            // The caller has moved the page that is no more. Release: pairs with [a1], as in `ring`.
            bell.mem.fetch_add(bell::BELL, 1, Release);
        }
        // SAFETY: the address lies in the mapped page.
        unsafe { saltus_os::futex::wake(bell.mem.address(bell::BELL, 4).cast(), most, true) }
    }

    /// Arms the bell, if there is one. Returns the generation to sleep on, and the futex, its low half; then the caller
    /// must look again `[a4]`, and disarm whatever happens.
    pub fn arm(&self) -> Option<(u64, Word)> {
        let bell = self.bell.as_ref()?;
        let mut at = bell.arm();
        if bell.is_cut() {
            if !bell.repair(&self.dir) {
                return None; // the caller polls
            }
            at = bell.arm();
        }
        let futex = bell.mem.address(bell::BELL, 4).cast();
        Some((at, Word { at: futex, value: at as u32, shared: true }))
    }

    /// After arming at generation `at`, asleep or not: wakes others, if the publisher left that to us. `[c1]`
    pub fn disarm(&self, at: u64) {
        let Some(bell) = &self.bell else { return };
        if bell.may_arm {
            bell::disarm(&self.page.mem, &bell.mem, WAKE_AT_ONCE, at, |k| self.wake(k));
        } else if bell::rung(&bell.mem, at) {
            self.wake(WAKE_AT_ONCE);
        }
    }

    #[cold]
    fn map_lane(&self, i: usize) -> Option<&Mapped> {
        let (layout, attributes) = (&self.geometry.layout, &self.geometry.attributes);
        let at = geometry::lane_at(layout, i);
        // Beyond the file, where a liar put it: not yet a lane. Nothing of this is remembered; the next look tries again.
        if !self.data.metadata().is_ok_and(|m| m.len() >= at + layout.stride() && !has_holes(&m)) {
            return None;
        }
        let lane = Mapped::of_channel(
            &self.data,
            at,
            layout.stride() as usize,
            Access::Read,
            attributes.prefault,
            &self.page,
        )
        .ok()?;
        if attributes.lock_memory {
            let _ = lane.map.lock(); // `subscriber` has tried, and said so if the system refuses
        }
        let _ = lane.map.advise(libc::MADV_DONTDUMP);
        Some(self.lanes[i].get_or_init(|| lane))
    }
}

/// Bytes that the data file has at least: its maker has reserved them.
fn least(geometry: &Geometry) -> u64 {
    geometry::lane_at(&geometry.layout, geometry.attributes.reserve_publishers as usize)
}

/// Which file it is.
fn inode(file: &File) -> Option<(u64, u64)> {
    file.metadata().ok().map(|m| (m.dev(), m.ino()))
}

/// Whether some of the file is not there: reading it would allocate.
fn has_holes(meta: &Metadata) -> bool {
    meta.blocks().saturating_mul(512) < meta.len()
}

impl Lanes for Mapping {
    type Mem = Shm;

    #[inline(always)]
    fn used(&self) -> usize {
        // Acquire: pairs with the release in `lease` [l3]; the lane's memory is reserved.
        (self.page.mem.load(LANES_USED, Acquire) as usize).min(MAX_LANES)
    }

    #[inline(always)]
    fn lane(&self, i: usize) -> Option<&Shm> {
        match self.lanes[i].get() {
            Some(lane) => Some(lane),
            None => self.map_lane(i),
        }
        .map(|lane| &lane.mem)
    }

    #[inline(always)]
    fn layout(&self) -> &LaneLayout {
        &self.geometry.layout
    }

    #[inline(always)]
    fn now(&self) -> u64 {
        clock::now(self.geometry.attributes.clock)
    }
}
