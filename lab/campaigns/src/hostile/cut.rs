//! Files that are cut short while others have them mapped: data by a publisher, leftovers by a stranger, the bell by a reader.
//!
//! The first two are what killed `spy`, `ls` and every maker of channels in trials. Nobody may die, and nobody may be kept for long.

use super::hunt::hunt;
use super::{lies, victim};
use crate::child::{Child, spawn, until};
use crate::place::Place;
use crate::report::{Failure, Skip};
use crate::rng::Rng;
use crate::shared::Words;
use saltus_channel::{Attributes, Directory, Until, Which};
use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering::Relaxed; // counters, and figures that are read when their writers have ended
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);
/// A bell that is cut is repaired within 10 ms, and waiting subscribers look by themselves within 100 ms; nobody is kept for so long.
const FAR_TOO_LONG: Duration = Duration::from_secs(3);

/// Cuts the file at random places and restores it, again and again; `cuts` counts. Started when it returns.
fn cut_and_grow(path: &Path, seed: u64, cuts: &Words) -> Result<Child, Failure> {
    let file = File::options().read(true).write(true).open(path)?;
    let whole = fs::read(path)?;
    let child = spawn(|| {
        let mut rng = Rng::new(seed);
        loop {
            // Often to nothing, else anywhere: within the first pages, a lane's words, a message.
            let len = if rng.below(3) == 0 { 0 } else { rng.below(whole.len() as u64) };
            file.set_len(len)?;
            std::thread::yield_now();
            if rng.below(4) == 0 {
                file.set_len(whole.len() as u64)?; // as it is grown: with holes
            }
            file.write_all_at(&whole, 0)?;
            cuts[0].fetch_add(1, Relaxed);
            std::thread::sleep(Duration::from_micros(rng.below(200)));
        }
    })?;
    match until(PATIENCE, || cuts[0].load(Relaxed) > 0) {
        true => Ok(child),
        false => Err("the attacker did not start".into()),
    }
}

/// Processes that use a channel in every way while its data is cut and grown.
pub fn data(place: &Place, seed: u64, time: Duration) -> Result<String, Failure> {
    let domain = place.domain("cut")?;
    lies::lay_out(&domain, &mut Rng::new(seed))?;
    let cuts = Words::new(1)?;
    let mut attacker = cut_and_grow(&domain.path().join("c/data"), seed, &cuts)?;
    let found = hunt(seed, time, u64::MAX, |_, rng, prey| victim::use_channel(&domain, "c", rng, prey))?;
    attacker.kill();
    Ok(format!("{} cuts, 0 deaths; {found}", cuts[0].load(Relaxed)))
}

/// Commands that look at all channels while the data of one is cut and grown.
pub fn commands(place: &Place, seed: u64, time: Duration) -> Result<String, Failure> {
    let saltus = std::env::current_exe()?.with_file_name("saltus");
    if !saltus.exists() {
        return Err(Skip::because(format!("{} is not built", saltus.display())));
    }
    let domain = place.domain("commands")?;
    lies::lay_out(&domain, &mut Rng::new(seed))?;
    domain.create("imu", &Attributes::new())?.publisher()?.publish(b"tilt")?;
    let cuts = Words::new(1)?;
    let mut attacker = cut_and_grow(&domain.path().join("c/data"), seed, &cuts)?;
    let lines: [&[&str]; 4] = [
        &["ls", "-l"],
        &["spy", "--once", "--interval", "20ms"],
        &["stat", "--interval", "20ms", "-n", "1"],
        &["info", "imu"],
    ];
    let (start, mut runs, mut deaths) = (Instant::now(), 0, Vec::new());
    while start.elapsed() < time || runs < lines.len() {
        let mut command = Command::new(&saltus);
        command.args(lines[runs % lines.len()]).env("SALTUS_DOMAIN", domain.url());
        let ended = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        if let Some(signal) = ended.signal() {
            deaths.push(format!("{:?} died of signal {signal}", lines[runs % lines.len()]));
        }
        runs += 1;
    }
    attacker.kill();
    match deaths.is_empty() {
        true => Ok(format!("{} cuts, {runs} commands, 0 deaths", cuts[0].load(Relaxed))),
        false => Err(format!("{} of {runs} commands died: {}", deaths.len(), deaths.join(", ")).into()),
    }
}

/// Makers of channels sweep `left` crafted directories each, whose data is cut just then.
pub fn sweeping(place: &Place, rounds: usize, left: usize) -> Result<String, Failure> {
    let domain = place.domain("sweeping")?;
    let mut made = 0;
    domain.create("first", &Attributes::new())?;
    for round in 0..rounds {
        craft(&domain, left)?;
        std::thread::sleep(Duration::from_millis(3100)); // what is younger is being made
        // In the order in which they are swept.
        let names = fs::read_dir(domain.path())?.collect::<Result<Vec<_>, _>>()?;
        let crafted: Vec<PathBuf> =
            names.iter().map(|name| name.path()).filter(|path| is_crafted(path)).collect();
        let started = Words::new(1)?;
        let mut attacker = spawn(|| {
            let open = |dir: &PathBuf| File::options().write(true).open(dir.join("data"));
            let files = crafted.iter().map(open).collect::<Result<Vec<_>, _>>()?;
            started[0].store(1, Relaxed);
            for file in files.iter().step_by(5) {
                while file.metadata()?.nlink() > 0 {
                    file.set_len(0)?;
                    file.set_len(12288)?;
                }
            }
            std::thread::sleep(PATIENCE);
            Ok(())
        })?;
        if !until(PATIENCE, || started[0].load(Relaxed) == 1) {
            return Err("the attacker did not start".into());
        }
        let mut maker = spawn(|| {
            for i in 0..6 {
                let name = format!("r{round}-{i}");
                domain.create(&name, &Attributes::new())?;
                domain.unlink(&name)?;
            }
            Ok(())
        })?;
        maker.finish(PATIENCE + PATIENCE).map_err(|e| format!("round {round}: a maker: {e}"))?;
        made += 6;
        attacker.kill();
        let there = crafted.iter().filter(|dir| dir.exists()).count();
        if there > 0 {
            return Err(format!("round {round}: {there} of {left} crafted directories were not swept").into());
        }
    }
    Ok(format!("{made} channels made, {} crafted directories swept, 0 deaths", rounds * left))
}

const CRAFTED: &str = ".new-";

fn is_crafted(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(CRAFTED))
}

/// Leaves what makers leave who died, `n` times.
fn craft(domain: &Directory, n: usize) -> Result<(), Failure> {
    for i in 0..n {
        let dir = domain.path().join(format!("{CRAFTED}{i:016x}"));
        fs::create_dir(&dir)?;
        for (name, len) in [("data", 12288), ("bell", 4096), ("lease", 0)] {
            fs::write(dir.join(name), vec![0; len])?;
        }
    }
    Ok(())
}

/// A reader that cuts the bell all the time: publisher and waiting subscribers continue with little delay.
pub fn bell(place: &Place, time: Duration) -> Result<String, Failure> {
    let domain = place.domain("bell")?;
    let channel = domain.create("c", &Attributes::new().max_message_size(64))?;
    let file = File::options().write(true).open(domain.path().join("c/bell"))?;
    let words = Words::new(8)?;
    const PUBLISHED: usize = 0;
    const SUM: usize = 1;
    const WORST: usize = 2;
    const CUTS: usize = 3;
    const RECEIVED: usize = 4;
    const DELAY: usize = 5;
    const OVER: usize = 6;
    let mut publisher = spawn(|| {
        let mut publisher = channel.publisher()?;
        while words[OVER].load(Relaxed) == 0 {
            let start = Instant::now();
            publisher.publish(b"tilt")?;
            let ns = start.elapsed().as_nanos() as u64;
            words[PUBLISHED].fetch_add(1, Relaxed);
            words[SUM].fetch_add(ns, Relaxed);
            words[WORST].fetch_max(ns, Relaxed);
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    })?;
    let subscriber = || {
        let mut subscriber = channel.subscriber()?;
        let mut bytes = [0; 64];
        while words[OVER].load(Relaxed) == 0 {
            if let Some(info) = subscriber.receive(Which::Next, Until::For(PATIENCE), &mut bytes)? {
                let delay = saltus_channel::clock::boottime().saturating_sub(info.timestamp);
                words[RECEIVED].fetch_add(1, Relaxed);
                words[DELAY].fetch_max(delay, Relaxed);
            }
        }
        Ok(())
    };
    let waiting = (0..3).map(|_| spawn(subscriber)).collect::<Result<Vec<_>, _>>()?;
    let mut attacker = spawn(|| {
        loop {
            file.set_len(0)?;
            words[CUTS].fetch_add(1, Relaxed);
        }
    })?;
    std::thread::sleep(time);
    attacker.kill();
    words[OVER].store(1, Relaxed);
    publisher.finish(PATIENCE).map_err(|e| format!("the publisher: {e}"))?;
    let mut last = channel.publisher()?; // the bell is whole for those that open the channel now
    for mut waiting in waiting {
        last.publish(b"end")?;
        waiting.finish(PATIENCE).map_err(|e| format!("a waiting subscriber: {e}"))?;
    }
    let get = |word: usize| words[word].load(Relaxed);
    let (published, received) = (get(PUBLISHED), get(RECEIVED));
    let worst = Duration::from_nanos(get(WORST).max(get(DELAY)));
    if worst > FAR_TOO_LONG || received == 0 || published == 0 {
        return Err(format!("{published} published, {received} received by 3, one after {worst:?}").into());
    }
    Ok(format!(
        "{} cuts, 0 deaths; {published} published in {} ns on average, {} µs at worst; {received} received by 3 waiting subscribers, the last after {} ms",
        get(CUTS),
        get(SUM) / published.max(1),
        get(WORST) / 1000,
        get(DELAY) / 1_000_000,
    ))
}
