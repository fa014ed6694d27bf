//! Reading a message from untrusted bytes.

use crate::element::{self, Element, Flat};
use crate::numbers::numbers;
use crate::{DecodeError, FREE_ELEMENTS, MAX_DEPTH, element_at};

/// A position in the bytes of a message. Every read is checked. Floats keep their bits, including those of NaNs.
#[derive(Debug)]
pub struct Reader<'a> {
    /// The bytes still to read.
    rest: &'a [u8],
    /// The total number of bytes.
    len: usize,
    depth: u32,
    free: usize,
}

macro_rules! scalar {
    ($(#[$doc:meta])* $name:ident, $ty:ty) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(&mut self) -> Result<$ty, DecodeError> {
            let mut raw = [0; size_of::<$ty>()];
            raw.copy_from_slice(self.take(size_of::<$ty>())?);
            Ok(<$ty>::from_be_bytes(raw))
        }
    };
}

macro_rules! array {
    ($many:ident $vec:ident $ty:ty, $wire:literal) => {
        #[doc = concat!("As many `", $wire, "` as `out` holds, in any number of dimensions.")]
        #[inline]
        pub fn $many<T: Flat<$ty>>(&mut self, out: &mut [T]) -> Result<(), DecodeError> {
            self.fill::<$ty, T>(out)
        }
        #[doc = concat!("`size` `", $wire, "` (or rows of them), instead of what was in `out`.")]
        #[inline]
        pub fn $vec<T: Flat<$ty>>(&mut self, out: &mut Vec<T>, size: i64) -> Result<(), DecodeError> {
            self.fill_vec::<$ty, T>(out, size)
        }
    };
}

macro_rules! reads {
    ($($one:ident $many:ident $vec:ident $ty:ty, $wire:literal;)*) => {$(
        scalar!(#[doc = concat!("One `", $wire, "`.")] $one, $ty);
        array!($many $vec $ty, $wire);
    )*};
}

impl<'a> Reader<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes, len: bytes.len(), depth: 0, free: bytes.len().saturating_add(FREE_ELEMENTS) }
    }
    /// Allows this many more elements of zero size: those that the outermost type always has
    /// ([`Body::FREE`](crate::Body::FREE)).
    pub fn allow(&mut self, free: usize) {
        self.free = self.free.saturating_add(free);
    }
    /// The number of bytes read.
    #[inline(always)]
    pub fn position(&self) -> usize {
        self.len - self.rest.len()
    }
    /// The number of bytes left.
    #[inline(always)]
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }
    /// The next `n` bytes.
    #[inline(always)]
    pub fn take(&mut self, n: usize) -> Result<&'a [u8], DecodeError> {
        let Some((taken, rest)) = self.rest.split_at_checked(n) else {
            return Err(DecodeError::Truncated { at: self.position(), missing: n - self.rest.len() });
        };
        self.rest = rest;
        Ok(taken)
    }

    numbers!(reads);
    array!(booleans boolean_vec bool, "boolean");
    scalar!(/// A fingerprint.
        fingerprint, u64);

    /// One `boolean`; anything but 0 is true.
    #[inline]
    pub fn boolean(&mut self) -> Result<bool, DecodeError> {
        Ok(self.byte()? != 0)
    }
    /// The bytes of a string, without its NUL. Bytes after an inner NUL are kept.
    #[inline]
    pub fn string_bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        let at = self.position();
        let length = self.int32()?;
        if length < 1 {
            return Err(DecodeError::StringLength { at, length });
        }
        match self.take(length as usize)?.split_last() {
            Some((0, text)) => Ok(text),
            _ => Err(DecodeError::StringEnd { at: self.position() - 1 }),
        }
    }
    /// Reads a string into `out`, reusing its memory. Must be UTF-8.
    #[inline]
    pub fn string(&mut self, out: &mut String) -> Result<(), DecodeError> {
        let at = self.position() + 4;
        let text = str::from_utf8(self.string_bytes()?).map_err(|_| DecodeError::NotUtf8 { at })?;
        out.clear();
        out.push_str(text);
        Ok(())
    }

    #[inline(always)]
    fn fill<E: Element, T: Flat<E>>(&mut self, out: &mut [T]) -> Result<(), DecodeError> {
        let from = self.take(size_of_val(out))?;
        // SAFETY: `from_wire` writes valid elements, and a `T` consists only of them.
        E::from_wire(unsafe { element::room_of(out) }, from);
        Ok(())
    }
    #[inline(always)]
    fn fill_vec<E: Element, T: Flat<E>>(&mut self, out: &mut Vec<T>, size: i64) -> Result<(), DecodeError> {
        let n = self.size(size, size_of::<T>(), 0)?;
        let from = self.take(n * size_of::<T>())?;
        out.clear();
        out.reserve(n);
        let room = &mut out.spare_capacity_mut()[..n];
        // SAFETY: `from_wire` writes valid elements, and a `T` consists only of them. It fills the whole slice, so
        // that `n` elements, within the capacity, are initialized afterwards.
        unsafe {
            E::from_wire(element::room_of(room), from);
            out.set_len(n);
        }
        Ok(())
    }

    /// Reads strings into all of `out`.
    pub fn strings(&mut self, out: &mut [String]) -> Result<(), DecodeError> {
        out.iter_mut().try_for_each(|one| self.string(one))
    }
    /// Reads `size` strings, reusing those in `out`.
    pub fn string_vec(&mut self, out: &mut Vec<String>, size: i64) -> Result<(), DecodeError> {
        let n = self.size(size, 5, 0)?;
        out.truncate(n);
        (0..n).try_for_each(|at| self.string(element_at(out, at)))
    }
    /// Old enums.
    pub fn enums<T: From<i32>>(&mut self, out: &mut [T]) -> Result<(), DecodeError> {
        for one in out {
            *one = T::from(self.int32()?);
        }
        Ok(())
    }
    /// `size` old enums.
    pub fn enum_vec<T: From<i32>>(&mut self, out: &mut Vec<T>, size: i64) -> Result<(), DecodeError> {
        let n = self.size(size, 4, 0)?;
        out.clear();
        out.reserve(n);
        for _ in 0..n {
            out.push(T::from(self.int32()?));
        }
        Ok(())
    }

    /// Checks the sizes of an array, outermost first, before any of it is created. Each element takes at least
    /// `min_size` bytes, and has `free` rows and elements that may take none ([`Body::FREE`](crate::Body::FREE)).
    ///
    /// Level by level: the bytes of rows that take some must be present; rows of zero size are counted for the
    /// whole message. `docs/wire.md` has the rule, which all decoders share. The array is then read into
    /// [`element_at`], row by row, and grows with the bytes read, so that large size fields in nested structs get
    /// no memory without content.
    #[inline]
    pub fn array<const K: usize>(
        &mut self,
        sizes: [i64; K],
        min_size: usize,
        free: usize,
    ) -> Result<[usize; K], DecodeError> {
        let at = self.position();
        let mut counts = [0; K];
        for (count, size) in counts.iter_mut().zip(sizes) {
            if size < 0 {
                return Err(DecodeError::NegativeSize { at, size });
            }
            *count = usize::try_from(size).unwrap_or(usize::MAX);
        }
        let (bytes, left) = (product(&counts, min_size), self.remaining());
        if bytes > left {
            return Err(DecodeError::Truncated { at, missing: bytes - left });
        }
        if bytes == 0 {
            self.count(&counts)?;
        }
        // Elements that always exist are counted when they are read, or take bytes. If there is not enough of
        // either, none is created.
        if free > 0 {
            let (size, most) = (product(&counts, free), self.free.saturating_add(left));
            if size > most {
                return Err(DecodeError::TooMany { at, size: size as u64 });
            }
        }
        Ok(counts)
    }
    /// Counts the rows of an array of zero size, of every level down to the first of size 0.
    fn count(&mut self, counts: &[usize]) -> Result<(), DecodeError> {
        let mut rows = 1usize;
        for &count in counts {
            rows = rows.saturating_mul(count);
            let free = self.free.checked_sub(rows);
            self.free = free.ok_or(DecodeError::TooMany { at: self.position(), size: rows as u64 })?;
        }
        Ok(())
    }
    #[inline]
    pub(crate) fn size(&mut self, size: i64, min_size: usize, free: usize) -> Result<usize, DecodeError> {
        self.array([size], min_size, free).map(|[n]| n)
    }

    /// Reads a struct inside another one; bounds the depth.
    #[inline]
    pub fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        if self.depth == MAX_DEPTH {
            return Err(DecodeError::TooDeep { at: self.position() });
        }
        self.depth += 1;
        let done = read(self);
        self.depth -= 1;
        done
    }
}

/// The product, or the largest number.
#[inline(always)]
fn product(counts: &[usize], of: usize) -> usize {
    counts.iter().fold(of, |n, &count| n.saturating_mul(count))
}
