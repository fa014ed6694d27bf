//! The plain layout: types of fixed size as they lie in memory, built and read in place.
//!
//! ```text
//!  0          8
//!  ┌──────────┬────────────────────────────┐
//!  │ hash of  │ the struct, as repr(C), in │   a message; it starts at a multiple of 8 bytes,
//!  │ layout   │ the machine's own order    │   in a channel of 64
//!  └──────────┴────────────────────────────┘
//! ```
//!
//! The hash covers names, types, offsets and byte order: two programs that disagree on any of them are told so
//! ([`PlainError::Layout`]) and never read each other's bytes wrongly.
//!
//! - A publisher borrows room ([`place_in`]) and fills in the fields there, or copies a finished value ([`write()`]).
//! - A subscriber that has copied the message looks at it ([`read`]), or takes a copy that needs no alignment ([`copy`]).
//! - One that reads in place, while the publisher may already overwrite it, may not have a reference to it: it reads
//!   fields through [`InPlace`], which copies each, and believes them when the message has been validated.
//!
//! None of these allocates, blocks or calls the kernel. A struct of megabytes does not fit onto the stack of a thread, over
//! which values go ([`copy`], [`zeroed`], [`InPlace::get`], `From` between the forms): build it in the room and read it there,
//! or in a box ([`boxed`], [`InPlace::get_into`], `set_from` and `copy_to` of the generated struct).

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
/// The type is `repr(C)`, its alignment is at most 8, and [`Bits`] holds: any bytes are a value of it, and all its
/// padding is fields.
pub unsafe trait Plain: Bits {
    /// Full name of the type, `package.pose_t`.
    const NAME: &'static str;
    /// Hash of the layout, which stands before each message.
    const LAYOUT_HASH: u64;
    /// The type, and all types in it, in the type language.
    const SCHEMA: &'static str;
    /// Bytes of a message: the hash and the struct.
    const PLAIN_SIZE: usize = HASH_SIZE + size_of::<Self>();

    /// Zeroes the padding, so that nothing of what lay there before is published.
    fn clear_padding(&mut self) {}
}

/// A value of zeroes. It goes over the stack: for one of megabytes there is [`boxed`].
pub fn zeroed<T: Bits>() -> T {
    // SAFETY: any bytes are a value of it.
    unsafe { MaybeUninit::zeroed().assume_init() }
}
/// A value of zeroes on the heap.
pub fn boxed<T: Bits>() -> Box<T> {
    // SAFETY: any bytes are a value of it.
    unsafe { crate::large::boxed_zeroes() }
}

/// The message in `bytes`. What lies behind it is ignored.
///
/// # Errors
/// Another layout, too few bytes, or bytes that do not start at a multiple of the type's alignment: a copy that starts
/// anywhere can be [copied](copy).
#[inline]
pub fn read<T: Plain>(bytes: &[u8]) -> Result<&T, PlainError> {
    let body = check::<T>(bytes)?;
    aligned::<T>(body.as_ptr())?;
    // SAFETY: the bytes are there and aligned, any bytes are a value, and the reference borrows them.
    Ok(unsafe { &*body.as_ptr().cast::<T>() })
}

/// A copy of the message in `bytes`, which may start anywhere. What lies behind it is ignored.
///
/// # Errors
/// Another layout, or too few bytes.
#[inline]
pub fn copy<T: Plain>(bytes: &[u8]) -> Result<T, PlainError> {
    let body = check::<T>(bytes)?;
    // SAFETY: the bytes are there, and any bytes are a value.
    Ok(unsafe { body.as_ptr().cast::<T>().read_unaligned() })
}

/// Writes a message, and returns its length, [`Plain::PLAIN_SIZE`].
///
/// # Errors
/// A buffer that is too small.
#[inline]
pub fn write<T: Plain>(value: &T, buf: &mut [u8]) -> Result<usize, PlainError> {
    let body = start::<T>(buf)?;
    // SAFETY: there is room, just checked, which is not the value's; the type has no padding that is not a field, so that all
    // its bytes are initialised. They are copied as bytes, so that a large value does not go over the stack.
    unsafe { ptr::copy_nonoverlapping(ptr::from_ref(value).cast(), body.as_mut_ptr(), size_of::<T>()) };
    Ok(T::PLAIN_SIZE)
}

/// Starts a message in borrowed room: writes the hash, zeroes the padding, and hands out the struct to be filled in.
///
/// The fields hold whatever lay there: an old message, or zeroes. Fill in all of them, then publish
/// [`Plain::PLAIN_SIZE`] bytes.
///
/// # Errors
/// Room that is too small, or does not start at a multiple of the type's alignment; that of a loan does.
#[inline]
pub fn place_in<T: Plain>(room: &mut [u8]) -> Result<&mut T, PlainError> {
    let body = start::<T>(room)?;
    aligned::<T>(body.as_ptr())?;
    // SAFETY: the bytes are there and aligned, any bytes are a value, and the reference borrows them for itself alone.
    let value = unsafe { &mut *body.as_mut_ptr().cast::<T>() };
    value.clear_padding();
    Ok(value)
}

/// The bytes of the struct, if the hash before it is right and all of them are there.
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

/// Writes the hash; the room behind it has the struct's size.
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
