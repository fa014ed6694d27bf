//! A message as Python gets it.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyMemoryView, PyType};
use saltus_channel::clock;
use saltus_domain::{Message as Received, Missed};

/// From so many bytes on a message is lent to Python instead of being copied: a copy of fewer takes less time than new memory for
/// the next one.
pub(crate) const LONG: usize = 16 << 10;

/// A message. It keeps its bytes for as long as anybody has it, or its data.
#[pyclass(frozen, module = "saltus")]
pub(crate) struct Message {
    /// `bytes`, or what `buffer::lend` makes.
    owner: Py<PyAny>,
    view: PyOnceLock<Py<PyMemoryView>>,
    len: usize,
    /// The channel's name; bytes that are not UTF-8 are surrogates, as in file names.
    #[pyo3(get)]
    channel: Py<PyAny>,
    /// What it says, where the subscriber has a type; else None.
    #[pyo3(get)]
    value: Option<Py<PyAny>>,
    timestamps: Timestamps,
}

/// What is known about a message, but for its bytes and its channel. Names are those of Rust.
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
    /// For annotations: what it carries is known to type checkers alone.
    #[classmethod]
    fn __class_getitem__<'py>(cls: &Bound<'py, PyType>, _of: Py<PyAny>) -> Bound<'py, PyType> {
        cls.clone()
    }
    /// Its bytes, not copied: a memoryview that can only be read.
    #[getter]
    fn data(&self, py: Python<'_>) -> PyResult<Py<PyMemoryView>> {
        let view =
            self.view.get_or_try_init(py, || PyMemoryView::from(self.owner.bind(py)).map(Bound::unbind));
        view.map(|view| view.clone_ref(py))
    }
    /// When it was published, boot time in ns (see now_ns()); None where the transport does not say.
    #[getter]
    fn published_ns(&self) -> Option<u64> {
        self.timestamps.published
    }
    /// When it arrived at this machine, boot time in ns.
    #[getter]
    fn arrived_ns(&self) -> u64 {
        self.timestamps.arrived
    }
    /// When a log says that it was recorded, µs since 1970; None where it comes from no log.
    #[getter]
    fn logged_us(&self) -> Option<i64> {
        self.timestamps.logged
    }
    /// A number that tells senders apart; None where the transport does not.
    #[getter]
    fn sender(&self) -> Option<u64> {
        self.timestamps.sender
    }
    /// Its number among the sender's messages, where there is one.
    #[getter]
    fn sequence(&self) -> Option<u64> {
        self.timestamps.sequence
    }
    /// Messages missed since the last one received; None where nobody knows.
    #[getter]
    fn missed(&self) -> Option<u64> {
        self.timestamps.missed.count()
    }
    /// Whether `missed` counts what the sender lost on all its channels, as on LCM's network.
    #[getter]
    fn missed_of_sender(&self) -> bool {
        matches!(self.timestamps.missed, Missed::OfSender(_))
    }
    /// Messages dropped in this process since the last one received, because the subscriber was slow or wanted the newest. Exact.
    #[getter]
    fn dropped(&self) -> u64 {
        self.timestamps.dropped
    }
    /// How old it is, in ns: since its publication if that is known, else since its arrival.
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
