//! Commands that look at all channels go on when another process cuts the data of one of them short while it is read.

mod support;

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};
use support::{Place, Running, files::Files, until};

/// Cuts the data of `zzz` and restores it, again and again, while `work` runs. The threads of this process map none of it.
fn attacked<T>(place: &Place, work: impl FnOnce(&AtomicU32) -> T) -> T {
    let path = place.path().join("zzz/data");
    let file = File::options().read(true).write(true).open(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    let (over, cuts) = (AtomicBool::new(false), AtomicU32::new(0)); // Relaxed: a flag and a count
    std::thread::scope(|s| {
        s.spawn(|| {
            while !over.load(Relaxed) {
                for len in [0, 4096, 8192] {
                    file.set_len(len).unwrap();
                    std::thread::sleep(Duration::from_micros(100));
                    file.write_all_at(&whole, 0).unwrap();
                    cuts.fetch_add(1, Relaxed);
                    std::thread::sleep(Duration::from_micros(300));
                }
            }
        });
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&cuts)));
        over.store(true, Relaxed);
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// A place with a stranger's channel `zzz`, and `imu`, in which messages are published at 100 Hz.
fn place() -> (Place, Running) {
    let place = Place::new();
    place.run(["mk", "zzz", "--max-size", "5000", "--depth", "64"]).with(0);
    place.run(["pub", "zzz", "message"]).with(0);
    let publishing = place.start(["pub", "imu", "tilt", "--rate", "100"]);
    place.until_published("imu", 1);
    (place, publishing)
}

#[test]
fn commands_for_all_channels_continue_while_one_is_truncated() {
    let (place, _publishing) = place();
    let lines: &[&[&str]] = &[
        &["ls", "-l"],
        &["spy", "--once", "--interval", "100ms"],
        &["stat", "--interval", "50ms", "-n", "1"],
        &["info", "imu"],
        &["mk", "other", "--replace"],
        &["echo", "imu", "--newest", "-n", "1"],
    ];
    attacked(&place, |cuts| {
        let start = Instant::now();
        let mut runs = 0;
        while (runs < 3 || cuts.load(Relaxed) < 100) && start.elapsed() < Duration::from_secs(30) {
            for line in lines {
                let ended = place.run(*line);
                // 1 or 5: what could not be read of `zzz` is said; all else is shown.
                let printed = matches!(ended.code, Some(1 | 5)) && ended.err.contains("`zzz`");
                assert!(ended.code == Some(0) || printed, "{line:?}: {ended:?}");
                let shows = !["mk", "echo"].contains(&line[0]);
                assert!(!shows || ended.text().contains("imu"), "{line:?}: {ended:?}");
            }
            runs += 1;
        }
    });
    place.run(["sweep"]).with(0);
}

#[test]
fn a_recorder_of_all_channels_continues_while_one_is_truncated() {
    for file in ["all.mcap", "all.lcmlog"] {
        let (place, _publishing) = place();
        let files = Files::new();
        let ended = attacked(&place, |_| {
            place.run(["record", "-o", &files.at(file), "--start", "oldest", "--duration", "2s"])
        });
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let info = place.run(["log", "info", &files.at(file), "--json"]).with(0);
        assert!(info.text().contains("imu"), "{info:?}");
    }
}

#[test]
fn a_bridge_of_all_channels_continues_while_one_is_truncated() {
    let (place, _publishing) = place();
    let other = Place::new();
    let bridge = place.start(["bridge", &place.url(), &other.url()]);
    attacked(&place, |cuts| {
        until("cuts", || cuts.load(Relaxed) > 2000);
    });
    other.until_published("imu", 50);
    let before = other.published("imu");
    other.until_published("imu", before + 20);
    bridge.signal(libc::SIGINT);
    let ended = bridge.ended();
    assert_eq!(ended.code, Some(0), "{ended:?}");
}
