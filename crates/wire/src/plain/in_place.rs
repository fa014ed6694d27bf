//! Reading a plain message in place, while its publisher may overwrite it.

use super::{HASH_SIZE, Plain, PlainError, check_hash};
use crate::Bits;
use core::marker::PhantomData;
use core::slice;

/// A message of layout `T` in memory that may change while it is read.
///
/// A reference to such memory would be unsound, whatever is checked afterwards: the compiler may read through it
/// twice and get two values. This copies instead: all of it ([`InPlace::get`]), one field ([`InPlace::read`]) or
/// one element of an array ([`InPlace::read_at`]). It uses the copying function that it was opened with, which must
/// be sound for such memory. For a view of a channel that is `View::copy_to`:
///
/// ```
/// # use saltus_wire::{Bits, Plain};
/// # use saltus_wire::plain::{self, InPlace, field};
/// # #[repr(C, align(4))]
/// # #[derive(Clone, Copy, Default)]
/// # struct ScanPlain { count: i32, ranges: [f32; 4] }
/// # // SAFETY: an integer and an array of numbers, with no padding.
/// # unsafe impl Bits for ScanPlain {}
/// # // SAFETY: the layout is its own, and nobody else's has that hash here.
/// # unsafe impl Plain for ScanPlain {
/// #     const NAME: &'static str = "scan_t";
/// #     const LAYOUT_HASH: u64 = 1;
/// #     const SCHEMA: &'static str = "";
/// # }
/// # struct View(Vec<u8>);
/// # impl View {
/// #     fn len(&self) -> usize { self.0.len() }
/// #     fn copy_to(&self, at: usize, out: &mut [u8]) { out.copy_from_slice(&self.0[at..at + out.len()]) }
/// # }
/// # let mut view = View(vec![0; ScanPlain::PLAIN_SIZE]);
/// # plain::write(&ScanPlain { count: 4, ranges: [1.0, 2.0, 3.0, 4.0] }, &mut view.0)?;
/// let scan = InPlace::<ScanPlain, _>::open(view.len(), |at, out| view.copy_to(at, out))?;
/// let count = scan.read(field!(ScanPlain, count));
/// let middle = scan.read_at(field!(ScanPlain, ranges), count as usize / 2);
/// # assert_eq!(middle, Some(3.0));
/// # Ok::<(), saltus_wire::plain::PlainError>(())
/// ```
///
/// Trust nothing that was read, including the hash, before the view has been validated (`look` does that). All
/// bytes are valid values, so reading is always safe; but an index computed from them may be out of bounds
/// ([`InPlace::read_at`] checks that).
#[derive(Clone, Copy, Debug)]
pub struct InPlace<T, F> {
    copy: F,
    layout: PhantomData<T>,
}

impl<T: Plain, F: Fn(usize, &mut [u8])> InPlace<T, F> {
    /// A message of `len` bytes; `copy(at, out)` fills all of `out` with its bytes from `at` on, and is never
    /// called for bytes beyond.
    ///
    /// # Errors
    /// Another layout, or too few bytes; to be trusted only if the view is then validated.
    #[inline]
    pub fn open(len: usize, copy: F) -> Result<InPlace<T, F>, PlainError> {
        let mut hash = [0; HASH_SIZE];
        if len < HASH_SIZE {
            return Err(PlainError::Truncated { name: T::NAME, needed: T::PLAIN_SIZE, has: len });
        }
        copy(0, &mut hash);
        check_hash::<T>(hash, len)?;
        Ok(InPlace { copy, layout: PhantomData })
    }
    /// A copy of all of it, through the stack. For megabytes, use [`get_into`](InPlace::get_into) and
    /// [`boxed`](super::boxed).
    #[inline]
    pub fn get(&self) -> T {
        self.bits(0)
    }
    /// Copies all of it over `out`.
    #[inline]
    pub fn get_into(&self, out: &mut T) {
        self.fill(0, slice::from_mut(out));
    }
    /// A copy of one field.
    #[inline]
    pub fn read<V: Bits>(&self, field: Field<T, V>) -> V {
        self.bits(field.offset)
    }
    /// A copy of one element of an array; `None` beyond its end.
    #[inline]
    pub fn read_at<V: Bits, const N: usize>(&self, field: Field<T, [V; N]>, index: usize) -> Option<V> {
        (index < N).then(|| self.bits(field.offset + index * size_of::<V>()))
    }
    /// Copies elements of an array into all of `out`, beginning with the one at `index`. Panics beyond its end.
    #[inline]
    pub fn read_into<V: Bits, const N: usize>(&self, field: Field<T, [V; N]>, index: usize, out: &mut [V]) {
        assert!(index <= N && out.len() <= N - index, "beyond the end of the array");
        self.fill(field.offset + index * size_of::<V>(), out);
    }

    /// Copies the bytes at `offset` in the struct.
    #[inline]
    fn fill<V: Bits>(&self, offset: usize, out: &mut [V]) {
        // SAFETY: a slice of values without padding is initialized bytes, and all bytes are valid.
        let bytes = unsafe { slice::from_raw_parts_mut(out.as_mut_ptr().cast::<u8>(), size_of_val(out)) };
        (self.copy)(HASH_SIZE + offset, bytes);
    }

    /// The value at `offset` in the struct.
    #[inline]
    fn bits<V: Bits>(&self, offset: usize) -> V {
        // Zeroed, so that a copying function that fills too little cannot make this unsound.
        let mut value = super::zeroed::<V>();
        self.fill(offset, slice::from_mut(&mut value));
        value
    }
}

/// A field of plain layout `T`, of type `V`: see [`field!`](crate::plain::field).
#[derive(Debug)]
pub struct Field<T, V> {
    offset: usize,
    types: PhantomData<fn(T) -> V>,
}

impl<T, V> Field<T, V> {
    /// For [`field!`](crate::plain::field), which computes the offset; the function only provides the type. Panics
    /// (at compile time) if the field is not inside the struct.
    #[doc(hidden)]
    pub const fn at(offset: usize, _type_of: fn(&T) -> &V) -> Field<T, V> {
        assert!(
            offset <= size_of::<T>() && size_of::<V>() <= size_of::<T>() - offset,
            "no field at that offset"
        );
        Field { offset, types: PhantomData }
    }
}

impl<T, V> Clone for Field<T, V> {
    fn clone(&self) -> Field<T, V> {
        *self
    }
}
impl<T, V> Copy for Field<T, V> {}

/// Names a field of a plain layout: `field!(ScanPlain, ranges)`, or one in it: `field!(ScanPlain, pose.x)`.
#[doc(hidden)]
#[macro_export]
macro_rules! plain_field {
    ($layout:ty, $($field:tt)+) => {
        $crate::plain::Field::<$layout, _>::at(
            ::core::mem::offset_of!($layout, $($field)+),
            |layout: &$layout| &layout.$($field)+,
        )
    };
}
