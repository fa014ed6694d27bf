//! The native half of the Python package `saltus`; the other half is in `python/saltus`.
//!
//! - No panic and no misuse ends the interpreter: handles are locked for each call ([`handle`]), and every error becomes one of
//!   the exceptions of `saltus._errors`.
//! - Calls that wait release the interpreter's lock. They wait in slices, and check for signals after each ([`time`]).
//! - Long messages are lent to Python, not copied ([`buffer`]).

mod buffer;
mod domain;
mod errors;
mod handle;
mod lcm;
mod log;
mod message;
mod names;
mod publisher;
mod subscriber;
mod time;
mod types;
mod wait;

use pyo3::prelude::*;

/// The native half of saltus.
#[pymodule]
fn _saltus(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<domain::Domain>()?;
    module.add_class::<publisher::Publisher>()?;
    module.add_class::<subscriber::Subscriber>()?;
    module.add_class::<subscriber::CancelHandle>()?;
    module.add_class::<message::Message>()?;
    module.add_class::<subscriber::View>()?;
    module.add_class::<types::Schema>()?;
    module.add_class::<types::Codec>()?;
    module.add_class::<log::Log>()?;
    module.add_class::<log::Event>()?;
    module.add_class::<log::Writer>()?;
    module.add_class::<lcm::Lcm>()?;
    module.add_class::<lcm::LcmSubscription>()?;
    module.add_class::<lcm::LcmEventLog>()?;
    module.add_function(wrap_pyfunction!(wait::wait_any, module)?)?;
    module.add_function(wrap_pyfunction!(time::now_ns, module)?)?;
    module.add_function(wrap_pyfunction!(time::monotonic_ns, module)?)
}
