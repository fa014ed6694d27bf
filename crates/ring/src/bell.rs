//! How a publisher wakes those who sleep, without knowing them.
//!
//! ```text
//! word     file                written by               meaning
//! bell     data (read-only     publishers, when armed   the futex (its low half); counts wakes
//! woken     for subscribers)   publishers, when armed   all who armed up to here have been woken
//! arm      bell (writable)     subscribers, to sleep    somebody sleeps until bell reaches this
//! asleep   bell (writable)     subscribers, to sleep    how many sleep, or more: a hint that nothing depends on
//! ```
//!
//! A count of sleepers would leak when one is killed; a flag would lose one when a publisher is killed between
//! clearing it and waking. Generations do neither: a killed subscriber costs one needless wake, a killed publisher
//! is made good by the next publish of anybody, and until then by the sleepers' own slices. A publisher wakes
//! at most `k`, and each who wakes wakes `k` more, so that the cost of a publish is bounded and has one call.
//! The hint spares the one who was alone that call. A killed sleeper leaves it too high, which only costs the call.

use crate::memory::Memory;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

/// Byte offset of the bell in the channel's page; its low 32 bits are the futex.
pub const BELL: usize = 0;
/// Byte offset of the generation up to which all have been woken; on the bell's line.
pub const WOKEN: usize = 8;
/// Byte offset of the armed generation in the bell page.
pub const ARM: usize = 0;
/// Byte offset of the count of those who sleep, or did when they were killed; a line of its own.
pub const ASLEEP: usize = 128;

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
    let at = data.load(BELL, Relaxed);
    if armed <= woken && woken <= at && !always {
        return false;
    }
    ring_armed(data, bell, k, woken, armed, at, wake)
}

#[cold]
fn ring_armed<D: Memory, B: Memory>(
    data: &D,
    bell: &B,
    k: u32,
    woken: u64,
    armed: u64,
    at: u64,
    wake: impl FnOnce(u32) -> u32,
) -> bool {
    // A wild store must not cost a call at every publish, nor all wakes, for ever.
    if armed > at + 1 {
        bell.replace(ARM, armed, at + 1);
    }
    if woken > at {
        data.replace(WOKEN, woken, at);
    }
    // Release: pairs with [a1]; who sees the new bell sees the message.
    let b = data.fetch_add(BELL, 1, Release);
    if wake(k) < k {
        // Fewer slept than we would have woken: all who armed for `b` are awake.
        // Release: pairs with the acquire of [w7].
        data.fetch_max(WOKEN, b + 1, Release);
    }
    true
}

/// Before sleeping: arms the bell, and returns the value to sleep on. Afterwards the caller must look once more
/// at the lanes in use and at all heads `[a4]`, and may sleep only if there is nothing. [`disarm`] must follow.
#[inline(always)]
pub fn arm<D: Memory, B: Memory>(data: &D, bell: &B) -> u64 {
    let at = data.load(BELL, Acquire); // [a1] pairs with the release in `ring`
    if bell.load(ARM, Relaxed) != at + 1 {
        // [a2] Relaxed: ordered before the second look by the fence.
        bell.fetch_max(ARM, at + 1, Relaxed);
    }
    // Relaxed: who is woken together with us sees it, since the kernel queued us after it.
    bell.fetch_add(ASLEEP, 1, Relaxed);
    data.fence(SeqCst); // [a3] pairs with [w6]
    at
}

/// After [`arm`] and perhaps a sleep on `slept_on`, whatever ended it: whether more may be asleep, so that this one
/// must wake `k` more. `[c1]`
///
/// Only if the bell has rung meanwhile: otherwise nobody owes a wake, and sleepers that pass wakes on for nothing
/// would keep each other awake for ever.
#[inline(always)]
pub fn disarm<D: Memory, B: Memory>(data: &D, bell: &B, slept_on: u64) -> bool {
    // Adding the greatest number takes one away.
    let others = bell.fetch_add(ASLEEP, u64::MAX, Relaxed) != 1;
    // [c1] Acquire: pairs with the release in `ring`.
    let woken = data.load(WOKEN, Acquire);
    // Relaxed: a stale value costs a needless call, or a slice.
    others && data.load(BELL, Relaxed) != slept_on && bell.load(ARM, Relaxed) > woken
}
