//! Copying message bytes into and out of shared memory.
//!
//! A reader may copy while the publisher overwrites; the validation that follows discards such a copy.
//! A plain `memcpy` would be a data race in the language's terms, and the compiler might read twice. So there
//! are two forms. The portable one is a loop of relaxed 64-bit atomics, sound by the letter. It is used on the heap,
//! under Miri and thread sanitizer (`--cfg tsan`), and on processors without the other. The fast one is inline assembly. To the
//! compiler it is one opaque block, and to the machine some order of plain loads and stores, which relaxed atomics are as well:
//! moves of 16 bytes, and on x86-64 `rep movsb` for large messages (as fast as memcpy; see the benchmarks).

#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(any(miri, tsan))))]
pub(crate) use fast::{move_bytes as into_shared, move_bytes as out_of_shared};
#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(any(miri, tsan)))))]
pub(crate) use portable::{into_shared, out_of_shared};
pub(crate) use portable::{words_in, words_out};

/// Copies in relaxed 64-bit atomics.
mod portable {
    use core::mem::MaybeUninit;
    use core::sync::atomic::{AtomicU64, Ordering};

    /// Copies into shared words; pads the last one with zeros.
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

    /// Copies out of shared words.
    pub(crate) fn words_out(from: &[AtomicU64], out: &mut [MaybeUninit<u8>]) {
        for (word, chunk) in from.iter().zip(out.chunks_mut(8)) {
            // Relaxed: ordered before the validation by its acquire fence [rf].
            let bytes = word.load(Ordering::Relaxed).to_le_bytes();
            for (to, byte) in chunk.iter_mut().zip(bytes) {
                to.write(byte);
            }
        }
    }

    /// Copies `len` bytes into shared memory. Without a byte to copy, both pointers may be anything.
    ///
    /// # Safety
    ///
    /// `to` must be writable for `len` rounded up to eight and aligned to eight; `from` readable for `len`.
    #[cfg_attr(not(test), allow(dead_code))] // where there is no fast form, and in tests
    pub(crate) unsafe fn into_shared(to: *mut u8, from: *const u8, len: usize) {
        if len == 0 {
            return; // even an empty slice must be aligned
        }
        // SAFETY: the caller's promise; AtomicU64 has the layout of u64.
        unsafe {
            let words = core::slice::from_raw_parts(to.cast::<AtomicU64>(), len.div_ceil(8));
            words_in(words, core::slice::from_raw_parts(from, len));
        }
    }

    /// Copies `len` bytes out of shared memory. Without a byte to copy, both pointers may be anything.
    ///
    /// # Safety
    ///
    /// `from` must be readable for `len` rounded up to eight and aligned to eight; `to` writable for `len`.
    #[cfg_attr(not(test), allow(dead_code))] // as above
    pub(crate) unsafe fn out_of_shared(to: *mut u8, from: *const u8, len: usize) {
        if len == 0 {
            return; // even an empty slice must be aligned
        }
        // SAFETY: the caller's promise; AtomicU64 has the layout of u64.
        unsafe {
            let words = core::slice::from_raw_parts(from.cast::<AtomicU64>(), len.div_ceil(8));
            words_out(words, core::slice::from_raw_parts_mut(to.cast(), len));
        }
    }
}

/// Copies by instructions that the compiler does not look into.
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(any(miri, tsan))))]
mod fast {
    /// Moves 16 bytes; `64` moves 64. Each reads all its bytes before it writes any.
    #[cfg(target_arch = "x86_64")]
    macro_rules! move_block {
        (64, $to:expr, $from:expr) => {
            core::arch::asm!(
                "movups {a}, [{f}]", "movups {b}, [{f} + 16]", "movups {c}, [{f} + 32]", "movups {d}, [{f} + 48]",
                "movups [{t}], {a}", "movups [{t} + 16], {b}", "movups [{t} + 32], {c}", "movups [{t} + 48], {d}",
                f = in(reg) $from, t = in(reg) $to,
                a = out(xmm_reg) _, b = out(xmm_reg) _, c = out(xmm_reg) _, d = out(xmm_reg) _,
                options(nostack, preserves_flags))
        };
        (16, $to:expr, $from:expr) => {
            core::arch::asm!("movups {a}, [{f}]", "movups [{t}], {a}", f = in(reg) $from, t = in(reg) $to,
                a = out(xmm_reg) _, options(nostack, preserves_flags))
        };
        (8, $to:expr, $from:expr) => {
            core::arch::asm!("mov {a}, [{f}]", "mov [{t}], {a}", f = in(reg) $from, t = in(reg) $to,
                a = out(reg) _, options(nostack, preserves_flags))
        };
        (1, $to:expr, $from:expr) => {
            core::arch::asm!("mov {a}, [{f}]", "mov [{t}], {a}", f = in(reg) $from, t = in(reg) $to,
                a = out(reg_byte) _, options(nostack, preserves_flags))
        };
    }
    #[cfg(target_arch = "aarch64")]
    macro_rules! move_block {
        (64, $to:expr, $from:expr) => {
            core::arch::asm!(
                "ldp {a:q}, {b:q}, [{f}]", "ldp {c:q}, {d:q}, [{f}, #32]",
                "stp {a:q}, {b:q}, [{t}]", "stp {c:q}, {d:q}, [{t}, #32]",
                f = in(reg) $from, t = in(reg) $to,
                a = out(vreg) _, b = out(vreg) _, c = out(vreg) _, d = out(vreg) _,
                options(nostack, preserves_flags))
        };
        (16, $to:expr, $from:expr) => {
            core::arch::asm!("ldr {a:q}, [{f}]", "str {a:q}, [{t}]", f = in(reg) $from, t = in(reg) $to,
                a = out(vreg) _, options(nostack, preserves_flags))
        };
        (8, $to:expr, $from:expr) => {
            core::arch::asm!("ldr {a:x}, [{f}]", "str {a:x}, [{t}]", f = in(reg) $from, t = in(reg) $to,
                a = out(reg) _, options(nostack, preserves_flags))
        };
        (1, $to:expr, $from:expr) => {
            core::arch::asm!("ldrb {a:w}, [{f}]", "strb {a:w}, [{t}]", f = in(reg) $from, t = in(reg) $to,
                a = out(reg) _, options(nostack, preserves_flags))
        };
    }

    /// From this length on `rep movsb` is faster than the loop of 16-byte moves.
    #[cfg(target_arch = "x86_64")]
    const STRING_MOVE: usize = 512;

    /// Moves `len` bytes, at any alignment.
    ///
    /// # Safety
    ///
    /// `from` readable and `to` writable for `len` bytes, not overlapping.
    #[inline(always)]
    pub(crate) unsafe fn move_bytes(to: *mut u8, from: *const u8, len: usize) {
        #[cfg(target_arch = "x86_64")]
        if len >= STRING_MOVE {
            // SAFETY: the caller's promise; the direction flag is clear by the ABI.
            unsafe {
                core::arch::asm!("rep movsb", inout("rcx") len => _, inout("rdi") to => _, inout("rsi") from => _,
                    options(nostack, preserves_flags));
            }
            return;
        }
        // SAFETY: each step moves at most the rest of `len`; the last step of a message of 16 bytes or more
        // overlaps the one before it instead of running over.
        unsafe {
            if len >= 16 {
                let mut at = 0;
                while at + 64 <= len {
                    move_block!(64, to.add(at), from.add(at));
                    at += 64;
                }
                while at < len {
                    let here = at.min(len - 16);
                    move_block!(16, to.add(here), from.add(here));
                    at = here + 16;
                }
            } else if len >= 8 {
                for here in [0, len - 8] {
                    move_block!(8, to.add(here), from.add(here));
                }
            } else {
                for here in 0..len {
                    move_block!(1, to.add(here), from.add(here));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::{AtomicU64, Ordering};

    type Copy = unsafe fn(*mut u8, *const u8, usize);

    /// Every form that this processor has.
    fn forms() -> [(Copy, Copy); 2] {
        [(into_shared, out_of_shared), (portable::into_shared, portable::out_of_shared)]
    }

    #[test]
    fn every_length_arrives_to_the_byte() {
        for (into, out_of) in forms() {
            for len in (0..200).chain([511, 512, 513, 4095, 65_537]) {
                let source: Vec<u8> = (0..len).map(|i| (i * 7 + len) as u8).collect();
                let words: Vec<AtomicU64> = (0..len / 8 + 2).map(|_| AtomicU64::new(u64::MAX)).collect();
                // SAFETY: the words have room for `len` rounded up to eight, and are aligned.
                unsafe { into(words.as_ptr() as *mut u8, source.as_ptr(), len) };
                assert_eq!(words[len.div_ceil(8)].load(Ordering::Relaxed), u64::MAX, "length {len} ran over");
                let mut out = vec![0xEE; len + 1];
                // SAFETY: `out` has room for `len`, and the words were filled above.
                unsafe { out_of(out.as_mut_ptr(), words.as_ptr().cast(), len) };
                assert_eq!((&out[..len], out[len]), (&source[..], 0xEE), "length {len}");
            }
        }
    }

    /// The rest of a message may be nothing, at an address that is no multiple of eight: the end of a view of 20 bytes.
    #[test]
    fn nothing_is_copied_from_anywhere() {
        for (into, out_of) in forms() {
            for address in [0, 1, 20] {
                let nowhere = core::ptr::without_provenance_mut(address);
                // SAFETY: no byte is read or written.
                unsafe {
                    into(nowhere, nowhere, 0);
                    out_of(nowhere, nowhere, 0);
                }
            }
        }
    }
}
