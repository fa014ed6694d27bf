//! Recording at given publish rates.

use super::place::Place;
use super::program::{Program, Programs};
use crate::contenders::net::lcm;
use crate::error::Fallible;
use crate::{clock, stop};
use saltus_domain::Domain;
use saltus_log::{Format, Reader};
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// The channel that is recorded.
const CHANNEL: &str = "BENCH";
/// The publisher publishes what is due, then sleeps for at least this long, in ns.
const PAUSE: u64 = 200_000;
/// How much a channel in shared memory keeps: in bytes, and in messages at most.
const KEEPS: (usize, usize) = (256 << 20, 1 << 17);

/// The offered load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Bytes of a message.
    pub size: usize,
    /// Messages per second.
    pub rate: u64,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size {
            1_000_000 => write!(f, "1MB at {}/s", self.rate),
            size => write!(f, "{size}B at {}/s", self.rate),
        }
    }
}

/// A recorder, and its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Saltus from shared memory, into an LCM log.
    Shm,
    /// Saltus from shared memory, into MCAP with the default compression.
    ShmMcap,
    /// Saltus from LCM's network, into an LCM log.
    Udpm,
    /// `lcm-logger`.
    Lcm,
}

impl Who {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Who::Shm => "shm:// to .lcmlog",
            Who::ShmMcap => "shm:// to .mcap",
            Who::Udpm => "udpm:// to .lcmlog",
            Who::Lcm => "lcm-logger",
        }
    }
    fn is_shm(self) -> bool {
        matches!(self, Who::Shm | Who::ShmMcap)
    }
}

/// All cases, each with the recorders that can run it. A network carries less than shared memory.
pub fn plan(short: bool) -> Vec<(Case, Who)> {
    let small: &[u64] =
        if short { &[10_000, 1_000_000] } else { &[10_000, 50_000, 100_000, 300_000, 1_000_000] };
    let large: &[u64] = if short { &[30, 1_000] } else { &[30, 100, 300, 600, 1_000] };
    let cases = small.iter().map(|&rate| Case { size: 64, rate });
    let cases = cases.chain(large.iter().map(|&rate| Case { size: 1_000_000, rate }));
    let who = |case: Case| {
        let by_net = case.rate <= if case.size == 64 { 100_000 } else { 100 };
        let net: &[Who] = if by_net { &[Who::Udpm, Who::Lcm] } else { &[] };
        [Who::Shm, Who::ShmMcap].into_iter().chain(net.iter().copied()).map(move |who| (case, who))
    };
    cases.flat_map(who).collect()
}

/// The result of one case.
#[derive(Clone, Debug)]
pub struct Run {
    pub case: Case,
    pub who: Who,
    pub rep: usize,
    /// Messages published.
    pub published: u64,
    /// Messages per second that were actually published.
    pub rate: f64,
    /// Messages in the file, counted by reading it.
    pub in_file: u64,
    /// What the recorder reports as missed and dropped; LCM's reports nothing.
    pub account: Option<Account>,
    /// Processor time of the recorder while messages arrived, ns.
    pub cpu: u64,
}

/// The counts that a recorder prints.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    pub missed: u64,
    pub dropped: u64,
    /// Whether received + missed + dropped equals published, and written equals the messages in the file.
    pub exact: bool,
}

impl Run {
    /// Messages that are not in the file.
    pub fn lost(&self) -> u64 {
        self.published.saturating_sub(self.in_file)
    }
    /// Processor time per message in the file, ns; `None` if the file is empty.
    pub fn cpu_per_message(&self) -> Option<f64> {
        (self.in_file > 0).then(|| self.cpu as f64 / self.in_file as f64)
    }
}

/// Sends one message.
type Send = Box<dyn FnMut(&[u8]) -> Fallible<()>>;

fn sender(who: Who, url: &str) -> Fallible<Send> {
    if who.is_shm() {
        let mut publisher = Domain::open(url)?.publisher(CHANNEL)?;
        return Ok(Box::new(move |message| Ok(publisher.publish(message)?)));
    }
    let mut sender = lcm::sender(url, CHANNEL)?;
    Ok(Box::new(move |message| sender.send(message)))
}

/// Publishes on a schedule for `scale` times 2 s; returns the count and the rate per second.
fn publish(case: Case, scale: f64, send: &mut Send) -> Fallible<(u64, f64)> {
    let mut message = vec![0x5A; case.size];
    let count = ((case.rate as f64 * 2.0 * scale) as u64).max(10);
    let start = clock::now();
    let mut sent = 0;
    while sent < count && !stop::asked() {
        let due = start + sent * 1_000_000_000 / case.rate;
        let now = clock::now();
        if now < due {
            clock::sleep_until(due.max(now + PAUSE));
        }
        message[..8].copy_from_slice(&sent.to_le_bytes());
        send(&message)?;
        sent += 1;
    }
    Ok((sent, sent as f64 * 1e9 / (clock::now() - start).max(1) as f64))
}

/// One recorder, one case.
pub fn run(programs: &Programs, who: Who, case: Case, scale: f64, rep: usize) -> Fallible<Run> {
    let place = Place::new()?;
    let frames = (KEEPS.0 / case.size).min(KEEPS.1);
    let url = if who.is_shm() { place.shm(frames, case.size) } else { place.udpm() };
    let file = place.file(if who == Who::ShmMcap { "run.mcap" } else { "run.lcmlog" });
    let mut send = sender(who, &url)?;
    if who.is_shm() {
        // The first publish creates the channel, before the recorder starts.
        send(&[0])?;
    }
    let mut command = match who {
        Who::Lcm => programs.lcm("lcm-logger"),
        _ => programs.ours("record"),
    };
    match who {
        Who::Lcm => command.args(["--quiet", "--lcm-url", &url]).arg(&file),
        _ => command.args(["--json", "--quiet", "--domain", &url, "-o"]).arg(&file),
    };
    let mut recorder = Program::start(&mut command)?;
    recorder.ready(&file, if who == Who::Lcm { 3 } else { 2 })?;
    std::thread::sleep(Duration::from_millis(200));
    let before = recorder.cpu();
    let (published, rate) = publish(case, scale, &mut send)?;
    // The recorder writes everything it received before this point, however long that takes, and nothing after it.
    std::thread::sleep(Duration::from_millis(300));
    let cpu = recorder.cpu() - before;
    recorder.interrupt()?;
    let printed = recorder.end(Duration::from_secs(60))?;
    let in_file = count(&file)?;
    let account = match who {
        Who::Lcm => None,
        _ => Some(account(&printed, published, in_file)?),
    };
    Ok(Run { case, who, rep, published, rate, in_file, account, cpu })
}

fn account(printed: &str, published: u64, in_file: u64) -> Fallible<Account> {
    let report: serde_json::Value = serde_json::from_str(printed)?;
    let number = |name: &str| report["total"][name].as_u64().ok_or(format!("no `{name}` in {printed}"));
    let (received, written) = (number("received")?, number("written")?);
    let (missed, dropped) = (number("missed")?, number("dropped")?);
    // Dropped are messages that it received and could not keep, and messages that it never read.
    let reported = |all: u64| all == published;
    let exact = written == in_file && (reported(written + missed + dropped) || reported(received + missed));
    Ok(Account { missed, dropped, exact })
}

/// Counts the benchmark's messages in a log.
fn count(path: &Path) -> Fallible<u64> {
    let mut file = File::open(path)?;
    let format = if path.extension().is_some_and(|e| e == "mcap") { Format::Mcap } else { Format::Lcm };
    let (mut reader, mut bytes, mut count) = (Reader::new(format), vec![0; 1 << 20], 0);
    loop {
        let n = file.read(&mut bytes)?;
        reader.feed(&bytes[..n]);
        if n == 0 {
            reader.end();
        }
        while let Some(event) = reader.event() {
            count += u64::from(event.channel == CHANNEL.as_bytes());
        }
        if n == 0 {
            return Ok(count);
        }
    }
}
