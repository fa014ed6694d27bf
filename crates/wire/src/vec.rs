//! Functions for generated code: sizes of variable parts, and vectors that grow as their elements are read.

/// Bytes of a string on the wire: its length, its bytes, a NUL.
#[inline]
pub fn string_size(text: &str) -> usize {
    4 + text.len() + 1
}
/// Bytes of strings on the wire.
pub fn strings_size(texts: &[String]) -> usize {
    texts.iter().map(|text| string_size(text)).sum()
}
/// The element at `at`, a new one if the vector ends there. Panics beyond.
#[inline]
pub fn element_at<T: Default>(out: &mut Vec<T>, at: usize) -> &mut T {
    element_at_with(out, at, T::default)
}
/// The element at `at`; `new` creates it if the vector ends there. Panics beyond.
#[inline]
pub fn element_at_with<T>(out: &mut Vec<T>, at: usize, new: impl FnOnce() -> T) -> &mut T {
    if at == out.len() {
        out.push(new());
    }
    &mut out[at]
}
