//! A message where it lies.

use crate::buffer::{Lasting, lend};
use crate::errors::{OrRaise, code, error};
use crate::message::Stamps;
use crate::subscriber::Subscriber;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;
use std::sync::OnceLock;

/// A message where it lies, without a copy. In shared memory its publisher may overwrite it at any instant: compute from it what is
/// needed, then validate(), or leave a `with` block. Only if that raises nothing was it whole all the while. The memory stays for as
/// long as anybody has the data.
#[pyclass(frozen, module = "saltus")]
pub(crate) struct View {
    subscriber: Py<Subscriber>,
    view: saltus_domain::View,
    /// Its bytes: a memoryview that can only be read.
    #[pyo3(get)]
    data: Py<PyMemoryView>,
    stamps: OnceLock<Stamps>,
}

impl View {
    pub fn new(py: Python<'_>, subscriber: Py<Subscriber>, view: saltus_domain::View) -> PyResult<View> {
        let owner = lend(py, Lasting::Shared(view.clone()))?;
        let data = PyMemoryView::from(&owner)?.unbind();
        Ok(View { subscriber, view, data, stamps: OnceLock::new() })
    }

    fn stamps(&self, py: Python<'_>) -> PyResult<&Stamps> {
        self.stamps.get().ok_or_else(|| error(py, code::INVALID, "nothing is known of it before validate()"))
    }
}

#[pymethods]
impl View {
    /// Ends it, and counts the message as received if it was whole all the while. Raises Overrun if it was overwritten: forget what was
    /// computed, and look again; and Invalid if the subscriber was asked for something since.
    fn validate(&self, py: Python<'_>) -> PyResult<()> {
        if self.stamps.get().is_some() {
            return Ok(());
        }
        let mut inner = self.subscriber.get().lock(py)?;
        let message = inner.subscriber.validate(&self.view).or_raise(py)?;
        let _ = self.stamps.set(Stamps::of(&message)); // another thread was faster, with the same
        Ok(())
    }
    /// When it was published, boot time in ns (see now()); None where the transport does not say. After validate().
    #[getter]
    fn published(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        Ok(self.stamps(py)?.published)
    }
    /// A number that tells senders apart; None where the transport does not. After validate().
    #[getter]
    fn sender(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        Ok(self.stamps(py)?.sender)
    }
    /// Its number among the sender's messages, where there is one. After validate().
    #[getter]
    fn sequence(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        Ok(self.stamps(py)?.sequence)
    }
    /// Messages missed since the last one received; None where nobody knows. After validate().
    #[getter]
    fn missed(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        Ok(self.stamps(py)?.missed.count())
    }
    /// Messages dropped because the subscriber was slow or wanted the newest. After validate().
    #[getter]
    fn dropped(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.stamps(py)?.dropped)
    }

    fn __len__(&self) -> usize {
        self.view.len()
    }
    fn __bool__(&self) -> bool {
        true
    }
    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }
    /// Validates, unless the block was left by an exception.
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
