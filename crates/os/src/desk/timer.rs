//! Timers: one thread for all timers of the process, which raises the event of each in time.

use super::event::Event;
use super::own::fd::RawFd;
use super::{clock, process};
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// A timer: raised when its time is reached.
#[derive(Debug)]
pub struct Timer {
    event: Arc<Event>,
    number: u64,
    /// When it is to be raised.
    at: Mutex<Option<u64>>,
}

/// The timers that are set.
#[derive(Default)]
struct Alarms {
    /// By time and number.
    set: Mutex<BTreeMap<(u64, u64), Arc<Event>>>,
    changed: Condvar,
}

impl Alarms {
    fn get() -> &'static Alarms {
        static ALARMS: OnceLock<Alarms> = OnceLock::new();
        ALARMS.get_or_init(Alarms::default)
    }

    fn set(&self) -> MutexGuard<'_, BTreeMap<(u64, u64), Arc<Event>>> {
        lock(&self.set)
    }

    /// The thread.
    fn run(&self) {
        let mut set = self.set();
        loop {
            let now = clock::monotonic();
            while let Some(first) = set.first_entry().filter(|first| first.key().0 <= now) {
                first.remove().raise();
            }
            let first = set.first_key_value().map(|((at, _), _)| Duration::from_nanos(at - now));
            set = match first {
                None => self.changed.wait(set).unwrap_or_else(PoisonError::into_inner),
                Some(time) => self.changed.wait_timeout(set, time).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
    }
}

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner) // nothing panics halfway
}

impl Timer {
    /// A lowered timer. The first one starts a thread, which ends with the process.
    pub fn new() -> io::Result<Timer> {
        static STARTED: Mutex<bool> = Mutex::new(false);
        static LAST: AtomicU64 = AtomicU64::new(0);
        let mut started = lock(&STARTED);
        if !*started {
            process::spawn("saltus-timer", || Alarms::get().run())?;
            *started = true;
        }
        let number = LAST.fetch_add(1, Relaxed); // only has to be another one
        Ok(Timer { event: Arc::new(Event::new()?), number, at: Mutex::new(None) })
    }

    /// Lowers it. If `at` is given, raises it at that time (monotonic, ns).
    pub fn set(&self, at: Option<u64>) {
        let alarms = Alarms::get();
        let mut before = lock(&self.at);
        let mut set = alarms.set(); // while it is held, the thread does not raise the event
        if let Some(before) = before.take() {
            set.remove(&(before, self.number));
        }
        self.event.lower();
        if let Some(at) = at {
            set.insert((at, self.number), self.event.clone());
            alarms.changed.notify_one();
        }
        *before = at;
    }

    /// Its descriptor.
    pub fn raw(&self) -> RawFd {
        self.event.raw()
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.set(None);
    }
}
