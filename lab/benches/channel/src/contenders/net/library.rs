//! A shared library that is loaded at run time, so that the harness builds without it and reports that it is missing.

use crate::error::Fallible;
use std::ffi::{CStr, CString, c_void};
use std::path::Path;
use std::ptr::NonNull;

/// A library that stays loaded until the process exits.
pub struct Library(NonNull<c_void>);

impl Library {
    /// Loads it, by path or by the name that the dynamic loader searches for.
    pub fn open(name: &Path) -> Fallible<Library> {
        let text = CString::new(name.as_os_str().as_encoded_bytes())?;
        // SAFETY: the name ends with a zero. What the library does when it is loaded is its own matter.
        let handle = unsafe { libc::dlopen(text.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        NonNull::new(handle).map(Library).ok_or_else(|| {
            // SAFETY: after a failure there is a text, which lives until the next call.
            let why = unsafe { CStr::from_ptr(libc::dlerror()) };
            format!("cannot load {}: {}", name.display(), why.to_string_lossy()).into()
        })
    }

    /// Finds a function by name.
    ///
    /// # Safety
    /// `F` must be a function pointer of the type that the library declares for the function.
    pub unsafe fn function<F: Copy>(&self, name: &CStr) -> Fallible<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) }
        // SAFETY: the handle is of a loaded library, the name ends with a zero.
        let found = unsafe { libc::dlsym(self.0.as_ptr(), name.as_ptr()) };
        let found = NonNull::new(found).ok_or_else(|| format!("the library has no {name:?}"))?;
        // SAFETY: a function pointer is as large as this one, and the caller vouches for its type.
        Ok(unsafe { std::mem::transmute_copy(&found.as_ptr()) })
    }
}
