//! Waiting on several subscribers at once.

use crate::handle::Locked;
use crate::subscriber::{Inner, Subscriber};
use crate::time;
use pyo3::prelude::*;
use saltus_channel::clock;
use std::time::Duration;

/// Waits until one of the subscribers, of whatever domains, may have something, and gives that; None when the time is up. Then
/// receive(0) from it, which may find nothing after all.
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
        loop {
            found = saltus_domain::wait_any(&mut waiting, until)?;
            let Some(i) = found else { return Ok::<bool, saltus_domain::Error>(false) };
            // A descriptor may be readable only because it is time to look for channels that have come.
            if waiting[i].wait(Duration::ZERO)? {
                return Ok(true);
            }
            if until.deadline().is_none_or(|end| clock::monotonic() >= end) {
                found = None;
                return Ok(false);
            }
        }
    });
    drop(locked);
    result?;
    Ok(found.and_then(|i| subscribers.get(i)).map(|subscriber| subscriber.clone_ref(py)))
}
