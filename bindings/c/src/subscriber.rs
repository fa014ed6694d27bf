//! Subscribers of a channel: opened, positioned, counted, waited for, canceled.

use crate::border::{Fail, call, put};
use crate::channel::SaltusChannel;
use crate::clock::until;
use crate::code::{SALTUS_OK, SaltusError};
use crate::handle::{Locked, close, kind, locked, open, shared};
use crate::lender::Lender;
use crate::options::{self, SaltusChannelOptions};
use crate::wait::{self, Cancelable};
use saltus_channel::{Subscriber, View, wait_any};
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;

/// A subscriber of a channel. One thread at a time may use it: a second call at the same time is refused, except to cancel. Another
/// thread opens its own.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaltusChannelSubscriber {
    /// A number; 0 if the handle is not open.
    pub id: u64,
}
// The lender's owner is the subscriber. Access to the owner gives up a view that was not validated.
kind!(SaltusChannelSubscriber, 3, "the subscriber", Cancelable<Lender<Subscriber, View<'static>>>);

/// saltus_channel_subscriber_open opens a subscriber of the channel. `options`: NULL for the defaults. You close `*subscriber` with
/// saltus_channel_subscriber_close(); its id is 0 if the call fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_subscriber_open(
    channel: SaltusChannel,
    options: *const SaltusChannelOptions,
    subscriber: *mut SaltusChannelSubscriber,
) -> SaltusError {
    let join = || {
        // SAFETY: the header demands that no thread closes it in the meantime, and options with their size.
        let (channel, (options, cancelable)) = unsafe { (shared(channel)?, options::read(options)?) };
        let mut subscriber = channel.subscriber_with(options)?;
        let cancel = cancelable.then(|| subscriber.cancel_handle());
        Ok(Some(Cancelable::new(Lender::new(subscriber), cancel)))
    };
    // SAFETY: the header demands a place for a handle.
    unsafe { open(subscriber, join) }
}

/// saltus_channel_subscriber_close closes a subscriber and its event descriptor.
///
/// Blocks: until the thread of its event descriptor ends, if it has one. Allocates: no. Kernel: yes.
/// Fails: SALTUS_INVALID (closed already).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_subscriber_close(subscriber: SaltusChannelSubscriber) -> SaltusError {
    close(subscriber)
}

/// saltus_channel_flush moves the subscriber behind the newest message. Messages not yet received count as missed.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (closed).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_flush(subscriber: SaltusChannelSubscriber) -> SaltusError {
    call(|| {
        locked(subscriber)?.owner().flush();
        Ok(SALTUS_OK)
    })
}

/// saltus_channel_seek_oldest moves the subscriber back to the oldest message kept. Messages that are received again count again.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (closed).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_seek_oldest(subscriber: SaltusChannelSubscriber) -> SaltusError {
    call(|| {
        locked(subscriber)?.owner().seek_oldest();
        Ok(SALTUS_OK)
    })
}

/// saltus_channel_counts returns how many messages the subscriber has received and how many it has missed. The sum is all messages from
/// its start to its position.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (NULL, or closed).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_counts(
    subscriber: SaltusChannelSubscriber,
    received: *mut u64,
    missed: *mut u64,
) -> SaltusError {
    call(|| {
        const NULL: &str = "a place for the counts is NULL";
        let mut own = locked(subscriber)?;
        let subscriber = own.owner();
        // SAFETY: the header demands room for two numbers.
        unsafe {
            put(received, subscriber.received(), NULL)?;
            put(missed, subscriber.missed(), NULL)?;
        }
        Ok(SALTUS_OK)
    })
}

/// The most subscribers that are waited for together: as many as the kernel takes.
const MOST: usize = 127;
const TOO_MANY: &str = "more than 127 subscribers to wait for: the kernel takes no more together";

/// saltus_channel_wait_any waits until one of `count` subscribers has a new message, and stores its index in `*index`: the first, if
/// several have one. One system call waits for all of them. `until`: see "Time". It ends open views.
///
/// At most 127 subscribers; cancelable ones (the default) count twice. A saltus_channel_cancel() for any of them cancels the wait, and
/// a retired channel ends it.
///
/// Blocks: until there is a message, at most until `until`; SALTUS_POLL never. Allocates: no. Kernel: to sleep.
/// For control loops.
/// Returns SALTUS_NOTHING if no message arrives in time.
/// Fails: SALTUS_CANCELED, SALTUS_RETIRED, SALTUS_INVALID (NULL, closed, none or too many, or one given twice).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_wait_any(
    subscribers: *const SaltusChannelSubscriber,
    count: usize,
    until: u64,
    index: *mut usize,
) -> SaltusError {
    let wait = |handles: &[SaltusChannelSubscriber]| {
        // Rust does not allow borrowing one twice. There are few enough to compare.
        if (1..count).any(|i| handles[..i].contains(&handles[i])) {
            return Err(Fail::Misuse("a subscriber to wait for is given twice"));
        }
        let mut held = Held { all: [const { MaybeUninit::uninit() }; MOST], many: 0 };
        for handle in handles {
            held.add(locked(*handle)?);
        }
        let mut all = [const { MaybeUninit::<&mut Subscriber>::uninit() }; MOST];
        for (place, own) in all.iter_mut().zip(held.all()) {
            place.write(own.owner());
        }
        // SAFETY: the first `count` were just written.
        let all = unsafe { &mut *(&raw mut all[..count] as *mut [&mut Subscriber]) };
        Ok(wait_any(all, self::until(until))?)
    };
    // SAFETY: as the header demands.
    unsafe { wait::any((subscribers, count), (MOST, TOO_MANY), index, wait) }
}

/// Subscribers that this call alone uses, without allocating.
struct Held {
    all: [MaybeUninit<Locked<SaltusChannelSubscriber>>; MOST],
    /// The number written.
    many: usize,
}

impl Held {
    fn add(&mut self, own: Locked<SaltusChannelSubscriber>) {
        self.all[self.many].write(own);
        self.many += 1;
    }
    fn all(&mut self) -> &mut [Locked<SaltusChannelSubscriber>] {
        // SAFETY: as many were written.
        unsafe { &mut *(&raw mut self.all[..self.many] as *mut [Locked<SaltusChannelSubscriber>]) }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: they were written, and are not used again.
        unsafe { std::ptr::drop_in_place(self.all()) };
    }
}

/// saltus_channel_event_fd returns a descriptor for poll, epoll or an event loop, which is readable while there is a new message. When it
/// is readable, receive until SALTUS_NOTHING, which lowers it until the next message. Do not read it.
///
/// The first call starts a thread in this process that waits for the subscriber; publishers are not affected.
/// Ownership: the subscriber keeps the descriptor and closes it.
///
/// Blocks: never. Allocates: the first time. Kernel: the first time.
/// Fails: SALTUS_NO_SPACE, SALTUS_SYSTEM (no descriptor or thread available), SALTUS_INVALID (NULL, or closed). `*fd` is then -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_event_fd(
    subscriber: SaltusChannelSubscriber,
    fd: *mut c_int,
) -> SaltusError {
    // SAFETY: as the header demands.
    unsafe { wait::descriptor(fd, || Ok(locked(subscriber)?.owner().event_fd()?.as_raw_fd())) }
}

/// saltus_channel_cancel cancels the subscriber's current wait, if any, and all later ones: they return SALTUS_CANCELED until
/// saltus_channel_cancel_reset(). A call just before a wait begins is not lost. Calls that do not wait are not affected.
///
/// From any thread, and from signal handlers: async-signal-safe, and errno stays as it was.
/// Blocks: never. Allocates: no. Kernel: one system call.
/// Fails: SALTUS_INVALID (closed, or not cancelable); saltus_last_error() does not report it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_cancel(subscriber: SaltusChannelSubscriber) -> SaltusError {
    wait::cancel(subscriber)
}

/// saltus_channel_cancel_reset lets the subscriber's waits wait again. From any thread.
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (closed, or not cancelable).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_cancel_reset(subscriber: SaltusChannelSubscriber) -> SaltusError {
    wait::reset(subscriber)
}
