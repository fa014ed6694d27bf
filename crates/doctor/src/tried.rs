//! Tests for properties that no file shows. They leave no changes.

use saltus_os::file::FileExt;
use std::fs::File;
use std::time::{Duration, Instant};

use saltus_channel::Directory;
use saltus_net::{lcm, udp};
use saltus_os::clock::Discipline;
use saltus_os::{clock, file, process, rt};

use crate::owners::Owners;
use crate::publishers::{self, Publisher};
use crate::residue::{self, Dead};

/// The priority of control loops; the kernel's threads for interrupts have 50.
pub const ENOUGH: i32 = 80;

/// The space of a file system, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// In total.
    pub size: u64,
    /// Available to users other than root.
    pub free: u64,
}

/// The results. `None` if a test is impossible here.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Effective user ID.
    pub user: u32,
    /// The highest allowed priority under `SCHED_FIFO`, of [`ENOUGH`] and 1; or the error if both are refused.
    pub fifo: Option<Result<i32, String>>,
    /// Locking all memory, or the error.
    pub lock: Option<Result<(), String>>,
    /// `/proc/interrupts` at two times, at least half a second apart, if a CPU is set aside.
    pub interrupts: Option<[String; 2]>,
    /// Space in `/dev/shm`.
    pub shm: Option<Room>,
    /// Cost of reading the monotonic clock, in ns.
    pub clock_cost: Option<u64>,
    /// The state of time synchronization in the kernel.
    pub discipline: Option<Discipline>,
    /// Time until a datagram to LCM's group returned, or the error.
    pub multicast: Option<Result<Duration, String>>,
    /// Longest allowed wake-up time of a CPU, by `/dev/cpu_dma_latency`, in µs.
    pub wake_latency: Option<i32>,
    /// System management interrupts since boot.
    pub smis: Option<u32>,
    /// The publishers in the domain, or the error.
    pub publishers: Result<Vec<Publisher>, String>,
    /// Dead channels of the domain, or the error.
    pub dead: Result<Vec<Dead>, String>,
    /// Channels of the domain that this user cannot open.
    pub closed: usize,
    /// Whose the directories of the domain are.
    pub owners: Option<Owners>,
}

impl Default for Tried {
    /// Without results.
    fn default() -> Tried {
        let untried = || "not tested".to_owned();
        Tried {
            user: 0,
            fifo: None,
            lock: None,
            interrupts: None,
            shm: None,
            clock_cost: None,
            discipline: None,
            multicast: None,
            wake_latency: None,
            smis: None,
            publishers: Err(untried()),
            dead: Err(untried()),
            closed: 0,
            owners: None,
        }
    }
}

impl Tried {
    /// Runs the tests on this machine. Not for a program with locked memory, which this unlocks: see [`rt::try_lock_memory`]. Sends
    /// datagrams that do not leave the machine, and waits for them for at most 300 ms; starts a short thread; locks and unlocks memory.
    /// Takes at least half a second if a CPU is set aside.
    pub fn here(domain: &Directory) -> Tried {
        let (start, before) = (Instant::now(), sets_aside().then(interrupts).flatten());
        let tried = Tried {
            user: process::user(),
            fifo: fifo(),
            lock: Some(rt::try_lock_memory().map_err(|refused| refused.to_string())),
            interrupts: None,
            shm: File::open("/dev/shm").ok().and_then(|dir| room(&dir)),
            clock_cost: Some(clock_cost()),
            discipline: clock::discipline(),
            multicast: Some(multicast().map_err(|error| error.to_string())),
            wake_latency: wake_latency(),
            smis: smis(),
            publishers: publishers::living(domain).map_err(|error| error.to_string()),
            dead: residue::dead(domain).map_err(|error| error.to_string()),
            closed: residue::closed(domain),
            owners: Some(Owners::here(domain)),
        };
        if before.is_none() {
            return tried;
        }
        std::thread::sleep(APART.saturating_sub(start.elapsed()));
        Tried { interrupts: before.zip(interrupts()).map(|(before, after)| [before, after]), ..tried }
    }
}

/// Least time for counting interrupts.
const APART: Duration = Duration::from_millis(500);

/// Whether any CPU is set aside from interrupts.
fn sets_aside() -> bool {
    ["/sys/devices/system/cpu/isolated", "/sys/fs/cgroup/cpuset.cpus.isolated"]
        .iter()
        .any(|file| std::fs::read_to_string(file).is_ok_and(|text| !text.trim().is_empty()))
}

/// `None` if it is hidden: containers mount `/dev/null` over it, which reads as empty.
fn interrupts() -> Option<String> {
    std::fs::read_to_string("/proc/interrupts").ok().filter(|table| !table.is_empty())
}

fn room(dir: &File) -> Option<Room> {
    let (size, free) = file::room(dir).ok()?;
    Some(Room { size, free })
}

/// In a separate thread, so that this one keeps its policy.
fn fifo() -> Option<Result<i32, String>> {
    let granted = |priority: i32| rt::set_fifo(priority).map(|()| priority);
    let tried = std::thread::Builder::new().spawn(move || granted(ENOUGH).or_else(|_| granted(1)));
    Some(tried.ok()?.join().ok()?.map_err(|refused| refused.to_string()))
}

/// The minimum of a few rounds, to exclude other activity.
fn clock_cost() -> u64 {
    const READINGS: u64 = 1_000;
    let round = || {
        let start = clock::monotonic();
        let end = (0..READINGS).fold(start, |_, _| clock::monotonic());
        (end - start) / READINGS
    };
    (0..5).map(|_| round()).min().unwrap_or(0)
}

/// Sends to LCM's group, with a TTL of 0.
fn multicast() -> saltus_net::Result<Duration> {
    let options = udp::Options::default();
    let publisher = lcm::Publisher::open(&options)?;
    let mut listener = lcm::Listener::open(&options)?;
    lcm::check(&publisher, &mut listener, Nobody)
}

struct Nobody;

impl lcm::Sink for Nobody {
    fn wants(&mut self, channel: &[u8]) -> bool {
        channel == lcm::SELF_TEST
    }
    fn message(&mut self, _: lcm::Received<'_>) {}
}

fn wake_latency() -> Option<i32> {
    let mut bytes = [0; 4];
    File::open("/dev/cpu_dma_latency").ok()?.read_exact_at(&mut bytes, 0).ok()?;
    Some(i32::from_ne_bytes(bytes))
}

/// Reads Intel's register `MSR_SMI_COUNT`; needs root, and the module `msr`.
fn smis() -> Option<u32> {
    let mut bytes = [0; 8];
    File::open("/dev/cpu/0/msr").ok()?.read_exact_at(&mut bytes, 0x34).ok()?;
    Some(u64::from_ne_bytes(bytes) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_can_be_tried() {
        let domain = Directory::open("shm://no-such-domain-of-doctor").unwrap();
        let tried = Tried::here(&domain);
        assert_eq!(tried.publishers, Ok(Vec::new()));
        assert_eq!(tried.dead, Ok(Vec::new()));
        assert!(
            matches!(tried.fifo, Some(Ok(ENOUGH | 1) | Err(_))) && tried.multicast.is_some(),
            "{tried:?}"
        );
        assert!(tried.lock.is_some(), "{tried:?}");
        match interrupts() {
            Some(table) => assert!(table.contains("CPU0"), "{table}"),
            None => eprintln!("skipped: /proc/interrupts is hidden here"),
        }
        assert_eq!(tried.interrupts.is_some(), sets_aside() && interrupts().is_some());
        assert!(tried.shm.is_some_and(|room| room.free <= room.size), "{tried:?}");
        assert!(!domain.path().exists(), "no domain is created");
    }
}
