//! Shares bytes between Python's objects and Rust, in both directions, without a copy.
//!
//! Python's limited API has the buffer protocol from 3.11 on, and PyO3 follows it. But the structure and the functions have been
//! the same since 3.3, and types made at run time may have the slot since 3.9, so this module declares them.

use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyType};
use saltus_domain::View;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;

/// `Py_buffer`.
#[repr(C)]
struct Raw {
    buf: *mut c_void,
    obj: *mut ffi::PyObject,
    len: ffi::Py_ssize_t,
    itemsize: ffi::Py_ssize_t,
    readonly: c_int,
    ndim: c_int,
    format: *mut c_char,
    shape: *mut ffi::Py_ssize_t,
    strides: *mut ffi::Py_ssize_t,
    suboffsets: *mut ffi::Py_ssize_t,
    internal: *mut c_void,
}

/// Contiguous, read-only bytes.
const SIMPLE: c_int = 0;
/// `Py_bf_getbuffer`.
const GET_BUFFER: c_int = 1;

unsafe extern "C" {
    fn PyObject_GetBuffer(object: *mut ffi::PyObject, view: *mut Raw, flags: c_int) -> c_int;
    fn PyBuffer_Release(view: *mut Raw);
    fn PyBuffer_FillInfo(
        view: *mut Raw,
        object: *mut ffi::PyObject,
        buf: *mut c_void,
        len: ffi::Py_ssize_t,
        readonly: c_int,
        flags: c_int,
    ) -> c_int;
}

/// Releases the buffer when dropped.
struct Release<'a>(&'a mut Raw);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        // SAFETY: `PyObject_GetBuffer` filled it, and it has not moved since; this thread is attached, as it was then.
        unsafe { PyBuffer_Release(self.0) };
    }
}

/// Calls `f` with the bytes of any object that has some: `bytes`, `bytearray`, `memoryview`, a NumPy array. The second argument of `f`
/// is true if the bytes cannot change during the call. Otherwise another thread may change them, or another process, if they are a
/// message in shared memory. Then `f` may only pass them on. Code that reads them, or waits with them, [copies](copied) them first.
///
/// # Errors
/// Python's error for an object without bytes, or whose bytes are not contiguous.
pub(crate) fn with_bytes<R>(object: &Bound<'_, PyAny>, f: impl FnOnce(&[u8], bool) -> R) -> PyResult<R> {
    if let Some(bytes) = constant(object) {
        return Ok(f(bytes, true));
    }
    with_place(object, |at, len| {
        // SAFETY: there are `len` bytes at `at` during the call. Other threads of this process cannot change them while this one is
        // attached; callers that detach copy them first.
        f(unsafe { std::slice::from_raw_parts(at, len) }, false)
    })
}

/// The bytes of an object that cannot change: those of a `bytes`, or of a received message.
pub(crate) fn constant<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a [u8]> {
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Some(bytes.as_bytes());
    }
    let class = LENT.get(object.py())?;
    if !object.get_type().is(class) {
        return None;
    }
    // SAFETY: an object of the type, whose bytes are NULL or live as long as the object.
    match unsafe { (*object.as_ptr().cast::<Lent>()).lasting.as_ref() }? {
        Lasting::Own(bytes, skip) => bytes.get(*skip..),
        Lasting::Shared(_) => None,
    }
}

/// A copy of the bytes of any object that has some.
///
/// # Errors
/// The errors of [`with_bytes`], and insufficient memory.
pub(crate) fn copied(object: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    with_place(object, |at, len| {
        let mut copy = Vec::new();
        copy.try_reserve_exact(len).map_err(|e| PyMemoryError::new_err(e.to_string()))?;
        // SAFETY: there are `len` bytes at `at` during the call, and the copy has room for them. If another process changes them in the
        // meantime, the copy has arbitrary bytes, which callers allow for: no reference to them is made.
        unsafe {
            ptr::copy_nonoverlapping(at, copy.as_mut_ptr(), len);
            copy.set_len(len);
        }
        Ok(copy)
    })?
}

/// Calls `f` with the address and the number of an object's bytes.
fn with_place<R>(object: &Bound<'_, PyAny>, f: impl FnOnce(*const u8, usize) -> R) -> PyResult<R> {
    let mut raw = Raw {
        buf: ptr::null_mut(),
        obj: ptr::null_mut(),
        len: 0,
        itemsize: 0,
        readonly: 0,
        ndim: 0,
        format: ptr::null_mut(),
        shape: ptr::null_mut(),
        strides: ptr::null_mut(),
        suboffsets: ptr::null_mut(),
        internal: ptr::null_mut(),
    };
    // SAFETY: a live object, and room for a view, which stays where it is until it is released.
    if unsafe { PyObject_GetBuffer(object.as_ptr(), &mut raw, SIMPLE) } != 0 {
        return Err(PyErr::fetch(object.py()));
    }
    let view = Release(&mut raw);
    match usize::try_from(view.0.len) {
        Ok(len) if len > 0 && !view.0.buf.is_null() => Ok(f(view.0.buf.cast_const().cast(), len)),
        _ => Ok(f(ptr::dangling(), 0)),
    }
}

/// A Python object that owns bytes of Rust.
#[repr(C)]
struct Lent {
    base: ffi::PyObject,
    /// NULL in an object that Python code made itself.
    lasting: *mut Lasting,
}

/// The type of such objects, after the first one was made.
static LENT: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Bytes that do not move.
pub(crate) enum Lasting {
    /// All of these bytes except the first `.1`.
    Own(Vec<u8>, usize),
    /// A message in place, which may change at any moment. Python reads it; Rust code [copies](copied) it before it computes with it.
    Shared(View),
}

impl Lasting {
    fn place(&self) -> (*const u8, usize) {
        match self {
            Lasting::Own(bytes, skip) => {
                let bytes = bytes.get(*skip..).unwrap_or_default();
                (bytes.as_ptr(), bytes.len())
            }
            Lasting::Shared(view) => (view.as_ptr(), view.len()),
        }
    }
}

/// Passes bytes to Python as an object with a buffer, for `memoryview` and NumPy.
pub(crate) fn lend(py: Python<'_>, bytes: Lasting) -> PyResult<Bound<'_, PyAny>> {
    let class = LENT.get_or_try_init(py, || make_type(py))?;
    // SAFETY: a type object, and its objects have no elements.
    let object = unsafe { ffi::PyType_GenericAlloc(class.as_ptr().cast(), 0) };
    if object.is_null() {
        return Err(PyErr::take(py).unwrap_or_else(|| PyMemoryError::new_err("no room for a message")));
    }
    let lent: *mut Lent = object.cast();
    // SAFETY: a new object of the type, which nothing else references, with room for a `Lent`.
    unsafe {
        (*lent).lasting = Box::into_raw(Box::new(bytes));
        Bound::from_owned_ptr_or_err(py, object)
    }
}

fn make_type(py: Python<'_>) -> PyResult<Py<PyType>> {
    let end = ffi::PyType_Slot { slot: 0, pfunc: ptr::null_mut() };
    let doc = c"Bytes of a message, lent by Saltus.".as_ptr().cast_mut().cast();
    let mut slots = [
        ffi::PyType_Slot { slot: ffi::Py_tp_doc, pfunc: doc },
        ffi::PyType_Slot { slot: ffi::Py_tp_dealloc, pfunc: dealloc as *mut c_void },
        ffi::PyType_Slot { slot: GET_BUFFER, pfunc: get_buffer as *mut c_void },
        end,
    ];
    let mut spec = ffi::PyType_Spec {
        name: c"saltus._saltus.Bytes".as_ptr(),
        basicsize: size_of::<Lent>() as c_int,
        itemsize: 0,
        flags: ffi::Py_TPFLAGS_DEFAULT as c_uint,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: slots of the right kinds, with an end; the name is static; the result is a new reference or an error.
    let class = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpec(&mut spec)) }?;
    Ok(class.cast_into::<PyType>()?.unbind())
}

unsafe extern "C" fn get_buffer(object: *mut ffi::PyObject, view: *mut c_void, flags: c_int) -> c_int {
    // SAFETY: Python calls it with an object of the type, whose bytes are NULL or live as long as the object.
    let lasting = unsafe { (*object.cast::<Lent>()).lasting.as_ref() };
    let (at, len) = lasting.map_or((ptr::dangling(), 0), Lasting::place);
    // SAFETY: a view to be filled; the bytes do not move while the object lives, and the view keeps it.
    unsafe { PyBuffer_FillInfo(view.cast(), object, at.cast_mut().cast(), len as ffi::Py_ssize_t, 1, flags) }
}

unsafe extern "C" fn dealloc(object: *mut ffi::PyObject) {
    // SAFETY: Python calls it once, with an object of the type without references to it; it has a reference to its type.
    unsafe {
        let class = ffi::Py_TYPE(object);
        let lasting = (*object.cast::<Lent>()).lasting;
        if !lasting.is_null() {
            drop(Box::from_raw(lasting));
        }
        ffi::PyObject_Free(object.cast());
        ffi::Py_DECREF(class.cast());
    }
}
