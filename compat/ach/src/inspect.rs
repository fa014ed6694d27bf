//! What a handle is.

use crate::abi::{AchChannel, AchHeader, AchMap};
use crate::border::{call, structure};
use crate::errors::refused;
use crate::handle::{self, Open, Opened};
use crate::status::*;
use libc::clockid_t;
use saltus_channel::Info;
use std::ffi::{c_char, c_int};
use std::io::Write;

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_channel_map(chan: *const AchChannel, map: *mut AchMap) -> AchStatus {
    call(|| {
        // SAFETY: the header demands structures, or NULL.
        let (open, map) = unsafe { (Open::of(chan)?, structure(map)?) };
        *map = open.with(|opened| Ok(opened.map))?;
        Ok(ACH_OK)
    })
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_channel_clock(chan: *const AchChannel, clock: *mut clockid_t) -> AchStatus {
    call(|| {
        // SAFETY: the header demands structures, or NULL.
        let (open, clock) = unsafe { (Open::of(chan)?, structure(clock)?) };
        *clock = open.with(|opened| Ok(opened.clock))?;
        Ok(ACH_OK)
    })
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_dump(shm: *mut AchHeader) {
    call(|| {
        // Only pointers of open handles mean something; this compares, and follows none.
        let open = handle::all().find(|open| std::ptr::eq(open.handle, shm.cast())).ok_or(ACH_EINVAL)?;
        open.with(|opened| {
            let info = opened.channel.info().map_err(|e| crate::errors::status(&e))?;
            // The program cannot learn that stderr is closed or full.
            let _ = print(opened, &info, &mut std::io::stderr().lock());
            Ok(ACH_OK)
        })
    });
}

fn print(opened: &Opened, info: &Info, out: &mut impl Write) -> std::io::Result<()> {
    let attributes = &info.attributes;
    writeln!(out, "channel:    {} in {}", opened.name, opened.directory.url())?;
    writeln!(out, "frames:     {}", attributes.get_depth())?;
    writeln!(out, "longest:    {} B", attributes.get_max_message_size())?;
    writeln!(out, "memory:     {} B", info.memory)?;
    writeln!(out, "mode:       {:o}", attributes.get_mode())?;
    writeln!(out, "published:  {}", info.published())?;
    for lane in info.lanes.iter().filter(|lane| lane.alive) {
        writeln!(out, "publisher:  {} ({}), {} messages", lane.process, lane.pid, lane.published)?;
    }
    for subscriber in info.subscribers.iter().filter(|subscriber| subscriber.alive) {
        let (received, missed) = (subscriber.received, subscriber.missed);
        let (process, pid) = (&subscriber.process, subscriber.pid);
        writeln!(out, "subscriber: {process} ({pid}), {received} received, {missed} missed")?;
    }
    Ok(())
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_srv_search(
    _channel: *const c_char,
    _domain: *const c_char,
    _host: *mut c_char,
    _hostlen: usize,
    _port: *mut c_int,
) -> AchStatus {
    refused(
        ACH_ENOTSUP,
        libc::ENOTSUP,
        format_args!("searching DNS for channels is not supported: name the host"),
    )
}
