//! Receiving from a domain.

use crate::border::{Fail, Result, call, hand_out, put, take_back};
use crate::code::{SALTUS_INVALID, SALTUS_NOTHING, SALTUS_OK};
use crate::domain::{SaltusDomain, domain};
use crate::domain_message::{self, RawMessage, SaltusDomainOptions};
use crate::handle::{Guarded, Kind, Locked, locked, used};
use crate::wait::{quietly, until};
use saltus_domain::{CancelHandle, Expected, Subscriber, wait_any};
use std::cell::UnsafeCell;
use std::ffi::{c_char, c_int};
use std::os::fd::AsRawFd;

/// Receives from one channel of a domain or from many. One call at a time may use it, but for saltus_domain_cancel(): a second one is
/// refused.
pub struct SaltusDomainSubscriber {
    own: UnsafeCell<Receiving>,
    cancel: CancelHandle,
}

/// What calls share one after the other.
pub(crate) struct Receiving {
    pub subscriber: Subscriber,
    pub expected: Option<Expected>,
}

impl Kind for SaltusDomainSubscriber {
    const KIND: usize = 6;
}
impl Guarded for SaltusDomainSubscriber {
    type Own = Receiving;
    fn own(&self) -> &UnsafeCell<Receiving> {
        &self.own
    }
}

const NO_SUBSCRIBER: &str = "the subscriber is NULL";

/// Subscribes to `channels`: a name, or a pattern if the options say so; NULL is all channels. Channels need not exist yet.
/// `options`: NULL for the defaults. `*subscriber` is to be closed with saltus_domain_subscriber_close(); it is NULL if this fails.
///
/// Blocks: in the file system, or while a network is joined. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID, SALTUS_UNSUPPORTED, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_NETWORK, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_subscriber_open(
    domain: *const SaltusDomain,
    channels: *const c_char,
    options: *const SaltusDomainOptions,
    subscriber: *mut *mut SaltusDomainSubscriber,
) -> c_int {
    let open = || {
        // SAFETY: the header demands a string and options with their size, or NULL.
        let (mut subscriber, expected) = unsafe { subscribe(domain, channels, options)? };
        let cancel = subscriber.cancel_handle();
        let own = UnsafeCell::new(Receiving { subscriber, expected });
        Ok(Some(SaltusDomainSubscriber { own, cancel }))
    };
    // SAFETY: the header demands a place for a handle.
    call(|| unsafe { hand_out(subscriber, open) })
}

/// A subscriber, and what its messages shall be.
pub(crate) unsafe fn subscribe(
    domain: *const SaltusDomain,
    channels: *const c_char,
    options: *const SaltusDomainOptions,
) -> Result<(Subscriber, Option<Expected>)> {
    // SAFETY: as the caller has it.
    let (pattern, options, what) = unsafe { domain_message::read(channels, options)? };
    let domain = self::domain(domain)?;
    Ok(match what {
        Some(what) => (domain.0.subscriber_described(pattern, options, &what)?, Some(Expected::new(what))),
        None => (domain.0.subscriber_with(pattern, options)?, None),
    })
}

/// Closes a subscriber and its event descriptor; what it received last goes with it. NULL does nothing. Nobody may call
/// saltus_domain_cancel() for it any more.
///
/// Blocks: until threads end that only it needed; as saltus_domain_close() if nothing else of the domain is open. Allocates: no.
/// Kernel: yes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_subscriber_close(subscriber: *mut SaltusDomainSubscriber) {
    take_back(subscriber)
}

/// Receives, as the subscriber's options say: the newest message not seen, or the next. `*message` points to it; it lies in the
/// subscriber's own memory until the next call with the subscriber. NULL if there is none, or this fails.
///
/// Blocks: until a message comes, at most until `until` (see "Time"); SALTUS_POLL never. Allocates: for a message longer than all
/// before it. Kernel: to sleep, to look for channels that have come, and, on a network, to receive.
/// Returns SALTUS_NOTHING if nothing is unseen, or the time is up.
/// Fails: SALTUS_CANCELED, SALTUS_WRONG_TYPE (call again), SALTUS_ENDED, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_NETWORK,
/// SALTUS_SYSTEM, SALTUS_INVALID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_receive(
    subscriber: *mut SaltusDomainSubscriber,
    until: u64,
    message: *mut *const RawMessage,
) -> c_int {
    // SAFETY: as the header demands.
    unsafe {
        receive(subscriber, message, |Receiving { subscriber, expected }| {
            // The time is made where it is used: what is stored in parts and loaded as one stalls the processor.
            Ok(match expected {
                Some(expected) => expected.receive(subscriber, self::until(until))?.is_some(),
                None => subscriber.receive(self::until(until))?.is_some(),
            })
        })
    }
}

/// Receives the newest message, whatever the options say, and even if it has been seen. One of another type than expected is
/// left out.
///
/// Blocks, allocates, kernel: as saltus_domain_receive().
/// Returns SALTUS_NOTHING if there is none until the time is up.
/// Fails: as saltus_domain_receive().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_again(
    subscriber: *mut SaltusDomainSubscriber,
    until: u64,
    message: *mut *const RawMessage,
) -> c_int {
    // SAFETY: as the header demands.
    unsafe {
        receive(subscriber, message, |Receiving { subscriber, expected }| {
            let found = subscriber.again(self::until(until))?.is_some();
            Ok(match expected {
                Some(expected) if found => expected.accepts(subscriber)?,
                _ => found,
            })
        })
    }
}

/// Receives in one way or another: whether there is a message, which is the subscriber's last one then.
#[inline(always)]
unsafe fn receive(
    subscriber: *mut SaltusDomainSubscriber,
    message: *mut *const RawMessage,
    how: impl FnOnce(&mut Receiving) -> Result<bool>,
) -> c_int {
    call(|| {
        const NO_MESSAGE: &str = "the place for the message is NULL";
        // SAFETY: the header demands room for a pointer.
        unsafe { put(message, std::ptr::null(), NO_MESSAGE)? };
        let mut own = own(subscriber)?;
        let own = &mut *own;
        if !how(own)? {
            return Ok(SALTUS_NOTHING);
        }
        let Some(received) = own.subscriber.last_raw() else { return Ok(SALTUS_NOTHING) };
        // SAFETY: not NULL, as was just seen.
        unsafe { put(message, received, NO_MESSAGE)? };
        Ok(SALTUS_OK)
    })
}

/// The most subscribers that are waited for together.
const MOST: usize = 1024;

/// Waits until one of `count` subscribers, at most 1,024, has something unseen, and stores its index in `*index`: the first, if
/// several have. They may be of different domains. Then receive from it with SALTUS_POLL, which finds nothing only if the message
/// was overwritten meanwhile or is of another type. A cancel of any of them calls off the wait, within 100 ms.
///
/// Blocks: until there is something, at most until `until`; SALTUS_POLL never. Allocates: yes. Kernel: yes.
/// Returns SALTUS_NOTHING if the time is up.
/// Fails: SALTUS_CANCELED, SALTUS_SYSTEM, SALTUS_INVALID (NULL, none or too many, or one given twice).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_wait_any(
    subscribers: *const *mut SaltusDomainSubscriber,
    count: usize,
    until: u64,
    index: *mut usize,
) -> c_int {
    call(|| {
        const NO_INDEX: &str = "the place for the index is NULL";
        // SAFETY: the header demands room for a number.
        unsafe { put(index, 0, NO_INDEX)? };
        if subscribers.is_null() || count == 0 {
            return Err(Fail::Misuse("there are no subscribers to wait for"));
        }
        if count > MOST {
            return Err(Fail::Misuse("more than 1,024 subscribers to wait for"));
        }
        // SAFETY: the header demands `count` handles there.
        let handles = unsafe { std::slice::from_raw_parts(subscribers, count) };
        // One that is given twice is busy at the second time.
        let mut all = handles.iter().map(|handle| own(*handle)).collect::<Result<Vec<_>>>()?;
        let mut all: Vec<&mut Subscriber> = all.iter_mut().map(|own| &mut own.subscriber).collect();
        let Some(found) = wait_any(&mut all, self::until(until))? else { return Ok(SALTUS_NOTHING) };
        // SAFETY: not NULL, as was seen above.
        unsafe { put(index, found, NO_INDEX)? };
        Ok(SALTUS_OK)
    })
}

/// A descriptor for poll, epoll or an event loop: readable while there may be something unseen. When it is readable, receive with
/// SALTUS_POLL until there is SALTUS_NOTHING, which lowers it until the next message. Do not read it.
///
/// Ownership: the subscriber keeps the descriptor and closes it in the end.
///
/// Blocks: never. Allocates: the first time. Kernel: the first time; in shared memory that starts a thread for each channel.
/// Fails: SALTUS_NO_SPACE, SALTUS_SYSTEM (no descriptor or thread to be had), SALTUS_INVALID (NULL). `*fd` is -1 then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_event_fd(
    subscriber: *mut SaltusDomainSubscriber,
    fd: *mut c_int,
) -> c_int {
    call(|| {
        const NO_FD: &str = "the place for the descriptor is NULL";
        // SAFETY: the header demands room for a number.
        unsafe { put(fd, -1, NO_FD)? };
        let raw = own(subscriber)?.subscriber.fd()?.as_raw_fd();
        // SAFETY: not NULL, as was just seen.
        unsafe { put(fd, raw, NO_FD)? };
        Ok(SALTUS_OK)
    })
}

/// Calls off the subscriber's present wait, if there is one, and all later ones, which return SALTUS_CANCELED until
/// saltus_domain_cancel_reset(). Receives that do not wait are not affected.
///
/// From any thread, and from signal handlers: async-signal-safe, and errno stays as it was.
/// Blocks: never. Allocates: no. Kernel: one system call.
/// Fails: SALTUS_INVALID (NULL, or closed); saltus_last_error() does not tell of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_cancel(subscriber: *const SaltusDomainSubscriber) -> c_int {
    match used(subscriber, NO_SUBSCRIBER) {
        Ok(subscriber) => quietly(|| subscriber.cancel.cancel()),
        Err(_) => SALTUS_INVALID,
    }
}

/// Lets the subscriber's waits wait again. From any thread.
///
/// Blocks: never. Allocates: no. Kernel: one system call at most.
/// Fails: SALTUS_INVALID (NULL, or closed).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_cancel_reset(subscriber: *const SaltusDomainSubscriber) -> c_int {
    call(|| {
        used(subscriber, NO_SUBSCRIBER)?.cancel.reset();
        Ok(SALTUS_OK)
    })
}

pub(crate) fn own(subscriber: *mut SaltusDomainSubscriber) -> Result<Locked<SaltusDomainSubscriber>> {
    locked(subscriber, NO_SUBSCRIBER)
}
