//! Waiting on several subscribers at once.

use crate::handle::Locked;
use crate::subscriber::{Inner, Subscriber};
use crate::time;
use pyo3::prelude::*;

/// Waits until one of the subscribers has a new message, and returns that subscriber; None on timeout. They may belong to different
/// domains. Then call receive(0) of that subscriber. It returns None only if the message was overwritten in the meantime or is of
/// another type.
#[pyfunction]
#[pyo3(signature = (subscribers, timeout=None))]
pub(crate) fn wait_any(
    py: Python<'_>,
    subscribers: Vec<Py<Subscriber>>,
    timeout: Option<f64>,
) -> PyResult<Option<Py<Subscriber>>> {
    let deadline = time::deadline(py, timeout)?;
    let locked: PyResult<Vec<Locked<'_, Inner>>> = subscribers.iter().map(|s| s.get().lock(py)).collect();
    let mut locked = locked?;
    let mut waiting: Vec<&mut saltus_domain::Subscriber> =
        locked.iter_mut().map(|inner| &mut inner.subscriber).collect();
    let mut found = None;
    let result = time::wait(py, deadline, |until| {
        found = saltus_domain::wait_any(&mut waiting, until)?;
        Ok::<bool, saltus_domain::Error>(found.is_some())
    });
    drop(locked);
    result?;
    Ok(found.and_then(|i| subscribers.get(i)).map(|subscriber| subscriber.clone_ref(py)))
}
