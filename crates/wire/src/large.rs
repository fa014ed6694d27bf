//! Values that are too large for the stack, created on the heap.

use crate::{Element, Flat};
use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::ptr::NonNull;

/// An array of zeros on the heap, in any number of dimensions.
pub fn zeroes<E: Element, T: Flat<E>, const N: usize>() -> Box<[T; N]> {
    // SAFETY: elements are numbers and booleans, for which zero bytes are valid, and the array contains nothing
    // else.
    unsafe { boxed_zeroes() }
}

/// An array on the heap; `make` creates its elements one by one.
pub fn boxed<T, const N: usize>(make: impl FnMut(usize) -> T) -> Box<[T; N]> {
    let elements: Box<[T]> = (0..N).map(make).collect();
    let Ok(array) = elements.try_into() else { unreachable!("there are N") };
    array
}

/// A value of zeros on the heap.
///
/// # Safety
/// Zero bytes must be a valid value of the type.
pub(crate) unsafe fn boxed_zeroes<T>() -> Box<T> {
    let layout = Layout::new::<T>();
    let room = if layout.size() == 0 {
        NonNull::dangling()
    } else {
        // SAFETY: the size is not 0.
        let room = unsafe { alloc_zeroed(layout) };
        NonNull::new(room.cast()).unwrap_or_else(|| handle_alloc_error(layout))
    };
    // SAFETY: memory with the type's layout from the global allocator, or none for a type without size; the caller
    // promises that its bytes are a valid value.
    unsafe { Box::from_raw(room.as_ptr()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_made_on_the_heap() {
        let large: Box<[[f64; 1000]; 1000]> = zeroes();
        assert_eq!(large[999], [0.0; 1000]);
        assert!(zeroes::<bool, bool, 3>().iter().all(|b| !b));
        assert_eq!(zeroes::<f32, [f32; 0], 5>().len(), 5);
        assert_eq!(*boxed::<_, 3>(|i| i.to_string()), ["0", "1", "2"]);
    }
}
