//! Publishing: a copy, or a message built in place.

use crate::border::{Fail, Result, call, hand_out, put, slice, take_back};
use crate::channel::{SaltusChannel, channel};
use crate::code::SALTUS_OK;
use crate::handle::{Guarded, Kind, Locked, locked};
use crate::lender::Lender;
use saltus_channel::{Loan, Published, Publisher};
use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};

/// Publishes into one lane of a channel. One thread at a time may use it; another thread opens its own. A second call at the same
/// time is refused.
pub struct SaltusChannelPublisher(UnsafeCell<Lent>);

/// The publisher, and what it has lent to C.
pub(crate) type Lent = Lender<Publisher, Loan<'static>>;

impl Kind for SaltusChannelPublisher {
    const KIND: usize = 2;
}
impl Guarded for SaltusChannelPublisher {
    type Own = Lent;
    fn own(&self) -> &UnsafeCell<Lent> {
        &self.0
    }
}

/// What became of a published message.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SaltusPublished {
    /// Its number in the publisher's lane, from 1; goes on where a dead publisher's left off.
    pub seq: u64,
    /// When it was published, in ns of the channel's clock; 0 if the channel has no stamps.
    pub stamp: u64,
}

const NO_PUBLISHER: &str = "the publisher is NULL";
const NO_LOAN: &str = "this publisher has nothing borrowed: call saltus_channel_loan() first";

/// Leases a lane of the channel to publish in: one of a dead publisher, or a new one, whose memory is reserved now,
/// so that nothing fails for lack of memory later. `*publisher` is to be closed with saltus_channel_publisher_close(); it is
/// NULL if this fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NO_LANE, SALTUS_NO_SPACE, SALTUS_DENIED, SALTUS_RETIRED, SALTUS_DAMAGED, SALTUS_INVALID,
/// SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_publisher_open(
    channel: *const SaltusChannel,
    publisher: *mut *mut SaltusChannelPublisher,
) -> c_int {
    let open = || {
        // SAFETY: the header demands an open handle.
        let publisher = unsafe { self::channel(channel)? }.publisher()?;
        Ok(Some(SaltusChannelPublisher(UnsafeCell::new(Lender::new(publisher)))))
    };
    // SAFETY: the header demands a place for a handle.
    call(|| unsafe { hand_out(publisher, open) })
}

/// Closes a publisher; what it has borrowed is given back unused. What it published stays. NULL does nothing.
///
/// Blocks: never. Allocates: no. Kernel: yes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_publisher_close(publisher: *mut SaltusChannelPublisher) {
    take_back(publisher)
}

/// Publishes a copy of `len` bytes at `message`, which may be NULL if `len` is 0. The result never depends on
/// readers. `published` may be NULL.
///
/// Blocks: never. Allocates: no. Kernel: one system call if a subscriber sleeps, else none. For control loops.
/// Fails: SALTUS_TOO_LONG, SALTUS_RETIRED, SALTUS_INVALID (NULL, or something is borrowed from this publisher).
/// In a forked child the first call leases a lane of its own, and costs and fails like saltus_channel_publisher_open().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_publish(
    publisher: *mut SaltusChannelPublisher,
    message: *const c_void,
    len: usize,
    published: *mut SaltusPublished,
) -> c_int {
    call(|| {
        let mut own = own(publisher)?;
        // SAFETY: the header demands `len` bytes there.
        let message = unsafe { slice(message, len)? };
        let done = free(&mut own)?.publish(message)?;
        // SAFETY: the header demands room for it, or NULL.
        unsafe { tell(published, done) };
        Ok(SALTUS_OK)
    })
}

/// Borrows room for a message of up to `len` bytes, to build it in place: `*room` points to it, 64-byte aligned.
/// The room holds old bytes. Give it back with saltus_channel_loan_publish() or saltus_channel_loan_abandon(); until then the
/// publisher lends and publishes nothing else. The oldest messages that lay there are given up now.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_TOO_LONG, SALTUS_RETIRED, SALTUS_INVALID (NULL, or room is borrowed already). `*room` is NULL then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_loan(
    publisher: *mut SaltusChannelPublisher,
    len: usize,
    room: *mut *mut c_void,
) -> c_int {
    call(|| {
        const NO_ROOM: &str = "the place for the borrowed room is NULL";
        // SAFETY: the header demands a place for a pointer.
        unsafe { put(room, std::ptr::null_mut(), NO_ROOM)? };
        let mut own = own(publisher)?;
        let _ = free(&mut own)?;
        // SAFETY: what the loan borrows it keeps to itself.
        let loan = unsafe { own.lend(|publisher| publisher.loan(len).map(Some))? };
        let Some(loan) = loan else { return Err(Fail::Misuse(NO_LOAN)) };
        // SAFETY: not NULL, as was just seen.
        unsafe { put(room, loan.as_mut_ptr().cast(), NO_ROOM)? };
        Ok(SALTUS_OK)
    })
}

/// Publishes the first `len` bytes of what was borrowed. The loan is over, whatever this returns. `published` may
/// be NULL. The room may also have been filled with streaming (non-temporal) stores.
///
/// Blocks: never. Allocates: no. Kernel: one system call if a subscriber sleeps, else none. For control loops.
/// Fails: SALTUS_TOO_SMALL (more than was borrowed), SALTUS_INVALID (NULL, nothing borrowed, or borrowed before a fork).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_loan_publish(
    publisher: *mut SaltusChannelPublisher,
    len: usize,
    published: *mut SaltusPublished,
) -> c_int {
    call(|| {
        let mut own = own(publisher)?;
        let loan = own.take().ok_or(Fail::Misuse(NO_LOAN))?;
        let done = loan.publish(len)?;
        // SAFETY: the header demands room for it, or NULL.
        unsafe { tell(published, done) };
        Ok(SALTUS_OK)
    })
}

/// Gives back unused what was borrowed. Nothing is published.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (NULL, or nothing borrowed).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_loan_abandon(publisher: *mut SaltusChannelPublisher) -> c_int {
    call(|| {
        drop(own(publisher)?.take().ok_or(Fail::Misuse(NO_LOAN))?);
        Ok(SALTUS_OK)
    })
}

/// The publisher of a handle, for this call alone.
#[inline(always)]
pub(crate) fn own(handle: *mut SaltusChannelPublisher) -> Result<Locked<SaltusChannelPublisher>> {
    locked(handle, NO_PUBLISHER)
}

/// A publisher from which nothing is borrowed.
#[inline(always)]
pub(crate) fn free(own: &mut Lent) -> Result<&mut Publisher> {
    if own.is_lent() {
        return Err(Fail::Misuse(
            "this publisher has room borrowed: give it back with saltus_channel_loan_publish() or saltus_channel_loan_abandon()",
        ));
    }
    Ok(own.owner())
}

/// Tells C what was published, if it wants to know.
#[inline(always)]
unsafe fn tell(published: *mut SaltusPublished, done: Published) {
    if !published.is_null() {
        // SAFETY: not NULL, so there is room for it, as the header demands.
        unsafe { published.write(SaltusPublished { seq: done.seq, stamp: done.stamp }) };
    }
}
