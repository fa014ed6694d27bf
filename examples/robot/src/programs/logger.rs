//! `robot-logger`: reads every message of every channel, and checks that none is lost, torn or changed.
//!
//! It writes no file; `saltus record` does.
//!
//! This program shows:
//! - It reads with *next*: every message, in order. It polls every 5 ms (`poll_every`) and never requests a wake-up, so publishers make no
//!   system call for it.
//! - Received plus missed equals published, at every message, also after publishers or this program were killed and replaced.
//! - It publishes its position in the laser's scans. A successor continues there, so every scan is counted once.

use std::time::Duration;

use saltus_channel::{Start, SubscriberOptions, Until, Which, clock};

use crate::channels::{CHANNELS, CREW, HEALTH, LIDAR};
use crate::error::Result;
use crate::life::{Life, Reader, WITNESS, Writer};
use crate::wire::types::{Arm, Command, Estimate, Imu, Logged, Obstacle, Push, Request, Scan, Truth, Wheel};
use crate::wire::{self, Message, START, Torn, chain};

/// The polling period.
const PERIOD: Duration = Duration::from_millis(5);

/// Runs the program.
pub fn run() -> Result<()> {
    let mut life = Life::begin_urgent("logger", WITNESS)?;
    let quiet = || SubscriberOptions::new().poll_every(PERIOD);
    let mut readers = Vec::new();
    for place in CHANNELS.iter().filter(|place| ![LIDAR, HEALTH, CREW, "log/lidar"].contains(&place.name)) {
        readers.push((life.reader_with(place.name, quiet())?, checker(place.name)));
    }
    let mut scans = life.reader_with(LIDAR, quiet().start(Start::Oldest))?;
    let mut progress = Progress::begin(&life)?;

    loop {
        let last = !life.sleep_until(clock::monotonic() + PERIOD.as_nanos() as u64)?;
        for (reader, check) in &mut readers {
            while reader.receive_with(Which::Next, Until::Poll, &mut life, *check)?.is_some() {}
        }
        while progress.take(&mut scans, &mut life)? {}
        if last {
            return Ok(()); // the publishers have stopped: no more messages follow
        }
    }
}

/// The check that a message of this channel is complete.
fn checker(channel: &str) -> fn(&[u8]) -> Result<(), Torn> {
    fn whole<M: Message>(bytes: &[u8]) -> Result<(), Torn> {
        wire::read::<M>(bytes).map(drop)
    }
    match channel {
        "truth" => whole::<Truth>,
        "imu" => whole::<Imu>,
        "estimate" => whole::<Estimate>,
        "wheel/left/cmd" | "wheel/right/cmd" => whole::<Command>,
        "wheel/left/state" | "wheel/right/state" => whole::<Wheel>,
        "arm/shoulder" | "arm/elbow" => whole::<Arm>,
        "obstacle" => whole::<Obstacle>,
        "push" => whole::<Push>,
        "request" => whole::<Request>,
        _ => |_| Err(Torn),
    }
}

/// The logger's position in the scans.
struct Progress {
    logged: Logged,
    out: Writer<Logged>,
    scan: Scan,
}

impl Progress {
    fn begin(life: &Life) -> Result<Progress> {
        let nothing = Logged { chain: START, ..Logged::default() };
        let logged = life.inherited("log/lidar")?.map_or(nothing, |(logged, _)| logged);
        Ok(Progress { logged, out: life.writer("log/lidar")?, scan: Scan::default() })
    }

    /// Handles the next scan; `false` if there is none.
    fn take(&mut self, scans: &mut Reader, life: &mut Life) -> Result<bool> {
        let scan = &mut self.scan;
        let next =
            scans.receive_with(Which::Next, Until::Poll, life, |bytes| wire::read_into(bytes, scan))?;
        if next.is_some() && follow(&mut self.logged, scan) {
            self.out.publish(&self.logged)?;
        }
        Ok(next.is_some())
    }
}

/// Counts a scan, unless a predecessor did. Returns whether it counted.
fn follow(logged: &mut Logged, scan: &Scan) -> bool {
    if scan.index <= logged.scan {
        return false;
    }
    let unbroken = scan.index == logged.scan + 1 && scan.chain == chain(logged.chain, &scan.line);
    (logged.scan, logged.chain) = (scan.index, scan.chain);
    logged.breaks += !unbroken as i64;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scan_counts_once_and_every_break_is_found() {
        let none = Logged { chain: START, ..Logged::default() };
        let scan = |index, chain, line: &[u8]| Scan { index, chain, line: line.to_vec(), ..Scan::default() };
        let one = scan(1, chain(START, b"a"), b"a");
        let two = scan(2, chain(one.chain, b"b"), b"b");
        let mut after = none.clone();
        assert_eq!([&one, &one, &two].map(|scan| follow(&mut after, scan)), [true, false, true]);
        assert_eq!(after, Logged { scan: 2, chain: two.chain, ..Logged::default() });
        for (scan, why) in [(two, "the first was lost"), (scan(1, one.chain, b"x"), "the scan was changed")] {
            let mut after = none.clone();
            assert!(follow(&mut after, &scan) && after.breaks == 1, "{why}");
        }
    }

    #[test]
    fn every_channel_has_its_proof() {
        for place in CHANNELS {
            let check = checker(place.name);
            assert_eq!(check(b"nonsense"), Err(Torn), "{}", place.name);
        }
        let mut bytes = Vec::new();
        wire::write(&Imu::default(), &mut bytes);
        assert_eq!(checker("imu")(&bytes), Ok(()));
    }
}
