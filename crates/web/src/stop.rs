//! The word to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::*};

/// Tells a server, and the deck, to stop. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// One that nobody has asked yet.
    pub fn new() -> Stop {
        Stop::default()
    }
    /// Asks for the end. It only stores into an atomic, so that a signal handler may.
    pub fn ask(&self) {
        self.0.store(true, Release); // pairs with the acquire in `is_asked`
    }
    /// Whether somebody has asked.
    pub fn is_asked(&self) -> bool {
        self.0.load(Acquire)
    }
}
