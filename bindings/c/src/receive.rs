//! Receiving: a copy, or a look in place.

use crate::border::{Fail, Result, call, put};
use crate::code::{SALTUS_NOTHING, SALTUS_OK};
use crate::subscriber::{SaltusChannelSubscriber, own};
use crate::wait::until;
use saltus_channel::{Error, Sample, Which};
use std::ffi::{c_int, c_void};

/// The newest message, if it has not been seen. Older unseen ones count as missed.
pub const SALTUS_NEWEST: c_int = 0;
/// The oldest message that has not been seen.
pub const SALTUS_NEXT: c_int = 1;
/// The newest message, even if it has been seen.
pub const SALTUS_AGAIN: c_int = 2;

/// What is known of a received message.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaltusSample {
    /// Length in bytes. With SALTUS_TOO_SMALL: the size that the buffer must have.
    pub len: usize,
    /// Number of the message in its lane, from 1.
    pub seq: u64,
    /// When it was published, in ns of the channel's clock; 0 if the channel has no stamps.
    pub stamp: u64,
    /// Who published it: a number that each publisher of a channel has for itself.
    pub lease: u64,
    /// How many messages this subscriber missed since the last one it received.
    pub missed: u64,
    /// The lane it was published in: each has its own sequence numbers.
    pub lane: u32,
    /// Always 0.
    pub reserved: u32,
}

impl From<Sample> for SaltusSample {
    fn from(s: Sample) -> SaltusSample {
        let Sample { len, seq, stamp, writer, missed } = s;
        SaltusSample { len, seq, stamp, lease: writer.lease, missed, lane: writer.lane, reserved: 0 }
    }
}

const NO_SAMPLE: &str = "the place for the sample is NULL";

/// Receives a message into `size` bytes at `buffer`, which may be NULL if `size` is 0.
///
/// `which`: SALTUS_NEWEST, SALTUS_NEXT or SALTUS_AGAIN. `until`: how long to wait if there is none (see "Time").
/// `*sample` tells of the message; it is all zeros if there is none, but for `len` with SALTUS_TOO_SMALL.
/// A view that is open is given up. What the buffer holds counts only with SALTUS_OK.
///
/// Blocks: until a message comes, at most until `until`; SALTUS_POLL never. Allocates: no. Kernel: to sleep, and to
/// map a lane when a publisher is new; SALTUS_POLL else makes no system call. For control loops.
/// Returns SALTUS_NOTHING if nothing is unseen, or the time is up.
/// Fails: SALTUS_TOO_SMALL (keeps the place), SALTUS_OVERRUN (call again), SALTUS_CANCELED, SALTUS_RETIRED (and all
/// that was published has been received), SALTUS_INVALID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_receive(
    subscriber: *mut SaltusChannelSubscriber,
    which: c_int,
    until: u64,
    buffer: *mut c_void,
    size: usize,
    sample: *mut SaltusSample,
) -> c_int {
    call(|| {
        // SAFETY: the header demands room for a sample.
        unsafe { put(sample, SaltusSample::default(), NO_SAMPLE)? };
        let mut own = own(subscriber)?;
        // SAFETY: the header demands `size` bytes there.
        let buffer = unsafe { room(buffer, size)? };
        let received = match own.owner().receive(self::which(which)?, self::until(until), buffer) {
            Ok(Some(sample)) => sample.into(),
            Ok(None) => return Ok(SALTUS_NOTHING),
            Err(error) => {
                if let Error::TooSmall { needed, .. } = error {
                    // SAFETY: not NULL, as was seen above.
                    unsafe { put(sample, SaltusSample { len: needed, ..Default::default() }, NO_SAMPLE)? };
                }
                return Err(error.into());
            }
        };
        // SAFETY: not NULL, as was seen above.
        unsafe { put(sample, received, NO_SAMPLE)? };
        Ok(SALTUS_OK)
    })
}

/// Looks at a message where it lies, without copying it: `*message` points to its `*len` bytes, 64-byte aligned and
/// read-only. Its publisher may overwrite them at any instant: compute from them what is needed, copying out each
/// byte once, then call saltus_channel_validate(). Only if that returns SALTUS_OK was the message whole all the while; before,
/// nothing computed may be acted upon, and no length or index found in the message be trusted.
///
/// `which` and `until`: as saltus_channel_receive(). Any other call with the subscriber, but for saltus_channel_cancel(), gives the
/// view up; what was not validated stays unseen. The pointer leads nowhere after saltus_channel_subscriber_close().
///
/// Blocks, allocates, kernel: as saltus_channel_receive(). For control loops.
/// Returns SALTUS_NOTHING if nothing is unseen, or the time is up; then, and if it fails, `*message` is NULL.
/// Fails: SALTUS_OVERRUN (call again), SALTUS_CANCELED, SALTUS_RETIRED, SALTUS_INVALID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_view(
    subscriber: *mut SaltusChannelSubscriber,
    which: c_int,
    until: u64,
    message: *mut *const c_void,
    len: *mut usize,
) -> c_int {
    call(|| {
        const NO_MESSAGE: &str = "the place for the message is NULL";
        const NO_LEN: &str = "the place for the message's length is NULL";
        // SAFETY: the header demands room for a pointer and a length.
        unsafe {
            put(message, std::ptr::null(), NO_MESSAGE)?;
            put(len, 0, NO_LEN)?;
        }
        let mut own = own(subscriber)?;
        let (which, until) = (self::which(which)?, self::until(until));
        // SAFETY: what the view borrows it keeps to itself.
        let view = unsafe { own.lend(|subscriber| subscriber.view(which, until))? };
        let Some(view) = view else { return Ok(SALTUS_NOTHING) };
        // SAFETY: not NULL, as was seen above.
        unsafe {
            put(message, view.as_ptr().cast(), NO_MESSAGE)?;
            put(len, view.len(), NO_LEN)?;
        }
        Ok(SALTUS_OK)
    })
}

/// Ends a view, and says whether the message was whole all the while. If it was, it counts as received.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_OVERRUN (overwritten meanwhile: forget what was computed, look again; the place is kept),
/// SALTUS_INVALID (NULL, or no view). `*sample` is all zeros then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_validate(
    subscriber: *mut SaltusChannelSubscriber,
    sample: *mut SaltusSample,
) -> c_int {
    call(|| {
        // SAFETY: the header demands room for a sample.
        unsafe { put(sample, SaltusSample::default(), NO_SAMPLE)? };
        let mut own = own(subscriber)?;
        let view = own
            .take()
            .ok_or(Fail::Misuse("this subscriber has no view: call saltus_channel_view() first"))?;
        let received = view.validate()?.into();
        // SAFETY: not NULL, as was just seen.
        unsafe { put(sample, received, NO_SAMPLE)? };
        Ok(SALTUS_OK)
    })
}

fn which(code: c_int) -> Result<Which> {
    match code {
        SALTUS_NEWEST => Ok(Which::Newest),
        SALTUS_NEXT => Ok(Which::Next),
        SALTUS_AGAIN => Ok(Which::Again),
        _ => Err(Fail::Misuse("what to receive is none of SALTUS_NEWEST, SALTUS_NEXT and SALTUS_AGAIN")),
    }
}

/// Room for a message.
#[inline(always)]
unsafe fn room<'a>(at: *mut c_void, size: usize) -> Result<&'a mut [u8]> {
    if size == 0 {
        return Ok(&mut []);
    }
    if at.is_null() {
        return Err(Fail::Misuse("the buffer is NULL, but its size is not 0"));
    }
    // A slice may not be longer than half the address space, and no message is.
    // SAFETY: not NULL, so there are `size` bytes, as the header demands. Only written, so what they hold is no matter.
    Ok(unsafe { std::slice::from_raw_parts_mut(at.cast(), size.min(isize::MAX as usize)) })
}
