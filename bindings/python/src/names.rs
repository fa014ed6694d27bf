//! Names of channels, and other text that may not be valid UTF-8: other bytes become surrogates.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// The bytes of a `str` or `bytes`.
pub(crate) fn to_bytes(text: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(bytes) = text.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    let Ok(text) = text.cast::<PyString>() else {
        return Err(PyTypeError::new_err(format!("expected a str or bytes, not {}", kind(text))));
    };
    match text.to_cow() {
        Ok(text) => Ok(text.as_bytes().to_vec()),
        Err(_) => {
            let bytes = text.call_method1("encode", ("utf-8", "surrogateescape"))?;
            Ok(bytes.cast::<PyBytes>()?.as_bytes().to_vec())
        }
    }
}

/// Bytes as a `str`.
pub(crate) fn to_str<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    match str::from_utf8(bytes) {
        Ok(text) => Ok(PyString::new(py, text).into_any()),
        Err(_) => PyBytes::new(py, bytes).call_method1("decode", ("utf-8", "surrogateescape")),
    }
}

/// A description of an object, for error messages.
pub(crate) fn kind(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map(|name| name.to_string()).unwrap_or_else(|_| "that".into())
}
