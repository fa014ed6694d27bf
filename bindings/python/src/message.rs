//! A message as an object of Python.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyMemoryView, PyType};
use saltus_channel::clock;
use saltus_domain::{Message as Received, Missed};

/// Messages of at least this many bytes are lent to Python instead of copied. Copying a shorter one takes less time than allocating
/// new memory for the next one.
pub(crate) const LONG: usize = 16 << 10;

/// A message. Its bytes stay while you reference it or its data.
#[pyclass(frozen, module = "saltus")]
pub(crate) struct Message {
    /// `bytes`, or an object made by `buffer::lend`.
    owner: Py<PyAny>,
    view: PyOnceLock<Py<PyMemoryView>>,
    len: usize,
    /// The channel's name; bytes that are not UTF-8 are surrogates, as in file names.
    #[pyo3(get)]
    channel: Py<PyAny>,
    /// The decoded message if the subscriber has a type; else None.
    #[pyo3(get)]
    value: Option<Py<PyAny>>,
    timestamps: Timestamps,
}

/// A message's metadata, without its channel. The names are those of Rust.
#[derive(Clone, Copy)]
pub(crate) struct Timestamps {
    pub published: Option<u64>,
    pub arrived: u64,
    pub logged: Option<i64>,
    pub sender: Option<u64>,
    pub sequence: Option<u64>,
    pub missed: Missed,
    pub dropped: u64,
}

impl Timestamps {
    pub fn of(message: &Received<'_>) -> Timestamps {
        Timestamps {
            published: message.published,
            arrived: message.arrived,
            logged: message.logged,
            sender: message.sender,
            sequence: message.sequence,
            missed: message.missed,
            dropped: message.dropped,
        }
    }
}

impl Message {
    pub fn new(
        owner: Bound<'_, PyAny>,
        len: usize,
        channel: Py<PyAny>,
        value: Option<Py<PyAny>>,
        timestamps: Timestamps,
    ) -> Message {
        Message { owner: owner.unbind(), view: PyOnceLock::new(), len, channel, value, timestamps }
    }
}

#[pymethods]
impl Message {
    /// For annotations: only type checkers use the type of its messages.
    #[classmethod]
    fn __class_getitem__<'py>(cls: &Bound<'py, PyType>, _of: Py<PyAny>) -> Bound<'py, PyType> {
        cls.clone()
    }
    /// The message's bytes, not copied: a read-only memoryview.
    #[getter]
    fn data(&self, py: Python<'_>) -> PyResult<Py<PyMemoryView>> {
        let view =
            self.view.get_or_try_init(py, || PyMemoryView::from(self.owner.bind(py)).map(Bound::unbind));
        view.map(|view| view.clone_ref(py))
    }
    /// The time it was published, boot time in ns (see now_ns()); None if the transport does not provide it.
    #[getter]
    fn published_ns(&self) -> Option<u64> {
        self.timestamps.published
    }
    /// The time it arrived on this machine, boot time in ns.
    #[getter]
    fn arrived_ns(&self) -> u64 {
        self.timestamps.arrived
    }
    /// The time it was recorded, µs since 1970; None if it is not from a log.
    #[getter]
    fn logged_us(&self) -> Option<i64> {
        self.timestamps.logged
    }
    /// The sender's own number; None if the transport has none.
    #[getter]
    fn sender(&self) -> Option<u64> {
        self.timestamps.sender
    }
    /// Its number among the sender's messages, if any.
    #[getter]
    fn sequence(&self) -> Option<u64> {
        self.timestamps.sequence
    }
    /// Messages missed since the last one received; None if unknown.
    #[getter]
    fn missed(&self) -> Option<u64> {
        self.timestamps.missed.count()
    }
    /// Whether `missed` counts messages of all the sender's channels, as on LCM's network.
    #[getter]
    fn missed_of_sender(&self) -> bool {
        matches!(self.timestamps.missed, Missed::OfSender(_))
    }
    /// Messages dropped in this process since the last one received, because the subscriber was slow or receives only the newest.
    /// This number is exact.
    #[getter]
    fn dropped(&self) -> u64 {
        self.timestamps.dropped
    }
    /// The message's age in ns: the time since it was published, or, if that is unknown, since it arrived.
    fn age_ns(&self) -> u64 {
        clock::boottime().saturating_sub(self.timestamps.published.unwrap_or(self.timestamps.arrived))
    }

    fn __bytes__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let owner = self.owner.bind(py);
        if owner.is_instance_of::<PyBytes>() {
            return Ok(self.owner.clone_ref(py));
        }
        Ok(self.data(py)?.bind(py).call_method0("tobytes")?.unbind())
    }
    fn __len__(&self) -> usize {
        self.len
    }
    fn __bool__(&self) -> bool {
        true
    }
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let channel = self.channel.bind(py).repr()?.to_string();
        match &self.value {
            Some(value) => Ok(format!("<message of {channel}: {}>", value.bind(py).repr()?)),
            None => Ok(format!("<message of {channel}: {} bytes>", self.len)),
        }
    }
}
