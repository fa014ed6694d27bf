//! Publishing.

use crate::abi::AchChannel;
use crate::border::{Result, call};
use crate::errors::status;
use crate::handle::{Open, Opened};
use crate::slot::{Entered, Slot};
use crate::status::*;
use saltus_channel::{Error, Publisher, Retired};
use std::ffi::c_void;

/// How often a put follows a channel that is replaced at every try.
const ROUNDS: u32 = 8;

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
        // A thread that is in a put with this handle has a publisher. This one takes the next: it must not wait.
        for writer in &open.handle.writers {
            if let Some((mut writer, opened)) = open.enter(writer)? {
                return match opened.anonymous {
                    None => publish(opened, &mut writer, message),
                    Some(shared) => match shared.writers.iter().find_map(Slot::enter) {
                        Some(mut writer) => publish(opened, &mut writer, message),
                        None => Err(ACH_EAGAIN),
                    },
                };
            }
        }
        Err(ACH_EAGAIN)
    })
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
