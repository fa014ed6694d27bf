//! The wake-up protocol: a publisher wakes waiting subscribers without a list of them.
//!
//! ```text
//! word     file                written by               meaning
//! woken    data (read-only     publishers, when armed   all who armed up to here have been woken
//!           for subscribers)
//! bell     bell (writable)     publishers, when armed   the futex (its low half); counts wakes
//! arm      bell (writable)     subscribers, to sleep    somebody sleeps until bell reaches this
//! passed   bell (writable)     subscribers, woken       all generations before it have been woken by subscribers
//! asleep   bell (writable)     subscribers, to sleep    how many sleep, or more: spares needless calls
//! ```
//!
//! The futex is in the page that waiting subscribers may write, because the kernel resolves a writable page by a
//! faster path: waiting on a read-only mapping costs half a microsecond more. A hostile subscriber gains nothing
//! from this. With the futex calls that read access alone allows, it can already delay others by up to a wake-up
//! interval, or wake them needlessly.
//!
//! A count of waiting subscribers would leak when one is killed. A flag would be lost when a publisher is killed
//! between clearing it and waking. Generations avoid both: a killed subscriber costs one needless wake, and the
//! next publish by any publisher repairs the effect of a killed one. Until then, waiting subscribers recheck after
//! each wake-up interval. A publisher wakes at most `k` subscribers, and each of these wakes `k` more, so a publish
//! makes one call of bounded cost. A subscriber that wakes fewer than `k` has emptied the queue, and records that
//! in `passed`.
//!
//! `asleep` is raised before a wait and lowered after it, so that it is never too low. It can prove "nobody else
//! waits", and nothing finer: a subscriber that already has the message may queue before one that does not, and use
//! up its wake. A subscriber killed while it waits leaves the count too high, which only costs calls.

use crate::memory::Memory;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

/// Byte offset, in the channel's page, of the generation up to which all waiting subscribers have been woken.
pub const WOKEN: usize = 0;
/// Byte offset of the armed generation in the bell page.
pub const ARM: usize = 0;
/// Byte offset of the count of waiting subscribers, including those killed while waiting; on its own cache line.
pub const ASLEEP: usize = 128;
/// Byte offset of the bell in the bell page; its low 32 bits are the futex.
pub const BELL: usize = 256;
/// Byte offset, in the bell page, of the generation before which subscribers have woken all others; on the bell's
/// line.
pub const PASSED: usize = 264;
/// The bell never reaches this by counting. A greater value is a stray store, or reports that the page was cut short ([`CUT`]); [`ring`]
/// then repairs the words, and wakes.
pub const IMPOSSIBLE: u64 = 1 << 62;
/// The value of the bell in a page that was cut short. Its low half differs from that of a new bell, so that a subscriber that is about to
/// block on a page that is being cut does not block.
pub const CUT: u64 = IMPOSSIBLE | 0xFFFF_FFFF;
/// The count of waiting subscribers never reaches this by counting.
const IMPOSSIBLE_CROWD: u64 = 1 << 32;

/// After a publish: wakes waiting subscribers, if any. Returns whether it called `wake`.
///
/// `wake(bell, k)` wakes up to `k` waiting subscribers and returns how many it found. It is not called when no
/// subscriber has armed since the last wake. `always` wakes in any case, for subscribers that may not arm.
#[inline(always)]
pub fn ring<D: Memory, B: Memory>(
    data: &D,
    bell: &B,
    k: u32,
    always: bool,
    wake: impl FnOnce(u32) -> u32,
) -> bool {
    // [w6] SeqCst: pairs with [a3]. Either the subscriber sees our head, or we see that it armed.
    data.fence(SeqCst);
    // [w7] Acquire: pairs with the releases of `woken` and [a2]. These two are read before `bell`, so that sound values
    // never look damaged.
    let (woken, armed) = (data.load(WOKEN, Acquire), bell.load(ARM, Acquire));
    let at = bell.load(BELL, Relaxed);
    if armed <= woken && woken <= at && at < IMPOSSIBLE && !always {
        return false;
    }
    ring_armed(data, bell, k, [armed, woken, at], wake);
    true
}

#[cold]
fn ring_armed<D: Memory, B: Memory>(
    data: &D,
    bell: &B,
    k: u32,
    [armed, woken, at]: [u64; 3],
    wake: impl FnOnce(u32) -> u32,
) {
    // A stray store must not cost a call at every publish, or suppress all wakes, forever.
    if at >= IMPOSSIBLE {
        bell.store(ARM, 0, Relaxed);
        bell.store(PASSED, 0, Relaxed);
        data.store(WOKEN, 0, Relaxed);
        bell.replace(BELL, at, 0);
    } else {
        if armed > at + 1 {
            bell.replace(ARM, armed, at + 1);
        }
        if woken > at {
            data.replace(WOKEN, woken, at);
        }
    }
    let (passed, asleep) = (bell.load(PASSED, Relaxed), bell.load(ASLEEP, Relaxed));
    if passed > at {
        bell.replace(PASSED, passed, at);
    }
    if asleep >= IMPOSSIBLE_CROWD {
        bell.replace(ASLEEP, asleep, 0);
    }
    // Release: pairs with [a1]: a subscriber that sees the new bell sees the message.
    let b = bell.fetch_add(BELL, 1, Release);
    if wake(k) < k {
        // Fewer waited than we would have woken: all that armed for `b` are awake.
        // Release: pairs with the acquire of [w7].
        data.fetch_max(WOKEN, b.wrapping_add(1), Release);
    }
}

/// Arms the bell before a wait and returns the value to wait on. The caller must then check the lanes in use and
/// all heads again `[a4]`, and may wait only if nothing is unseen. [`disarm`] must follow.
#[inline(always)]
pub fn arm<B: Memory>(bell: &B) -> u64 {
    let at = bell.load(BELL, Acquire); // [a1] pairs with the release in `ring`
    let next = at.wrapping_add(1);
    if bell.load(ARM, Relaxed) != next {
        // [a2] Release: pairs with [w7]: a publisher that sees this sees the bell that we saw, and does not take it for
        // damage. The fence orders it before the second check.
        bell.fetch_max(ARM, next, Release);
    }
    // Relaxed: ordered by the fence, as [a2]; a subscriber woken together with us sees it, since we queued after
    // it.
    bell.fetch_add(ASLEEP, 1, Relaxed);
    bell.fence(SeqCst); // [a3] pairs with [w6]
    at
}

/// After [`arm`] and an optional wait on `slept_on`, however it ended: passes the wake on, if a publisher may have
/// left other waiting subscribers to us. `wake(k)` wakes up to `k` of them and returns how many it found. `[c1]`
///
/// A generation that has ended, and in or after which we waited, is fully awake only if `woken` or `passed` records
/// that. A subscriber that finds the queue empty ends the chain; otherwise, waiting subscribers would keep each
/// other awake forever.
#[inline(always)]
pub fn disarm<D: Memory, B: Memory>(
    data: &D,
    bell: &B,
    k: u32,
    slept_on: u64,
    wake: impl FnOnce(u32) -> u32,
) {
    // [c1] Acquire: pairs with the releases in `ring` and below. Read before the bell, and the bell before the
    // count.
    let done = data.load(WOKEN, Acquire).max(bell.load(PASSED, Acquire));
    let at = bell.load(BELL, Acquire);
    // Adding the greatest number subtracts one. Release: pairs with the fence [a3] of a subscriber that counts itself
    // later. It sees the bell read above, so that it does not sleep on one that we are about to record as passed.
    let alone = bell.fetch_add(ASLEEP, u64::MAX, Release) == 1;
    if done < at.min(slept_on.wrapping_add(1)) && (alone || wake(k) < k) {
        bell.fetch_max(PASSED, at, Release); // the queue is empty: all before `at` are awake
    }
}

/// For subscribers that may not arm, where publishers always wake: returns the value to wait on. The caller must
/// then check the lanes in use and all heads again, and may wait only if nothing is unseen. [`rung`] must follow.
pub fn watch<B: Memory>(bell: &B) -> u64 {
    let at = bell.load(BELL, Acquire); // pairs with the release in `ring`
    bell.fence(SeqCst); // pairs with [w6]
    at
}

/// After [`watch`] and an optional wait: whether the bell has rung since, so that the caller must wake `k` more.
pub fn rung<B: Memory>(bell: &B, slept_on: u64) -> bool {
    bell.load(BELL, Relaxed) != slept_on // Relaxed: a stale value costs a wake-up interval
}
