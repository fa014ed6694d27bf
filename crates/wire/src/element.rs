//! The element types of arrays on the wire.

use crate::swap;
use core::mem::MaybeUninit;

/// Types without padding, pointers or lifetimes for which all bytes are valid: numbers, arrays of them, and
/// [plain](crate::plain) structs. Not `bool`, which allows only two byte values.
///
/// # Safety
/// The type must have these properties.
pub unsafe trait Bits: Copy + 'static {}

/// A primitive element type of arrays on the wire, and how it is copied between memory and the wire.
pub trait Element: Sealed {
    /// Copies elements onto the wire.
    #[doc(hidden)]
    fn to_wire(to: &mut [u8], from: &[u8]);
    /// Copies elements from the wire; fills all of `to` with valid elements.
    #[doc(hidden)]
    fn from_wire(to: &mut [MaybeUninit<u8>], from: &[u8]);
}

/// `E`, an array of `E`, an array of such arrays, and so on: memory that consists only of consecutive `E`s.
///
/// # Safety
/// The type must have this property, and `E` no padding.
pub unsafe trait Flat<E: Element>: Copy + 'static {}

mod sealed {
    pub trait Sealed {}
}
use sealed::Sealed;

macro_rules! numbers {
    ($($ty:ty)*) => {$(
        // SAFETY: a number has no padding, and all bytes are valid.
        unsafe impl Bits for $ty {}
        impl Sealed for $ty {}
        impl Element for $ty {
            #[inline(always)]
            fn to_wire(to: &mut [u8], from: &[u8]) {
                swap::copy::<{ size_of::<$ty>() }>(swap::uninit(to), from);
            }
            #[inline(always)]
            fn from_wire(to: &mut [MaybeUninit<u8>], from: &[u8]) {
                swap::copy::<{ size_of::<$ty>() }>(to, from);
            }
        }
        // SAFETY: it is the element itself.
        unsafe impl Flat<$ty> for $ty {}
    )*};
}
numbers!(i8 i16 i32 i64 u8 f32 f64);

// SAFETY: numbers have no padding, and all bytes are valid.
unsafe impl Bits for u16 {}
// SAFETY: as above.
unsafe impl Bits for u32 {}
// SAFETY: as above.
unsafe impl Bits for u64 {}
// SAFETY: an array has no padding between its elements.
unsafe impl<T: Bits, const N: usize> Bits for [T; N] {}

impl Sealed for bool {}
impl Element for bool {
    #[inline]
    fn to_wire(to: &mut [u8], from: &[u8]) {
        to.copy_from_slice(from);
    }
    #[inline]
    fn from_wire(to: &mut [MaybeUninit<u8>], from: &[u8]) {
        assert_eq!(to.len(), from.len());
        for (to, from) in to.iter_mut().zip(from) {
            to.write(u8::from(*from != 0));
        }
    }
}
// SAFETY: it is the element itself, one byte.
unsafe impl Flat<bool> for bool {}
// SAFETY: an array is its elements, one after another in memory.
unsafe impl<E: Element, T: Flat<E>, const N: usize> Flat<E> for [T; N] {}

/// The bytes of elements.
#[inline(always)]
pub(crate) fn bytes_of<E: Element, T: Flat<E>>(values: &[T]) -> &[u8] {
    // SAFETY: elements have no padding, so all their bytes are initialized; a byte needs no alignment.
    unsafe { core::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// The bytes of elements that will be overwritten.
///
/// # Safety
/// The bytes written there must form valid elements.
#[inline(always)]
pub(crate) unsafe fn room_of<T>(values: &mut [T]) -> &mut [MaybeUninit<u8>] {
    // SAFETY: the same memory; a byte needs no alignment. The caller promises to write valid elements.
    unsafe { core::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_arrays_are_their_elements() {
        assert_eq!(bytes_of::<u8, _>(&[[1, 2], [3, 4]]), [1, 2, 3, 4]);
        assert_eq!(bytes_of::<bool, _>(&[[[true], [false]]]), [1, 0]);
        assert_eq!(bytes_of::<f32, [f32; 0]>(&[[], []]), []);
    }

    #[test]
    fn any_byte_but_0_is_true() {
        let mut out = [[false; 2]; 2];
        // SAFETY: booleans are written.
        bool::from_wire(unsafe { room_of(&mut out) }, &[0, 1, 2, 255]);
        assert_eq!(out, [[false, true], [true, true]]);
    }
}
