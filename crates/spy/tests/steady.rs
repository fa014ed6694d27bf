//! A real publisher in shared memory, watched: the shown rate is that of its timestamps.

use saltus_domain::Domain;
use saltus_os::clock;
use saltus_spy::{Options, Source, Watch};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

const SECOND: u64 = 1_000_000_000;

/// A directory that is removed on drop.
struct Directory(PathBuf);

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The lowest and highest rate of all spans of 1.5 to 2.3 s that end in the last two seconds. The spy measured one of them.
fn range(times: &[u64], now: u64) -> (f64, f64) {
    let mut range = (f64::INFINITY, 0f64);
    for (end, to) in times.iter().enumerate().filter(|(_, to)| **to + 2 * SECOND > now) {
        for (start, from) in times[..end].iter().enumerate() {
            let span = to - from;
            if (3 * SECOND / 2..23 * SECOND / 10).contains(&span) {
                let hz = (end - start) as f64 * SECOND as f64 / span as f64;
                range = (range.0.min(hz), range.1.max(hz));
            }
        }
    }
    range
}

#[test]
fn the_rate_of_a_real_publisher_is_right_to_one_percent() {
    let directory =
        Directory(PathBuf::from(format!("/dev/shm/saltus-spy-{:016x}", saltus_os::process::random())));
    let domain = Domain::open(&format!("shm://{}", directory.0.display())).unwrap();
    let mut publisher = domain.publisher("STEADY").unwrap();
    let (times, stop) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    /// Ends the publisher even if the test fails.
    struct Ending<'a>(&'a AtomicBool);
    impl Drop for Ending<'_> {
        fn drop(&mut self) {
            self.0.store(true, Relaxed);
        }
    }
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let start = Instant::now();
            for n in 0u32.. {
                if stop.load(Relaxed) {
                    return;
                }
                times.lock().unwrap().push(clock::boottime());
                publisher.publish(b"hello").unwrap();
                let due = start + Duration::from_millis(10) * n;
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
            }
        });
        let _ending = Ending(&stop);
        let watch = Watch::start(vec![Source::all(domain.clone())], Options::default()).unwrap();
        std::thread::sleep(Duration::from_secs(3));
        for _ in 0..20 {
            std::thread::sleep(Duration::from_millis(73));
            let row = watch.model().rows().pop().unwrap();
            let (low, high) = range(&times.lock().unwrap(), clock::boottime());
            assert!(
                (low * 0.99..high * 1.01).contains(&row.rate_hz),
                "{} Hz, which is not within {low} to {high}",
                row.rate_hz
            );
            assert!((row.bytes_per_s / row.rate_hz - 5.0).abs() < 1e-6, "{row:?}");
        }
    });
}
