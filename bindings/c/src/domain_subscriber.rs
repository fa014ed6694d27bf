//! Receiving from a domain.

use crate::border::{Result, call, name, put};
use crate::clock::until;
use crate::code::{SALTUS_NOTHING, SALTUS_OK, SaltusError};
use crate::domain::SaltusDomain;
use crate::domain_message::{self, RawMessage, SaltusDomainOptions};
use crate::handle::{close, kind, locked, open, used};
use crate::types::{SaltusTypeCallback, call_each};
use crate::wait::{self, Cancelable};
use saltus_domain::{Expected, Name, Subscriber, wait_any};
use std::ffi::{c_char, c_int, c_void};
use std::os::fd::AsRawFd;

/// A subscriber of one or many channels of a domain. One call at a time may use it: a second call at the same time is refused, except to
/// cancel.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaltusDomainSubscriber {
    /// A number; 0 if the handle is not open.
    pub id: u64,
}
kind!(SaltusDomainSubscriber, 6, "the subscriber", Cancelable<Receiving>);

/// A subscriber, and the type of its messages.
pub(crate) struct Receiving {
    subscriber: Subscriber,
    expected: Option<Expected>,
}

/// saltus_domain_subscriber_open subscribes to `channels`: a name, or a pattern if the options say so; NULL is all channels. The channels
/// need not exist yet. `options`: NULL for the defaults. You close `*subscriber` with saltus_domain_subscriber_close(); its id is 0 if
/// the call fails.
///
/// Blocks: in the file system, or while it joins a network. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID, SALTUS_UNSUPPORTED, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_NETWORK, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_subscriber_open(
    domain: SaltusDomain,
    channels: *const c_char,
    options: *const SaltusDomainOptions,
    subscriber: *mut SaltusDomainSubscriber,
) -> SaltusError {
    let make = || {
        // SAFETY: the header demands a string and options with their size, or NULL.
        let (mut subscriber, expected) = unsafe { subscribe(domain, channels, options)? };
        let cancel = subscriber.cancel_handle();
        Ok(Some(Cancelable::new(Receiving { subscriber, expected }, Some(cancel))))
    };
    // SAFETY: the header demands a place for a handle.
    unsafe { open(subscriber, make) }
}

/// A subscriber, and the type of its messages.
pub(crate) unsafe fn subscribe(
    domain: SaltusDomain,
    channels: *const c_char,
    options: *const SaltusDomainOptions,
) -> Result<(Subscriber, Option<Expected>)> {
    // SAFETY: as the caller has it.
    let (pattern, options, of) = unsafe { domain_message::read(channels, options)? };
    let domain = used(domain)?;
    Ok(match of {
        Some(of) => (domain.subscriber_described(pattern, options, &of)?, Some(Expected::new(of))),
        None => (domain.subscriber_with(pattern, options)?, None),
    })
}

/// saltus_domain_subscriber_close closes a subscriber with its event descriptor and the message it received last.
///
/// Blocks: until its own threads end; if nothing else of the domain is open, as saltus_domain_close(). Allocates: no.
/// Kernel: yes.
/// Fails: SALTUS_INVALID (closed already).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_subscriber_close(subscriber: SaltusDomainSubscriber) -> SaltusError {
    close(subscriber)
}

/// saltus_domain_receive receives the newest message if it is new, or the next one, as the subscriber's options say. `*message` points to
/// it, in memory of the subscriber, until the next call with the subscriber. It is NULL without a message and on failure.
///
/// Blocks: until a message arrives, at most until `until` (see "Time"); SALTUS_POLL never. Allocates: for a message longer than all
/// before it. Kernel: to sleep, to look for new channels, and, on a network, to receive.
/// Returns SALTUS_NOTHING if there is no new message in time.
/// Fails: SALTUS_CANCELED, SALTUS_WRONG_TYPE (call again), SALTUS_ENDED, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_NETWORK,
/// SALTUS_SYSTEM, SALTUS_INVALID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_receive(
    subscriber: SaltusDomainSubscriber,
    until: u64,
    message: *mut *const RawMessage,
) -> SaltusError {
    // SAFETY: as the header demands.
    unsafe {
        receive(subscriber, message, |Receiving { subscriber, expected }| {
            // The time is computed where it is used: a value stored in parts and loaded at once stalls the CPU.
            Ok(match expected {
                Some(expected) => expected.receive(subscriber, self::until(until))?.is_some(),
                None => subscriber.receive(self::until(until))?.is_some(),
            })
        })
    }
}

/// saltus_domain_current receives the newest message, whatever the options say and even if it was already received. It skips a message of
/// another type than expected.
///
/// Blocks, allocates, kernel: as saltus_domain_receive().
/// Returns SALTUS_NOTHING if there is no message in time.
/// Fails: as saltus_domain_receive().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_current(
    subscriber: SaltusDomainSubscriber,
    until: u64,
    message: *mut *const RawMessage,
) -> SaltusError {
    // SAFETY: as the header demands.
    unsafe {
        receive(subscriber, message, |Receiving { subscriber, expected }| {
            let found = subscriber.current(self::until(until))?.is_some();
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
    subscriber: SaltusDomainSubscriber,
    message: *mut *const RawMessage,
    how: impl FnOnce(&mut Receiving) -> Result<bool>,
) -> SaltusError {
    call(|| {
        const NO_MESSAGE: &str = "the place for the message is NULL";
        // SAFETY: the header demands room for a pointer.
        unsafe { put(message, std::ptr::null(), NO_MESSAGE)? };
        let mut own = locked(subscriber)?;
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
const TOO_MANY: &str = "more than 1,024 subscribers to wait for";

/// saltus_domain_wait_any waits until one of `count` subscribers, at most 1,024, has a new message, and stores its index in `*index`: the
/// first, if several have one. They may be of different domains. Then receive from it with SALTUS_POLL, which returns nothing only if
/// the message was overwritten in the meantime or is of another type. A cancel of any of them cancels the wait, within 100 ms.
///
/// Blocks: until there is a message, at most until `until`; SALTUS_POLL never. Allocates: yes. Kernel: yes.
/// Returns SALTUS_NOTHING if no message arrives in time.
/// Fails: SALTUS_CANCELED, SALTUS_SYSTEM, SALTUS_INVALID (NULL, closed, none or too many, or one given twice).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_wait_any(
    subscribers: *const SaltusDomainSubscriber,
    count: usize,
    until: u64,
    index: *mut usize,
) -> SaltusError {
    let wait = |handles: &[SaltusDomainSubscriber]| {
        // A subscriber that is given twice is busy the second time.
        let mut all = handles.iter().map(|handle| locked(*handle)).collect::<Result<Vec<_>>>()?;
        let mut all: Vec<&mut Subscriber> = all.iter_mut().map(|own| &mut own.subscriber).collect();
        Ok(wait_any(&mut all, self::until(until))?)
    };
    // SAFETY: as the header demands.
    unsafe { wait::any((subscribers, count), (MOST, TOO_MANY), index, wait) }
}

/// saltus_domain_event_fd returns a descriptor for poll, epoll or an event loop, which is readable while there may be a new message. When
/// it is readable, receive with SALTUS_POLL until SALTUS_NOTHING, which lowers it until the next message. Do not read it.
///
/// Ownership: the subscriber keeps the descriptor and closes it.
///
/// Blocks: never. Allocates: the first time. Kernel: the first time; in shared memory it starts a thread for each channel.
/// Fails: SALTUS_NO_SPACE, SALTUS_SYSTEM (no descriptor or thread available), SALTUS_INVALID (NULL, or closed). `*fd` is then -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_event_fd(
    subscriber: SaltusDomainSubscriber,
    fd: *mut c_int,
) -> SaltusError {
    // SAFETY: as the header demands.
    unsafe { wait::descriptor(fd, || Ok(locked(subscriber)?.subscriber.fd()?.as_raw_fd())) }
}

/// saltus_domain_cancel cancels the subscriber's current wait, if any, and all later ones: they return SALTUS_CANCELED until
/// saltus_domain_cancel_reset(). Calls that do not wait are not affected.
///
/// From any thread, and from signal handlers: async-signal-safe, and errno stays as it was.
/// Blocks: never. Allocates: no. Kernel: one system call.
/// Fails: SALTUS_INVALID (closed); saltus_last_error() does not report it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_cancel(subscriber: SaltusDomainSubscriber) -> SaltusError {
    wait::cancel(subscriber)
}

/// saltus_domain_cancel_reset lets the subscriber's waits wait again. From any thread.
///
/// Blocks: never. Allocates: no. Kernel: at most one system call.
/// Fails: SALTUS_INVALID (closed).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_cancel_reset(subscriber: SaltusDomainSubscriber) -> SaltusError {
    wait::reset(subscriber)
}

/// saltus_domain_descriptions calls `each` with every type that publishers registered for the messages of `channel`, one that the
/// subscriber has joined, in this thread. Only some transports, such as shared memory, keep types. It passes `context` on. Do not use
/// the subscriber in `each`.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID (NULL, closed, or a bad name).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_descriptions(
    subscriber: SaltusDomainSubscriber,
    channel: *const c_char,
    each: SaltusTypeCallback,
    context: *mut c_void,
) -> SaltusError {
    call(|| {
        // SAFETY: the header demands a string.
        let name = Name::new(unsafe { name(channel)? })?;
        let types = locked(subscriber)?.subscriber.descriptions(&name);
        // SAFETY: the header demands a function of this kind.
        unsafe { call_each(types, each, context) }
    })
}

/// saltus_domain_mismatched returns the number of messages that the subscriber skipped because they are of another type than expected.
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or closed). `*mismatched` is then 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_mismatched(
    subscriber: SaltusDomainSubscriber,
    mismatched: *mut u64,
) -> SaltusError {
    call(|| {
        const NO_PLACE: &str = "the place for the number is NULL";
        // SAFETY: the header demands room for a number.
        unsafe { put(mismatched, 0, NO_PLACE)? };
        let skipped = locked(subscriber)?.expected.as_ref().map_or(0, Expected::mismatched);
        // SAFETY: not NULL, as was just seen.
        unsafe { put(mismatched, skipped, NO_PLACE)? };
        Ok(SALTUS_OK)
    })
}
