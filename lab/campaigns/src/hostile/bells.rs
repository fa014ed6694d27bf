//! Invalid values in the words of the bell: those that a reader may write (`arm`, `asleep`, `bell`), and those that
//! only publishers can (`woken`).
//!
//! Publishers repair impossible values, so that one stray store costs neither a system call at every publish nor a
//! subscriber's wake forever.

use crate::child::spawn;
use crate::place::Place;
use crate::raw::{Raw, WOKEN};
use crate::report::Failure;
use crate::rng::Rng;
use crate::sleeper::{Kind, Sleeper};
use saltus_channel::{Attributes, Directory};
use saltus_ring::bell::{ARM, ASLEEP, BELL, PASSED};

const NAME: &str = "c";
/// Publishes without waiting subscribers, none of which may make a system call.
const QUIET: usize = 100;

const LIES: usize = 13;

fn lies(at: u64) -> [u64; LIES] {
    let near = [0, 1, at.wrapping_sub(1), at, at.wrapping_add(1), at.wrapping_add(2), at.wrapping_add(1000)];
    let far = [1 << 32, (1 << 62) - 1, 1 << 62, 1 << 63, u64::MAX - 1, u64::MAX];
    std::array::from_fn(|i| near.get(i).copied().unwrap_or_else(|| far[i - near.len()]))
}

/// Every invalid value of every word, alone and combined.
pub fn repaired(place: &Place) -> Result<String, Failure> {
    let domain = place.domain("bells")?;
    let (mut cases, mut failures) = (0, Vec::new());
    for word in ["arm", "asleep", "bell", "passed", "woken", "arm and woken", "all"] {
        for i in 0..LIES {
            cases += 1;
            if let Err(why) = one(&domain, word, i) {
                failures.push(format!("{word}, lie {i} ({:#x}): {why}", lies(5)[i]));
            }
            let _ = domain.unlink(NAME);
        }
    }
    match failures.is_empty() {
        true => Ok(format!(
            "{cases} invalid values: waiting readers woken, words repaired, no needless calls after the first publish"
        )),
        false => Err(format!("{} of {cases} lies: {}", failures.len(), failures.join("\n       ")).into()),
    }
}

fn one(domain: &Directory, word: &str, i: usize) -> Result<(), Failure> {
    let channel = domain.create(NAME, &Attributes::new().max_message_size(64))?;
    let data = Raw::open(&domain.path().join(NAME).join("data"))?;
    let bell = Raw::open(&domain.path().join(NAME).join("bell"))?;
    let mut publisher = channel.publisher()?;
    // Normal operation before.
    for _ in 0..5 {
        let sleeper = Sleeper::start(&channel, Kind::Wake)?;
        publisher.publish(b"before")?;
        sleeper.woken()?;
    }
    let lie = lies(bell.get(BELL))[i];
    for (name, at) in [("arm", ARM), ("asleep", ASLEEP), ("bell", BELL), ("passed", PASSED)] {
        if word.contains(name) || word == "all" {
            bell.set(at, lie);
        }
    }
    if word.contains("woken") || word == "all" {
        data.set(WOKEN, lie);
    }
    // A subscriber that starts to wait on the invalid value is limited by its wake-up interval.
    let sleeper = Sleeper::start(&channel, Kind::Slice)?;
    publisher.publish(b"fix")?;
    sleeper.woken()?;
    publisher.publish(b"fix")?;
    let wakes = |what: &str| -> Result<u64, Failure> {
        Ok(channel.info().map_err(|e| format!("{what}: {e}"))?.lanes[0].wakes)
    };
    let before = wakes("info")?;
    for _ in 0..QUIET {
        publisher.publish(b"nobody sleeps")?;
    }
    let needless = wakes("info")? - before;
    if needless > 1 {
        return Err(format!(
            "{needless} of {QUIET} publishes called the kernel although no subscriber was blocked"
        )
        .into());
    }
    // From now on wake-up intervals are not needed.
    for n in 0..3 {
        let sleeper = Sleeper::start(&channel, Kind::Wake)?;
        publisher.publish(b"after")?;
        sleeper.woken().map_err(|e| format!("waiting reader {n} after the repair: {e}"))?;
    }
    Ok(())
}

/// A reader overwrites all words that it may write, as fast as it can. Waiting subscribers wake within their
/// interval, and publishers continue.
pub fn scribbler(place: &Place, seed: u64, rounds: usize) -> Result<String, Failure> {
    let domain = place.domain("arm")?;
    let channel = domain.create(NAME, &Attributes::new().max_message_size(64))?;
    let bell = Raw::open(&domain.path().join(NAME).join("bell"))?;
    let mut liar = spawn(|| {
        let mut rng = Rng::new(seed);
        loop {
            let near = bell.get(0);
            bell.set(
                0,
                rng.pick(&[0, near.wrapping_add(1), near.wrapping_sub(1), u64::MAX, rng.clone().next()]),
            );
            rng.next();
        }
    })?;
    let mut publisher = channel.publisher()?;
    for _ in 0..rounds {
        let sleepers = crate::sleeper::start(3, &channel, Kind::Slice)?;
        publisher.publish(b"wake up")?;
        for sleeper in sleepers {
            sleeper.woken()?;
        }
    }
    liar.kill();
    let sleeper = Sleeper::start(&channel, Kind::Slice)?;
    publisher.publish(b"fix")?;
    sleeper.woken()?;
    publisher.publish(b"fix")?;
    let sleeper = Sleeper::start(&channel, Kind::Wake)?;
    publisher.publish(b"after")?;
    sleeper.woken()?;
    Ok(format!(
        "{rounds} rounds with 3 waiting readers while a reader overwrote the words; afterwards all is well"
    ))
}
