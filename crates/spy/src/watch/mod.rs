//! Watching domains: threads that feed a model.

mod network;
mod peers;
mod shared;
mod shm;

use crate::{Model, Options};
use saltus_domain::{CancelHandle, Result};
use saltus_os::{clock, process};
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use shared::Shared;
pub use shared::{Source, Trouble, Wants};

/// Watches domains until it is dropped. It only reads.
///
/// In shared memory it reads counters and messages in place. It keeps no counters of its own, so it is not listed as a subscriber, and no
/// publisher ever wakes it. On a network it subscribes to all channels, because there is no other way to listen.
pub struct Watch {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    cancel_handles: Vec<CancelHandle>,
}

impl Watch {
    /// Watches these domains, each in its own thread.
    ///
    /// # Errors
    /// A domain cannot be subscribed to, or the system cannot start a thread.
    pub fn start(sources: Vec<Source>, options: Options) -> Result<Watch> {
        let mut model = Model::new(options);
        model.tick(clock::boottime());
        let shared = Arc::new(Shared {
            model: Mutex::new(model),
            troubles: Mutex::default(),
            stop: AtomicBool::new(false),
        });
        let mut watch = Watch { shared: shared.clone(), threads: Vec::new(), cancel_handles: Vec::new() };
        for source in sources {
            let shared = shared.clone();
            if let Some(directory) = source.domain.shared_memory().cloned() {
                let mut shm = shm::Shm::new(source, directory);
                watch.spawn(move || shm.run(&shared))?;
            } else {
                let mut network = network::Network::new(source)?;
                watch.cancel_handles.push(network.cancel_handle());
                watch.spawn(move || network.run(&shared))?;
            }
        }
        Ok(watch)
    }

    fn spawn(&mut self, run: impl FnOnce() + Send + 'static) -> Result<()> {
        let thread = process::spawn("saltus-spy", run);
        let what = "start a thread".to_string();
        self.threads.push(thread.map_err(|source| saltus_domain::Error::System { what, source })?);
        Ok(())
    }

    /// The locked model, advanced to the current time. Hold it only briefly: the watching threads wait for it.
    pub fn model(&self) -> MutexGuard<'_, Model> {
        let mut model = self.shared.model();
        model.tick(clock::boottime());
        model
    }
    /// The problems that a front end has not shown yet. `reported` is the number already returned to it: 0 at first, updated by this call.
    pub fn troubles(&self, reported: &mut u64) -> Vec<Trouble> {
        let troubles = self.shared.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, last) = &*troubles;
        let new = usize::try_from(count.saturating_sub(*reported)).unwrap_or(usize::MAX).min(last.len());
        *reported = *count;
        last.range(last.len() - new..).cloned().collect()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.stop.store(true, Release); // pairs with the acquire in `Shared::is_stopped`
        self.cancel_handles.iter().for_each(CancelHandle::cancel);
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            // A thread that panicked already printed its message.
            let _ = thread.join();
        }
    }
}
