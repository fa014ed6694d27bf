//! Reading a message from bytes that nobody vouches for.

use crate::element::{self, Element, Flat};
use crate::{Body, DecodeError, FREE_ELEMENTS, MAX_DEPTH, element_at};

/// A place in the bytes of a message. Every read is checked.
#[derive(Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
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
    ($(#[$doc:meta])* $name:ident, $(#[$vec_doc:meta])* $vec:ident, $ty:ty) => {
        $(#[$doc])*
        #[inline]
        pub fn $name<T: Flat<$ty>>(&mut self, out: &mut [T]) -> Result<(), DecodeError> {
            self.fill::<$ty, T>(out)
        }
        $(#[$vec_doc])*
        #[inline]
        pub fn $vec<T: Flat<$ty>>(&mut self, out: &mut Vec<T>, size: i64) -> Result<(), DecodeError> {
            self.fill_vec::<$ty, T>(out, size)
        }
    };
}

impl<'a> Reader<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0, depth: 0, free: bytes.len().saturating_add(FREE_ELEMENTS) }
    }
    /// How many bytes have been read.
    pub fn position(&self) -> usize {
        self.at
    }
    /// How many bytes are left.
    #[inline(always)]
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }
    /// The next `n` bytes.
    #[inline(always)]
    pub fn take(&mut self, n: usize) -> Result<&'a [u8], DecodeError> {
        let left = self.remaining();
        if n > left {
            return Err(DecodeError::Truncated { at: self.at, missing: n - left });
        }
        let taken = &self.bytes[self.at..self.at + n];
        self.at += n;
        Ok(taken)
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

    /// One `boolean`; anything but 0 is true.
    #[inline]
    pub fn boolean(&mut self) -> Result<bool, DecodeError> {
        Ok(self.byte()? != 0)
    }
    /// The bytes of a string, without its NUL. What lies behind an inner NUL is kept.
    #[inline]
    pub fn string_bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        let at = self.at;
        let length = self.int32()?;
        if length < 1 {
            return Err(DecodeError::StringLength { at, length });
        }
        match self.take(length as usize)?.split_last() {
            Some((0, text)) => Ok(text),
            _ => Err(DecodeError::StringEnd { at: self.at - 1 }),
        }
    }
    /// A string into `out`, whose room is used again. Must be UTF-8.
    #[inline]
    pub fn string(&mut self, out: &mut String) -> Result<(), DecodeError> {
        let at = self.at + 4;
        let text = str::from_utf8(self.string_bytes()?).map_err(|_| DecodeError::NotUtf8 { at })?;
        out.clear();
        out.push_str(text);
        Ok(())
    }

    array!(/// As many `int8_t` as `out` has room for, in any number of dimensions.
        int8s, /// `size` `int8_t` (or rows of them), instead of what was in `out`.
        int8_vec, i8);
    array!(/// As many `int16_t` as `out` has room for.
        int16s, /// `size` `int16_t`.
        int16_vec, i16);
    array!(/// As many `int32_t` as `out` has room for.
        int32s, /// `size` `int32_t`.
        int32_vec, i32);
    array!(/// As many `int64_t` as `out` has room for.
        int64s, /// `size` `int64_t`.
        int64_vec, i64);
    array!(/// As many `byte` as `out` has room for.
        bytes, /// `size` `byte`.
        byte_vec, u8);
    array!(/// As many `float` as `out` has room for.
        floats, /// `size` `float`.
        float_vec, f32);
    array!(/// As many `double` as `out` has room for.
        doubles, /// `size` `double`.
        double_vec, f64);
    array!(/// As many `boolean` as `out` has room for.
        booleans, /// `size` `boolean`.
        boolean_vec, bool);

    #[inline(always)]
    fn fill<E: Element, T: Flat<E>>(&mut self, out: &mut [T]) -> Result<(), DecodeError> {
        let from = self.take(size_of_val(out))?;
        // SAFETY: what `from_wire` writes are valid elements, and a `T` is nothing else.
        E::from_wire(unsafe { element::room_of(out) }, from);
        Ok(())
    }
    #[inline(always)]
    fn fill_vec<E: Element, T: Flat<E>>(&mut self, out: &mut Vec<T>, size: i64) -> Result<(), DecodeError> {
        let n = self.size(size, size_of::<T>())?;
        let from = self.take(n * size_of::<T>())?;
        out.clear();
        out.reserve(n);
        let room = &mut out.spare_capacity_mut()[..n];
        // SAFETY: what `from_wire` writes are valid elements, and a `T` is nothing else. It fills all of the room, so
        // that afterwards `n` elements are initialised, for which there is capacity.
        unsafe {
            E::from_wire(element::room_of(room), from);
            out.set_len(n);
        }
        Ok(())
    }

    /// As many strings as `out` has room for.
    pub fn strings(&mut self, out: &mut [String]) -> Result<(), DecodeError> {
        out.iter_mut().try_for_each(|one| self.string(one))
    }
    /// `size` strings; those in `out` are used again.
    pub fn string_vec(&mut self, out: &mut Vec<String>, size: i64) -> Result<(), DecodeError> {
        let n = self.rows(out, size, 5)?;
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
        let n = self.size(size, 4)?;
        out.clear();
        out.reserve(n);
        for _ in 0..n {
            out.push(T::from(self.int32()?));
        }
        Ok(())
    }

    /// A struct that lies inside another one.
    #[inline]
    pub fn body<T: Body>(&mut self, out: &mut T) -> Result<(), DecodeError> {
        self.nested(|from| out.read(from))
    }
    /// As many structs as `out` has room for.
    pub fn bodies<T: Body>(&mut self, out: &mut [T]) -> Result<(), DecodeError> {
        out.iter_mut().try_for_each(|one| self.body(one))
    }
    /// `size` structs; those in `out` are used again.
    pub fn body_vec<T: Body>(&mut self, out: &mut Vec<T>, size: i64) -> Result<(), DecodeError> {
        let n = self.rows(out, size, T::MIN_SIZE)?;
        (0..n).try_for_each(|at| self.body(element_at(out, at)))
    }

    /// Checks the size of an array whose elements are read one by one, each taking at least `min_size` bytes, and drops
    /// what is too many in `out`. Then read each into [`element_at`]: the vector grows as they
    /// come, so that structs in structs that all promise much and hold nothing get no memory for it.
    #[inline]
    pub fn rows<T>(&mut self, out: &mut Vec<T>, size: i64, min_size: usize) -> Result<usize, DecodeError> {
        let n = self.size(size, min_size)?;
        out.truncate(n);
        Ok(n)
    }
    /// Checks a size field against what is left: each element takes at least `min_size` bytes. Nothing larger than what
    /// this returns needs to be reserved. Elements that may take none (`min_size` 0) are counted for the whole message.
    #[inline]
    pub fn size(&mut self, size: i64, min_size: usize) -> Result<usize, DecodeError> {
        let at = self.at;
        let n = usize::try_from(size).map_err(|_| DecodeError::NegativeSize { at, size })?;
        if min_size == 0 {
            self.free =
                self.free.checked_sub(n).ok_or(DecodeError::TooMany { at, size: size.unsigned_abs() })?;
        } else if n > self.remaining() / min_size {
            let missing = n.saturating_mul(min_size) - self.remaining();
            return Err(DecodeError::Truncated { at, missing });
        }
        Ok(n)
    }

    /// Reads a struct that lies inside another one; bounds the depth.
    #[inline]
    pub fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        if self.depth == MAX_DEPTH {
            return Err(DecodeError::TooDeep { at: self.at });
        }
        self.depth += 1;
        let done = read(self);
        self.depth -= 1;
        done
    }
}
