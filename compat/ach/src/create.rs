//! Creating, opening, changing and removing channels.

use crate::abi::*;
use crate::anonymous::{self, Anonymous};
use crate::attr::{LOCK_SOURCE, SET_CLOCK, TRUNCATE, check_map};
use crate::border::{Result, call, name};
use crate::errors::{misused, refused, status};
use crate::get::subscribe;
use crate::handle::{self, Open, Opened};
use crate::put;
use crate::status::*;
use crate::time::clock_of;
use libc::mode_t;
use saltus_channel::clock::Clock;
use saltus_channel::{Attributes, Directory, Error, Name, Publisher, Retired};
use saltus_os::file::{self, Mode};
use saltus_os::lock::{self, Held, Kind};
use saltus_os::process;
use std::ffi::c_char;

/// Ach's defaults.
const FRAMES: usize = 16;
const FRAME_SIZE: usize = 512;
/// Up to this many bytes per publisher, messages may have the length of all frames together, as in Ach.
const ROOM: u64 = 1 << 20;
/// The byte of a channel's lease file that a handle with `lock_source` locks; far beyond those of lanes and makers.
const SOURCE: u64 = 1 << 41;
/// The environment variable that makes `ach_open` open a publisher with each handle, if it is `1`.
const EAGER: &str = "SALTUS_ACH_EAGER";

/// The domain of all channels.
pub(crate) fn directory() -> Result<Directory> {
    Directory::from_env().map_err(|e| status(&e))
}

/// Depth and longest message of a channel with `count` frames of `size` bytes.
///
/// In Ach a message may be as long as all frames together, and then is the only one kept. Here each message has room of its own. A small
/// channel takes messages of that length too; a large one those that fit into [`ROOM`], and those of `size` in any case.
fn geometry(count: usize, size: usize) -> Option<(u64, u64)> {
    let count = if count == 0 { FRAMES } else { count } as u64;
    let size = if size == 0 { FRAME_SIZE } else { size } as u64;
    let all = count.checked_mul(size)?;
    let room = ROOM / count.checked_add(2)?;
    Some((count, all.min(room.max(size))))
}

/// The permissions of a new channel: 0666 less the umask, as a file's. Its owner needs to read and write it, and what may be written may
/// be read.
fn mode() -> u32 {
    let mode = 0o666 & !umask() | 0o600;
    mode & !(mode & 0o222 & !((mode & 0o444) >> 1))
}

/// The umask of this process. Setting it, to find it, would show in other threads.
fn umask() -> u32 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Umask:"));
    line.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok()).unwrap_or(0o022)
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_create(
    channel_name: *const c_char,
    frame_cnt: usize,
    frame_size: usize,
    attr: *mut AchCreateAttr,
) -> AchStatus {
    call(|| {
        let mut fields = CreateAttrFields {
            map: ACH_MAP_USER,
            shm: std::ptr::null_mut(),
            clock: libc::CLOCK_MONOTONIC,
            bits: 0,
        };
        // SAFETY: the header demands NULL or a structure.
        if let Some(attr) = unsafe { attr.as_ref() } {
            // SAFETY: each field is valid for all bytes.
            fields = unsafe { attr.fields };
        }
        check_map(fields.map)?;
        let clock = match fields.clock {
            _ if fields.bits & SET_CLOCK == 0 => Clock::Boottime,
            // The timeouts are those of the monotonic clock, whatever the timestamps are.
            libc::CLOCK_MONOTONIC => Clock::Boottime,
            libc::CLOCK_REALTIME => Clock::Realtime,
            other => {
                let text =
                    format_args!("clock {other} is not supported: use CLOCK_MONOTONIC or CLOCK_REALTIME");
                return Err(refused(ACH_EINVAL, libc::EINVAL, text));
            }
        };
        let Some((depth, longest)) = geometry(frame_cnt, frame_size) else {
            let text =
                format_args!("{frame_cnt} frames of {frame_size} B are more than the memory of any machine");
            return Err(refused(ACH_EINVAL, libc::EINVAL, text));
        };
        let attributes = Attributes::new().depth(depth).max_message_size(longest).mode(mode()).clock(clock);
        let directory = directory()?;
        if fields.map == ACH_MAP_ANON {
            // The name means nothing then.
            let made = anonymous::create(directory, &attributes)?;
            // SAFETY: the map came from this structure.
            unsafe { (*attr).fields.shm = made.cast() };
            return Ok(ACH_OK);
        }
        // SAFETY: the header demands a string.
        let name = unsafe { name(channel_name)? };
        let made = match fields.bits & TRUNCATE {
            0 => directory.create(name, &attributes),
            _ => directory.replace(name, &attributes),
        };
        made.map(|_| ACH_OK).map_err(|e| status(&e))
    })
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_open(
    chan: *mut AchChannel,
    channel_name: *const c_char,
    attr: *mut AchAttr,
) -> AchStatus {
    call(|| {
        if chan.is_null() {
            return Err(misused("the handle is NULL"));
        }
        // A failed open must not leave what looks like an open handle.
        // SAFETY: not NULL, so there is room for a structure.
        unsafe { chan.write(AchChannel { words: [0; 16] }) };
        // SAFETY: the header demands NULL or a structure, whose fields are valid for all bytes.
        let fields = unsafe { attr.as_ref().map(|attr| attr.fields) };
        let (map, bits) = fields.map_or((ACH_MAP_DEFAULT, 0), |fields| (fields.map, fields.bits));
        check_map(map)?;
        if map == ACH_MAP_ANON {
            let shm = fields.map_or(std::ptr::null_mut(), |fields| fields.shm);
            let found = anonymous::find(shm.cast());
            let found =
                found.ok_or_else(|| misused("not the memory of an anonymous channel of this process"))?;
            // SAFETY: as above.
            return unsafe { open_anonymous(chan, found) };
        }
        // SAFETY: the header demands a string.
        let name = unsafe { name(channel_name)? };
        let directory = directory()?;
        let channel = directory.open_channel(name).map_err(|e| status(&e))?;
        let source = if bits & LOCK_SOURCE != 0 { Some(lock_source(&directory, name)?) } else { None };
        let subscriber = subscribe(&channel)?;
        let map = if map == ACH_MAP_KERNEL { ACH_MAP_KERNEL } else { ACH_MAP_USER };
        let clock = clock_of(channel.attributes());
        let opened =
            Opened { directory, name: name.into(), channel, map, clock, _source: source, anonymous: None };
        // SAFETY: as above.
        unsafe { handle::open(chan, opened, subscriber) };
        if process::variable(EAGER).is_some_and(|value| value == "1") {
            // SAFETY: it was just opened.
            prepare(unsafe { Open::of(chan)? });
        }
        Ok(ACH_OK)
    })
}

/// Opens a channel without a name.
unsafe fn open_anonymous(chan: *mut AchChannel, anonymous: &'static Anonymous) -> Result {
    let Anonymous { directory, name, channel, .. } = anonymous;
    let subscriber = subscribe(channel)?;
    let opened = Opened {
        directory: directory.clone(),
        name: name.clone(),
        channel: channel.clone(),
        map: ACH_MAP_ANON,
        clock: clock_of(channel.attributes()),
        _source: None,
        anonymous: Some(anonymous),
    };
    // SAFETY: as the caller has it.
    unsafe { handle::open(chan, opened, subscriber) };
    Ok(ACH_OK)
}

/// Opens a publisher of a handle that has none, or only one of a channel that was replaced. If that fails, the first put says why.
fn prepare(open: Open) {
    if let Ok(Some((mut writer, opened))) = open.enter(&open.handle.writers[0])
        && writer.as_ref().is_none_or(Publisher::is_retired)
    {
        *writer = put::first(opened, false).ok();
    }
}

/// Locks the source of a channel. The kernel ends the lock with the handle or the process.
fn lock_source(directory: &Directory, name: &str) -> Result<Held> {
    let open = || {
        let file_name = Name::new(name).map_err(std::io::Error::other)?.file_name();
        let domain = file::open_dir_no_links(directory.path().as_os_str())?;
        file::open_at(&file::open_dir_at(&domain, file_name.as_bytes())?, b"lease", Mode::Write)
    };
    match lock::try_lock(open, SOURCE, Kind::Exclusive) {
        Ok(Some(held)) => Ok(held),
        Ok(None) => {
            let text = format_args!("the source of channel `{name}` is locked by another handle");
            Err(refused(ACH_LOCKED, libc::EAGAIN, text))
        }
        Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => {
            let text = format_args!("lock the source of channel `{name}`: no permission to publish");
            Err(refused(ACH_EACCES, libc::EACCES, text))
        }
        Err(e) => {
            Err(status(&Error::System { what: format!("lock the source of channel `{name}`"), source: e }))
        }
    }
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_close(chan: *mut AchChannel) -> AchStatus {
    // SAFETY: the header demands a structure.
    call(|| unsafe { handle::close(chan) }.map(|()| ACH_OK))
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_chmod(chan: *mut AchChannel, mode: mode_t) -> AchStatus {
    call(|| {
        // SAFETY: the header demands a structure.
        let open = unsafe { Open::of(chan) }.map_err(|_| misused("the handle is not open"))?;
        open.with(|opened| {
            // A channel that has the name now is another one.
            if let Err(e @ Error::Retired { how: Retired::Vanished, .. }) = opened.channel.check() {
                return Err(status(&e));
            }
            let changed = opened.directory.chmod(&opened.name, mode & 0o666);
            changed.map(|_| ACH_OK).map_err(|e| status(&e))
        })
    })
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_unlink(channel_name: *const c_char) -> AchStatus {
    call(|| {
        // SAFETY: the header demands a string.
        let name = unsafe { name(channel_name)? };
        let directory = directory()?;
        // No publisher can be opened in a channel whose name is gone, and this process's handles may put on it.
        for open in handle::all() {
            let is_it = open.with(|opened| Ok(opened.name == name && opened.directory == directory));
            if is_it == Ok(true) {
                prepare(open);
            }
        }
        directory.detach(name).map(|()| ACH_OK).map_err(|e| status(&e))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_channels_take_messages_as_long_as_all_frames() {
        assert_eq!(geometry(0, 0), Some((16, 8192)));
        assert_eq!(geometry(10, 3000), Some((10, 30_000)), "hubo's channels, with states of 3,898 B");
        assert_eq!(geometry(1, 3729), Some((1, 3729)));
        assert_eq!(geometry(64, 512), Some((64, (1 << 20) / 66)));
        assert_eq!(geometry(10, 1 << 20), Some((10, 1 << 20)), "a large one takes what it was made for");
        assert_eq!(geometry(usize::MAX, 2), None);
        assert_eq!(geometry(usize::MAX, 1), None);
    }
}
