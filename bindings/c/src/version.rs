//! The version of the library.

use std::ffi::c_char;

/// saltus_version returns the version of the library, such as "0.1.0", in a string that is never freed.
///
/// Blocks: never. Allocates: no. Kernel: no. Async-signal-safe.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
