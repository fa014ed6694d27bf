//! How a publisher wakes those who sleep, without knowing them.
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
//! The futex lies where its sleepers may write, because the kernel finds a writable page by its fast way: a sleep on a
//! read-only mapping costs half a microsecond more. A hostile subscriber gains nothing by it: with the futex calls that
//! reading alone allows it can already delay others until their slice, or wake them for nothing.
//!
//! A count of sleepers would leak when one is killed; a flag would lose one when a publisher is killed between
//! clearing it and waking. Generations do neither: a killed subscriber costs one needless wake, a killed publisher
//! is made good by the next publish of anybody, and until then by the sleepers' own slices. A publisher wakes
//! at most `k`, and each who wakes wakes `k` more, so that the cost of a publish is bounded and has one call. Somebody
//! who finds fewer than `k` has emptied the queue, and says so in `passed`.
//!
//! `asleep` is raised before a sleep and lowered after it, so that it is never too low. It may say "nobody else", and
//! nothing finer: a reader that has the message already may queue before one that has not, and take its wake. A killed
//! sleeper leaves it too high, which costs calls and nothing else.

use crate::memory::Memory;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

/// Byte offset in the channel's page of the generation up to which all have been woken.
pub const WOKEN: usize = 0;
/// Byte offset of the armed generation in the bell page.
pub const ARM: usize = 0;
/// Byte offset of the count of those who sleep, or did when they were killed; a line of its own.
pub const ASLEEP: usize = 128;
/// Byte offset of the bell in the bell page; its low 32 bits are the futex.
pub const BELL: usize = 256;
/// Byte offset in the bell page of the generation before which subscribers have woken all; on the bell's line.
pub const PASSED: usize = 264;
/// No honest bell ever comes so far; what does is a wild store, or says that the page was cut short. [`ring`] then repairs the words, and wakes.
pub const IMPOSSIBLE: u64 = 1 << 62;
/// No honest count of sleepers ever comes so far.
const IMPOSSIBLE_CROWD: u64 = 1 << 32;

/// After a publish: wakes those who sleep, if any. Returns whether it called `wake`.
///
/// `wake(bell, k)` wakes up to `k` sleepers and returns how many it found. Not called when nobody has armed since
/// the last wake. `always` wakes without being asked, for subscribers that may not arm.
#[inline(always)]
pub fn ring<D: Memory, B: Memory>(
    data: &D,
    bell: &B,
    k: u32,
    always: bool,
    wake: impl FnOnce(u32) -> u32,
) -> bool {
    // [w6] SeqCst: pairs with [a3]. Either the sleeper sees our head, or we see that it armed.
    data.fence(SeqCst);
    // [w7] Acquire: `woken` and `arm` must be read before `bell`, so that sound values never look damaged.
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
    // A wild store must not cost a call at every publish, nor all wakes, for ever.
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
    // Release: pairs with [a1]; who sees the new bell sees the message.
    let b = bell.fetch_add(BELL, 1, Release);
    if wake(k) < k {
        // Fewer slept than we would have woken: all who armed for `b` are awake.
        // Release: pairs with the acquire of [w7].
        data.fetch_max(WOKEN, b.wrapping_add(1), Release);
    }
}

/// Before sleeping: arms the bell, and returns the value to sleep on. Afterwards the caller must look once more
/// at the lanes in use and at all heads `[a4]`, and may sleep only if there is nothing. [`disarm`] must follow.
#[inline(always)]
pub fn arm<B: Memory>(bell: &B) -> u64 {
    let at = bell.load(BELL, Acquire); // [a1] pairs with the release in `ring`
    let next = at.wrapping_add(1);
    if bell.load(ARM, Relaxed) != next {
        // [a2] Relaxed: ordered before the second look by the fence.
        bell.fetch_max(ARM, next, Relaxed);
    }
    // Relaxed: ordered by the fence, as [a2]; who is woken together with us sees it, since we queued after it.
    bell.fetch_add(ASLEEP, 1, Relaxed);
    bell.fence(SeqCst); // [a3] pairs with [w6]
    at
}

/// After [`arm`] and perhaps a sleep on `slept_on`, whatever ended it: passes the wake on, if more may be asleep that a
/// publisher has left to us. `wake(k)` wakes up to `k` sleepers and returns how many it found. `[c1]`
///
/// A generation that has ended, and that we slept in or after, is not known to be all awake unless `woken` or `passed`
/// says so. Who finds the queue empty ends the chain; without that, sleepers would keep each other awake for ever.
#[inline(always)]
pub fn disarm<D: Memory, B: Memory>(
    data: &D,
    bell: &B,
    k: u32,
    slept_on: u64,
    wake: impl FnOnce(u32) -> u32,
) {
    // [c1] Acquire: pair with the releases in `ring` and below; read before the bell, and the bell before the count.
    let done = data.load(WOKEN, Acquire).max(bell.load(PASSED, Acquire));
    let at = bell.load(BELL, Acquire);
    // Adding the greatest number takes one away. Relaxed: as in `arm`.
    let alone = bell.fetch_add(ASLEEP, u64::MAX, Relaxed) == 1;
    if done < at.min(slept_on.wrapping_add(1)) && (alone || wake(k) < k) {
        bell.fetch_max(PASSED, at, Release); // nobody is left in the queue: all before `at` are awake
    }
}

/// For those who may not arm, where publishers wake always: the value to sleep on. Afterwards the caller must look
/// once more at the lanes in use and at all heads, and may sleep only if there is nothing. [`rung`] must follow.
pub fn watch<B: Memory>(bell: &B) -> u64 {
    let at = bell.load(BELL, Acquire); // pairs with the release in `ring`
    bell.fence(SeqCst); // pairs with [w6]
    at
}

/// After [`watch`] and perhaps a sleep: whether the bell has rung meanwhile, so that this one must wake `k` more.
pub fn rung<B: Memory>(bell: &B, slept_on: u64) -> bool {
    bell.load(BELL, Relaxed) != slept_on // Relaxed: a stale value costs a slice
}
