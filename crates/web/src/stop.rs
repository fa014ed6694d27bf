//! Stop requests for servers and players.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::*};

/// Requests that a server or a player stops. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A new one, without a request.
    pub fn new() -> Stop {
        Stop::default()
    }
    /// Requests the stop. Async-signal-safe: it only stores to an atomic.
    pub fn ask(&self) {
        self.0.store(true, Release); // pairs with the acquire in `is_asked`
    }
    /// Whether a stop was requested.
    pub fn is_asked(&self) -> bool {
        self.0.load(Acquire)
    }
}
