//! `robot-lidar [FILE [SPEED]]`: the driver of the laser. It publishes scans: simulated ones, or those of a
//! recorded CARMEN log (plain or gzip) at the pace they were recorded at, times SPEED.
//!
//! This program shows:
//! - Messages of different lengths in one channel.
//! - The driver publishes its position with every scan. After a kill, the next one reads the newest scan with
//!   *current*, finds the position in the log, and continues with the following scan. Publishing is one store, so a scan is published
//!   completely or not at all, and never twice.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use saltus_carmen::Log;
use saltus_channel::{Until, Which, clock};

use crate::channels::LIDAR;
use crate::error::{Error, Result};
use crate::life::{Life, Writer};
use crate::sim::room;
use crate::wire::types::{Scan, Truth};
use crate::wire::{START, chain, scan};

/// Time between two simulated scans, ns.
const PERIOD: u64 = 100_000_000;
/// While it searches its position in a log, it sends a heartbeat after this many scans.
const BREATH: i64 = 20;
/// A gap between two timestamps counts as this much at most, s. Clocks of robots jump.
const GAP: f64 = 10.0;

/// Reads a speed.
pub fn speed(text: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(speed) if speed > 0.0 && speed.is_finite() => Ok(speed),
        _ => Err(Error::Usage(format!("speed `{text}` is not a number above 0"))),
    }
}

/// The driver's position: the number of published scans, and the chain over them.
struct Driver {
    scans: Writer<Scan>,
    index: i64,
    chain: i64,
    /// Time of publication of the newest scan, monotonic ns.
    published: u64,
    scan: Scan,
}

impl Driver {
    fn begin(life: &Life) -> Result<Driver> {
        let now = (clock::boottime(), clock::monotonic());
        let nothing = (Scan { chain: START, ..Scan::default() }, now.0);
        let (scan, timestamp) = life.inherited::<Scan>(LIDAR)?.unwrap_or(nothing);
        let published = now.1.saturating_sub(now.0.saturating_sub(timestamp));
        Ok(Driver { scans: life.writer(LIDAR)?, index: scan.index, chain: scan.chain, published, scan })
    }

    fn publish(&mut self, ranges: &[f64], line: &[u8]) -> Result<()> {
        self.index += 1;
        self.chain = chain(self.chain, line);
        scan(&mut self.scan, self.index, self.chain, ranges, line);
        self.scans.publish(&self.scan)?;
        self.published = clock::monotonic();
        Ok(())
    }
}

/// The time between two scans with these timestamps: never negative, and limited.
fn pace(before: f64, now: f64, speed: f64) -> Duration {
    // NaN, or a value too large for a duration, becomes no wait.
    let gap = (now - before).clamp(0.0, GAP) / speed;
    Duration::try_from_secs_f64(gap).unwrap_or(Duration::ZERO)
}

/// Plays a log, and then only sends heartbeats.
pub fn play(file: &str, speed: f64) -> Result<()> {
    let mut life = Life::begin("lidar")?;
    let mut driver = Driver::begin(&life)?;
    let mut log = Log::open(Path::new(file)).map_err(Error::system(format!("open the log {file}")))?;

    let mut before = None;
    let mut due = driver.published; // a successor waits for the rest of its predecessor's wait
    let mut place = 0;
    while let Some((scan, line)) = log.next_scan() {
        place += 1;
        if place > driver.index {
            due += before.map_or(0, |b| pace(b, scan.logged, speed).as_nanos() as u64);
            if !life.sleep_until(due)? {
                return Ok(());
            }
            driver.publish(&scan.ranges, line)?;
        } else if place % BREATH == 0 && !life.continues()? {
            return Ok(());
        }
        before = Some(scan.logged);
    }
    eprintln!("robot-lidar: {file}: {}", log.counts());
    life.set_done();
    while life.sleep_until(clock::monotonic() + PERIOD)? {}
    Ok(())
}

/// Measures the simulated room, ten times per second.
pub fn simulate() -> Result<()> {
    let mut life = Life::begin("lidar")?;
    let mut driver = Driver::begin(&life)?;
    let mut truths = life.reader("truth")?;
    let (mut truth, mut line) = (Truth::default(), String::new());

    while life.sleep_until(driver.published + PERIOD)? {
        if let Some((newest, _)) = truths.receive::<Truth>(Which::Newest, Until::Poll, &mut life)? {
            truth = newest;
        }
        let (x, heading, timestamp) = (truth.x, truth.heading, truth.step as f64 * 1e-3);
        let ranges = room::scan(x, 0.0, heading);
        line.clear();
        let pose = format_args!("{x:.4} 0 {heading:.4}");
        let written = write!(line, "FLASER {}", ranges.len())
            .and_then(|()| ranges.iter().try_for_each(|r| write!(line, " {r:.2}")))
            .and_then(|()| write!(line, " {pose} {pose} {timestamp} robot {timestamp}"));
        written.map_err(|_| Error::Usage("a scan cannot be written".into()))?;
        driver.publish(&ranges, line.as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_that_jump_repeat_or_go_back_do_not_hang_it() {
        assert_eq!(pace(1.0, 1.5, 1.0), Duration::from_millis(500));
        assert_eq!(pace(1.0, 1.5, 10.0), Duration::from_millis(50));
        assert_eq!(pace(5.0, 5.0, 1.0), Duration::ZERO);
        assert_eq!(pace(5.0, -1e300, 1.0), Duration::ZERO);
        assert_eq!(pace(0.0, 1e300, 2.0), Duration::from_secs(5));
        assert_eq!(pace(f64::NAN, 1.0, 1.0), Duration::ZERO);
        assert_eq!(pace(0.0, 1.0, 1e-300), Duration::ZERO);
    }
}
