//! Structures that may grow: their first field is the size of the caller's structure.
//!
//! A program compiled against an older header passes a smaller structure: the missing fields get their defaults. One
//! compiled against a newer header passes a larger one: the unknown fields must be zero, so that no request is
//! silently ignored.

use crate::border::{Fail, Result, call};
use crate::code::{SALTUS_OK, SaltusError};

/// A structure of the header that begins with its size.
///
/// # Safety
///
/// `repr(C)`; the first field is a `usize`; any bytes are a value of it; it has no padding.
pub(crate) unsafe trait Growing: Copy {
    /// Its size in the first version of the header.
    const FIRST: usize;
    /// Its default value, including the size.
    const DEFAULT: Self;
}

/// Reads the caller's structure; NULL is the default.
pub(crate) unsafe fn read<T: Growing>(from: *const T) -> Result<T> {
    let mut value = T::DEFAULT;
    if from.is_null() {
        return Ok(value);
    }
    let ours = size_of::<T>();
    // SAFETY: not NULL, so at least the size is there, as the header demands.
    let theirs = unsafe { from.cast::<usize>().read() };
    check::<T>(theirs)?;
    // SAFETY: as many bytes are there as its size says; any bytes are a `T`.
    unsafe { from.cast::<u8>().copy_to_nonoverlapping((&raw mut value).cast(), theirs.min(ours)) };
    if (ours..theirs).any(|i| {
        // SAFETY: within the caller's size.
        unsafe { from.cast::<u8>().add(i).read() != 0 }
    }) {
        return Err(Fail::Misuse(
            "a structure asks for what this version of Saltus does not know: use a newer one",
        ));
    }
    Ok(value)
}

/// Fills the caller's structure, which has `size` bytes, with the defaults.
pub(crate) unsafe fn init<T: Growing>(to: *mut T, size: usize) -> SaltusError {
    call(|| {
        // SAFETY: the header demands room for `size` bytes.
        unsafe { write(to, size, &T::DEFAULT)? };
        Ok(SALTUS_OK)
    })
}

/// Fills the caller's structure, which has `size` bytes.
pub(crate) unsafe fn write<T: Growing>(to: *mut T, size: usize, value: &T) -> Result<()> {
    if to.is_null() {
        return Err(Fail::Misuse("the structure to fill is NULL"));
    }
    check::<T>(size)?;
    let ours = size_of::<T>();
    // SAFETY: the caller has `size` bytes there; the size comes first in each such structure.
    unsafe {
        to.cast::<u8>().write_bytes(0, size);
        (&raw const *value).cast::<u8>().copy_to_nonoverlapping(to.cast(), size.min(ours));
        to.cast::<usize>().write(size);
    }
    Ok(())
}

fn check<T: Growing>(size: usize) -> Result<()> {
    // The upper bound only finds structures that the caller did not initialise.
    if size < T::FIRST || size > 64 * 1024 {
        return Err(Fail::Misuse("a structure has an invalid size: fill it with its init function first"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Grown {
        size: usize,
        old: u64,
        new: u64,
    }
    // SAFETY: three words without padding, the size first.
    unsafe impl Growing for Grown {
        const FIRST: usize = 16;
        const DEFAULT: Grown = Grown { size: size_of::<Grown>(), old: 1, new: 2 };
    }

    fn read_words(words: &[u64]) -> Option<Grown> {
        // SAFETY: as many words are there as the first says.
        unsafe { read(words.as_ptr().cast::<Grown>()) }.ok()
    }

    #[test]
    fn structures_may_grow_in_the_program_and_in_the_library() {
        assert_eq!(read_words(&[16, 5]), Some(Grown { size: 16, old: 5, new: 2 }), "an old program");
        assert_eq!(read_words(&[24, 5, 6]), Some(Grown { size: 24, old: 5, new: 6 }));
        assert_eq!(
            read_words(&[32, 5, 6, 0]).map(|g| g.new),
            Some(6),
            "a new program, asking for nothing new"
        );
        assert_eq!(read_words(&[32, 5, 6, 7]), None, "a new program, asking for something new");
        assert_eq!(read_words(&[8, 5]), None);
        assert_eq!(read_words(&[u64::MAX, 5]), None);
        // SAFETY: NULL is allowed.
        assert_eq!(unsafe { read(std::ptr::null::<Grown>()) }.ok(), Some(Grown::DEFAULT));
    }

    #[test]
    fn no_more_is_written_than_the_program_has_room_for() {
        for (size, want) in [(16, [16, 1, 9, 9]), (24, [24, 1, 2, 9]), (32, [32, 1, 2, 0])] {
            let mut words = [9u64; 4];
            // SAFETY: four words are there.
            let done = unsafe { write(words.as_mut_ptr().cast(), size, &Grown::DEFAULT) };
            assert!(done.is_ok() && words == want, "{size}: {words:?}");
        }
    }
}
