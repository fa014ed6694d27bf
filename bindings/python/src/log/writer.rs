//! Writing logs.

use super::format;
use crate::buffer::with_bytes;
use crate::domain::described;
use crate::errors::{OrRaise, code, error};
use crate::handle::Handle;
use crate::names;
use crate::publisher::encode;
use pyo3::prelude::*;
use saltus_log::{Compression, Event, Format, WriterOptions};
use std::fs::File;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes a log. It writes events to the file in batches, at least once per second. Events in the file survive if the process is
/// killed.
#[pyclass(frozen, module = "saltus.log")]
pub(crate) struct Writer {
    handle: Handle<saltus_log::Writer<File>>,
    /// The file.
    #[pyo3(get)]
    path: PathBuf,
}

/// Now, ns since 1970.
fn present() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

#[pymethods]
impl Writer {
    /// Creates a new file; an existing one is not changed (Exists). Without `format`, the name selects the format (`.mcap`, `.lcmlog`, …).
    #[new]
    #[pyo3(
        signature = (path, format=None, compression="zstd".to_string()),
        text_signature = "(path, format=None, compression='zstd')"
    )]
    fn new(py: Python<'_>, path: PathBuf, format: Option<String>, compression: String) -> PyResult<Writer> {
        let format = match format {
            Some(name) => self::format(py, &name)?,
            None => Format::of_name(&path).ok_or_else(|| {
                error(
                    py,
                    code::INVALID,
                    format_args!(
                        "{}: its name tells no format: say format=\"mcap\" or \"lcm\"",
                        path.display()
                    ),
                )
            })?,
        };
        let compression = match compression.as_str() {
            "none" => Compression::None,
            "lz4" => Compression::Lz4,
            "zstd" => Compression::Zstd,
            other => {
                let text = format!("compression={other:?}: it is \"none\", \"lz4\" or \"zstd\"");
                return Err(error(py, code::INVALID, text));
            }
        };
        let failed = |e| saltus_log::Error::Io(format!("make the log {}", path.display()), e);
        let file = File::create_new(&path).map_err(failed).or_raise(py)?;
        let options = WriterOptions::new().compression(compression);
        let writer = saltus_log::Writer::new(file, format, options).or_raise(py)?;
        Ok(Writer { handle: Handle::new("log", writer), path })
    }

    /// Appends an event: bytes, or a typed message, whose type is written too. Times are ns since 1970; the default log time is now.
    #[pyo3(signature = (channel, message, log_time_ns=None, publish_time_ns=None, sequence=None))]
    fn write(
        &self,
        py: Python<'_>,
        channel: &Bound<'_, PyAny>,
        message: &Bound<'_, PyAny>,
        log_time_ns: Option<i64>,
        publish_time_ns: Option<i64>,
        sequence: Option<u64>,
    ) -> PyResult<()> {
        let channel = names::to_bytes(channel)?;
        let class = message.get_type();
        let typed = class.hasattr("FINGERPRINT")? || class.hasattr("_get_packed_fingerprint")?;
        let encoded = if typed { Some(encode(&class, message)?) } else { None };
        with_bytes(encoded.as_ref().unwrap_or(message), |data, _| {
            let mut writer = self.handle.lock(py)?;
            if typed && writer.types().of(data).is_none() {
                let what = described(&class)?;
                writer.types().learn(&what.name, &what.schema);
            }
            let log_time = log_time_ns.unwrap_or_else(present);
            let publish_time = publish_time_ns;
            let event = Event { channel: &channel, data, log_time, publish_time, sequence, about: None };
            writer.write(&event).or_raise(py)
        })?
    }
    /// Writes all events to the file now.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        let mut writer = self.handle.lock(py)?;
        let writer = &mut *writer;
        py.detach(|| writer.flush()).or_raise(py)
    }
    /// The number of events written so far.
    #[getter]
    fn events(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.handle.lock(py)?.events())
    }
    /// Ends the log and closes the file.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if self.handle.is_closed() {
            return Ok(());
        }
        match self.handle.take(py)? {
            Some(writer) => py.detach(|| writer.finish()).or_raise(py).map(drop),
            None => Ok(()),
        }
    }
    /// Whether the log is closed.
    #[getter]
    fn closed(&self) -> bool {
        self.handle.is_closed()
    }
    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }
    fn __exit__(
        &self,
        py: Python<'_>,
        _type: Py<PyAny>,
        _value: Py<PyAny>,
        _traceback: Py<PyAny>,
    ) -> PyResult<()> {
        self.close(py)
    }
    fn __repr__(&self) -> String {
        let closed = if self.closed() { "closed " } else { "" };
        format!("<{closed}writer of log {}>", self.path.display())
    }
}
