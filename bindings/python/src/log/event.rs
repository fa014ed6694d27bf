//! An event of a log.

use crate::errors::{code, error};
use crate::names;
use crate::subscriber::{decoder, undecoded};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};

/// One message of a log.
#[pyclass(frozen, module = "saltus.log")]
pub(crate) struct Event {
    bytes: Py<PyBytes>,
    /// The channel that it was recorded on.
    #[pyo3(get)]
    channel: Py<PyAny>,
    /// The time it was logged, ns since 1970.
    #[pyo3(get)]
    log_time_ns: i64,
    /// The time it was published, ns since 1970; None if the format does not store it.
    #[pyo3(get)]
    publish_time_ns: Option<i64>,
    /// The sequence number from its publisher; None if the format does not store it.
    #[pyo3(get)]
    sequence: Option<u64>,
    /// Its type, if it is known.
    #[pyo3(get)]
    r#type: Option<Py<PyAny>>,
}

impl Event {
    pub fn new(py: Python<'_>, event: &saltus_log::Event<'_>, class: Option<Py<PyAny>>) -> PyResult<Event> {
        Ok(Event {
            bytes: PyBytes::new(py, event.data).unbind(),
            channel: names::to_str(py, event.channel)?.unbind(),
            log_time_ns: event.log_time,
            publish_time_ns: event.publish_time,
            sequence: event.sequence,
            r#type: class,
        })
    }
}

#[pymethods]
impl Event {
    /// The message as it was published, byte for byte.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyMemoryView>> {
        PyMemoryView::from(self.bytes.bind(py).as_any())
    }
    /// Decodes the message, again at each call. Raises Unsupported if its type is unknown.
    fn value(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match &self.r#type {
            Some(class) => {
                let value = decoder(class.bind(py))?.call1(py, (&self.bytes,));
                value.map_err(|cause| undecoded(py, &self.channel, cause))
            }
            None => {
                let channel = self.channel.bind(py);
                let text =
                    format!("the type of the messages of `{channel}` is not known: open the log with types=");
                Err(error(py, code::UNSUPPORTED, text))
            }
        }
    }
    fn __bytes__(&self, py: Python<'_>) -> Py<PyBytes> {
        self.bytes.clone_ref(py)
    }
    fn __len__(&self, py: Python<'_>) -> usize {
        self.bytes.bind(py).as_bytes().len()
    }
    fn __bool__(&self) -> bool {
        true
    }
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (channel, len) = (self.channel.bind(py).repr()?, self.__len__(py));
        Ok(format!("<event of {channel} at {} ns: {len} bytes>", self.log_time_ns))
    }
}
