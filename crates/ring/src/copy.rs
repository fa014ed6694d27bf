//! Copying message bytes in and out of shared memory.
//!
//! A reader may copy while the publisher overwrites; the validation that follows throws such a copy away.
//! A plain `memcpy` would be a data race in the language's terms, and the compiler might read twice. So there
//! are two forms. The portable one is a loop of relaxed 64-bit atomics, sound by the letter, used on the heap,
//! under Miri and thread sanitizer (`--cfg tsan`) and on targets without the other. The fast one is inline assembly, which to the compiler is one
//! opaque block and to the machine is some order of plain loads and stores, just what relaxed atomics are:
//! 16-byte moves for small messages, `rep movsb` for large ones (memcpy's own speed; see the benchmarks).

use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU64, Ordering};

/// Copies into shared words, portable form; the last word is padded with zeros.
pub(crate) fn words_in(to: &[AtomicU64], bytes: &[u8]) {
    let (chunks, tail) = bytes.as_chunks::<8>();
    for (word, chunk) in to.iter().zip(chunks) {
        // Relaxed: published by the release stores of the slot and the head that follow [w4, w5].
        word.store(u64::from_le_bytes(*chunk), Ordering::Relaxed);
    }
    if !tail.is_empty() {
        let mut last = [0; 8];
        last[..tail.len()].copy_from_slice(tail);
        // Relaxed: as above.
        to[chunks.len()].store(u64::from_le_bytes(last), Ordering::Relaxed);
    }
}

/// Copies out of shared words, portable form.
pub(crate) fn words_out(from: &[AtomicU64], out: &mut [MaybeUninit<u8>]) {
    for (word, chunk) in from.iter().zip(out.chunks_mut(8)) {
        // Relaxed: ordered before the validation by its acquire fence [rf].
        let bytes = word.load(Ordering::Relaxed).to_le_bytes();
        for (to, byte) in chunk.iter_mut().zip(bytes) {
            to.write(byte);
        }
    }
}

/// Copies `len` bytes into shared memory.
///
/// # Safety
///
/// `to` must be writable for `len` rounded up to eight and aligned to eight; `from` readable for `len`.
#[inline(always)]
pub(crate) unsafe fn into_shared(to: *mut u8, from: *const u8, len: usize) {
    #[cfg(all(target_arch = "x86_64", not(any(miri, tsan))))]
    // SAFETY: the caller's promise.
    unsafe {
        move_bytes(to, from, len);
    }
    #[cfg(not(all(target_arch = "x86_64", not(any(miri, tsan)))))]
    // SAFETY: the caller's promise; AtomicU64 has the layout of u64.
    unsafe {
        let words = core::slice::from_raw_parts(to.cast::<AtomicU64>(), len.div_ceil(8));
        words_in(words, core::slice::from_raw_parts(from, len));
    }
}

/// Copies `len` bytes out of shared memory.
///
/// # Safety
///
/// `from` must be readable for `len` rounded up to eight and aligned to eight; `to` writable for `len`.
#[inline(always)]
pub(crate) unsafe fn out_of_shared(to: *mut u8, from: *const u8, len: usize) {
    #[cfg(all(target_arch = "x86_64", not(any(miri, tsan))))]
    // SAFETY: the caller's promise.
    unsafe {
        move_bytes(to, from, len);
    }
    #[cfg(not(all(target_arch = "x86_64", not(any(miri, tsan)))))]
    // SAFETY: the caller's promise; AtomicU64 has the layout of u64.
    unsafe {
        let words = core::slice::from_raw_parts(from.cast::<AtomicU64>(), len.div_ceil(8));
        words_out(words, core::slice::from_raw_parts_mut(to.cast(), len));
    }
}

/// From this length on `rep movsb` wins over the loop of 16-byte moves.
#[cfg(all(target_arch = "x86_64", not(any(miri, tsan))))]
const STRING_MOVE: usize = 512;

/// Moves bytes without the compiler looking on.
///
/// # Safety
///
/// `from` readable and `to` writable for `len` bytes, not overlapping.
#[cfg(all(target_arch = "x86_64", not(any(miri, tsan))))]
#[inline(always)]
unsafe fn move_bytes(to: *mut u8, from: *const u8, len: usize) {
    if len >= STRING_MOVE {
        // SAFETY: the caller's promise; the direction flag is clear by the ABI.
        unsafe {
            core::arch::asm!("rep movsb", inout("rcx") len => _, inout("rdi") to => _, inout("rsi") from => _,
                options(nostack, preserves_flags));
        }
        return;
    }
    // SAFETY: each step moves at most what is left of `len`; the last step of a piece of 16 bytes or more
    // overlaps the one before it instead of running over.
    unsafe {
        if len >= 16 {
            let mut at = 0;
            while at + 64 <= len {
                core::arch::asm!(
                    "movups {a}, [{f}]", "movups {b}, [{f} + 16]", "movups {c}, [{f} + 32]", "movups {d}, [{f} + 48]",
                    "movups [{t}], {a}", "movups [{t} + 16], {b}", "movups [{t} + 32], {c}", "movups [{t} + 48], {d}",
                    f = in(reg) from.add(at), t = in(reg) to.add(at),
                    a = out(xmm_reg) _, b = out(xmm_reg) _, c = out(xmm_reg) _, d = out(xmm_reg) _,
                    options(nostack, preserves_flags));
                at += 64;
            }
            while at < len {
                let here = at.min(len - 16);
                core::arch::asm!("movups {a}, [{f}]", "movups [{t}], {a}", f = in(reg) from.add(here),
                    t = in(reg) to.add(here), a = out(xmm_reg) _, options(nostack, preserves_flags));
                at = here + 16;
            }
        } else if len >= 8 {
            for here in [0, len - 8] {
                core::arch::asm!("mov {a}, [{f}]", "mov [{t}], {a}", f = in(reg) from.add(here),
                    t = in(reg) to.add(here), a = out(reg) _, options(nostack, preserves_flags));
            }
        } else {
            for here in 0..len {
                core::arch::asm!("mov {a}, [{f}]", "mov [{t}], {a}", f = in(reg) from.add(here),
                    t = in(reg) to.add(here), a = out(reg_byte) _, options(nostack, preserves_flags));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both forms move every length to the byte and nothing else.
    #[test]
    fn every_length_arrives_to_the_byte() {
        for len in (0..200).chain([511, 512, 513, 4095, 65_537]) {
            let source: Vec<u8> = (0..len).map(|i| (i * 7 + len) as u8).collect();
            let words: Vec<AtomicU64> = (0..len / 8 + 2).map(|_| AtomicU64::new(u64::MAX)).collect();
            // SAFETY: the words have room for `len` rounded up to eight, and are aligned.
            unsafe { into_shared(words.as_ptr() as *mut u8, source.as_ptr(), len) };
            assert_eq!(words[len.div_ceil(8)].load(Ordering::Relaxed), u64::MAX, "length {len} ran over");
            let mut out = vec![0xEE; len + 1];
            // SAFETY: `out` has room for `len`, and the words were filled above.
            unsafe { out_of_shared(out.as_mut_ptr(), words.as_ptr().cast(), len) };
            assert_eq!((&out[..len], out[len]), (&source[..], 0xEE), "length {len}");
            let mut out = vec![MaybeUninit::new(0xEE); len];
            words_in(&words, &source);
            words_out(&words, &mut out);
            // SAFETY: `words_out` has written every byte.
            assert!(out.iter().zip(&source).all(|(a, b)| unsafe { a.assume_init() } == *b), "length {len}");
        }
    }
}
