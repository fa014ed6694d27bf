//! Publishing.

use crate::buffer::with_bytes;
use crate::errors::{OrRaise, code, error};
use crate::handle::Handle;
use crate::subscriber::described_as;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// Publishes in one channel. It never waits for a subscriber. One thread at a time.
#[pyclass(frozen, module = "saltus")]
pub(crate) struct Publisher {
    handle: Handle<saltus_domain::Publisher>,
    /// The channel's name.
    #[pyo3(get)]
    channel: Py<PyAny>,
    /// The type of its messages, or None for bytes.
    #[pyo3(get)]
    r#type: Option<Py<PyAny>>,
    /// Publishing never waits.
    quick: bool,
}

impl Publisher {
    pub fn new(
        inner: saltus_domain::Publisher,
        channel: Py<PyAny>,
        r#type: Option<Py<PyAny>>,
        quick: bool,
    ) -> Publisher {
        Publisher { handle: Handle::new("publisher", inner), channel, r#type, quick }
    }

    /// Publishes the bytes that `send` receives. A call that may wait releases the interpreter's lock, and uses bytes that cannot change.
    fn send<T: Send>(
        &self,
        message: &Bound<'_, PyAny>,
        send: impl FnOnce(&mut saltus_domain::Publisher, &[u8]) -> saltus_domain::Result<T> + Send,
    ) -> PyResult<T> {
        let py = message.py();
        let encoded = self.r#type.as_ref().map(|class| encode(class.bind(py), message)).transpose()?;
        with_bytes(encoded.as_ref().unwrap_or(message), |bytes, constant| {
            let mut locked = self.handle.lock(py)?;
            let publisher = &mut *locked;
            let sent = if self.quick {
                send(publisher, bytes)
            } else if constant {
                py.detach(|| send(publisher, bytes))
            } else {
                let copy = bytes.to_vec();
                py.detach(|| send(publisher, &copy))
            };
            sent.or_raise(py)
        })?
    }
}

/// The bytes of a message of this type. An error in it becomes one of our exceptions, whatever generated the class.
pub(crate) fn encode<'py>(
    class: &Bound<'py, PyAny>,
    message: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    static ENCODE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = class.py();
    ENCODE.import(py, "saltus._typed", "encode")?.call1((class, message)).map_err(|cause| {
        if !cause.is_instance_of::<PyValueError>(py) {
            return cause;
        }
        let error = error(py, code::ENCODE, cause.value(py));
        error.set_cause(py, Some(cause));
        error
    })
}

#[pymethods]
impl Publisher {
    /// For annotations: only type checkers use the type of its messages.
    #[classmethod]
    fn __class_getitem__<'py>(cls: &Bound<'py, PyType>, _of: Py<PyAny>) -> Bound<'py, PyType> {
        cls.clone()
    }
    /// Publishes a message: any object with bytes or, with a type, a message of it or a dict of its fields. In shared memory it never
    /// waits; on a network it makes system calls and releases the interpreter's lock.
    fn publish(&self, message: &Bound<'_, PyAny>) -> PyResult<()> {
        self.send(message, |publisher, bytes| publisher.publish(bytes))
    }
    /// Publishes a message with a timestamp of your choice and returns the timestamp that it got: ns of boot time in shared memory, ns
    /// since 1970 in a log. Raises Unsupported if messages carry no timestamps.
    fn publish_with_timestamp(&self, message: &Bound<'_, PyAny>, timestamp_ns: i64) -> PyResult<i64> {
        self.send(message, |publisher, bytes| publisher.publish_with_timestamp(bytes, timestamp_ns))
    }
    /// The Message.sender of messages from this publisher; None if it is unknown.
    #[getter]
    fn sender(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        Ok(self.handle.lock(py)?.sender())
    }

    /// Closes the publisher. Later calls raise Closed, except close() itself.
    fn close(&self, py: Python<'_>) {
        self.handle.close(py, || {});
    }
    /// Whether the publisher is closed.
    #[getter]
    fn closed(&self) -> bool {
        self.handle.is_closed()
    }
    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }
    fn __exit__(&self, py: Python<'_>, _type: Py<PyAny>, _value: Py<PyAny>, _traceback: Py<PyAny>) {
        self.close(py);
    }
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (channel, class) =
            (self.channel.bind(py).repr()?, self.r#type.as_ref().map(|class| class.bind(py)));
        Ok(described_as("publisher", &channel.to_string(), class, self.closed()))
    }
}
