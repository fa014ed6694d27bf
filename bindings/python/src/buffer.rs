//! Bytes of Python's objects in Rust, and of Rust's in Python, without a copy.
//!
//! Python's limited API has the buffer protocol from 3.11 on, and PyO3 follows it. But the structure and the functions have been
//! the same since 3.3, and types that are made at run time may have the slot since 3.9; so they are declared here.

use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyType};
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

/// Bytes that lie in one piece; they are only read.
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

/// What was got is given back.
struct Release<'a>(&'a mut Raw);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        // SAFETY: `PyObject_GetBuffer` filled it, where it still lies; this thread is attached, as it was then.
        unsafe { PyBuffer_Release(self.0) };
    }
}

/// Calls `f` with the bytes of any object that has some: `bytes`, `bytearray`, `memoryview`, a NumPy array. `f` also hears whether
/// nobody can change them meanwhile. Whoever waits in it with others that can should copy them first.
///
/// # Errors
/// Python's own, for an object that has no bytes or has them in several pieces.
pub(crate) fn with_bytes<R>(object: &Bound<'_, PyAny>, f: impl FnOnce(&[u8], bool) -> R) -> PyResult<R> {
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(f(bytes.as_bytes(), true));
    }
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
    let len = usize::try_from(view.0.len).unwrap_or(0);
    let bytes: &[u8] = if len == 0 || view.0.buf.is_null() {
        &[]
    } else {
        // SAFETY: so many bytes lie there until the view is released. A thread that changes them meanwhile would have to do so while
        // this one is attached, but for callers that detach, who copy them first.
        unsafe { std::slice::from_raw_parts(view.0.buf.cast(), len) }
    };
    Ok(f(bytes, false))
}

/// An object of Python's that owns bytes of Rust's.
#[repr(C)]
struct Lent {
    base: ffi::PyObject,
    /// NULL in one that Python code made by itself.
    bytes: *mut Vec<u8>,
    skip: usize,
}

/// Gives bytes, but for the first `skip`, to Python: an object with a buffer, for `memoryview` and NumPy.
pub(crate) fn lend(py: Python<'_>, bytes: Vec<u8>, skip: usize) -> PyResult<Bound<'_, PyAny>> {
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = TYPE.get_or_try_init(py, || make_type(py))?;
    // SAFETY: a type object, and its objects have no elements.
    let object = unsafe { ffi::PyType_GenericAlloc(class.as_ptr().cast(), 0) };
    if object.is_null() {
        return Err(PyErr::take(py).unwrap_or_else(|| PyMemoryError::new_err("no room for a message")));
    }
    let lent: *mut Lent = object.cast();
    // SAFETY: a new object of the type, of which nobody else knows, with room for a `Lent`.
    unsafe {
        (*lent).bytes = Box::into_raw(Box::new(bytes));
        (*lent).skip = skip;
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
    // SAFETY: slots of the right kinds, with an end; the name lives for ever; what comes is a new reference or an error.
    let class = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpec(&mut spec)) }?;
    Ok(class.cast_into::<PyType>()?.unbind())
}

unsafe extern "C" fn get_buffer(object: *mut ffi::PyObject, view: *mut c_void, flags: c_int) -> c_int {
    // SAFETY: Python calls it with an object of the type, whose bytes are NULL or live as long as the object.
    let lent = unsafe { &*object.cast::<Lent>() };
    // SAFETY: as above.
    let bytes = unsafe { lent.bytes.as_ref() }.and_then(|bytes| bytes.get(lent.skip..)).unwrap_or_default();
    // SAFETY: a view to be filled; the bytes do not move while the object lives, and the view keeps it.
    unsafe {
        let buf = bytes.as_ptr().cast_mut().cast();
        PyBuffer_FillInfo(view.cast(), object, buf, bytes.len() as ffi::Py_ssize_t, 1, flags)
    }
}

unsafe extern "C" fn dealloc(object: *mut ffi::PyObject) {
    // SAFETY: Python calls it once, with an object of the type that nobody has any more; it has a reference to its type.
    unsafe {
        let class = ffi::Py_TYPE(object);
        let bytes = (*object.cast::<Lent>()).bytes;
        if !bytes.is_null() {
            drop(Box::from_raw(bytes));
        }
        ffi::PyObject_Free(object.cast());
        ffi::Py_DECREF(class.cast());
    }
}
