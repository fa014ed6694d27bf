//! A limited number of connections: a new one closes the oldest.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::AbortHandle;

/// Connections, each served in a task until it ends or too many others arrive.
pub(crate) struct Strangers {
    most: usize,
    tasks: Arc<Mutex<Tasks>>,
}

#[derive(Default)]
struct Tasks {
    last: u64,
    all: BTreeMap<u64, AbortHandle>,
}

/// Removes its task from the list when the task ends for any reason.
struct Place(u64, Arc<Mutex<Tasks>>);

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.1).all.remove(&self.0);
    }
}

fn lock(tasks: &Mutex<Tasks>) -> MutexGuard<'_, Tasks> {
    tasks.lock().unwrap_or_else(PoisonError::into_inner) // a list of handles is never left half changed
}

impl Strangers {
    /// A list of at most `most` connections.
    pub fn new(most: usize) -> Strangers {
        Strangers { most, tasks: Arc::default() }
    }

    /// Serves a connection, and closes the oldest if there are too many.
    pub fn spawn(&self, served: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = lock(&self.tasks);
        tasks.last += 1;
        let place = Place(tasks.last, self.tasks.clone());
        let number = place.0;
        let task = tokio::spawn(async move {
            served.await;
            drop(place);
        });
        tasks.all.insert(number, task.abort_handle());
        let over = tasks.all.len() > self.most;
        let oldest = if over { tasks.all.pop_first() } else { None };
        drop(tasks); // the ending task locks the list
        if let Some((_, oldest)) = oldest {
            oldest.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    #[test]
    fn the_oldest_makes_room_and_who_ends_leaves_the_list() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let strangers = Strangers::new(2);
            let mut ends = Vec::new();
            for _ in 0..3 {
                let (end, ended) = oneshot::channel::<()>();
                strangers.spawn(async move { drop(ended.await) });
                ends.push(end);
            }
            ends[0].closed().await; // its task was dropped
            assert!(!ends[1].is_closed() && !ends[2].is_closed());
            drop(ends);
            while !lock(&strangers.tasks).all.is_empty() {
                tokio::task::yield_now().await;
            }
        });
    }
}
