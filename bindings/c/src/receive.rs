//! Receiving from a channel: a copy, or a view in place.

use crate::border::{Fail, Result, call, put};
use crate::clock::until;
use crate::code::{SALTUS_NOTHING, SALTUS_OK, SaltusError};
use crate::handle::locked;
use crate::subscriber::SaltusChannelSubscriber;
use saltus_channel::{Error, MessageInfo, Which};
use std::ffi::{c_int, c_void};

/// The newest message, if it is new. Older messages that were not received count as missed.
pub const SALTUS_NEWEST: c_int = 0;
/// The oldest message that was not yet received.
pub const SALTUS_NEXT: c_int = 1;
/// The newest message, even if it was already received.
pub const SALTUS_CURRENT: c_int = 2;

/// The metadata of a received message.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaltusMessageInfo {
    /// Length in bytes. With SALTUS_TOO_SMALL: the size that the buffer must have.
    pub len: usize,
    /// Number of the message in its lane, from 1.
    pub seq: u64,
    /// When it was published, in ns of the channel's clock; 0 if the channel has no timestamps.
    pub timestamp_ns: u64,
    /// A number that identifies its publisher in the channel.
    pub lease: u64,
    /// How many messages this subscriber missed since the last one it received.
    pub missed: u64,
    /// The lane it was published in; each lane has its own sequence numbers.
    pub lane: u32,
    /// Always 0.
    pub reserved: u32,
}

impl From<MessageInfo> for SaltusMessageInfo {
    fn from(s: MessageInfo) -> SaltusMessageInfo {
        let MessageInfo { len, seq, timestamp, publisher, missed } = s;
        SaltusMessageInfo {
            len,
            seq,
            timestamp_ns: timestamp,
            lease: publisher.lease,
            missed,
            lane: publisher.lane,
            reserved: 0,
        }
    }
}

const NO_INFO: &str = "the pointer to the message info is NULL";

/// saltus_channel_receive receives a message into the `size` bytes at `buffer`, which may be NULL if `size` is 0.
///
/// `which`: SALTUS_NEWEST, SALTUS_NEXT or SALTUS_CURRENT. `until`: how long to wait if there is no message (see "Time").
/// `*info` gets the message's metadata; without a message it is all zeros, except `len` with SALTUS_TOO_SMALL.
/// The call ends an open view. The contents of the buffer are only valid with SALTUS_OK.
///
/// Blocks: until a message arrives, at most until `until`; SALTUS_POLL never. Allocates: no. Kernel: to sleep, and to
/// map the lane of a new publisher; otherwise SALTUS_POLL makes no system call. For control loops.
/// Returns SALTUS_NOTHING if there is no new message in time.
/// Fails: SALTUS_TOO_SMALL (the message stays unreceived), SALTUS_OVERRUN (call again), SALTUS_CANCELED, SALTUS_RETIRED (after all
/// messages were received), SALTUS_INVALID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_receive(
    subscriber: SaltusChannelSubscriber,
    which: c_int,
    until: u64,
    buffer: *mut c_void,
    size: usize,
    info: *mut SaltusMessageInfo,
) -> SaltusError {
    call(|| {
        // SAFETY: the header demands room for a message info.
        unsafe { put(info, SaltusMessageInfo::default(), NO_INFO)? };
        let mut own = locked(subscriber)?;
        // SAFETY: the header demands `size` bytes there.
        let buffer = unsafe { room(buffer, size)? };
        let received = match own.owner().receive(self::which(which)?, self::until(until), buffer) {
            Ok(Some(info)) => info.into(),
            Ok(None) => return Ok(SALTUS_NOTHING),
            Err(error) => {
                if let Error::TooSmall { needed, .. } = error {
                    // SAFETY: not NULL, as was seen above.
                    unsafe { put(info, SaltusMessageInfo { len: needed, ..Default::default() }, NO_INFO)? };
                }
                return Err(error.into());
            }
        };
        // SAFETY: not NULL, as was seen above.
        unsafe { put(info, received, NO_INFO)? };
        Ok(SALTUS_OK)
    })
}

/// saltus_channel_view lets you read a message in place, without a copy: `*message` points to its `*len` bytes, 64-byte aligned and
/// read-only. Its publisher may overwrite them at any moment. Compute your result from them, reading each byte once, then call
/// saltus_channel_validate(). If that returns SALTUS_OK, the bytes were valid all the time. Before that, do not act on the result,
/// and do not trust a length or index found in the message.
///
/// `which` and `until`: as saltus_channel_receive(). Any other call with the subscriber, except to cancel, ends the
/// view; a message that was not validated stays unreceived. The pointer is invalid after saltus_channel_subscriber_close().
///
/// Blocks, allocates, kernel: as saltus_channel_receive(). For control loops.
/// Returns SALTUS_NOTHING if there is no new message in time; then, and on failure, `*message` is NULL.
/// Fails: SALTUS_OVERRUN (call again), SALTUS_CANCELED, SALTUS_RETIRED, SALTUS_INVALID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_view(
    subscriber: SaltusChannelSubscriber,
    which: c_int,
    until: u64,
    message: *mut *const c_void,
    len: *mut usize,
) -> SaltusError {
    call(|| {
        const NO_MESSAGE: &str = "the place for the message is NULL";
        const NO_LEN: &str = "the place for the message's length is NULL";
        // SAFETY: the header demands room for a pointer and a length.
        unsafe {
            put(message, std::ptr::null(), NO_MESSAGE)?;
            put(len, 0, NO_LEN)?;
        }
        let mut own = locked(subscriber)?;
        let (which, until) = (self::which(which)?, self::until(until));
        // SAFETY: the view does not expose what it borrows.
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

/// saltus_channel_validate ends a view and checks that the message was not overwritten since. Only then it counts as received.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_OVERRUN (overwritten: discard your result and view again; the subscriber keeps its position),
/// SALTUS_INVALID (NULL, closed, or no view). `*info` is then all zeros.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_validate(
    subscriber: SaltusChannelSubscriber,
    info: *mut SaltusMessageInfo,
) -> SaltusError {
    call(|| {
        // SAFETY: the header demands room for a message info.
        unsafe { put(info, SaltusMessageInfo::default(), NO_INFO)? };
        let mut own = locked(subscriber)?;
        let view = own
            .take()
            .ok_or(Fail::Misuse("this subscriber has no view: call saltus_channel_view() first"))?;
        let received = view.validate()?.into();
        // SAFETY: not NULL, as was just seen.
        unsafe { put(info, received, NO_INFO)? };
        Ok(SALTUS_OK)
    })
}

fn which(code: c_int) -> Result<Which> {
    match code {
        SALTUS_NEWEST => Ok(Which::Newest),
        SALTUS_NEXT => Ok(Which::Next),
        SALTUS_CURRENT => Ok(Which::Current),
        _ => Err(Fail::Misuse("which: expected SALTUS_NEWEST, SALTUS_NEXT or SALTUS_CURRENT")),
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
    // A slice must not be longer than half the address space, and messages never are.
    // SAFETY: not NULL, so there are `size` bytes, as the header demands. They are only written, so their contents do not matter.
    Ok(unsafe { std::slice::from_raw_parts_mut(at.cast(), size.min(isize::MAX as usize)) })
}
