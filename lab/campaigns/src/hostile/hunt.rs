//! Runs cases in a process that may crash or hang, and finds the case that did.

use crate::child::{End, spawn};
use crate::report::Failure;
use crate::rng::{Rng, mix};
use crate::shared::Words;
use std::sync::atomic::Ordering::Relaxed; // counters; their writer is dead when their values matter
use std::time::{Duration, Instant};

const CASE: usize = 0;
const CALLS: usize = 1;
/// The first of the cases' counters.
const COUNTS: usize = 2;

/// A call that takes longer hangs: no call here waits for more than a few wake-up intervals.
const HANGS: Duration = Duration::from_secs(15);
/// After this many failures the rest is skipped.
const ENOUGH: usize = 5;

/// Counters that outlive a crash.
pub struct Prey<'a> {
    words: &'a Words,
}

impl Prey<'_> {
    /// Records that a call has returned.
    pub fn called(&self) {
        self.words[CALLS].fetch_add(1, Relaxed);
    }
    /// Counts the outcome of a call.
    pub fn count(&self, what: Outcome) {
        self.words[COUNTS + what as usize].fetch_add(1, Relaxed);
    }
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    Opened,
    Refused,
    Delivered,
    Published,
    Failed,
}

/// Runs cases 0, 1, … of `work` in a separate process, until `time` is up or `most` are done. Each has random
/// numbers determined by the seed and its own number.
pub fn hunt(
    seed: u64,
    time: Duration,
    most: u64,
    work: impl Fn(u64, &mut Rng, &Prey) -> Result<(), Failure>,
) -> Result<String, Failure> {
    let words = Words::new(COUNTS + 5)?;
    let end = Instant::now() + time;
    let mut failures = Vec::new();
    while words[CASE].load(Relaxed) < most && Instant::now() < end && failures.len() < ENOUGH {
        let mut child = spawn(|| {
            spare_the_machine();
            let prey = Prey { words: &words };
            while words[CASE].load(Relaxed) < most && Instant::now() < end {
                let case = words[CASE].load(Relaxed);
                let mut rng = Rng::new(seed ^ mix(case));
                if let Err(why) = work(case, &mut rng, &prey) {
                    return Err(format!("case {case}: {why}").into());
                }
                words[CASE].fetch_add(1, Relaxed);
            }
            Ok(())
        })?;
        let mut last = (0, Instant::now());
        let how = loop {
            if let Some(ended) = child.wait_for(Duration::from_millis(20)) {
                break ended.good().err();
            }
            let calls = words[CALLS].load(Relaxed);
            if calls != last.0 {
                last = (calls, Instant::now());
            }
            if last.1.elapsed() > HANGS {
                child.kill();
                break Some(format!("hung for {} s", HANGS.as_secs()));
            }
        };
        if let Some(how) = how {
            failures.push(format!("case {}: {how}", words[CASE].load(Relaxed)));
            words[CASE].fetch_add(1, Relaxed);
        }
        let _: End = child.kill();
    }
    let count = |what: Outcome| words[COUNTS + what as usize].load(Relaxed);
    let text = format!(
        "seed {seed}: {} cases, {} calls; opened {}, refused {}; {} messages delivered, {} published, {} calls failed in words",
        words[CASE].load(Relaxed),
        words[CALLS].load(Relaxed),
        count(Outcome::Opened),
        count(Outcome::Refused),
        count(Outcome::Delivered),
        count(Outcome::Published),
        count(Outcome::Failed),
    );
    match failures.is_empty() {
        true => Ok(text),
        false => Err(format!("{text}\n       {}", failures.join("\n       ")).into()),
    }
}

/// A crafted file may request all memory: no file of this process grows beyond 64 MiB.
fn spare_the_machine() {
    let limit = libc::rlimit { rlim_cur: 64 << 20, rlim_max: 64 << 20 };
    // SAFETY: sets a limit of this process; exceeding it is an error, not a signal.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        libc::setrlimit(libc::RLIMIT_FSIZE, &limit);
    }
}
