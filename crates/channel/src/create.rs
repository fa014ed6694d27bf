//! Creating, replacing and removing channels. Other processes see each as one step.
//!
//! A channel is built in a separate directory next to the others, called `.new-…`, and then renamed. Its maker holds a lock in that
//! directory. If the lock is free, the maker is dead, and the directory is swept.

use crate::chain;
use crate::files::{DEEP, remove_all, same_file};
use crate::geometry::{self, BELL, DATA, Geometry, LEASE, PAGE, SUBSCRIBERS, TYPES};
use crate::mapped::Mapped;
use crate::mapping::Mapping;
use crate::place;
use crate::space::{check_inodes, check_room};
use crate::types;
use crate::{Attributes, Directory, Error, Group, Name, Result, Wake};
use saltus_os::file::FileExt;
use saltus_os::file::{self, Mode, Rename};
use saltus_os::lock::{self, Held, Kind};
use saltus_os::map::Access;
use saltus_os::{clock, process, users};
use saltus_ring::{MAX_LANES, Memory, bell};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering::{Relaxed, Release};

/// The byte of the lease file that a maker locks; far beyond all lanes.
const MAKER: u64 = 1 << 40;
/// Files and directories of a channel.
const INODES: u64 = 6;
/// How long a process that replaces or removes a channel waits for another that does so, in ns.
const PATIENCE: u64 = 2_000_000_000;
/// The most names that are read of a directory of another user.
const LOOKED_AT: usize = 4096;
/// The prefix of directories of half-built or removed channels. No channel's file name begins with a dot.
const ASIDE: &[u8] = b".new-";

/// A channel to be created, with valid attributes.
pub(crate) struct Plan {
    geometry: Geometry,
    group: Option<u32>,
}

impl Plan {
    /// Checks the attributes. Makes nothing.
    pub fn new(attributes: &Attributes) -> Result<Plan> {
        geometry::check_page_size(process::page_size())?;
        let geometry = Geometry::new(attributes)?;
        let group = attributes.get_group().map(group_id).transpose()?;
        Ok(Plan { geometry, group })
    }

    /// Creates channel `name` in `dir`; with `replace`, replaces an existing one. Errors name the domain as `url`.
    pub fn create(&self, dir: &File, url: &str, name: &Name, replace: bool) -> Result<()> {
        sweep(dir);
        if replace {
            check_removable(dir, url, name, "replace")?;
        }
        check_room(name, self.geometry.attributes.memory(), dir)?;
        check_inodes(name, dir, INODES)?;
        let file_name = name.file_name();
        for attempt in 0.. {
            let aside = name_aside();
            let appear = || -> io::Result<Option<Held>> {
                let _maker = self.build(dir, &aside, name, None)?;
                rename_in(dir, &aside, file_name.as_bytes(), replace)
            };
            let made = appear();
            // `aside` now has no directory, the half-built channel, or the replaced channel, which is locked until it is removed.
            discard(dir, &aside, geometry::REPLACED);
            return match made {
                Ok(_) => Ok(()),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                    Err(Error::Exists { channel: name.clone() })
                }
                // This process was stopped for so long that another one assumed it dead and swept the unfinished channel.
                Err(e)
                    if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::WouldBlock)
                        && attempt < 5 =>
                {
                    continue;
                }
                Err(e) => Err(Error::system(format!("create channel `{name}` in {url}"), e)),
            };
        }
        Err(Error::Exists { channel: name.clone() })
    }

    /// Replaces `old` by this channel. Processes that have `old` open can follow the link to this one. Returns `false` if the name
    /// refers to another channel than `old`, or to none.
    pub fn succeed(&self, dir: &File, url: &str, old: &Mapping) -> Result<bool> {
        let name = &old.name;
        let what = || format!("replace channel `{name}` in {url} by a larger one");
        // Checked before any memory is reserved: the new channel must belong to the owner of the old one.
        let owner = file::inode(&old.data).map_err(|e| Error::system(what(), e))?.user;
        if ![0, owner].contains(&process::user()) {
            return Err(Error::Denied { what: what() });
        }
        sweep(dir);
        check_room(name, self.geometry.attributes.memory(), dir)?;
        check_inodes(name, dir, INODES + chain::INODES)?;
        let file_name = name.file_name();
        let Some(_held) = hold(dir, old).map_err(|e| Error::system(what(), e))? else { return Ok(false) };
        let aside = name_aside();
        let appear = || -> io::Result<bool> {
            let _maker = self.build(dir, &aside, name, Some(old))?;
            file::rename_at(dir, &aside, file_name.as_bytes(), Rename::Exchange)?;
            if leads_to(dir, &aside, old) {
                return Ok(true);
            }
            // Another process replaced the channel without its lock. That process's channel gets its name back.
            file::rename_at(dir, &aside, file_name.as_bytes(), Rename::Exchange)?;
            Ok(false)
        };
        let made = appear();
        discard(dir, &aside, geometry::REPLACED);
        match made {
            // The channel was removed by now.
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
            other => other.map_err(|e| Error::system(what(), e)),
        }
    }

    /// Writes all files of the channel into a new directory `aside`. With `old`, also copies the owner and the types of `old`, and
    /// links to `old`.
    fn build(&self, dir: &File, aside: &[u8], name: &Name, old: Option<&Mapping>) -> io::Result<Held> {
        let Plan { geometry, group } = self;
        let attributes = &geometry.attributes;
        file::make_dir_at(dir, aside)?;
        let channel = file::open_dir_at(dir, aside)?;
        let maker = lock::try_lock(|| file::open_at(&channel, LEASE, Mode::Create), MAKER, Kind::Exclusive)?
            .ok_or(io::ErrorKind::WouldBlock)?;
        let data = file::open_at(&channel, DATA, Mode::Create)?;
        file::reserve(
            &data,
            0,
            geometry::lane_at(&geometry.layout, attributes.get_reserve_publishers() as usize),
        )?;
        data.write_all_at(&geometry.encode(name), 0)?;
        data.write_all_at(&geometry::LIVE.to_le_bytes(), PAGE + geometry::STATE as u64)?;
        if let Some(old) = old {
            // Lease numbers continue above all that may still be issued in the old channel.
            let leases = old.page.mem.load(geometry::LEASES, Relaxed).wrapping_add(MAX_LANES as u64);
            data.write_all_at(&leases.to_le_bytes(), PAGE + geometry::LEASES as u64)?;
        }
        let bell = file::open_at(&channel, BELL, Mode::Create)?;
        file::reserve(&bell, 0, PAGE)?;
        file::open_at(&channel, TYPES, Mode::Create)?;
        file::make_dir_at(&channel, SUBSCRIBERS)?;
        let (mut mode, mut group) = (attributes.get_mode(), *group);
        if let Some(old) = old {
            // The current ones: they may have changed since this process opened the old channel.
            let now = file::inode(&old.data)?;
            (mode, group) = (now.mode & 0o777, Some(now.group));
            types::carry(&old.dir, &channel)?;
            chain::carry(old, &channel, attributes.memory(), mode, now.group)?;
        }
        set_modes(&channel, mode, group, attributes.get_wake() == Wake::Always)?;
        if let Some(old) = old {
            set_owner(&channel, file::inode(&old.data)?.user)?;
        }
        Ok(maker)
    }
}

/// Holds the maker's lock of the channel `old` while it has its name. `None`: it no longer has the name.
///
/// Of several processes that replace the channel, one gets the lock first, and the others then find it replaced. A stopped process is
/// waited for, up to a limit.
fn hold(dir: &File, old: &Mapping) -> io::Result<Option<Option<Held>>> {
    let deadline = clock::monotonic() + PATIENCE;
    loop {
        let open = || file::open_at(&old.dir, LEASE, Mode::Write);
        let held = match lock::try_lock(open, MAKER, Kind::Exclusive) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                if !leads_to(dir, old.name.file_name().as_bytes(), old) {
                    return Ok(None); // its files are removed, so the channel is too
                }
                return Err(io::Error::other("it is damaged: its lease file is missing; replace it"));
            }
            other => other?,
        };
        if !leads_to(dir, old.name.file_name().as_bytes(), old) {
            return Ok(None);
        }
        if held.is_some() || clock::monotonic() >= deadline {
            return Ok(Some(held));
        }
        process::sleep_for(1_000_000);
    }
}

/// Whether directory `name` is that of `channel`.
fn leads_to(dir: &File, name: &[u8], channel: &Mapping) -> bool {
    file::open_dir_at(dir, name).is_ok_and(|there| same_file(&there, &channel.dir))
}

/// Gives a new channel the owner of the channel that it replaces, if the owners differ.
fn set_owner(channel: &File, owner: u32) -> io::Result<()> {
    if file::inode(channel)?.user == owner {
        return Ok(());
    }
    for name in [DATA, BELL, LEASE, TYPES] {
        file::set_owner(&file::open_at(channel, name, Mode::Read)?, owner)?;
    }
    file::set_owner(&file::open_dir_at(channel, SUBSCRIBERS)?, owner)?;
    chain::set_owner(channel, owner)?;
    file::set_owner(channel, owner)
}

/// A name that no channel and no other maker has.
fn name_aside() -> Vec<u8> {
    [ASIDE, format!("{:016x}", saltus_os::process::random()).as_bytes()].concat()
}

/// Gives the channel in `aside` its name. A channel that had the name is then in `aside`, and its lock is returned: its maker is not
/// dead, and its users must still learn that it was replaced.
fn rename_in(dir: &File, aside: &[u8], name: &[u8], replace: bool) -> io::Result<Option<Held>> {
    /// The most tries: another process may create and remove the channel all the time.
    const ROUNDS: u32 = 1000;
    for _ in 0..ROUNDS {
        match file::rename_at(dir, aside, name, Rename::NoReplace) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && replace => {}
            other => return other.map(|()| None),
        }
        let held = await_maker(dir, name);
        match file::rename_at(dir, aside, name, Rename::Exchange) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue, // removed since
            other => return other.map(|()| held),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Holds the maker's lock of the channel in directory `name`, if the channel has one and no other process holds it.
fn lock_maker(dir: &File, name: &[u8]) -> Option<Held> {
    let channel = file::open_dir_at(dir, name).ok()?;
    lock::try_lock(|| file::open_at(&channel, LEASE, Mode::Write), MAKER, Kind::Exclusive).ok().flatten()
}

/// Holds the maker's lock as [`lock_maker`] does, but waits up to [`PATIENCE`] for another process that replaces or removes the channel.
fn await_maker(dir: &File, name: &[u8]) -> Option<Held> {
    let deadline = clock::monotonic() + PATIENCE;
    loop {
        let held = lock_maker(dir, name);
        let lease =
            || file::open_dir_at(dir, name).and_then(|channel| file::open_at(&channel, LEASE, Mode::Read));
        let is_locked = || lease().and_then(|lease| lock::is_locked(&lease, MAKER)).unwrap_or(false);
        if held.is_some() || clock::monotonic() >= deadline || !is_locked() {
            return held;
        }
        process::sleep_for(1_000_000);
    }
}

/// Removes a channel that is marked as replaced or removed and still has its name. This happens when a process is stopped during a
/// replacement for so long that another process continues without it. The users of the channel have already left it.
pub(crate) fn remove_retired(domain: &Directory, dir: &File, name: &Name) -> Result<()> {
    let Ok(retired) = domain.channel_dir(name).and_then(|channel| Mapping::open_dir(domain, name, channel))
    else {
        return Ok(());
    };
    if retired.retired().is_none() {
        return Ok(());
    }
    let what = || format!("remove channel `{name}`, which is marked as replaced");
    let Some(_held) = hold(dir, &retired).map_err(|e| Error::system(what(), e))? else { return Ok(()) };
    let aside = name_aside();
    file::rename_at(dir, name.file_name().as_bytes(), &aside, Rename::NoReplace)
        .map_err(|e| Error::system(what(), e))?;
    discard(dir, &aside, geometry::REMOVED);
    Ok(())
}

/// Refuses to remove a channel of another user. The owner of the domain's directory may rename the channel, but not remove its files,
/// so its memory would not be freed.
fn check_removable(dir: &File, url: &str, name: &Name, what: &str) -> Result<()> {
    match file::stat_at(dir, name.file_name().as_bytes()) {
        Ok(there) if !place::is_ours(there.user) => Err(Error::Forbidden {
            what: format!(
                "{what} channel `{name}` in {url}: it belongs to {}; that user or root can remove it with `saltus rm {name}`",
                users::user_for_people(there.user)
            ),
        }),
        _ => Ok(()),
    }
}

/// Removes channel `name` from `dir`: renames it in one step, notifies its users if `notifies`, then removes its files. Errors
/// call the domain `url`.
pub(crate) fn unlink(dir: &File, path: &Path, url: &str, name: &Name, notifies: bool) -> Result<()> {
    check_removable(dir, url, name, "remove")?;
    let aside = name_aside();
    let _held = await_maker(dir, name.file_name().as_bytes());
    file::rename_at(dir, name.file_name().as_bytes(), &aside, Rename::NoReplace).map_err(|e| {
        match e.kind() {
            io::ErrorKind::NotFound => Error::NotFound { channel: name.clone(), domain: url.into() },
            _ => Error::system(format!("remove channel `{name}`"), e),
        }
    })?;
    let is_gone = if notifies { discard(dir, &aside, geometry::REMOVED) } else { remove(dir, &aside) };
    if !is_gone && let Some(other) = other_in(dir, &aside) {
        return Err(Error::Forbidden {
            what: format!(
                "channel `{name}` in {url} is removed and its memory is free, but {} left a directory in it, which only that user or root can \
                 remove: `sudo saltus sweep --domain {}`",
                users::user_for_people(other),
                place::url_for_shell(path)
            ),
        });
    }
    Ok(())
}

/// The user whose directory inside the removed channel `name` prevents its removal.
fn other_in(dir: &File, name: &[u8]) -> Option<u32> {
    let subscribers =
        file::open_dir_at(dir, name).and_then(|channel| file::open_dir_at(&channel, SUBSCRIBERS));
    let subscribers = subscribers.ok()?;
    let owner = |name: &Vec<u8>| file::stat_at(&subscribers, name).ok().map(|there| there.user);
    file::names_at_most(&subscribers, LOOKED_AT)
        .ok()?
        .iter()
        .filter_map(owner)
        .find(|user| !place::is_ours(*user))
}

/// Removes this user's directories that dead makers left; for root, those of all users. Returns how many.
pub(crate) fn sweep(dir: &File) -> usize {
    let names = file::first_names(dir);
    names.iter().filter(|name| name.starts_with(ASIDE) && sweep_one(dir, name)).count()
}

/// Counts directories in `dir` that dead makers left and that this user cannot remove. Also returns the user who owns the first of
/// them, or an entry that prevents its removal.
pub(crate) fn leftovers(dir: &File) -> Option<(usize, u32)> {
    let is_left = |name: &&Vec<u8>| {
        name.starts_with(ASIDE)
            && file::open_dir_at(dir, name).map_or_else(
                |e| e.kind() == io::ErrorKind::PermissionDenied,
                |aside| file::is_old(&aside) && !is_being_created(&aside),
            )
    };
    let names = file::first_names(dir);
    let left: Vec<&Vec<u8>> = names.iter().filter(is_left).collect();
    let first = left.first()?;
    let owner = file::stat_at(dir, first).ok()?.user;
    Some((left.len(), other_in(dir, first).filter(|_| place::is_ours(owner)).unwrap_or(owner)))
}

/// Whether the maker lives, as far as this user can see.
fn is_being_created(aside: &File) -> bool {
    let lease = file::open_at(aside, LEASE, Mode::Read);
    lease.and_then(|lease| lock::is_locked(&lease, MAKER)).unwrap_or(false)
}

/// Removes `name` if no process builds or removes it any more.
fn sweep_one(dir: &File, name: &[u8]) -> bool {
    // Leftovers of other users are removed by their owner or by root. Root reads none of their contents, which may change at any moment.
    let Some(owner) =
        file::stat_at(dir, name).ok().map(|there| there.user).filter(|user| place::is_ours(*user))
    else {
        return false;
    };
    let remove = || match owner == process::user() {
        true => discard(dir, name, geometry::REMOVED),
        false => remove_all(dir, name, DEEP),
    };
    // A directory being made is young, and its lease file is made just before it is locked.
    if !file::open_dir_at(dir, name).is_ok_and(|aside| file::is_old(&aside)) {
        return false;
    }
    let lease = file::open_dir_at(dir, name).and_then(|aside| file::open_at(&aside, LEASE, Mode::Write));
    let held = match lease {
        // Nobody can hold what is not a file.
        Ok(lease) if !file::inode(&lease).is_ok_and(|m| m.is_file) => return remove(),
        Ok(lease) if !file::is_old(&lease) => return false,
        // Held while the rest is removed, so that a maker that was only stopped notices.
        Ok(_) => lock_maker(dir, name),
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => return false,
        Err(_) => return remove(),
    };
    held.is_some() && remove()
}

/// Gives each file of a channel the permissions that follow from the channel's `mode`.
pub(crate) fn set_modes(channel: &File, mode: u32, group: Option<u32>, always: bool) -> io::Result<()> {
    let (read, write) = (mode & 0o444, mode & 0o222);
    // A process that may read may sleep. It then needs to write the word that requests a wake, unless publishers wake always.
    let (reach, to_bell) = (read | read >> 2, if always { mode } else { read | read >> 1 });
    let subs = file::open_dir_at(channel, SUBSCRIBERS)?;
    let data = file::open_at(channel, DATA, Mode::Read)?;
    let bell = file::open_at(channel, BELL, Mode::Read)?;
    let lease = file::open_at(channel, LEASE, Mode::Read)?;
    let described = match file::open_at(channel, TYPES, Mode::Read) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => None, // made by a version without this file
        other => Some(other?),
    };
    for file in [&data, &bell, &lease].into_iter().chain(&described) {
        if !file::inode(file)?.is_file {
            return Err(io::Error::other("it is damaged: replace it")); // without search permission a directory would be unusable
        }
    }
    let each = [
        // A process that can only read must not even open the lease file: a read lock on it would keep publishers out.
        (&lease, write | write << 1),
        (&data, mode),
        (&bell, to_bell),
        (&subs, 0o1000 | reach | read >> 1),
    ];
    // The directory comes last: a process that can enter it finds the final permissions of the files.
    let described = described.iter().map(|file| (file, mode));
    for (file, mode) in each.into_iter().chain(described).chain([(channel, reach | 0o200)]) {
        if let Some(group) = group {
            file::set_group(file, group)?;
        }
        file::set_mode(file, mode)?;
    }
    Ok(())
}

/// Marks the channel in directory `name` with `state`, wakes its users, and removes it. Returns whether it is gone.
fn discard(dir: &File, name: &[u8], state: u64) -> bool {
    if let Ok(channel) = file::open_dir_at(dir, name) {
        retire(&channel, state);
    }
    remove(dir, name)
}

/// Removes the directory `name` of a channel. Returns whether it is gone.
fn remove(dir: &File, name: &[u8]) -> bool {
    remove_all(dir, name, if process::user() == 0 { DEEP } else { 3 })
}

/// Marks a channel as retired, and wakes all its waiting subscribers.
pub(crate) fn retire(channel: &File, state: u64) {
    let Ok(data) = file::open_at(channel, DATA, Mode::Write) else { return };
    if !file::inode(&data).is_ok_and(|m| m.is_file && m.len >= geometry::LANES_AT) {
        return;
    }
    if !file::stat(&data).is_ok_and(|there| there.user == process::user()) {
        return retire_of_another(channel, &data, state);
    }
    if let Ok(page) = Mapped::new(&data, PAGE, PAGE as usize, Access::Write, false) {
        page.mem.fence(Release); // pairs with the acquire of `Mapping::retired`
        page.mem.replace(geometry::STATE, geometry::LIVE, state); // the first reason is kept
    }
    let Ok(bell) = file::open_at(channel, BELL, Mode::Write) else { return };
    if !file::inode(&bell).is_ok_and(|m| m.is_file && m.len >= PAGE) {
        return;
    }
    if let Ok(bell) = Mapped::new(&bell, 0, PAGE as usize, Access::Write, false) {
        bell.mem.fetch_add(bell::BELL, 1, Release); // pairs with the waiting subscriber's acquire [a1]
        // SAFETY: the address is in the page just mapped.
        unsafe { saltus_os::futex::wake(bell.mem.address(bell::BELL, 4).cast(), u32::MAX, true) };
    }
}

/// Does the work of [`retire`] for a channel of another user, who may truncate its files at any moment. Accesses no mapped byte of them.
fn retire_of_another(channel: &File, data: &File, state: u64) {
    let at = PAGE + geometry::STATE as u64;
    let mut word = [0; 8];
    if data.read_exact_at(&mut word, at).is_ok() && u64::from_le_bytes(word) == geometry::LIVE {
        let _ = data.write_all_at(&state.to_le_bytes(), at); // users check the channel's name in any case
    }
    let Ok(bell) = file::open_at(channel, BELL, Mode::Write) else { return };
    if !file::inode(&bell).is_ok_and(|m| m.is_file && m.len >= PAGE)
        || bell.read_exact_at(&mut word, bell::BELL as u64).is_err()
    {
        return;
    }
    let _ = bell.write_all_at(&u64::from_le_bytes(word).wrapping_add(1).to_le_bytes(), bell::BELL as u64);
    if let Ok(bell) = Mapped::new(&bell, 0, PAGE as usize, Access::Write, false) {
        // SAFETY: the address is in the page just mapped. Only the kernel accesses it, and returns an error if the page is gone.
        unsafe { saltus_os::futex::wake(bell.mem.address(bell::BELL, 4).cast(), u32::MAX, true) };
    }
}

fn group_id(group: &Group) -> Result<u32> {
    match group {
        // To the kernel it means that the group is left as it is.
        Group::Id(u32::MAX) => Err(Error::invalid(format!("{} is not the number of a group", u32::MAX))),
        Group::Id(id) => Ok(*id),
        Group::Name(name) => users::group_by_name(name)
            .map_err(|e| Error::system(format!("look up group `{name}`"), e))?
            .ok_or_else(|| Error::invalid(format!("there is no group `{name}`: see /etc/group"))),
    }
}
