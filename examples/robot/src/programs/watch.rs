//! `robot-watch`: measures the distance of the nearest object ahead.
//!
//! This program shows a *slow* reader of a fast channel. It needs 30 ms per scan. At any rate of the laser, it always processes the current
//! newest scan, and learns how many it missed. It never falls behind, and does not affect the driver.

use std::f64::consts::PI;
use std::time::Duration;

use saltus_channel::{Which, clock};

use crate::channels::LIDAR;
use crate::error::Result;
use crate::life::Life;
use crate::wire;
use crate::wire::types::{Obstacle, Scan};

/// Processing time per scan.
const THINKING_TIME: Duration = Duration::from_millis(30);
/// Half of its angle of view, rad.
const AHEAD: f64 = PI / 4.0;

/// Runs the program.
pub fn run() -> Result<()> {
    let mut life = Life::begin("watch")?;
    let mut scans = life.reader(LIDAR)?;
    let mut obstacles = life.writer("obstacle")?;
    let mut scan = Scan::default();

    while life.continues()? {
        // Check that newest is newest: the count published before the call.
        let published = scans.subscriber().channel().info()?.lanes;
        let until = life.next_beat();
        let newest =
            scans.receive_with(Which::Newest, until, &mut life, |bytes| wire::read_into(bytes, &mut scan))?;
        let Some(((), sample)) = newest else { continue };
        scans.compare(&published, &sample, &mut life);
        if let Some((range, bearing)) = nearest(&scan.ranges) {
            obstacles.publish(&Obstacle { scan: scan.index, range, bearing, check: 0 })?;
        }
        if !life.sleep_until(clock::monotonic() + THINKING_TIME.as_nanos() as u64)? {
            break;
        }
    }
    Ok(())
}

/// The distance and direction of the nearest object ahead.
fn nearest(ranges: &[f32]) -> Option<(f64, f64)> {
    let bearing = |k: usize| ((k as f64 + 0.5) / ranges.len() as f64 - 0.5) * PI;
    ranges
        .iter()
        .enumerate()
        .map(|(k, range)| (*range as f64, bearing(k)))
        .filter(|(_, bearing)| bearing.abs() <= AHEAD)
        .min_by(|a, b| a.0.total_cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_thing_ahead_is_found_and_what_is_aside_is_not() {
        let mut ranges = vec![5.0; 180];
        ranges[3] = 0.1;
        ranges[100] = 2.0;
        let (range, bearing) = nearest(&ranges).expect("beams ahead");
        assert_eq!(range, 2.0);
        assert!((bearing - 10.5 / 180.0 * PI).abs() < 1e-9);
        assert_eq!(nearest(&[]), None);
    }
}
