//! `robot-logger`: reads every message of every channel, and proves that none is lost, torn or changed.
//!
//! It writes no file; a recorder that does comes with a later version of Saltus.
//!
//! What to see here:
//! - It reads with *next*: everything, in order. It looks every 5 ms, on its own clock, and never asks to be
//!   woken (*quiet*): whatever it watches does not even make a system call for it.
//! - Received and missed add up to what was published, at every message, also when publishers are killed and
//!   replaced, and when this program is.
//! - How far it is with the laser's scans, it publishes. A successor goes on there: every scan is taken once.

use std::time::Duration;

use saltus_channel::{Publisher, Start, SubscriberOptions, Until, Which, clock};

use crate::channels::{CHANNELS, CREW, HEALTH, LIDAR};
use crate::error::Result;
use crate::life::{Life, Reader, WITNESS};
use crate::wire::messages::{ArmState, Command, Estimate, Imu, Logged, Obstacle, Truth, WheelState};
use crate::wire::scan::{START, ScanFrame, chain};
use crate::wire::{Message, Torn};

/// How often it looks.
const PERIOD: Duration = Duration::from_millis(5);

/// Runs the program.
pub fn run() -> Result<()> {
    let mut life = Life::begin_urgent("logger", WITNESS)?;
    let quiet = || SubscriberOptions::new().quiet(PERIOD);
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
            return Ok(()); // the publishers stopped before us: nothing more will come
        }
    }
}

/// What proves that a message of this channel is whole.
fn checker(channel: &str) -> fn(&[u8]) -> Result<(), Torn> {
    fn whole<M: Message>(bytes: &[u8]) -> Result<(), Torn> {
        M::parse(bytes).map(drop)
    }
    match channel {
        "truth" => whole::<Truth>,
        "imu" => whole::<Imu>,
        "estimate" => whole::<Estimate>,
        "wheel/left/cmd" | "wheel/right/cmd" => whole::<Command>,
        "wheel/left/state" | "wheel/right/state" => whole::<WheelState>,
        "arm/shoulder" | "arm/elbow" => whole::<ArmState>,
        "obstacle" => whole::<Obstacle>,
        _ => |_| Err(Torn),
    }
}

/// How far the logger is with the scans.
struct Progress {
    logged: Logged,
    out: Publisher,
}

impl Progress {
    fn begin(life: &Life) -> Result<Progress> {
        let nothing = Logged { scan: 0, chain: START, breaks: 0 };
        let logged = life.inherited("log/lidar", Logged::parse)?.map_or(nothing, |(logged, _)| logged);
        Ok(Progress { logged, out: life.writer("log/lidar")? })
    }

    /// Takes the next scan. False: there is none.
    fn take(&mut self, scans: &mut Reader, life: &mut Life) -> Result<bool> {
        let before = self.logged;
        let next = scans.receive_with(Which::Next, Until::Poll, life, |bytes| {
            ScanFrame::parse(bytes).map(|scan| follow(before, &scan))
        })?;
        let Some((logged, _)) = next else { return Ok(false) };
        if logged != before {
            self.logged = logged;
            self.out.publish(&logged.bytes())?;
        }
        Ok(true)
    }
}

/// The progress after this scan. A predecessor may have taken it already.
fn follow(before: Logged, scan: &ScanFrame<'_>) -> Logged {
    if scan.index <= before.scan {
        return before;
    }
    let unbroken = scan.index == before.scan + 1 && scan.chain == chain(before.chain, scan.line);
    Logged { scan: scan.index, chain: scan.chain, breaks: before.breaks + !unbroken as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scan_counts_once_and_every_break_is_found() {
        let none = Logged { scan: 0, chain: START, breaks: 0 };
        let one = ScanFrame { index: 1, chain: chain(START, b"a"), line: b"a" };
        let two = ScanFrame { index: 2, chain: chain(one.chain, b"b"), line: b"b" };
        let after = follow(follow(follow(none, &one), &one), &two);
        assert_eq!(after, Logged { scan: 2, chain: two.chain, breaks: 0 });
        assert_eq!(follow(none, &two).breaks, 1, "the first was lost");
        assert_eq!(follow(none, &ScanFrame { line: b"x", ..one }).breaks, 1, "it was changed");
    }

    #[test]
    fn every_channel_has_its_proof() {
        for place in CHANNELS {
            let check = checker(place.name);
            assert_eq!(check(b"nonsense"), Err(Torn), "{}", place.name);
        }
        assert_eq!(checker("imu")(&Imu::default().bytes()), Ok(()));
    }
}
