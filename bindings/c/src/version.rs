//! Which version this is.

use std::ffi::c_char;

/// The version of the library, such as "0.1.0". A string that is there for ever.
///
/// Blocks: never. Allocates: no. Kernel: no. Async-signal-safe.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
