//! A channel that a process has open: its files and its lanes, read-only, shared by all its publishers and subscribers.

use crate::geometry::{self, BELL, DATA, Geometry, LANES_AT, LANES_USED, PAGE, STATE};
use crate::limits::{BELL_PAUSE, LONGEST_BELL_PAUSE, WAKE_AT_ONCE};
use crate::mapped::{Mapped, Words};
use crate::place;
use crate::{Directory, Error, Group, Name, Result, Retired, Wake};
use saltus_os::clock;
use saltus_os::file::FileExt;
use saltus_os::file::Inode;
use saltus_os::file::{self, Mode};
use saltus_os::futex::Word;
use saltus_os::map::{Access, Map};
use saltus_os::process;
use saltus_ring::{LaneLayout, Lanes, MAX_LANES, Memory, Shm, bell};
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::fence;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};

/// How often opening is retried if the channel is replaced in the meantime.
const TRIES: u32 = 20;

#[derive(Debug)]
pub(crate) struct Mapping {
    pub domain: Directory,
    pub name: Name,
    pub geometry: Geometry,
    /// The channel's directory: leases and counters are opened from it.
    pub dir: File,
    /// The data file, read-only: later lanes are mapped from it.
    pub data: File,
    /// The channel's words, read-only.
    pub page: Words,
    /// The bell page, if this process may sleep on it.
    pub bell: Option<Bell>,
    /// Path of the channel's directory when it was opened.
    path: PathBuf,
    /// The lanes, each mapped when it is first used.
    lanes: Box<[OnceLock<Mapped>]>,
}

/// The bell page.
#[derive(Debug)]
pub(crate) struct Bell {
    pub mem: Shm,
    /// Whether this process may request wakes; if not, publishers always wake.
    pub may_arm: bool,
    wake: Wake,
    map: Map,
    /// When publishers may map it again, and waiting subscribers may repair it.
    mapping: Patience,
    repairing: Patience,
}

/// The time of the next retry of a repair that a hostile process can undo: the more often it does, the longer the pause.
#[derive(Debug)]
struct Patience {
    /// Monotonic ns.
    next: AtomicU64,
    pause: AtomicU64,
    /// Whether the last try has worked, as far as it went.
    worked: AtomicBool,
}

impl Patience {
    fn new() -> Patience {
        let (next, pause) = (AtomicU64::new(0), AtomicU64::new(BELL_PAUSE));
        Patience { next, pause, worked: AtomicBool::new(false) }
    }

    /// Whether to try now. Returns true to only one of several threads at the same time.
    fn allows(&self, now: u64) -> bool {
        // Relaxed: times, which publish nothing; simultaneous tries do no harm.
        let (next, pause) = (self.next.load(Relaxed), self.pause.load(Relaxed));
        if now < next {
            return false;
        }
        let pause = match (now < next.saturating_add(pause), self.worked.swap(false, Relaxed)) {
            (true, true) => (2 * pause).min(LONGEST_BELL_PAUSE), // what lasted no longer than the pause was undone on purpose
            (true, false) => pause,                              // there was nothing to undo
            (false, _) => BELL_PAUSE,
        };
        self.pause.store(pause, Relaxed);
        self.next.compare_exchange(next, now.saturating_add(pause), Relaxed, Relaxed).is_ok()
    }
}

impl Bell {
    /// Maps the page for writing, or for reading where writing is forbidden and reading is enough. `None`: this process may not sleep
    /// on it.
    fn open(dir: &File, wake: Wake) -> io::Result<Option<Bell>> {
        let map = |mode, access| match file::open_at(dir, BELL, mode) {
            Ok(file) => {
                let fit = make_whole(&file, mode)?;
                if fit { Mapped::bell(&file, access).map(Some) } else { Ok(None) }
            }
            // It is missing, forbidden, or not a file. Running out of descriptors or memory is an error, not a `None`.
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
            wake,
            map,
            mapping: Patience::new(),
            repairing: Patience::new(),
        }))
    }

    fn arm(&self) -> u64 {
        if self.may_arm { bell::arm(&self.mem) } else { bell::watch(&self.mem) }
    }

    /// Whether a hostile reader has cut the page short, and it is this process's own since. Not for the fast path.
    fn is_cut(&self) -> bool {
        fence(Acquire); // pairs with the fence of the handler: code that has read the mark gets `true`
        self.map.is_cut()
    }

    /// For waiting subscribers: repairs the page and maps it, if it is time. Returns whether it is the shared bell again. May block
    /// while another process truncates it.
    #[cold]
    fn repair(&self, dir: &File) -> bool {
        self.renew(dir, &self.repairing, true)
    }

    /// For publishers: maps the page again if it is whole. Waiting subscribers restore its length, because growing a file takes a kernel
    /// lock that a truncating process may hold. With [`Wake::Always`] subscribers may not write the page, and only publishers can
    /// truncate it; then this restores its length too. Returns whether it is the shared bell again.
    #[cold]
    fn remap(&self, dir: &File) -> bool {
        self.renew(dir, &self.mapping, self.wake == Wake::Always)
    }

    fn renew(&self, dir: &File, patience: &Patience, may_grow: bool) -> bool {
        if !patience.allows(clock::monotonic()) {
            return false;
        }
        let mode = if self.may_arm { Mode::Write } else { Mode::Read };
        let Ok(file) = file::open_at(dir, BELL, mode) else { return false };
        let whole = if may_grow {
            make_whole(&file, mode).unwrap_or(false)
        } else {
            file::inode(&file).is_ok_and(|meta| is_whole(&meta))
        };
        if !whole {
            return false;
        }
        patience.worked.store(true, Relaxed); // as in `allows`
        self.map.renew(&file, 0).is_ok() && !self.is_cut()
    }
}

/// Whether a bell's file can be mapped.
fn is_whole(meta: &Inode) -> bool {
    meta.is_file && meta.len >= PAGE && !has_holes(meta)
}

/// Whether a bell's file can be mapped. Restores its length first, if a hostile reader truncated it and it is open for writing.
fn make_whole(file: &File, mode: Mode) -> io::Result<bool> {
    let meta = file::inode(file)?;
    if is_whole(&meta) || !meta.is_file || mode != Mode::Write {
        return Ok(is_whole(&meta));
    }
    file::reserve(file, 0, PAGE)?;
    Ok(file::inode(file)?.len >= PAGE)
}

impl Mapping {
    /// Opens a channel, and maps all but its lanes.
    pub fn open(domain: &Directory, name: &Name) -> Result<Arc<Mapping>> {
        clock::boottime(); // the first reading reads the time namespace; later ones then make no call for that
        // A channel opened just before it lost its name is retired: there may be another.
        for _ in 0..TRIES {
            match Mapping::open_once(domain, name) {
                Ok(mapping) if mapping.retired().is_some() => {}
                // The files of a channel that was detached go without a mark.
                Ok(mapping) if mapping.bell.is_none() && mapping.vanished().is_some() => {}
                // It was replaced between two steps of opening.
                Err(Error::NotFound { .. }) if domain.channel_dir(name).is_ok() => {}
                other => return other,
            }
        }
        Err(Error::NotFound { channel: name.clone(), domain: domain.url() })
    }

    fn open_once(domain: &Directory, name: &Name) -> Result<Arc<Mapping>> {
        Mapping::open_dir(domain, name, domain.channel_dir(name)?)
    }

    /// Opens the channel whose directory is `dir`, whether or not it is retired.
    pub fn open_dir(domain: &Directory, name: &Name, dir: File) -> Result<Arc<Mapping>> {
        geometry::check_page_size(process::page_size())?;
        let what = |what: &str| format!("{what} of channel `{name}`");
        let is_owners = |file: &File| -> Result<()> {
            let there = file::stat(file).map_err(|e| Error::system(what("look at the owner"), e))?;
            let belongs = || format!("channel `{name}` in {} belongs to", domain.url());
            domain.owners().check(there.user, belongs)
        };
        is_owners(&dir)?; // the directory's owner controls its files
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
        let meta = file::inode(&data).map_err(|e| Error::system(what("look at the data"), e))?;
        if !meta.is_file || meta.len < LANES_AT {
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
        // The maker has reserved all of it: a shorter file, or one with holes that reading would fill, is not a channel.
        if meta.len < least(&geometry) || has_holes(&meta) {
            return Err(Error::Damaged {
                what: format!("channel `{name}`: its data is shorter than its lanes, or has holes"),
            });
        }
        geometry.attributes.mode = meta.mode & 0o777;
        geometry.attributes.group = Some(Group::Id(meta.group));
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

    /// Why the channel is retired, if its state word is set. One load.
    #[inline(always)]
    pub fn retired(&self) -> Option<Retired> {
        // Acquire, with the fence of `retire`: a process that sees the end, and then checks the lanes, sees all messages published
        // before it.
        match self.page.mem.load(STATE, Acquire) {
            geometry::LIVE => None,
            geometry::REPLACED => Some(Retired::Replaced),
            geometry::CUT | geometry::ZEROED => Some(self.cut_short()),
            _ => Some(Retired::Removed),
        }
    }

    /// The reason for a channel whose data file was truncated.
    #[cold]
    fn cut_short(&self) -> Retired {
        Retired::CutShort { owner: file::inode(&self.data).map_or(self.geometry.uid, |m| m.user) }
    }

    /// The timestamp for a message published now; 0 if the channel has no timestamps.
    #[inline(always)]
    pub fn timestamp(&self) -> u64 {
        let attributes = &self.geometry.attributes;
        if attributes.timestamps { clock::now(attributes.clock) } else { 0 }
    }

    /// Whether the channel's name or files are gone although no process marked it. They may have been deleted by hand or at logout, or
    /// replaced by a process that was killed before it marked the channel. Two system calls.
    #[cold]
    pub fn vanished(&self) -> Option<Retired> {
        if let Ok(meta) = file::inode(&self.data) {
            if meta.links == 0 {
                return Some(self.retired().unwrap_or(Retired::Vanished));
            }
            // Perhaps it was not read while it was short: a file grown again has holes, unless another process filled them with zeros.
            if meta.len < least(&self.geometry) || has_holes(&meta) {
                return Some(self.retired().unwrap_or_else(|| self.cut_short()));
            }
        }
        let there = match file::identity(&self.path) {
            Ok(there) => Some(there),
            // Deleted by hand meanwhile, perhaps.
            Err(e)
                if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
            {
                if file::links(&self.data).is_ok_and(|links| links == 0) {
                    return Some(self.retired().unwrap_or(Retired::Vanished));
                }
                None
            }
            Err(_) => return self.retired(), // the path is closed to this process
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

    /// Shared memory in bytes that the channel uses now, without counters of subscribers and descriptions of types.
    pub fn memory(&self) -> u64 {
        file::inode(&self.data).map_or(0, |m| m.len) + PAGE
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

    /// The error for a retired channel.
    #[cold]
    pub fn retired_error(&self, how: Retired) -> Error {
        // The successor in this name; or the channel's own directory if it still has its name.
        let mine = file::stat(&self.dir).ok();
        let there = file::stat_path(self.path.as_os_str()).ok();
        let by = there.filter(|there| mine.is_some_and(|mine| mine.user != there.user));
        Error::Retired { channel: self.name.clone(), how, by: by.map(|there| there.user) }
    }

    /// Wakes up to `most` subscribers that sleep on the bell, if there is one; returns how many slept. One system call.
    pub fn wake(&self, most: u32) -> u32 {
        let Some(bell) = &self.bell else { return 0 };
        if bell.is_cut() {
            if !bell.may_arm {
                return 0; // nothing can be written into our page; the next `arm` maps the bell again
            }
            // Another thread may have mapped it again meanwhile: it is everybody's then.
            if !bell.remap(&self.dir) && bell.is_cut() {
                // Until it is repaired nobody is woken: they look by themselves. The next publish tries again.
                bell.mem.store(bell::BELL, bell::CUT, Relaxed);
                return 0;
            }
            // The caller has changed the page that was replaced. Release: pairs with [a1], as in `ring`.
            bell.mem.fetch_add(bell::BELL, 1, Release);
        }
        // SAFETY: the address is in the mapped page.
        unsafe { saltus_os::futex::wake(bell.mem.address(bell::BELL, 4).cast(), most, true) }
    }

    /// Arms the bell, if there is one. Returns the generation to sleep on, and the futex, which is its low half. Then the caller must
    /// check again `[a4]`, and disarm in every case.
    pub fn arm(&self) -> Option<(u64, Word)> {
        let bell = self.bell.as_ref()?;
        let mut at = bell.arm();
        if bell.is_cut() {
            if !bell.repair(&self.dir) {
                return None; // the caller polls
            }
            at = bell.arm();
            if bell.is_cut() {
                return None;
            }
        }
        let futex = bell.mem.address(bell::BELL, 4).cast();
        Some((at, Word { at: futex, value: at as u32, shared: true }))
    }

    /// After arming at generation `at`, whether or not it slept: wakes others, if the publisher left that to us. `[c1]`
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
        // Beyond the end of the file, where a false count put it: not yet a lane. This is not remembered; the next check tries again.
        if !file::inode(&self.data).is_ok_and(|m| m.len >= at + layout.stride() && !has_holes(&m)) {
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
            let _ = lane.map.lock(); // `subscriber` has tried, and reported it if the system refuses
        }
        let _ = lane.map.keep_from_dumps();
        Some(self.lanes[i].get_or_init(|| lane))
    }
}

/// The minimum size of the data file, which its maker has reserved.
fn least(geometry: &Geometry) -> u64 {
    geometry::lane_at(&geometry.layout, geometry.attributes.reserve_publishers as usize)
}

/// The identity of the file.
fn inode(file: &File) -> Option<(u64, u64)> {
    file::inode(file).ok().map(|m| (m.device, m.number))
}

/// Whether the file has holes: reading them would allocate.
fn has_holes(meta: &Inode) -> bool {
    meta.space < meta.len
}

impl Lanes for Mapping {
    type Mem = Shm;

    #[inline(always)]
    fn used(&self) -> usize {
        // Acquire: pairs with the release in `lease` [l3]; the lane's memory is reserved.
        self.page.mem.load(LANES_USED, Acquire).min(MAX_LANES as u64) as usize
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_is_lost_only_with_who_undoes_what_has_worked() {
        let patience = Patience::new();
        let mut now = 1_000_000_000_000;
        let mut pause = |worked: bool| {
            assert!(patience.allows(now) && !patience.allows(now));
            patience.worked.store(worked, Relaxed);
            let next = patience.next.load(Relaxed);
            let pause = next - now;
            now = next;
            pause
        };
        // Nobody has made the page whole yet: nothing was undone.
        assert!((0..10).all(|_| pause(false) == BELL_PAUSE));
        assert_eq!(pause(true), BELL_PAUSE);
        // Each time it has worked it is cut again at once.
        assert_eq!([pause(true), pause(true)], [2 * BELL_PAUSE, 4 * BELL_PAUSE]);
        assert_eq!((0..10).map(|_| pause(true)).last(), Some(LONGEST_BELL_PAUSE));
        pause(false);
        assert_eq!(pause(false), LONGEST_BELL_PAUSE, "a failed repair does not shorten the pause");
        now += 2 * LONGEST_BELL_PAUSE;
        assert!(patience.allows(now));
        assert_eq!(patience.next.load(Relaxed) - now, BELL_PAUSE, "it was left alone for long");
    }
}
