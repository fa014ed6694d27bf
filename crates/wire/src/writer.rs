//! Writing a message into a buffer of the caller's.

use crate::element::{self, Element, Flat};
use crate::{Body, EncodeError, MAX_DEPTH};

/// A place in a buffer. Nothing is allocated; what does not fit is an error.
#[derive(Debug)]
pub struct Writer<'a> {
    bytes: &'a mut [u8],
    at: usize,
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
    ($(#[$doc:meta])* $name:ident, $ty:ty) => {
        $(#[$doc])*
        #[inline]
        pub fn $name<T: Flat<$ty>>(&mut self, values: &[T]) -> Result<(), EncodeError> {
            let from = element::bytes_of::<$ty, T>(values);
            <$ty>::to_wire(self.room(from.len())?, from);
            Ok(())
        }
    };
}

impl<'a> Writer<'a> {
    /// Starts at the first byte of `bytes`.
    pub fn new(bytes: &'a mut [u8]) -> Writer<'a> {
        Writer { bytes, at: 0, depth: 0 }
    }
    /// How many bytes have been written.
    pub fn position(&self) -> usize {
        self.at
    }
    /// Room for the next `n` bytes, to be filled in.
    #[inline(always)]
    pub fn room(&mut self, n: usize) -> Result<&mut [u8], EncodeError> {
        let end = self.at.saturating_add(n);
        let Some(room) = self.bytes.get_mut(self.at..end) else { return Err(EncodeError::TooSmall(end)) };
        self.at = end;
        Ok(room)
    }
    /// These bytes.
    #[inline(always)]
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        self.room(bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    scalar!(/// One `int8_t`.
        int8, i8);
    scalar!(/// One `int16_t`.
        int16, i16);
    scalar!(/// One `int32_t`.
        int32, i32);
    scalar!(/// One `int64_t`.
        int64, i64);
    scalar!(/// One `byte`.
        byte, u8);
    scalar!(/// One `float`; NaNs keep their bits.
        float, f32);
    scalar!(/// One `double`; NaNs keep their bits.
        double, f64);
    scalar!(/// A fingerprint.
        fingerprint, u64);

    /// One `boolean`.
    #[inline]
    pub fn boolean(&mut self, value: bool) -> Result<(), EncodeError> {
        self.byte(value as u8)
    }
    /// A string: its length with the NUL, its bytes, the NUL. An inner NUL is refused: other languages would stop there.
    #[inline]
    pub fn string(&mut self, text: &str) -> Result<(), EncodeError> {
        self.string_bytes(text.as_bytes())
    }
    /// A string that need not be UTF-8.
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

    array!(/// `int8_t`s, in any number of dimensions.
        int8s, i8);
    array!(/// `int16_t`s.
        int16s, i16);
    array!(/// `int32_t`s.
        int32s, i32);
    array!(/// `int64_t`s.
        int64s, i64);
    array!(/// `byte`s.
        bytes, u8);
    array!(/// `float`s.
        floats, f32);
    array!(/// `double`s.
        doubles, f64);
    array!(/// `boolean`s.
        booleans, bool);

    /// Strings.
    pub fn strings(&mut self, values: &[String]) -> Result<(), EncodeError> {
        values.iter().try_for_each(|one| self.string(one))
    }
    /// Old enums.
    pub fn enums<T: Copy + Into<i32>>(&mut self, values: &[T]) -> Result<(), EncodeError> {
        values.iter().try_for_each(|&one| self.int32(one.into()))
    }
    /// A struct that lies inside another one.
    #[inline]
    pub fn body<T: Body>(&mut self, value: &T) -> Result<(), EncodeError> {
        self.nested(|out| value.write(out))
    }
    /// Structs.
    pub fn bodies<T: Body>(&mut self, values: &[T]) -> Result<(), EncodeError> {
        values.iter().try_for_each(|one| self.body(one))
    }

    /// Checks that an array has as many elements as its size field says.
    #[inline]
    pub fn size(
        &self,
        field: &'static str,
        size_field: &'static str,
        says: i64,
        has: usize,
    ) -> Result<(), EncodeError> {
        if usize::try_from(says) == Ok(has) {
            Ok(())
        } else {
            Err(EncodeError::Size { field, size_field, says, has })
        }
    }

    /// Writes a struct that lies inside another one; bounds the depth, so that what is encoded can be decoded.
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
