//! The plain layout: types of fixed size in their memory layout, built and read in place.
//!
//! ```text
//!  0          8
//!  ┌──────────┬────────────────────────────┐
//!  │ hash of  │ the struct, as repr(C), in │   a message; it starts at a multiple of 8 bytes,
//!  │ layout   │ the machine's own order    │   in a channel of 64
//!  └──────────┴────────────────────────────┘
//! ```
//!
//! The hash covers names, types, offsets and byte order: two programs that disagree on any of them get
//! [`PlainError::Layout`] and never misread each other's bytes.
//!
//! - A publisher borrows a buffer ([`place_in`]) and sets the fields there, or copies a finished value
//!   ([`write()`]).
//! - A subscriber that has copied the message reads it ([`read`]), or makes a copy that needs no alignment
//!   ([`copy`]).
//! - A subscriber that reads in place, while the publisher may overwrite the message, must not hold a reference to
//!   it. It reads fields through [`InPlace`], which copies each, and trusts them once the message has been
//!   validated.
//!
//! None of these allocates, blocks or makes system calls. A struct of megabytes does not fit onto a thread's stack,
//! through which values pass ([`copy`], [`zeroed`], [`InPlace::get`], `From` between the forms). Build it in the
//! buffer and read it there, or in a box ([`boxed`], [`InPlace::get_into`], `set_from` and `copy_to` of the
//! generated struct).

mod error;
mod in_place;

pub use crate::plain_field as field;
pub use error::PlainError;
pub use in_place::{Field, InPlace};

use crate::Bits;
use core::mem::MaybeUninit;
use core::ptr;

/// Bytes of the hash before the struct.
pub const HASH_SIZE: usize = 8;

/// A generated type in the plain layout.
///
/// # Safety
/// The type is `repr(C)`, its alignment is at most 8, and [`Bits`] holds: all bytes are valid, and all its padding
/// is explicit fields.
pub unsafe trait Plain: Bits {
    /// Full name of the type, `package.pose_t`.
    const NAME: &'static str;
    /// The hash of the layout, which precedes each message.
    const LAYOUT_HASH: u64;
    /// The type, and all types in it, in the type language.
    const SCHEMA: &'static str;
    /// Bytes of a message: the hash and the struct.
    const PLAIN_SIZE: usize = HASH_SIZE + size_of::<Self>();

    /// Zeroes the padding, so that no earlier content of the memory is published.
    fn clear_padding(&mut self) {}
}

/// A value of zeros. It passes through the stack: for megabytes, use [`boxed`].
pub fn zeroed<T: Bits>() -> T {
    // SAFETY: all bytes are valid.
    unsafe { MaybeUninit::zeroed().assume_init() }
}
/// A value of zeros on the heap.
pub fn boxed<T: Bits>() -> Box<T> {
    // SAFETY: all bytes are valid.
    unsafe { crate::large::boxed_zeroes() }
}

/// The message in `bytes`. Bytes after it are ignored.
///
/// # Errors
/// Another layout, too few bytes, or bytes that are not aligned for the type: use [`copy`] for these.
#[inline]
pub fn read<T: Plain>(bytes: &[u8]) -> Result<&T, PlainError> {
    let body = check::<T>(bytes)?;
    aligned::<T>(body.as_ptr())?;
    // SAFETY: the bytes are present and aligned, all bytes are valid, and the reference borrows them.
    Ok(unsafe { &*body.as_ptr().cast::<T>() })
}

/// A copy of the message in `bytes`, which need not be aligned. Bytes after it are ignored.
///
/// # Errors
/// Another layout, or too few bytes.
#[inline]
pub fn copy<T: Plain>(bytes: &[u8]) -> Result<T, PlainError> {
    let body = check::<T>(bytes)?;
    // SAFETY: the bytes are present, and all bytes are valid.
    Ok(unsafe { body.as_ptr().cast::<T>().read_unaligned() })
}

/// Writes a message, and returns its length, [`Plain::PLAIN_SIZE`].
///
/// # Errors
/// A buffer that is too small.
#[inline]
pub fn write<T: Plain>(value: &T, buf: &mut [u8]) -> Result<usize, PlainError> {
    let body = start::<T>(buf)?;
    // SAFETY: the buffer is large enough, as just checked, and does not overlap the value. The type has no padding
    // other than fields, so all its bytes are initialized. They are copied as bytes, so that a large value does not
    // pass through the stack.
    unsafe { ptr::copy_nonoverlapping(ptr::from_ref(value).cast(), body.as_mut_ptr(), size_of::<T>()) };
    Ok(T::PLAIN_SIZE)
}

/// Starts a message in a borrowed buffer: writes the hash, zeroes the padding, and returns the struct for its
/// fields to be set.
///
/// The fields contain the previous content of the memory: an old message, or zeros. Set all of them, then publish
/// [`Plain::PLAIN_SIZE`] bytes.
///
/// # Errors
/// A buffer that is too small, or not aligned for the type; a loan is always aligned.
#[inline]
pub fn place_in<T: Plain>(room: &mut [u8]) -> Result<&mut T, PlainError> {
    let body = start::<T>(room)?;
    aligned::<T>(body.as_ptr())?;
    // SAFETY: the bytes are present and aligned, all bytes are valid, and the reference borrows them exclusively.
    let value = unsafe { &mut *body.as_mut_ptr().cast::<T>() };
    value.clear_padding();
    Ok(value)
}

/// The bytes of the struct, if the hash before it matches and all of them are present.
#[inline]
fn check<T: Plain>(bytes: &[u8]) -> Result<&[u8], PlainError> {
    let Some((hash, body)) = bytes.split_first_chunk() else {
        return Err(PlainError::Truncated { name: T::NAME, needed: T::PLAIN_SIZE, has: bytes.len() });
    };
    check_hash::<T>(*hash, bytes.len())?;
    Ok(body)
}

#[inline]
fn check_hash<T: Plain>(hash: [u8; HASH_SIZE], len: usize) -> Result<(), PlainError> {
    let found = u64::from_ne_bytes(hash);
    if found != T::LAYOUT_HASH {
        return Err(PlainError::Layout { name: T::NAME, expected: T::LAYOUT_HASH, found });
    }
    if len < T::PLAIN_SIZE {
        return Err(PlainError::Truncated { name: T::NAME, needed: T::PLAIN_SIZE, has: len });
    }
    Ok(())
}

/// Writes the hash; the rest of the buffer has the struct's size.
#[inline]
fn start<T: Plain>(room: &mut [u8]) -> Result<&mut [u8], PlainError> {
    let has = room.len();
    let Some(room) = room.get_mut(..T::PLAIN_SIZE) else {
        return Err(PlainError::TooSmall { name: T::NAME, needed: T::PLAIN_SIZE, has });
    };
    let (hash, body) = room.split_at_mut(HASH_SIZE);
    hash.copy_from_slice(&T::LAYOUT_HASH.to_ne_bytes());
    Ok(body)
}

fn aligned<T: Plain>(body: *const u8) -> Result<(), PlainError> {
    if body.cast::<T>().is_aligned() {
        Ok(())
    } else {
        Err(PlainError::Misaligned { name: T::NAME, align: align_of::<T>() })
    }
}
