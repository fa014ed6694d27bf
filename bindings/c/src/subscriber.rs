//! Subscribers: joined, moved, counted, left.

use crate::border::{Result, call, hand_out, put, take_back};
use crate::channel::{SaltusChannel, channel};
use crate::code::SALTUS_OK;
use crate::handle::{Guarded, Kind, Locked, locked};
use crate::lender::Lender;
use crate::options::{self, SaltusChannelOptions};
use saltus_channel::{CancelHandle, Subscriber, View};
use std::cell::UnsafeCell;
use std::ffi::c_int;

/// Receives from a channel. One thread at a time may use it, but for saltus_channel_cancel(); another thread opens its own. A second call at
/// the same time is refused.
pub struct SaltusChannelSubscriber {
    /// What threads must not share.
    own: UnsafeCell<Lent>,
    /// What they may, and signal handlers too. Beside the other, never inside: it is used while that is.
    pub(crate) cancel: Option<CancelHandle>,
}

/// The subscriber, and the view of it that C has.
pub(crate) type Lent = Lender<Subscriber, View<'static>>;

impl Kind for SaltusChannelSubscriber {
    const KIND: usize = 3;
}
impl Guarded for SaltusChannelSubscriber {
    type Own = Lent;
    fn own(&self) -> &UnsafeCell<Lent> {
        &self.own
    }
}

pub(crate) const NO_SUBSCRIBER: &str = "the subscriber is NULL";

/// Joins the channel as a subscriber. `options`: NULL for the defaults. `*subscriber` is to be closed with
/// saltus_channel_subscriber_close(); it is NULL if this fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_subscriber_open(
    channel: *const SaltusChannel,
    options: *const SaltusChannelOptions,
    subscriber: *mut *mut SaltusChannelSubscriber,
) -> c_int {
    let join = || {
        // SAFETY: the header demands an open handle, and options with their size.
        let (channel, (options, cancelable)) = unsafe { (self::channel(channel)?, options::read(options)?) };
        let mut subscriber = channel.subscriber_with(options)?;
        let cancel = cancelable.then(|| subscriber.cancel_handle());
        Ok(Some(SaltusChannelSubscriber { own: UnsafeCell::new(Lender::new(subscriber)), cancel }))
    };
    // SAFETY: the header demands a place for a handle.
    call(|| unsafe { hand_out(subscriber, join) })
}

/// Closes a subscriber and its event descriptor. NULL does nothing. Nobody may call saltus_channel_cancel() for it any more.
///
/// Blocks: until the thread of its event descriptor ends, if it has one. Allocates: no. Kernel: yes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_subscriber_close(subscriber: *mut SaltusChannelSubscriber) {
    take_back(subscriber)
}

/// Skips to now. What was unseen counts as missed.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_flush(subscriber: *mut SaltusChannelSubscriber) -> c_int {
    call(|| {
        own(subscriber)?.owner().flush();
        Ok(SALTUS_OK)
    })
}

/// Goes back to the oldest message kept, seen or not. What is received again counts again.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_seek_oldest(subscriber: *mut SaltusChannelSubscriber) -> c_int {
    call(|| {
        own(subscriber)?.owner().seek_oldest();
        Ok(SALTUS_OK)
    })
}

/// How many messages this subscriber has received and how many it has missed: together all that was published since
/// it joined, up to its place.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_counts(
    subscriber: *mut SaltusChannelSubscriber,
    received: *mut u64,
    missed: *mut u64,
) -> c_int {
    call(|| {
        const NULL: &str = "a place for the counts is NULL";
        let mut own = own(subscriber)?;
        let subscriber = own.owner();
        // SAFETY: the header demands room for two numbers.
        unsafe {
            put(received, subscriber.received(), NULL)?;
            put(missed, subscriber.missed(), NULL)?;
        }
        Ok(SALTUS_OK)
    })
}

/// The subscriber of a handle, for this call alone. Its owner is the subscriber, once a view that was not validated is given up.
#[inline(always)]
pub(crate) fn own(handle: *mut SaltusChannelSubscriber) -> Result<Locked<SaltusChannelSubscriber>> {
    locked(handle, NO_SUBSCRIBER)
}
