//! A session: the meter in its own thread, and the observer in the caller's thread.
//!
//! The measuring thread never blocks on the other: it passes its results without blocking, and keeps them if that fails. The other thread
//! reads the counters around a spike.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::thread::JoinHandle;
use std::time::Duration;

use hdrhistogram::Histogram;
use saltus_os::{clock, process, rt};

use crate::meter::{Kind, Meter, Monotonic, Time};
use crate::observe::{Around, Observer};
use crate::times;

/// The settings of a measurement.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The method.
    pub kind: Kind,
    /// The resolution, in ns.
    pub resolution: u64,
    /// The length of an interval, in ns.
    pub interval: u64,
    /// The shortest spike, in ns.
    pub spike: u64,
    /// The period of the observer, in ns.
    pub poll: u64,
    /// The CPU to measure on.
    pub cpu: Option<usize>,
    /// A priority under `SCHED_FIFO`.
    pub fifo: Option<i32>,
}

/// The hiccups of one interval, as measured.
pub struct Interval {
    /// Its start, monotonic ns.
    pub start: u64,
    /// Its end.
    pub end: u64,
    /// The hiccups.
    pub times: Histogram<u64>,
}

/// A long hiccup.
#[derive(Clone, Debug, PartialEq)]
pub struct Spike {
    /// Its end, monotonic ns.
    pub at: u64,
    /// Its length, in ns.
    pub delay: u64,
    /// The CPU on which it was noticed.
    pub cpu: usize,
    /// The kernel's counts around it.
    pub around: Around,
}

/// An event of a session.
pub enum Event {
    /// A spike, with the counts around it.
    Spike(Box<Spike>),
    /// A finished interval.
    Interval(Interval),
}

enum Told {
    Spike { at: u64, delay: u64, cpu: usize },
    Interval(Interval),
}

/// Most spikes that wait for the observer. Further ones are only counted.
const WAITING: usize = 64;
/// Least time between two readings, in ns, and as a multiple of the duration of one.
const APART: (u64, u64) = (10_000_000, 20);

/// A running meter.
pub struct Session {
    reported: Receiver<Told>,
    empty: SyncSender<Histogram<u64>>,
    stop: Arc<AtomicBool>,
    meter: Option<JoinHandle<u64>>,
    observer: Observer,
    poll: u64,
    due: u64,
    waiting: Vec<(u64, u64, usize)>,
    ready: VecDeque<Event>,
    refused: Vec<String>,
    untold: u64,
    start: u64,
}

impl Session {
    /// Starts the meter, in a thread that no signal interrupts.
    pub fn start(settings: &Settings) -> io::Result<Session> {
        let (teller, reported) = mpsc::sync_channel(WAITING);
        let (empty, emptied) = mpsc::sync_channel(2);
        (0..2).for_each(|_| drop(empty.try_send(times())));
        let (ready, prepared) = mpsc::sync_channel(1);
        let (begin, begun) = mpsc::sync_channel(1);
        let (beginning, started) = mpsc::sync_channel(1);
        let stop = Arc::new(AtomicBool::new(false));
        let (until, own) = (stop.clone(), settings.clone());
        let meter = process::without_signals(|| {
            std::thread::Builder::new().name("meter".into()).spawn(move || {
                let refused = prepare(&own);
                let first = times();
                let _ = ready.send((process::thread_id(), refused));
                // After the first reading of the observer, to which later ones are compared.
                let Ok(()) = begun.recv() else { return 0 };
                let meter = Meter::start(Monotonic, own.kind, own.resolution);
                let _ = beginning.send(meter.last());
                // Relaxed: it publishes no other data.
                measure(meter, &own, first, &teller, &emptied, || until.load(Ordering::Relaxed))
            })
        })?;
        let ended = |_| io::Error::other("the meter ended before it started");
        let (thread, refused) = prepared.recv().map_err(ended)?;
        let observer = Observer::new(thread);
        let _ = begin.send(());
        let start = started.recv().map_err(ended)?;
        let due = observer.sampled_at() + settings.poll;
        Ok(Session {
            reported,
            empty,
            stop,
            meter: Some(meter),
            observer,
            poll: settings.poll,
            due,
            waiting: Vec::new(),
            ready: VecDeque::new(),
            refused,
            untold: 0,
            start,
        })
    }

    /// The settings that the system refused, as messages.
    pub fn refused(&self) -> &[String] {
        &self.refused
    }

    /// The start of the meter, monotonic ns.
    pub fn began(&self) -> u64 {
        self.start
    }

    /// The observer, for its unavailable counters and its cost.
    pub fn observer(&self) -> &Observer {
        &self.observer
    }

    /// Also observes a command from now on.
    pub fn watch(&mut self, command: u32) {
        self.observer.watch(command);
    }

    /// Waits for an event until this monotonic time, and reads the counters in the meantime.
    pub fn next(&mut self, until: u64) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let now = clock::monotonic();
            if now >= self.due {
                self.poll();
                continue;
            }
            let left = self.due.min(until).saturating_sub(now);
            match self.reported.recv_timeout(Duration::from_nanos(left)) {
                Ok(reported) => self.take(reported),
                Err(RecvTimeoutError::Timeout) if now < until => {}
                Err(_) => return None,
            }
        }
    }

    /// Stops the meter. Returns the remaining events, and the number of spikes that were counted but not examined.
    pub fn stop(mut self) -> (Vec<Event>, u64) {
        // Relaxed: it publishes no other data.
        self.stop.store(true, Ordering::Relaxed);
        while let Ok(reported) = self.reported.recv() {
            // Spikes precede the interval that contains them, including the last ones.
            if matches!(reported, Told::Interval(_)) {
                self.poll();
            }
            self.take(reported);
        }
        let dropped = self.meter.take().and_then(|meter| meter.join().ok()).unwrap_or(0);
        (self.ready.drain(..).collect(), self.untold + dropped)
    }

    fn take(&mut self, reported: Told) {
        match reported {
            Told::Spike { .. } if self.waiting.len() >= WAITING => self.untold += 1,
            Told::Spike { at, delay, cpu } => {
                self.waiting.push((at, delay, cpu));
                self.due = self.due.min(self.observer.sampled_at() + self.apart());
            }
            Told::Interval(interval) => {
                let mut empty = interval.times.clone();
                empty.reset();
                let _ = self.empty.try_send(empty);
                self.ready.push_back(Event::Interval(interval));
            }
        }
    }

    fn poll(&mut self) {
        self.observer.sample();
        self.due = self.observer.sampled_at() + self.poll.max(self.apart());
        for (at, delay, cpu) in self.waiting.drain(..) {
            let around = self.observer.around(at.saturating_sub(delay), at, cpu);
            self.ready.push_back(Event::Spike(Box::new(Spike { at, delay, cpu, around })));
        }
    }

    fn apart(&self) -> u64 {
        APART.0.max(self.observer.cost().0.saturating_mul(APART.1))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Relaxed: it publishes no other data.
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Applies the settings to the calling thread. Returns messages about refused ones.
fn prepare(settings: &Settings) -> Vec<String> {
    let memory = || rt::lock_memory();
    let asked = [
        Some(rt::set_timer_slack(1)),
        settings.cpu.map(|cpu| rt::set_affinity(&[cpu])),
        settings.fifo.map(rt::set_fifo),
        settings.fifo.map(|_| memory()),
    ];
    asked.into_iter().flatten().filter_map(|done| done.err()).map(|refused| refused.to_string()).collect()
}

/// Measures until it is stopped. Returns the number of spikes that did not fit into the queue.
fn measure<T: Time>(
    mut meter: Meter<T>,
    settings: &Settings,
    mut times: Histogram<u64>,
    teller: &SyncSender<Told>,
    emptied: &Receiver<Histogram<u64>>,
    stopped: impl Fn() -> bool,
) -> u64 {
    let interval = settings.interval.max(1);
    let mut untold = 0;
    let (mut start, mut end) = (meter.last(), meter.last().saturating_add(interval));
    // An empty histogram, returned because the full one was not received.
    let mut spare = None;
    while !stopped() {
        let sample = meter.sample();
        times.saturating_record(sample.delay);
        if sample.delay >= settings.spike {
            let reported = Told::Spike { at: sample.at, delay: sample.delay, cpu: rt::cpu() };
            untold += u64::from(teller.try_send(reported).is_err());
        }
        let now = meter.last();
        // Without an empty histogram the interval continues, and nothing is lost.
        if now >= end
            && let Some(fresh) = spare.take().or_else(|| emptied.try_recv().ok())
        {
            let full = Interval { start, end: now, times: std::mem::replace(&mut times, fresh) };
            match teller.try_send(Told::Interval(full)) {
                Err(TrySendError::Full(Told::Interval(kept))) => {
                    spare = Some(std::mem::replace(&mut times, kept.times));
                }
                _ => start = now,
            }
            end = end.saturating_add(((now - end) / interval + 1).saturating_mul(interval));
        }
    }
    // At the end, blocking does no harm.
    let _ = teller.send(Told::Interval(Interval { start, end: meter.last(), times }));
    untold
}

#[cfg(test)]
mod tests;
