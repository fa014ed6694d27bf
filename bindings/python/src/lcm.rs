//! The native half of `saltus.lcm`: LCM's Python interface over `compat/lcm/core`.

use crate::buffer::{constant, copied};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyUnicodeDecodeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use saltus_channel::clock;
use saltus_lcm_core::eventlog::Log;
use saltus_lcm_core::{Handler, Instance, Message, Subscription, Woken, report};
use saltus_os::fork;
use saltus_text::words::plain;
use std::cell::Cell;
use std::ffi::{CStr, CString};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The longest time between two checks for signals, in ns. A signal ends a wait, but one that arrives in the microseconds before a wait
/// begins does not, as in LCM. Ctrl-C then does after this time.
const SLICE: u64 = 1_000_000_000;

thread_local! {
    /// The exception that a callback raised in this thread, until `handle` raises it. Further callbacks of the message are skipped.
    static RAISED: Cell<Option<PyErr>> = const { Cell::new(None) };
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner) // lists, whole between any two lines
}

/// What a subscription calls. The instance of the class shows it to the garbage collector, which may take the function away.
struct Callback(Mutex<Option<Py<PyAny>>>);

struct Caller(Arc<Callback>);

impl Handler for Caller {
    fn call(&self, channel: &CStr, message: &mut Message) {
        Python::attach(|py| {
            let earlier = RAISED.take();
            if earlier.is_some() {
                return RAISED.set(earlier);
            }
            let function = lock(&self.0.0).as_ref().map(|function| function.clone_ref(py));
            let Some(function) = function else { return };
            let called = decoded(py, channel.to_bytes())
                .and_then(|channel| function.call1(py, (channel, PyBytes::new(py, &message.data))));
            RAISED.set(called.err());
        });
    }
}

/// An error of the system or of the network, with its reason and without the number of the system.
fn failed(what: impl std::fmt::Display, why: impl std::fmt::Display) -> PyErr {
    PyOSError::new_err(plain(&format!("{what}: {why}")))
}

/// A channel's name as text.
fn decoded<'py>(py: Python<'py>, name: &[u8]) -> PyResult<Bound<'py, PyString>> {
    match std::str::from_utf8(name) {
        Ok(text) => Ok(PyString::new(py, text)),
        Err(error) => Err(PyErr::from_value(PyUnicodeDecodeError::new_utf8(py, name, error)?.into_any())),
    }
}

/// A string that C would accept: without a zero byte.
fn terminated(text: &Bound<'_, PyString>) -> PyResult<CString> {
    CString::new(text.to_cow()?.as_bytes()).map_err(|_| PyValueError::new_err("embedded null character"))
}

/// Calls `f` with the bytes of a message, which cannot change meanwhile. As in LCM, a string is its UTF-8.
fn with_message<R>(data: &Bound<'_, PyAny>, f: impl FnOnce(&[u8]) -> R) -> PyResult<R> {
    if let Ok(text) = data.cast::<PyString>() {
        return Ok(f(text.to_cow()?.as_bytes()));
    }
    match constant(data) {
        Some(bytes) => Ok(f(bytes)),
        None => Ok(f(&copied(data)?)),
    }
}

/// Publishes and subscribes, as LCM's class of this name. All methods may be called from any thread, handle() from one at a time.
#[pyclass(frozen, subclass, module = "saltus.lcm", name = "LCM")]
pub(crate) struct Lcm {
    /// Set by `__init__`, as in LCM: subclasses may have other arguments.
    instance: OnceLock<Arc<Instance>>,
    /// The functions of the subscriptions.
    callbacks: Mutex<Vec<(Arc<Subscription>, Arc<Callback>)>>,
    /// The generation of the process in which a thread waits for a message; 0: none does. A forked child does not have that thread.
    waiting: AtomicU64,
}

/// A thread that waits for a message, in a process of this generation, until it is dropped.
struct Waiting<'a>(&'a AtomicU64, u64);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        // A refusal of misuse, which guards nothing.
        let _ = self.0.compare_exchange(self.1, 0, Relaxed, Relaxed);
    }
}

impl Lcm {
    fn instance(&self) -> PyResult<&Arc<Instance>> {
        self.instance.get().ok_or_else(|| PyRuntimeError::new_err("LCM.__init__() was not called"))
    }

    /// Waits for a message until `end`, monotonic ns, and calls its handlers. `call` is its name in errors.
    fn next(&self, py: Python<'_>, end: u64, call: &str) -> PyResult<bool> {
        let lcm = self.instance()?;
        let here = fork::generation();
        // One exchange of one word: it guards nothing.
        if self.waiting.swap(here, Relaxed) == here {
            return Err(PyRuntimeError::new_err(
                "only one thread is allowed to call LCM.handle() or LCM.handle_timeout() at a time",
            ));
        }
        let waiting = Waiting(&self.waiting, here);
        loop {
            let until = clock::monotonic().saturating_add(SLICE).min(end);
            let ended = format_args!("{call}() returned -1");
            match py.detach(|| lcm.next(Some(until))).map_err(|e| failed(ended, e))? {
                Ok(message) => {
                    drop(waiting);
                    py.detach(|| message.call());
                    return RAISED.take().map_or(Ok(true), Err);
                }
                // As in LCM, a signal ends the wait: a program checks what its handler has set.
                Err(Woken::Interrupted) => {
                    py.check_signals()?;
                    return Err(failed(ended, "a signal was handled"));
                }
                Err(_) => py.check_signals()?,
            }
            if until == end {
                return Ok(false);
            }
        }
    }
}

impl Drop for Lcm {
    fn drop(&mut self) {
        // An LCMSubscription may live on, and leads to its function.
        self.__clear__();
    }
}

#[pymethods]
impl Lcm {
    #[new]
    #[pyo3(signature = (*_arguments, **_named))]
    fn new(_arguments: &Bound<'_, PyTuple>, _named: Option<&Bound<'_, PyDict>>) -> Lcm {
        Lcm { instance: OnceLock::new(), callbacks: Mutex::default(), waiting: AtomicU64::new(0) }
    }

    /// Connects to the network that a URL names: LCM's or Saltus'. None: that of $LCM_DEFAULT_URL, or LCM's default.
    #[pyo3(signature = (provider = None))]
    fn __init__(&self, py: Python<'_>, provider: Option<Bound<'_, PyString>>) -> PyResult<()> {
        let url = provider.as_ref().map(terminated).transpose()?.unwrap_or_default();
        let url = url.to_str()?;
        let opened = py.detach(|| Instance::open(url));
        let opened =
            opened.map_err(|e| PyRuntimeError::new_err(plain(&format!("Couldn't create LCM: {e}"))))?;
        match self.instance.set(Arc::new(opened)) {
            Ok(()) => Ok(()),
            Err(_) => Err(PyRuntimeError::new_err("LCM.__init__() was called twice")),
        }
    }

    /// Publishes a message: bytes, or a string, whose UTF-8 is sent. OSError: it cannot be sent.
    #[pyo3(signature = (channel, data, /))]
    fn publish(&self, py: Python<'_>, channel: Bound<'_, PyString>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let name = terminated(&channel)?;
        if name.is_empty() {
            return Err(PyValueError::new_err("invalid channel"));
        }
        let lcm = self.instance()?;
        let sent = with_message(data, |bytes| py.detach(|| lcm.publish(&name, bytes)))?;
        sent.map_err(|e| failed("lcm_publish() returned -1", e))
    }

    /// Calls `callback(channel, data)` in handle() for each message on a channel that matches, a regular expression. None: that is not
    /// possible; the reason is printed.
    #[pyo3(signature = (channel, callback, /))]
    fn subscribe(
        &self,
        py: Python<'_>,
        channel: &Bound<'_, PyAny>,
        callback: Bound<'_, PyAny>,
    ) -> PyResult<Option<LcmSubscription>> {
        let pattern = with_message(channel, |bytes| CString::new(bytes))?
            .map_err(|_| PyValueError::new_err("embedded null character"))?;
        if !callback.is_callable() {
            return Err(PyValueError::new_err("handler is not callable"));
        }
        let lcm = self.instance()?;
        let callback = Arc::new(Callback(Mutex::new(Some(callback.unbind()))));
        let handler = Box::new(Caller(callback.clone()));
        match py.detach(|| lcm.subscribe(&pattern, handler)) {
            Ok(new) => {
                lock(&self.callbacks).push((new.clone(), callback));
                Ok(Some(LcmSubscription { inner: Some(new) }))
            }
            Err(error) => {
                report(error);
                Ok(None)
            }
        }
    }

    /// Ends a subscription. ValueError: it is not one of this object.
    #[pyo3(signature = (subscription_object, /))]
    fn unsubscribe(&self, py: Python<'_>, subscription_object: &LcmSubscription) -> PyResult<()> {
        let lcm = self.instance()?;
        let invalid = || PyValueError::new_err("Invalid Subscription object");
        let ended = subscription_object.inner.as_ref().ok_or_else(invalid)?;
        match py.detach(|| lcm.unsubscribe(Arc::as_ptr(ended))) {
            Ok(true) => {
                // Not dropped under the lock: a destructor in Python may do anything.
                let mut callbacks = lock(&self.callbacks);
                let at = callbacks.iter().position(|(one, _)| Arc::ptr_eq(one, ended));
                let gone = at.map(|at| callbacks.swap_remove(at));
                drop(callbacks);
                if let Some((_, callback)) = gone {
                    let function = lock(&callback.0).take();
                    drop(function);
                }
                Ok(())
            }
            Ok(false) => Err(invalid()),
            Err(error) => Err(failed("lcm_unsubscribe() returned -1", error)),
        }
    }

    /// Waits for a message and calls its callbacks. OSError: a signal was handled, or no message can arrive.
    fn handle(&self, py: Python<'_>) -> PyResult<()> {
        let call = "lcm_handle";
        let possible = self.instance()?.check_receives();
        possible.map_err(|e| failed(format_args!("{call}() returned -1"), e))?;
        while !self.next(py, u64::MAX, call)? {}
        Ok(())
    }

    /// The same for at most `timeout_millis` ms. More than 0: a message was handled; 0: there was none.
    #[pyo3(signature = (timeout_millis, /))]
    fn handle_timeout(&self, py: Python<'_>, timeout_millis: i64) -> PyResult<i32> {
        let time = u64::try_from(timeout_millis).map_err(|_| PyValueError::new_err("invalid timeout"))?;
        let end = clock::monotonic().saturating_add(time.saturating_mul(1_000_000));
        Ok(self.next(py, end, "lcm_handle_timeout")?.into())
    }

    /// A descriptor that is readable while handle() would not wait, for select() and poll().
    fn fileno(&self, py: Python<'_>) -> PyResult<i32> {
        let lcm = self.instance()?;
        py.detach(|| lcm.fd()).map_err(|e| failed("lcm_get_fileno() returned -1", e))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // A thread that has a lock also has a reference to this object, which is then no garbage.
        let Ok(callbacks) = self.callbacks.try_lock() else { return Ok(()) };
        for (_, callback) in callbacks.iter() {
            if let Ok(function) = callback.0.try_lock() {
                visit.call(&*function)?;
            }
        }
        Ok(())
    }
    fn __clear__(&self) {
        let all = std::mem::take(&mut *lock(&self.callbacks));
        let functions: Vec<_> = all.iter().map(|(_, callback)| lock(&callback.0).take()).collect();
        drop(functions);
    }
}

/// A subscription, made by LCM.subscribe().
#[pyclass(frozen, module = "saltus.lcm", name = "LCMSubscription")]
pub(crate) struct LcmSubscription {
    inner: Option<Arc<Subscription>>,
}

#[pymethods]
impl LcmSubscription {
    #[new]
    fn new() -> LcmSubscription {
        LcmSubscription { inner: None }
    }
    /// Sets how many messages are queued; 0 or less: all. Initially 30. If the queue is full, further messages are dropped.
    #[pyo3(signature = (num_messages, /))]
    fn set_queue_capacity(&self, num_messages: i64) -> PyResult<()> {
        let inner =
            self.inner.as_ref().ok_or_else(|| PyValueError::new_err("Invalid Subscription object"))?;
        inner.set_capacity(num_messages.clamp(i32::MIN.into(), i32::MAX.into()) as i32);
        Ok(())
    }
}

type Event<'py> = (i64, i64, Bound<'py, PyString>, Bound<'py, PyBytes>);

/// LCM's event log, as its Python package has it below `EventLog`.
#[pyclass(frozen, module = "saltus.lcm")]
pub(crate) struct LcmEventLog {
    log: Mutex<Option<Log>>,
    is_written: bool,
}

impl LcmEventLog {
    /// The open log, for a caller that does not have the interpreter's lock: another thread may have the log for long, in a read of a FIFO. `what`
    /// is refused unless it is opened for it.
    fn with<R>(
        &self,
        what: &str,
        written: Option<bool>,
        f: impl FnOnce(&mut Log) -> PyResult<R>,
    ) -> PyResult<R> {
        if written.is_some_and(|written| written != self.is_written) {
            let mode = if self.is_written { "write" } else { "read" };
            return Err(PyRuntimeError::new_err(format!("{what} not allowed in {mode} mode")));
        }
        match &mut *lock(&self.log) {
            Some(log) => f(log),
            None => Err(PyValueError::new_err(format!("{what} not allowed: this log is closed"))),
        }
    }
}

#[pymethods]
impl LcmEventLog {
    #[new]
    #[pyo3(signature = (path, mode, /))]
    fn new(py: Python<'_>, path: Bound<'_, PyString>, mode: &str) -> PyResult<LcmEventLog> {
        let is_written = match mode {
            "r" => false,
            "w" => true,
            _ => return Err(PyValueError::new_err("invalid event log mode")),
        };
        let name = terminated(&path)?;
        let log = py.detach(|| Log::open(&name, mode.as_bytes()[0])).map_err(|error| {
            let number = error.raw_os_error().unwrap_or_default();
            // Python makes FileNotFoundError and others of the number.
            PyOSError::new_err((number, plain(&error.to_string()), path.unbind()))
        })?;
        Ok(LcmEventLog { log: Mutex::new(Some(log)), is_written })
    }
    /// (number, time in us, channel, data) of the next event, or None.
    fn read_next_event<'py>(&self, py: Python<'py>) -> PyResult<Option<Event<'py>>> {
        let event = py.detach(|| self.with("reading", Some(false), |log| Ok(log.read())))?;
        let event = event.map(|event| {
            let channel = decoded(py, &event.channel)?;
            Ok((event.number, event.timestamp, channel, PyBytes::new(py, &event.data)))
        });
        event.transpose()
    }
    /// Appends an event.
    #[pyo3(signature = (utime, channel, data, /))]
    fn write_event(
        &self,
        py: Python<'_>,
        utime: i64,
        channel: Bound<'_, PyString>,
        data: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let channel = channel.to_cow()?;
        if channel.is_empty() {
            return Err(PyValueError::new_err("invalid channel"));
        }
        let write = |data: &[u8]| {
            self.with("writing", Some(true), |log| {
                let written = log.write(utime, channel.as_bytes(), data);
                written.map(drop).map_err(|e| failed("cannot write to the log", e))
            })
        };
        with_message(data, |data| py.detach(|| write(data)))?
    }
    /// Goes to an offset, in bytes.
    #[pyo3(signature = (filepos, /))]
    fn seek(&self, py: Python<'_>, filepos: i64) -> PyResult<()> {
        py.detach(|| self.with("seeking", Some(false), |log| Ok(log.seek(filepos)))).map(drop)
    }
    /// Goes to the first event at or after a time, in us since 1970.
    #[pyo3(signature = (timestamp, /))]
    fn seek_to_timestamp(&self, py: Python<'_>, timestamp: i64) -> PyResult<()> {
        py.detach(|| {
            self.with("seeking", Some(false), |log| match log.seek_to_timestamp(timestamp) {
                true => Ok(()),
                false => Err(PyOSError::new_err(format!("no event of the log is at or after {timestamp}"))),
            })
        })
    }
    /// Where the next event is read or written, in bytes.
    fn ftell(&self, py: Python<'_>) -> PyResult<i64> {
        py.detach(|| self.with("telling", None, |log| Ok(log.tell())))
    }
    /// Bytes of the file.
    fn size(&self, py: Python<'_>) -> PyResult<i64> {
        let size = |log: &mut Log| log.size().map_err(|e| failed("cannot get the size of the log", e));
        py.detach(|| self.with("sizing", None, size))
    }
    /// Closes the log.
    fn close(&self, py: Python<'_>) {
        py.detach(|| {
            let log = lock(&self.log).take();
            drop(log);
        });
    }
}
