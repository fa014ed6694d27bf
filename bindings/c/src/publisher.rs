//! Publishing in a channel: a copy, or a message built in place.

use crate::border::{Fail, Result, call, put, slice, write_unless_null};
use crate::channel::SaltusChannel;
use crate::code::{SALTUS_OK, SaltusError};
use crate::handle::{close, kind, locked, open, shared};
use crate::lender::Lender;
use crate::types::{SaltusType, demanded};
use saltus_channel::{Loan, Published, Publisher};
use std::cell::UnsafeCell;
use std::ffi::c_void;

/// A publisher in a channel, with a buffer (lane) of its own. One thread at a time may use it: a second call at the same time is
/// refused. Another thread opens its own.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaltusChannelPublisher {
    /// A number; 0 if the handle is not open.
    pub id: u64,
}
/// The publisher, and its loan to C.
type Lent = Lender<Publisher, Loan<'static>>;
kind!(SaltusChannelPublisher, 2, "the publisher", UnsafeCell<Lent>);

/// The sequence number and timestamp of a published message.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SaltusPublished {
    /// Its number in the publisher's lane, from 1; continues where a dead publisher stopped.
    pub seq: u64,
    /// When it was published, in ns of the channel's clock; 0 if the channel has no timestamps.
    pub timestamp_ns: u64,
}

const NO_LOAN: &str = "this publisher has nothing borrowed: call saltus_channel_loan() first";

/// saltus_channel_publisher_open opens a publisher in the channel. It takes over the lane of a dead publisher or adds one, whose memory it
/// reserves now, so that no later call fails for lack of memory. You close `*publisher` with saltus_channel_publisher_close(); its id
/// is 0 if the call fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_TOO_MANY_PUBLISHERS, SALTUS_NO_SPACE, SALTUS_DENIED, SALTUS_RETIRED, SALTUS_DAMAGED, SALTUS_INVALID,
/// SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_publisher_open(
    channel: SaltusChannel,
    publisher: *mut SaltusChannelPublisher,
) -> SaltusError {
    let make = || {
        // SAFETY: the header demands that no thread closes it in the meantime.
        let publisher = unsafe { shared(channel)? }.publisher()?;
        Ok(Some(UnsafeCell::new(Lender::new(publisher))))
    };
    // SAFETY: the header demands a place for a handle.
    unsafe { open(publisher, make) }
}

/// saltus_channel_publisher_close closes a publisher and abandons its loan. Its messages stay in the channel.
///
/// Blocks: never. Allocates: no. Kernel: yes.
/// Fails: SALTUS_INVALID (closed already).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_publisher_close(publisher: SaltusChannelPublisher) -> SaltusError {
    close(publisher)
}

/// saltus_channel_publish publishes a copy of the `len` bytes at `message`, which may be NULL if `len` is 0. `published` may be NULL.
/// The result never depends on subscribers.
///
/// Blocks: never. Allocates: no. Kernel: one system call if a subscriber is blocked, else none. For control loops.
/// Fails: SALTUS_TOO_LONG, SALTUS_RETIRED, SALTUS_INVALID (NULL, closed, or the publisher has a loan).
/// In a forked child the first call opens a lane for the child, and costs and fails like saltus_channel_publisher_open().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_publish(
    publisher: SaltusChannelPublisher,
    message: *const c_void,
    len: usize,
    published: *mut SaltusPublished,
) -> SaltusError {
    call(|| {
        let mut own = locked(publisher)?;
        // SAFETY: the header demands `len` bytes there.
        let message = unsafe { slice(message, len)? };
        let done = free(&mut own)?.publish(message)?;
        // SAFETY: the header demands room for it, or NULL.
        unsafe { write_unless_null(published, done.into()) };
        Ok(SALTUS_OK)
    })
}

/// saltus_channel_loan lends the program memory of the channel for a message of up to `len` bytes, to build it in place. `*room` gets its
/// address, 64-byte aligned; it holds old bytes. End the loan with saltus_channel_loan_publish() or saltus_channel_loan_abandon();
/// until then the publisher publishes and lends nothing else. The oldest messages, stored there, are discarded now.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_TOO_LONG, SALTUS_RETIRED, SALTUS_INVALID (NULL, closed, or the publisher has a loan). `*room` is then NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_loan(
    publisher: SaltusChannelPublisher,
    len: usize,
    room: *mut *mut c_void,
) -> SaltusError {
    call(|| {
        const NO_ROOM: &str = "the place for the borrowed room is NULL";
        // SAFETY: the header demands a place for a pointer.
        unsafe { put(room, std::ptr::null_mut(), NO_ROOM)? };
        let mut own = locked(publisher)?;
        let _ = free(&mut own)?;
        // SAFETY: the loan does not expose what it borrows.
        let loan = unsafe { own.lend(|publisher| publisher.loan(len).map(Some))? };
        let Some(loan) = loan else { return Err(Fail::Misuse(NO_LOAN)) };
        // SAFETY: not NULL, as was just seen.
        unsafe { put(room, loan.as_mut_ptr().cast(), NO_ROOM)? };
        Ok(SALTUS_OK)
    })
}

/// saltus_channel_loan_publish publishes the first `len` bytes of the loan. The loan ends, whatever this returns. `published` may
/// be NULL. You may fill the loan with streaming (non-temporal) stores.
///
/// Blocks: never. Allocates: no. Kernel: one system call if a subscriber is blocked, else none. For control loops.
/// Fails: SALTUS_TOO_SMALL (more than was lent), SALTUS_INVALID (closed, no loan, or lent before a fork).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_loan_publish(
    publisher: SaltusChannelPublisher,
    len: usize,
    published: *mut SaltusPublished,
) -> SaltusError {
    call(|| {
        let mut own = locked(publisher)?;
        let loan = own.take().ok_or(Fail::Misuse(NO_LOAN))?;
        let done = loan.publish(len)?;
        // SAFETY: the header demands room for it, or NULL.
        unsafe { write_unless_null(published, done.into()) };
        Ok(SALTUS_OK)
    })
}

/// saltus_channel_loan_abandon ends the loan without publishing.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (closed, or no loan).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_loan_abandon(publisher: SaltusChannelPublisher) -> SaltusError {
    call(|| {
        drop(locked(publisher)?.take().ok_or(Fail::Misuse(NO_LOAN))?);
        Ok(SALTUS_OK)
    })
}

/// saltus_channel_describe registers the type of the publisher's messages with the channel, so that tools can read them. Registering a
/// type again adds nothing.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes. Not for control loops: call it once, after opening the publisher.
/// Fails: SALTUS_INVALID (NULL, closed, not UTF-8, an empty name, more than 1 MiB in all, or the publisher has a loan), SALTUS_RETIRED,
/// SALTUS_NO_SPACE, SALTUS_DAMAGED, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_describe(
    publisher: SaltusChannelPublisher,
    r#type: *const SaltusType,
) -> SaltusError {
    call(|| {
        let mut own = locked(publisher)?;
        // SAFETY: the header demands a structure of strings.
        let of = unsafe { demanded(r#type)? };
        free(&mut own)?.describe(&of.name, of.fingerprint, &of.schema)?;
        Ok(SALTUS_OK)
    })
}

/// A publisher without a loan.
#[inline(always)]
fn free(own: &mut Lent) -> Result<&mut Publisher> {
    if own.is_lent() {
        return Err(Fail::Misuse(
            "this publisher has room borrowed: give it back with saltus_channel_loan_publish() or saltus_channel_loan_abandon()",
        ));
    }
    Ok(own.owner())
}

impl From<Published> for SaltusPublished {
    #[inline(always)]
    fn from(done: Published) -> SaltusPublished {
        SaltusPublished { seq: done.seq, timestamp_ns: done.timestamp }
    }
}
