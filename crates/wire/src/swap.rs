//! Copying numbers between native byte order and the wire's (big endian), with vector instructions.
//!
//! On x86-64 with AVX2 or SSSE3 (detected at run time, once), a byte shuffle swaps 32 or 16 bytes at a time;
//! elsewhere the compiler vectorizes. The speed is the same at `-O2` and `-O3`.

use core::mem::MaybeUninit;

/// Copies 16-bit numbers between native order and big endian. Panics if the lengths differ or are not whole numbers.
#[inline]
pub fn copy_swapped_16(to: &mut [u8], from: &[u8]) {
    copy::<2>(uninit(to), from);
}
/// Copies 32-bit numbers between native order and big endian. Panics if the lengths differ or are not whole numbers.
#[inline]
pub fn copy_swapped_32(to: &mut [u8], from: &[u8]) {
    copy::<4>(uninit(to), from);
}
/// Copies 64-bit numbers between native order and big endian. Panics if the lengths differ or are not whole numbers.
#[inline]
pub fn copy_swapped_64(to: &mut [u8], from: &[u8]) {
    copy::<8>(uninit(to), from);
}

/// Bytes that are only written.
#[inline(always)]
pub(crate) fn uninit(bytes: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    let bytes: *mut [u8] = bytes;
    // SAFETY: the same memory and lifetime; all users in this crate write only initialized bytes.
    unsafe { &mut *(bytes as *mut [MaybeUninit<u8>]) }
}

/// Copies elements of `N` bytes (1, 2, 4 or 8), each swapped if the machine is little endian. Fills all of `to`.
///
/// Only the fastest path is inlined into callers; the rest is one function.
#[inline(always)]
pub(crate) fn copy<const N: usize>(to: &mut [MaybeUninit<u8>], from: &[u8]) {
    assert_eq!(to.len(), from.len());
    assert_eq!(from.len() % N, 0);
    if N == 1 || cfg!(target_endian = "big") {
        // SAFETY: both have this length, and do not overlap since one is borrowed exclusively.
        unsafe { core::ptr::copy_nonoverlapping(from.as_ptr(), to.as_mut_ptr().cast(), from.len()) };
        return;
    }
    #[cfg(all(target_arch = "x86_64", target_endian = "little", not(miri)))]
    if from.len() >= 32 && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2; the lengths were just checked.
        unsafe { x86::avx2::<N>(to.as_mut_ptr().cast(), from.as_ptr(), from.len()) };
        return;
    }
    if !from.is_empty() {
        turn::<N>(to, from);
    }
}

/// Copies elements of `N` bytes, each swapped, without AVX2. Both have the same length, a multiple of `N`.
#[inline(never)]
fn turn<const N: usize>(to: &mut [MaybeUninit<u8>], from: &[u8]) {
    #[cfg(all(target_arch = "x86_64", target_endian = "little", not(miri)))]
    if from.len() >= 16 && std::arch::is_x86_feature_detected!("ssse3") {
        assert!(to.len() == from.len());
        // SAFETY: the processor has SSSE3; the lengths were just checked.
        unsafe { x86::ssse3::<N>(to.as_mut_ptr().cast(), from.as_ptr(), from.len()) };
        return;
    }
    turn_each::<N>(to, from);
}

/// Copies elements of `N` bytes, each swapped. Both have the same length, a multiple of `N`.
#[inline(always)]
fn turn_each<const N: usize>(to: &mut [MaybeUninit<u8>], from: &[u8]) {
    for (to, from) in to.chunks_exact_mut(N).zip(from.chunks_exact(N)) {
        let mut element = [0; N];
        element.copy_from_slice(from);
        element.reverse();
        // SAFETY: the chunk has N bytes, and the type needs no alignment.
        unsafe { to.as_mut_ptr().cast::<[u8; N]>().write(element) };
    }
}

#[cfg(all(target_arch = "x86_64", target_endian = "little", not(miri)))]
mod x86 {
    use core::arch::x86_64::*;

    /// The shuffle mask of 16 bytes that swaps elements of `n` bytes.
    const fn mask(n: usize) -> [u8; 16] {
        let mut mask = [0; 16];
        let mut i = 0;
        while i < 16 {
            mask[i] = (i / n * n + n - 1 - i % n) as u8;
            i += 1;
        }
        mask
    }
    struct Mask<const N: usize>;
    impl<const N: usize> Mask<N> {
        const BYTES: [u8; 16] = mask(N);
    }

    /// The last vector overlaps the one before it if the length is not a multiple of a vector: elements begin at
    /// multiples of their size from either end.
    ///
    /// # Safety
    /// The processor must have AVX2; both places must have `len` bytes, at least 32 and a multiple of `N`, and must
    /// not overlap.
    #[target_feature(enable = "avx2")]
    pub unsafe fn avx2<const N: usize>(to: *mut u8, from: *const u8, len: usize) {
        // SAFETY: the mask has 16 bytes; all accesses are within `len` bytes, and need no alignment.
        unsafe {
            let mask = _mm256_broadcastsi128_si256(_mm_loadu_si128(Mask::<N>::BYTES.as_ptr().cast()));
            let load = |at: usize| _mm256_loadu_si256(from.add(at).cast());
            let store = |at: usize, v| _mm256_storeu_si256(to.add(at).cast(), _mm256_shuffle_epi8(v, mask));
            let turn = |at: usize| store(at, load(at));
            let mut at = 0;
            // Stores that cross a cache line take twice as long: long copies start at multiples of 32, if an
            // element does.
            let skip = to.align_offset(32);
            if len >= 128 && skip.is_multiple_of(N) && skip > 0 {
                turn(0);
                at = skip;
            }
            while len - at >= 128 {
                // All loads first: the compiler cannot know that no store changes the bytes to load.
                let (a, b, c, d) = (load(at), load(at + 32), load(at + 64), load(at + 96));
                store(at, a);
                store(at + 32, b);
                store(at + 64, c);
                store(at + 96, d);
                at += 128;
            }
            while len - at >= 32 {
                turn(at);
                at += 32;
            }
            if at < len {
                turn(len - 32);
            }
        }
    }

    /// # Safety
    /// The processor must have SSSE3; both places must have `len` bytes, at least 16 and a multiple of `N`, and
    /// must not overlap.
    #[target_feature(enable = "ssse3")]
    pub unsafe fn ssse3<const N: usize>(to: *mut u8, from: *const u8, len: usize) {
        // SAFETY: the mask has 16 bytes; all accesses are within `len` bytes, and need no alignment.
        unsafe {
            let mask = _mm_loadu_si128(Mask::<N>::BYTES.as_ptr().cast());
            let turn = |at: usize| {
                let v = _mm_loadu_si128(from.add(at).cast());
                _mm_storeu_si128(to.add(at).cast(), _mm_shuffle_epi8(v, mask));
            };
            let mut at = 0;
            while at + 16 <= len {
                turn(at);
                at += 16;
            }
            if !len.is_multiple_of(16) {
                turn(len - 16);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The expected result, byte by byte.
    fn turned(bytes: &[u8], n: usize) -> Vec<u8> {
        let turn = |element: &[u8]| element.iter().rev().copied().collect::<Vec<u8>>();
        if cfg!(target_endian = "big") { bytes.to_vec() } else { bytes.chunks(n).flat_map(turn).collect() }
    }

    /// Swaps them into memory that starts `at` bytes after a multiple of 64.
    fn check<const N: usize>(bytes: &[u8], at: usize) -> Result<(), TestCaseError> {
        let bytes = &bytes[..bytes.len() / N * N];
        let expected = turned(bytes, N);
        let mut room = vec![0; 64 + at + bytes.len()];
        let start = room.as_ptr().align_offset(64) + at;
        let ways = [copy::<N>, turn::<N>, turn_each::<N>];
        // Without a swap, only the first function is used.
        for way in &ways[..if cfg!(target_endian = "little") { 3 } else { 1 }] {
            let wire = &mut room[start..start + bytes.len()];
            wire.fill(0);
            way(uninit(wire), bytes);
            prop_assert_eq!(&*wire, &expected);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn every_element_is_turned(bytes in proptest::collection::vec(any::<u8>(), 0..400), at in 0usize..40) {
            check::<2>(&bytes, at)?;
            check::<4>(&bytes, at)?;
            check::<8>(&bytes, at)?;
        }
    }

    #[test]
    fn single_bytes_are_copied() {
        let mut wire = [0; 5];
        copy::<1>(uninit(&mut wire), &[1, 2, 3, 4, 5]);
        assert_eq!(wire, [1, 2, 3, 4, 5]);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn half_an_element_is_refused() {
        copy_swapped_32(&mut [0; 6], &[0; 6]);
    }
}
