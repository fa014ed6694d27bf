//! Waiting: until when, for whom, in an event loop, and called off.

use crate::border::{Fail, call, put};
use crate::code::{SALTUS_INVALID, SALTUS_NOTHING, SALTUS_OK};
use crate::handle::{Locked, used};
use crate::subscriber::{NO_SUBSCRIBER, SaltusChannelSubscriber, own};
use saltus_channel::{Subscriber, Until, wait_any};
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// Does not wait.
pub const SALTUS_POLL: u64 = 0;
/// Waits for ever.
pub const SALTUS_FOREVER: u64 = u64::MAX;
/// Set in a time that counts from the call on.
const RELATIVE: u64 = 1 << 63;

/// What C means by a time.
#[inline(always)]
pub(crate) fn until(until: u64) -> Until {
    match until {
        SALTUS_POLL => Until::Poll,
        SALTUS_FOREVER => Until::Forever,
        _ if until & RELATIVE != 0 => Until::For(Duration::from_nanos(until & !RELATIVE)),
        _ => Until::At(until),
    }
}

/// The most subscribers that are waited for together: as many as the kernel takes.
const MOST: usize = 127;

/// Waits until one of `count` subscribers has something unseen, and stores its index in `*index`: the first, if
/// several have. One system call sleeps on all of them. `until`: see "Time". Open views are given up.
///
/// At most 127 subscribers; those that are cancelable (the default) count twice. A saltus_channel_cancel() for any of them
/// calls off the wait, and a retired channel ends it.
///
/// Blocks: until there is something, at most until `until`; SALTUS_POLL never. Allocates: no. Kernel: to sleep.
/// For control loops.
/// Returns SALTUS_NOTHING if the time is up.
/// Fails: SALTUS_CANCELED, SALTUS_RETIRED, SALTUS_INVALID (NULL, none or too many, or one given twice).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_wait_any(
    subscribers: *const *mut SaltusChannelSubscriber,
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
            return Err(Fail::Misuse(
                "more than 127 subscribers to wait for: the kernel takes no more together",
            ));
        }
        // SAFETY: the header demands `count` handles there.
        let handles = unsafe { std::slice::from_raw_parts(subscribers, count) };
        // Rust would not let one be borrowed twice. Few enough to be compared.
        if (1..count).any(|i| handles[..i].contains(&handles[i])) {
            return Err(Fail::Misuse("a subscriber to wait for is given twice"));
        }
        let mut held = Held { all: [const { MaybeUninit::uninit() }; MOST], many: 0 };
        for handle in handles {
            held.add(own(*handle)?);
        }
        let mut all = [const { MaybeUninit::<&mut Subscriber>::uninit() }; MOST];
        for (place, own) in all.iter_mut().zip(held.all()) {
            place.write(own.owner());
        }
        // SAFETY: the first `count` were just written.
        let all = unsafe { &mut *(&raw mut all[..count] as *mut [&mut Subscriber]) };
        let Some(found) = wait_any(all, self::until(until))? else { return Ok(SALTUS_NOTHING) };
        // SAFETY: not NULL, as was seen above.
        unsafe { put(index, found, NO_INDEX)? };
        Ok(SALTUS_OK)
    })
}

/// Subscribers that this call alone uses, without allocating.
struct Held {
    all: [MaybeUninit<Locked<SaltusChannelSubscriber>>; MOST],
    /// So many are there.
    many: usize,
}

impl Held {
    fn add(&mut self, own: Locked<SaltusChannelSubscriber>) {
        self.all[self.many].write(own);
        self.many += 1;
    }
    fn all(&mut self) -> &mut [Locked<SaltusChannelSubscriber>] {
        // SAFETY: so many were written.
        unsafe { &mut *(&raw mut self.all[..self.many] as *mut [Locked<SaltusChannelSubscriber>]) }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: they were written, and are not used again.
        unsafe { std::ptr::drop_in_place(self.all()) };
    }
}

/// A descriptor for poll, epoll or an event loop: readable while there is something unseen. When it is readable,
/// receive until there is SALTUS_NOTHING, which makes it wait for the next message. Do not read it.
///
/// The first call starts a thread in this process that waits on the subscriber's behalf; publishers know nothing of
/// it. Ownership: the subscriber keeps the descriptor and closes it in the end.
///
/// Blocks: never. Allocates: the first time. Kernel: the first time.
/// Fails: SALTUS_NO_SPACE, SALTUS_SYSTEM (no descriptor or thread to be had), SALTUS_INVALID (NULL). `*fd` is -1 then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_event_fd(
    subscriber: *mut SaltusChannelSubscriber,
    fd: *mut c_int,
) -> c_int {
    call(|| {
        const NO_FD: &str = "the place for the descriptor is NULL";
        // SAFETY: the header demands room for a number.
        unsafe { put(fd, -1, NO_FD)? };
        let raw = own(subscriber)?.owner().event_fd()?.as_raw_fd();
        // SAFETY: not NULL, as was just seen.
        unsafe { put(fd, raw, NO_FD)? };
        Ok(SALTUS_OK)
    })
}

/// Calls off the subscriber's present wait, if there is one, and all later ones, which return SALTUS_CANCELED until
/// saltus_channel_cancel_reset(); a signal just before a wait is not lost. Receives that do not wait are not affected.
///
/// From any thread, and from signal handlers: async-signal-safe, and errno stays as it was.
/// Blocks: never. Allocates: no. Kernel: one system call.
/// Fails: SALTUS_INVALID (NULL, or the subscriber is not cancelable); saltus_last_error() does not tell of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_cancel(subscriber: *const SaltusChannelSubscriber) -> c_int {
    let Ok(subscriber) = used(subscriber, NO_SUBSCRIBER) else { return SALTUS_INVALID };
    let Some(cancel) = &subscriber.cancel else { return SALTUS_INVALID };
    quietly(|| cancel.cancel())
}

/// Does something that may be done in a signal handler: what it interrupted finds its errno as it was.
pub(crate) fn quietly(cancel: impl FnOnce()) -> c_int {
    // SAFETY: each thread has its errno, always.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let before = unsafe { *errno };
    cancel();
    // SAFETY: as above.
    unsafe { *errno = before };
    SALTUS_OK
}

/// Lets the subscriber's waits wait again. From any thread.
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or the subscriber is not cancelable).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_cancel_reset(subscriber: *const SaltusChannelSubscriber) -> c_int {
    call(|| {
        let subscriber = used(subscriber, NO_SUBSCRIBER)?;
        let cancel = subscriber.cancel.as_ref();
        cancel.ok_or(Fail::Misuse("this subscriber was opened as not cancelable"))?.reset();
        Ok(SALTUS_OK)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_poll_or_relative_or_absolute_or_for_ever() {
        assert_eq!(until(SALTUS_POLL), Until::Poll);
        assert_eq!(until(SALTUS_FOREVER), Until::Forever);
        assert_eq!(until(1), Until::At(1));
        assert_eq!(until(RELATIVE - 1), Until::At(RELATIVE - 1));
        assert_eq!(until(RELATIVE), Until::For(Duration::ZERO));
        assert_eq!(until(RELATIVE | 5_000_000), Until::For(Duration::from_millis(5)));
    }
}
