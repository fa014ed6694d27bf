//! Writing a message into a caller's buffer.

use crate::element::{self, Element, Flat};
use crate::numbers::numbers;
use crate::{EncodeError, MAX_DEPTH, Size};
use core::mem;

/// A position in a buffer. Nothing is allocated; a write that does not fit is an error. Floats keep their bits,
/// including those of NaNs.
#[derive(Debug)]
pub struct Writer<'a> {
    /// The bytes still to write.
    rest: &'a mut [u8],
    /// The total number of bytes.
    len: usize,
    depth: u32,
}

macro_rules! scalar {
    ($(#[$doc:meta])* $name:ident, $ty:ty) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(&mut self, value: $ty) -> Result<(), EncodeError> {
            self.put(&value.to_be_bytes())
        }
    };
}

macro_rules! array {
    ($many:ident $ty:ty, $wire:literal) => {
        #[doc = concat!("Many `", $wire, "`, in any number of dimensions.")]
        #[inline]
        pub fn $many<T: Flat<$ty>>(&mut self, values: &[T]) -> Result<(), EncodeError> {
            let from = element::bytes_of::<$ty, T>(values);
            <$ty>::to_wire(self.room(from.len())?, from);
            Ok(())
        }
    };
}

macro_rules! writes {
    ($($one:ident $many:ident $vec:ident $ty:ty, $wire:literal;)*) => {$(
        scalar!(#[doc = concat!("One `", $wire, "`.")] $one, $ty);
        array!($many $ty, $wire);
    )*};
}

impl<'a> Writer<'a> {
    /// Starts at the first byte of `bytes`.
    pub fn new(bytes: &'a mut [u8]) -> Writer<'a> {
        Writer { len: bytes.len(), rest: bytes, depth: 0 }
    }
    /// The number of bytes written.
    pub fn position(&self) -> usize {
        self.len - self.rest.len()
    }
    /// The next `n` bytes, to be filled by the caller.
    #[inline(always)]
    pub fn room(&mut self, n: usize) -> Result<&mut [u8], EncodeError> {
        if n > self.rest.len() {
            return Err(EncodeError::TooSmall(self.position().saturating_add(n)));
        }
        let (room, rest) = mem::take(&mut self.rest).split_at_mut(n);
        self.rest = rest;
        Ok(room)
    }
    /// Writes these bytes.
    #[inline(always)]
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        self.room(bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    numbers!(writes);
    array!(booleans bool, "boolean");
    scalar!(/// A fingerprint.
        fingerprint, u64);

    /// One `boolean`.
    #[inline]
    pub fn boolean(&mut self, value: bool) -> Result<(), EncodeError> {
        self.byte(value as u8)
    }
    /// Writes a string: its length with the NUL, its bytes, the NUL. An inner NUL is refused: other languages would
    /// stop there.
    #[inline]
    pub fn string(&mut self, text: &str) -> Result<(), EncodeError> {
        self.string_bytes(text.as_bytes())
    }
    /// Writes a string that need not be UTF-8.
    #[inline]
    pub fn string_bytes(&mut self, text: &[u8]) -> Result<(), EncodeError> {
        if text.contains(&0) {
            return Err(EncodeError::Nul);
        }
        let length =
            i32::try_from(text.len().saturating_add(1)).map_err(|_| EncodeError::TooLong(text.len()))?;
        self.int32(length)?;
        self.put(text)?;
        self.byte(0)
    }

    /// Writes strings.
    pub fn strings(&mut self, values: &[String]) -> Result<(), EncodeError> {
        values.iter().try_for_each(|one| self.string(one))
    }
    /// Old enums.
    pub fn enums<T: Copy + Into<i32>>(&mut self, values: &[T]) -> Result<(), EncodeError> {
        values.iter().try_for_each(|&one| self.int32(one.into()))
    }
    /// Checks that an array's length equals its size field.
    #[inline]
    pub fn size<S: Size>(
        &self,
        field: &'static str,
        size_field: &'static str,
        says: S,
        has: usize,
    ) -> Result<(), EncodeError> {
        let says = says.into();
        if usize::try_from(says) == Ok(has) {
            Ok(())
        } else {
            Err(wrong_size::<S>(field, size_field, says, has))
        }
    }

    /// Writes a struct inside another one; bounds the depth, so that encoded messages can be decoded.
    #[inline]
    pub fn nested(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        if self.depth == MAX_DEPTH {
            return Err(EncodeError::TooDeep);
        }
        self.depth += 1;
        let done = write(self);
        self.depth -= 1;
        done
    }
}

/// Why a length differs from its size field.
#[cold]
fn wrong_size<S: Size>(field: &'static str, size_field: &'static str, says: i64, has: usize) -> EncodeError {
    if i64::try_from(has).is_ok_and(|has| has <= S::MOST) {
        EncodeError::Size { field, size_field, says, has }
    } else {
        EncodeError::TooManyElements { field, size_field, ty: S::NAME, has }
    }
}
