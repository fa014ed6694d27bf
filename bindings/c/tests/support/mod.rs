//! What the tests have in common: a domain of their own, a C compiler, and the library that cargo has just built.
#![allow(dead_code)] // each test uses some of it

pub mod build;
pub mod examples;
pub mod native;
pub mod programs;
pub mod tsan;

pub use build::Build;
pub use native::*;
use std::process::Command;

impl TestDomain {
    pub fn open(&self) -> saltus_channel::Directory {
        saltus_channel::Directory::open(&self.url()).expect("a domain")
    }
    /// The channels in it, to see that nothing was left behind.
    pub fn list(&self) -> Vec<String> {
        self.open().list().expect("a list").iter().map(|name| name.to_string()).collect()
    }
}

/// What went wrong last in this thread, as C is told.
pub fn last() -> String {
    // SAFETY: a string with an end, which lives until this thread's next failure; it is copied at once.
    unsafe { std::ffi::CStr::from_ptr(saltus::saltus_last_error()) }.to_str().expect("UTF-8").into()
}

/// A handle that is not open.
pub fn none<T: Default>() -> T {
    T::default()
}

/// A code that must be 0.
#[track_caller]
pub fn ok(code: saltus::SaltusError) {
    assert_eq!(code, saltus::SALTUS_OK, "{}", last());
}
