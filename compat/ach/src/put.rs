//! Publishing.

use crate::abi::AchChannel;
use crate::border::{Result, call};
use crate::errors::status;
use crate::handle::{Open, Opened};
use crate::slot::{Entered, Slot};
use crate::status::*;
use saltus_channel::{Error, Publisher, Retired};
use saltus_os::process;
use std::ffi::c_void;

/// How often a put follows a channel that is replaced at every try.
const ROUNDS: u32 = 8;
/// How often a put tries again, after [`PAUSE`] each, while other threads use all the publishers that there can be.
const TURNS: u32 = 20_000;
/// In ns: much longer than a put.
const PAUSE: u64 = 50_000;

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_put(chan: *mut AchChannel, buf: *const c_void, len: usize) -> AchStatus {
    call(|| {
        // SAFETY: the header demands a structure.
        let open = unsafe { Open::of(chan)? };
        if buf.is_null() || len == 0 {
            return Err(ACH_EINVAL);
        }
        if len > isize::MAX as usize {
            return Err(ACH_OVERFLOW);
        }
        // SAFETY: not NULL, so there are `len` bytes, as the header demands.
        let message = unsafe { std::slice::from_raw_parts(buf.cast(), len) };
        for _ in 0..TURNS {
            if let Some(done) = attempt(open, message) {
                return done;
            }
            process::sleep_for(PAUSE);
        }
        Err(ACH_EAGAIN)
    })
}

/// Puts with the first publisher that no other thread uses, which is opened if there is none. `None`: others use all that there can be.
#[inline(always)]
fn attempt(open: Open, message: &[u8]) -> Option<Result> {
    let (mut is_busy, mut failed) = (false, None);
    for slot in &open.handle.writers {
        let done = match open.enter(slot) {
            Err(closed) => return Some(Err(closed)),
            Ok(None) => None,
            // Without a name, the channel has its publishers, for all handles.
            Ok(Some((_entered, opened @ Opened { anonymous: Some(shared), .. }))) => {
                let writer = shared.writers.iter().find_map(Slot::enter);
                return writer.map(|mut writer| publish(opened, &mut writer, message));
            }
            // Another one cannot be opened either.
            Ok(Some((writer, _))) if failed.is_some() && writer.is_none() => continue,
            Ok(Some((mut writer, opened))) => Some(publish(opened, &mut writer, message)),
        };
        match done {
            None => is_busy = true,
            // The channel's name is gone, perhaps: a publisher that was opened before works on.
            Some(Err(ACH_ENOENT)) => failed = done,
            done => return done,
        }
    }
    if is_busy { None } else { failed }
}

#[inline(always)]
fn publish(opened: &Opened, writer: &mut Entered<'_, Publisher>, message: &[u8]) -> Result {
    for round in 0..ROUNDS {
        let publisher = match &mut **writer {
            Some(publisher) => publisher,
            none => none.insert(first(opened, round > 0)?),
        };
        match publisher.publish(message) {
            Ok(_) => return Ok(ACH_OK),
            Err(Error::TooLong { .. }) => return Err(ACH_OVERFLOW),
            // The channel was replaced, or removed and perhaps created again.
            Err(Error::Retired { .. }) => **writer = None,
            Err(e) => return Err(status(&e)),
        }
    }
    Err(ACH_EAGAIN)
}

/// Opens a publisher: of the channel as it was opened, or of the one that has its name now.
#[cold]
pub(crate) fn first(opened: &Opened, is_replaced: bool) -> Result<Publisher> {
    let by_name = || opened.directory.open_channel(&opened.name)?.publisher();
    let made = match is_replaced {
        false => match opened.channel.publisher() {
            // Its name is gone, and its readers continue without it. A channel that has the name now is another one.
            Err(e @ Error::Retired { how: Retired::Vanished, .. }) => Err(e),
            Err(Error::Retired { .. }) => by_name(),
            made => made,
        },
        true => by_name(),
    };
    made.map_err(|e| status(&e))
}
