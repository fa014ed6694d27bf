//! Clocks, and the end of a wait. Java waits in slices and checks between them whether its thread was interrupted.

use crate::border::natives;
use jni_sys::{jbyteArray, jlong};
use saltus_channel::clock;
use saltus_domain::Until;

/// `timeout` ns from now; 0 does not wait.
pub(crate) fn until(timeout: jlong) -> Until {
    match u64::try_from(timeout) {
        Ok(0) | Err(_) => Until::Poll,
        Ok(ns) => Until::At(clock::monotonic().saturating_add(ns)),
    }
}

natives! {
    /// Boot time in ns: the clock of timestamps.
    fn Java_org_saltus_Native_now(_env) -> jlong {
        Ok(clock::boottime() as jlong)
    }
    /// The version of this library.
    fn Java_org_saltus_Native_version(env) -> jbyteArray {
        env.array(env!("CARGO_PKG_VERSION").as_bytes())
    }
}
