//! Receiving.

use crate::buffer::{Lasting, lend};
use crate::errors::{OrRaise, code, error};
use crate::handle::{Handle, Locked};
use crate::message::{LONG, Message, Timestamps};
use crate::{names, time};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyMemoryView, PyType};
use saltus_domain::{Description, Expected, Name};
use std::os::fd::{AsRawFd, IntoRawFd};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Receives from one channel or many, as an iterator, by receive(), or in an event loop. Publishers never wait for a subscriber.
/// One thread at a time.
#[pyclass(frozen, module = "saltus")]
pub(crate) struct Subscriber {
    handle: Handle<Inner>,
    cancel: saltus_domain::CancelHandle,
    awaited: Arc<Awaited>,
    class: Option<Py<PyAny>>,
    /// Turns bytes into a message of the class.
    decode: Option<Py<PyAny>>,
    /// A description of the channels and options, for people.
    what: String,
}

/// Wakes the waiting task of an event loop, if any: a Python function that any thread may call.
#[derive(Default)]
struct Awaited(Mutex<Option<Py<PyAny>>>);

impl Awaited {
    fn lock(&self) -> MutexGuard<'_, Option<Py<PyAny>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn wake(&self, py: Python<'_>) {
        let wake = self.lock().as_ref().map(|wake| wake.clone_ref(py));
        if let Some(Err(error)) = wake.map(|wake| wake.call0(py)) {
            error.write_unraisable(py, None); // its event loop is over
        }
    }
}

pub(crate) struct Inner {
    pub subscriber: saltus_domain::Subscriber,
    /// The channel of the last message, and its name as a Python string.
    name: Option<(Name, Py<PyAny>)>,
    /// The type that messages must have, if any.
    expected: Option<Expected>,
}

/// The message to receive.
#[derive(Clone, Copy)]
enum Which {
    /// As the options say.
    Unseen,
    /// The newest, whether or not it was received before.
    Newest,
}

impl Subscriber {
    pub fn new(
        py: Python<'_>,
        mut subscriber: saltus_domain::Subscriber,
        of: Option<(Py<PyAny>, Description)>,
        what: String,
    ) -> PyResult<Subscriber> {
        let cancel = subscriber.cancel_handle();
        let (class, expected) = of.unzip();
        let decode = class.as_ref().map(|class| decoder(class.bind(py))).transpose()?;
        let inner = Inner { subscriber, name: None, expected: expected.map(Expected::new) };
        let handle = Handle::new("subscriber", inner);
        Ok(Subscriber { handle, cancel, awaited: Arc::default(), class, decode, what })
    }

    /// The subscriber behind this object, locked for one call.
    pub fn lock(&self, py: Python<'_>) -> PyResult<Locked<'_, Inner>> {
        self.handle.lock(py)
    }

    fn take(&self, py: Python<'_>, which: Which, timeout: Option<f64>) -> PyResult<Option<Message>> {
        let deadline = time::deadline(py, timeout)?;
        let mut locked = self.lock(py)?;
        let inner = &mut *locked;
        let (subscriber, expected) = (&mut inner.subscriber, &mut inner.expected);
        let found = time::wait(py, deadline, |until| {
            let message = match (which, expected.as_mut()) {
                (Which::Unseen, Some(expected)) => expected.receive(subscriber, until),
                (Which::Unseen, None) => subscriber.receive(until),
                (Which::Newest, _) => subscriber.current(until),
            };
            if message?.is_none() {
                return Ok(false);
            }
            match (which, expected.as_mut()) {
                (Which::Newest, Some(expected)) => expected.accepts(subscriber),
                _ => Ok::<bool, saltus_domain::Error>(true),
            }
        });
        let result = found.and_then(|found| if found { self.message(py, inner) } else { Ok(None) });
        self.handle.or_closed(py, result)
    }

    /// The message that was received last.
    fn message(&self, py: Python<'_>, inner: &mut Inner) -> PyResult<Option<Message>> {
        let Some(message) = inner.subscriber.last() else { return Ok(None) };
        let timestamps = Timestamps::of(&message);
        let len = message.data.len();
        let known = inner.name.as_ref().filter(|(name, _)| name == message.channel);
        let channel = match known {
            Some((_, text)) => text.clone_ref(py),
            None => {
                let text = names::to_str(py, message.channel.as_bytes())?.unbind();
                inner.name = Some((message.channel.clone(), text.clone_ref(py)));
                text
            }
        };
        let bytes = if len < LONG {
            PyBytes::new(py, message.data).into_any()
        } else {
            let (bytes, skip) = inner.subscriber.take_last();
            lend(py, Lasting::Own(bytes, skip))?
        };
        let decode = |decode: &Py<PyAny>| decode.call1(py, (&bytes,));
        let value = self.decode.as_ref().map(decode).transpose().map_err(|e| undecoded(py, &channel, e))?;
        Ok(Some(Message::new(bytes, len, channel, value, timestamps)))
    }
}

/// The function that turns bytes into messages of a class.
pub(crate) fn decoder(class: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    static DECODER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    Ok(DECODER.import(class.py(), "saltus._typed", "decoder")?.call1((class,))?.unbind())
}

/// Converts an error in a message of the right type to one of our exceptions, whatever generated the class.
pub(crate) fn undecoded(py: Python<'_>, channel: &Py<PyAny>, cause: PyErr) -> PyErr {
    if !cause.is_instance_of::<pyo3::exceptions::PyValueError>(py) {
        return cause;
    }
    let text = format!("a message of channel `{}`: {}", channel.bind(py), cause.value(py));
    let error = error(py, code::DECODE, text);
    error.set_cause(py, Some(cause));
    error
}

#[pymethods]
impl Subscriber {
    /// For annotations: only type checkers use the type of its messages.
    #[classmethod]
    fn __class_getitem__<'py>(cls: &Bound<'py, PyType>, _of: Py<PyAny>) -> Bound<'py, PyType> {
        cls.clone()
    }
    /// Receives the newest message if it is new, or the next one, as subscribe() was called. Waits `timeout` seconds; 0 does not wait,
    /// None waits without a timeout. Returns None on timeout. Ctrl-C interrupts it.
    #[pyo3(signature = (timeout=None))]
    fn receive(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Option<Message>> {
        self.take(py, Which::Unseen, timeout)
    }
    /// The newest message, whether or not it was received before, and whatever the options of subscribe(). None on timeout.
    #[pyo3(signature = (timeout=0.0))]
    fn current(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Option<Message>> {
        self.take(py, Which::Newest, timeout)
    }
    /// Returns a view of a message in place, without a copy: the one that receive() would return, but of any type. None on timeout.
    /// In shared memory its publisher may overwrite it at any moment; View.validate() checks that it did not.
    #[pyo3(signature = (timeout=None))]
    fn view(slf: Bound<'_, Self>, timeout: Option<f64>) -> PyResult<Option<View>> {
        let (py, this) = (slf.py(), slf.get());
        let deadline = time::deadline(py, timeout)?;
        let mut locked = this.lock(py)?;
        let (subscriber, mut found) = (&mut locked.subscriber, None);
        let result = time::wait(py, deadline, |until| {
            found = subscriber.view(until)?;
            Ok::<bool, saltus_domain::Error>(found.is_some())
        });
        drop(locked);
        this.handle.or_closed(py, result)?;
        found.map(|view| View::new(py, slf.clone().unbind(), view)).transpose()
    }
    /// Waits until there may be a new message; False on timeout.
    #[pyo3(signature = (timeout=None))]
    fn wait(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<bool> {
        let deadline = time::deadline(py, timeout)?;
        let mut locked = self.lock(py)?;
        let subscriber = &mut locked.subscriber;
        let result = time::wait(py, deadline, |until| subscriber.wait(until));
        self.handle.or_closed(py, result)
    }
    /// A descriptor for select, poll or an event loop: readable when there may be a new message. Then call receive(0) until it returns
    /// None, which lowers the descriptor. Over shm://, library threads signal it from the first call on, one thread for each channel.
    fn fileno(&self, py: Python<'_>) -> PyResult<i32> {
        let mut locked = self.lock(py)?;
        let subscriber = &mut locked.subscriber;
        py.detach(|| subscriber.fd().map(|fd| fd.as_raw_fd())).or_raise(py)
    }
    /// receive() as an asyncio coroutine. It uses the descriptor, not a Python thread. Over shm://, library threads signal the
    /// descriptor, one thread for each channel.
    #[pyo3(signature = (timeout=None))]
    fn receive_async(slf: Bound<'_, Self>, timeout: Option<f64>) -> PyResult<Bound<'_, PyAny>> {
        slf.py().import("saltus._aio")?.call_method1("receive", (slf, timeout))
    }
    /// For `_aio`: a duplicate of fileno() that the caller owns. Until _awaited(), close() and cancel handles call `wake`.
    fn _await(&self, py: Python<'_>, wake: Py<PyAny>) -> PyResult<i32> {
        if self.awaited.lock().is_some() {
            let text = "this subscriber is awaited by another task: open one for each task";
            return Err(error(py, code::BUSY, text));
        }
        let mut locked = self.lock(py)?;
        if locked.subscriber.is_canceled() {
            return Err(saltus_domain::Error::Canceled).or_raise(py);
        }
        let fd = locked.subscriber.fd().or_raise(py)?.try_clone_to_owned()?;
        // No thread closes it in the meantime: that needs the interpreter's lock.
        *self.awaited.lock() = Some(wake);
        Ok(fd.into_raw_fd())
    }
    /// For `_aio`: the wait has ended.
    fn _awaited(&self) {
        let wake = self.awaited.lock().take();
        drop(wake); // without the lock: code of Python's may run
    }
    /// The names of the channels that it has joined so far.
    fn channels<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let names = self.lock(py)?.subscriber.channels();
        names.iter().map(|name| names::to_str(py, name.as_bytes())).collect()
    }
    /// The type of its messages, or None for bytes.
    #[getter]
    fn r#type(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.class.as_ref().map(|class| class.clone_ref(py))
    }
    /// The number of messages of other types that it skipped.
    #[getter]
    fn mismatched(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.lock(py)?.expected.as_ref().map_or(0, Expected::mismatched))
    }
    /// The handle that cancels its waits, from another thread or a signal handler.
    fn cancel_handle(&self) -> CancelHandle {
        CancelHandle { inner: self.cancel.clone(), awaited: self.awaited.clone() }
    }

    /// Closes the subscriber and ends the wait of another thread or task. Later calls raise Closed, except close() itself.
    fn close(&self, py: Python<'_>) {
        self.handle.close(py, || self.cancel.cancel());
        self.awaited.wake(py);
    }
    /// Whether the subscriber is closed.
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
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }
    /// Waits without a timeout. The iteration ends at the end of a log, or when the wait is canceled.
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Message>> {
        self.take(py, Which::Unseen, None)
            .or_else(|error| if is_end(py, &error)? { Ok(None) } else { Err(error) })
    }
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let class = self.class.as_ref().map(|class| class.bind(py));
        Ok(described_as("subscriber", &self.what, class, self.closed()))
    }
    fn __aiter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        slf.py().import("saltus._aio")?.call_method1("messages", (slf,))
    }
}

/// Whether an iteration ends here without an error.
fn is_end(py: Python<'_>, error: &PyErr) -> PyResult<bool> {
    let ends = py.import("saltus._errors")?.getattr("ENDS")?;
    Ok(error.matches(py, ends)?)
}

/// A description of a publisher or subscriber, for people.
pub(crate) fn described_as(kind: &str, what: &str, class: Option<&Bound<'_, PyAny>>, closed: bool) -> String {
    let closed = if closed { "closed " } else { "" };
    let name = |class: &Bound<'_, PyAny>| class.getattr("__name__").and_then(|name| name.extract::<String>());
    match class {
        Some(class) => {
            let name = name(class).unwrap_or_else(|_| "a class".into());
            format!("<{closed}{kind} of {what}, type {name}>")
        }
        None => format!("<{closed}{kind} of {what}>"),
    }
}

/// Cancels the waits of a subscriber. They raise Canceled until reset(), and iterations end.
#[pyclass(frozen, module = "saltus")]
pub(crate) struct CancelHandle {
    inner: saltus_domain::CancelHandle,
    awaited: Arc<Awaited>,
}

#[pymethods]
impl CancelHandle {
    /// Cancels the current wait, if any, and all later ones.
    fn cancel(&self, py: Python<'_>) {
        self.inner.cancel();
        self.awaited.wake(py);
    }
    /// Lets waits wait again.
    fn reset(&self) {
        self.inner.reset();
    }
    fn __repr__(&self) -> &'static str {
        "<cancel handle of a subscriber>"
    }
}

/// A message in place, without a copy. In shared memory its publisher may overwrite it at any moment. Compute your result from it,
/// then call validate(), or leave a `with` block. The bytes were valid all the time only if that raises nothing. The memory stays
/// while you reference the data.
#[pyclass(frozen, module = "saltus")]
pub(crate) struct View {
    subscriber: Py<Subscriber>,
    view: saltus_domain::View,
    /// The message's bytes: a read-only memoryview.
    #[pyo3(get)]
    data: Py<PyMemoryView>,
    timestamps: OnceLock<Timestamps>,
}

impl View {
    pub fn new(py: Python<'_>, subscriber: Py<Subscriber>, view: saltus_domain::View) -> PyResult<View> {
        let owner = lend(py, Lasting::Shared(view.clone()))?;
        let data = PyMemoryView::from(&owner)?.unbind();
        Ok(View { subscriber, view, data, timestamps: OnceLock::new() })
    }

    fn timestamps(&self, py: Python<'_>) -> PyResult<&Timestamps> {
        self.timestamps
            .get()
            .ok_or_else(|| error(py, code::INVALID, "nothing is known of it before validate()"))
    }
}

#[pymethods]
impl View {
    /// Ends the view. The message counts as received if it was not overwritten. Otherwise this raises Overrun: discard your result and
    /// view again. Raises Invalid if you called another method of the subscriber since.
    fn validate(&self, py: Python<'_>) -> PyResult<()> {
        if self.timestamps.get().is_some() {
            return Ok(());
        }
        let mut inner = self.subscriber.get().lock(py)?;
        let message = inner.subscriber.validate(&self.view).or_raise(py)?;
        let _ = self.timestamps.set(Timestamps::of(&message)); // another thread was faster, with the same
        Ok(())
    }
    /// The time it was published, boot time in ns (see now_ns()); None if the transport does not provide it. After validate().
    #[getter]
    fn published_ns(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        Ok(self.timestamps(py)?.published)
    }
    /// The sender's own number; None if the transport has none. After validate().
    #[getter]
    fn sender(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        Ok(self.timestamps(py)?.sender)
    }
    /// Its number among the sender's messages, if any. After validate().
    #[getter]
    fn sequence(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        Ok(self.timestamps(py)?.sequence)
    }
    /// Messages missed since the last one received; None if unknown. After validate().
    #[getter]
    fn missed(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        Ok(self.timestamps(py)?.missed.count())
    }
    /// Messages dropped because the subscriber was slow or receives only the newest. After validate().
    #[getter]
    fn dropped(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.timestamps(py)?.dropped)
    }

    fn __len__(&self) -> usize {
        self.view.len()
    }
    fn __repr__(&self) -> String {
        let whole = if self.timestamps.get().is_some() { "validated" } else { "not validated" };
        format!("<view of {} bytes, {whole}>", self.view.len())
    }
    fn __bool__(&self) -> bool {
        true
    }
    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }
    /// Validates, unless an exception ended the block.
    fn __exit__(
        &self,
        py: Python<'_>,
        r#type: Option<Py<PyAny>>,
        _value: Py<PyAny>,
        _traceback: Py<PyAny>,
    ) -> PyResult<()> {
        if r#type.is_some() { Ok(()) } else { self.validate(py) }
    }
}
