//! Logs: LCM's and MCAP.

mod event;
mod writer;

pub(crate) use event::Event;
pub(crate) use writer::Writer;

use crate::domain::described;
use crate::errors::{OrRaise, code, error};
use crate::handle::Handle;
use crate::names;
use crate::types::Schema;
use pyo3::exceptions::PyIndexError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use saltus_log::Keep;
use std::collections::HashMap;
use std::path::PathBuf;

/// Reads a log. Its events are in order of time, at positions from 0. Iterating continues from the current position.
#[pyclass(frozen, module = "saltus.log")]
pub(crate) struct Log {
    handle: Handle<Inner>,
    /// The path that it was opened with.
    #[pyo3(get)]
    path: PathBuf,
}

struct Inner {
    log: saltus_log::Log,
    classes: Classes,
}

/// The classes of messages, by their first bytes; none for an unknown type.
struct Classes {
    known: HashMap<[u8; 8], Option<Py<PyAny>>>,
}

impl Classes {
    /// The class of an event's message: from the types that the caller gave, or else from the file's description.
    fn of(&mut self, py: Python<'_>, event: &saltus_log::Event<'_>) -> PyResult<Option<Py<PyAny>>> {
        let Some(key) = event.data.first_chunk::<8>() else { return Ok(None) };
        if let Some(known) = self.known.get(key) {
            return Ok(known.as_ref().map(|class| class.clone_ref(py)));
        }
        let Some(kind) = event.about.and_then(|about| about.kind.as_ref()) else { return Ok(None) };
        if kind.key() != *key {
            return Ok(None);
        }
        let schema = Py::new(py, Schema::new(kind.schema().clone()))?;
        let classes: Vec<Py<PyAny>> =
            py.import("saltus.types")?.call_method1(intern!(py, "_classes"), (schema,))?.extract()?;
        let class = classes.into_iter().nth(kind.id().0);
        self.known.insert(*key, class.as_ref().map(|class| class.clone_ref(py)));
        Ok(class)
    }
}

/// Which event.
enum Step {
    Next,
    Previous,
    At(u64),
}

impl Log {
    fn step(&self, py: Python<'_>, step: Step) -> PyResult<Option<Event>> {
        let mut locked = self.handle.lock(py)?;
        let inner = &mut *locked;
        let (log, classes) = (&mut inner.log, &mut inner.classes);
        let event = match step {
            Step::Next => log.next(),
            Step::Previous => log.previous(),
            Step::At(position) => log.event(position),
        };
        let Some(event) = event.or_raise(py)? else { return Ok(None) };
        let class = classes.of(py, &event)?;
        Event::new(py, &event, class).map(Some)
    }
}

#[pymethods]
impl Log {
    /// Opens a log. This reads it once, unless a file next to it has its index; Ctrl-C interrupts that. `classes` are those of
    /// messages that the file does not describe.
    #[new]
    #[pyo3(signature = (path, classes=Vec::new()), text_signature = "(path, classes=())")]
    fn new(py: Python<'_>, path: PathBuf, classes: Vec<Py<PyAny>>) -> PyResult<Log> {
        let mut known = HashMap::new();
        for class in classes {
            let what = described(class.bind(py))?;
            known.insert(what.fingerprint.to_be_bytes(), Some(class));
        }
        let mut signal = None;
        let opened = py.detach(|| {
            saltus_log::Log::open_with(&path, Keep::default(), &mut |_, _| {
                signal = Python::attach(|py| py.check_signals()).err();
                signal.is_none()
            })
        });
        match (signal, opened) {
            (Some(signal), _) => Err(signal),
            (None, opened) => {
                let log = opened.or_raise(py)?;
                Ok(Log { handle: Handle::new("log", Inner { log, classes: Classes { known } }), path })
            }
        }
    }

    /// Reads the next event and moves one step forward; None at the end.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Event>> {
        self.step(py, Step::Next)
    }
    /// Reads the previous event and moves one step back; None at the beginning.
    fn previous(&self, py: Python<'_>) -> PyResult<Option<Event>> {
        self.step(py, Step::Previous)
    }
    /// Moves to a position. A position behind the last event is the end.
    fn seek(&self, py: Python<'_>, position: u64) -> PyResult<()> {
        self.handle.lock(py)?.log.seek(position);
        Ok(())
    }
    /// Moves to the first event at or after this time, ns since 1970, or to the end. Returns the new position.
    fn seek_time(&self, py: Python<'_>, time_ns: i64) -> PyResult<u64> {
        self.handle.lock(py)?.log.seek_time(time_ns).or_raise(py)
    }
    /// The position of the next event.
    #[getter]
    fn position(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.handle.lock(py)?.log.position())
    }
    /// "lcm" or "mcap".
    #[getter]
    fn format(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(match self.handle.lock(py)?.log.format() {
            saltus_log::Format::Lcm => "lcm",
            saltus_log::Format::Mcap => "mcap",
        })
    }
    /// The times of the first event and the last, ns since 1970; None if the log is empty.
    #[getter]
    fn times_ns(&self, py: Python<'_>) -> PyResult<Option<(i64, i64)>> {
        self.handle.lock(py)?.log.times().or_raise(py)
    }
    /// The number of messages of each channel.
    fn channels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let locked = self.handle.lock(py)?;
        let out = PyDict::new(py);
        for channel in &locked.log.summary().channels {
            let name = names::to_str(py, &channel.name)?;
            // A channel that the file stores in two ways is listed twice.
            let before: u64 = out.get_item(&name)?.map_or(Ok(0), |n| n.extract())?;
            out.set_item(name, before + channel.messages)?;
        }
        Ok(out)
    }
    /// A description of unreadable parts; "none" if all could be read.
    #[getter]
    fn damage(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.handle.lock(py)?.log.damage().to_string())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.handle.lock(py)?.log.len() as usize)
    }
    fn __getitem__(&self, py: Python<'_>, position: i64) -> PyResult<Event> {
        let len = self.handle.lock(py)?.log.len();
        let at = if position < 0 { position.saturating_add_unsigned(len) } else { position };
        let event = match u64::try_from(at) {
            Ok(at) => self.step(py, Step::At(at))?,
            Err(_) => None,
        };
        event.ok_or_else(|| PyIndexError::new_err(format!("event {position} of {len}")))
    }
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Event>> {
        self.step(py, Step::Next)
    }
    /// Closes the log.
    fn close(&self, py: Python<'_>) {
        self.handle.close(py, || {});
    }
    /// Whether the log is closed.
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
    fn __repr__(&self, py: Python<'_>) -> String {
        let path = self.path.display();
        match self.handle.lock(py) {
            Ok(inner) => format!("<log {path}, {} events>", inner.log.len()),
            Err(_) if self.handle.is_closed() => format!("<closed log {path}>"),
            Err(_) => format!("<log {path}>"), // in use by another thread
        }
    }
}

/// The name of a format in Python.
fn format(py: Python<'_>, name: &str) -> PyResult<saltus_log::Format> {
    match name {
        "lcm" => Ok(saltus_log::Format::Lcm),
        "mcap" => Ok(saltus_log::Format::Mcap),
        _ => Err(error(py, code::INVALID, format_args!("format={name:?}: it is \"lcm\" or \"mcap\""))),
    }
}
