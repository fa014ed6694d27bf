//! What no file says: it is tried out, and nothing stays of it.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use saltus_channel::Directory;
use saltus_net::{lcm, udp};
use saltus_os::clock::Discipline;
use saltus_os::{clock, file, process, rt};

use crate::publishers::{self, Publisher};
use crate::residue::{self, Dead};

/// The priority that control loops have; the kernel's own threads for interrupts have 50.
pub const ENOUGH: i32 = 80;

/// How much there is of a file system, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// In all.
    pub size: u64,
    /// For who is not root.
    pub free: u64,
}

/// What came of it. Nothing is told where it cannot be tried here.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Effective user id.
    pub user: u32,
    /// The greatest priority of [`ENOUGH`] and 1 with which a thread may run under `SCHED_FIFO`; why none, in words.
    pub fifo: Option<Result<i32, String>>,
    /// To lock all memory; why not, in words.
    pub lock: Option<Result<(), String>>,
    /// `/proc/interrupts` at two times, at least half a second apart; where a processor is set aside.
    pub interrupts: Option<[String; 2]>,
    /// Room in `/dev/shm`.
    pub shm: Option<Room>,
    /// What a reading of the monotonic clock costs, in ns.
    pub clock_cost: Option<u64>,
    /// What a time service has told the kernel of its clock.
    pub discipline: Option<Discipline>,
    /// How long a datagram to LCM's group took to come back; why it did not, in words.
    pub multicast: Option<Result<Duration, String>>,
    /// How long a processor may take to wake up, as `/dev/cpu_dma_latency` says, in µs.
    pub wake_latency: Option<i32>,
    /// System management interrupts since the machine was started.
    pub smis: Option<u32>,
    /// Who publishes in the domain; why that is unknown, in words.
    pub publishers: Result<Vec<Publisher>, String>,
    /// Channels of the domain whose publishers are all dead; why they are unknown, in words.
    pub dead: Result<Vec<Dead>, String>,
    /// Channels of the domain that this user cannot open.
    pub closed: usize,
}

impl Default for Tried {
    /// Nothing could be tried.
    fn default() -> Tried {
        let untried = || "not looked at".to_owned();
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
        }
    }
}

impl Tried {
    /// Tries it on this machine. Not for a program that has locked memory: this lets it go, see
    /// [`rt::try_lock_memory`]. Sends datagrams that do not leave it, and waits for them for 300 ms at most; starts
    /// a thread that ends at once; locks memory and unlocks it; takes half a second at least where a
    /// processor is set aside.
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
        };
        if before.is_none() {
            return tried;
        }
        std::thread::sleep(APART.saturating_sub(start.elapsed()));
        Tried { interrupts: before.zip(interrupts()).map(|(before, after)| [before, after]), ..tried }
    }
}

/// The time in which interrupts are counted, at least.
const APART: Duration = Duration::from_millis(500);

/// Whether there is a processor that interrupts should keep off.
fn sets_aside() -> bool {
    ["/sys/devices/system/cpu/isolated", "/sys/fs/cgroup/cpuset.cpus.isolated"]
        .iter()
        .any(|file| std::fs::read_to_string(file).is_ok_and(|text| !text.trim().is_empty()))
}

/// Nothing where it is hidden: containers lay `/dev/null` over it, which reads as empty.
fn interrupts() -> Option<String> {
    std::fs::read_to_string("/proc/interrupts").ok().filter(|table| !table.is_empty())
}

fn room(dir: &File) -> Option<Room> {
    let (size, free) = file::room(dir).ok()?;
    Some(Room { size, free })
}

/// In a thread of its own, so that this one stays what it is.
fn fifo() -> Option<Result<i32, String>> {
    let granted = |priority: i32| rt::set_fifo(priority).map(|()| priority);
    let tried = std::thread::Builder::new().spawn(move || granted(ENOUGH).or_else(|_| granted(1)));
    Some(tried.ok()?.join().ok()?.map_err(|refused| refused.to_string()))
}

/// The least of a few rounds: what else happens meanwhile is not the clock's.
fn clock_cost() -> u64 {
    const READINGS: u64 = 1_000;
    let round = || {
        let start = clock::monotonic();
        let end = (0..READINGS).fold(start, |_, _| clock::monotonic());
        (end - start) / READINGS
    };
    (0..5).map(|_| round()).min().unwrap_or(0)
}

/// To LCM's group, with a time to live of 0.
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

/// Intel's register `MSR_SMI_COUNT`; only root can read it, with the module `msr`.
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
            None => eprintln!("not looked at: /proc/interrupts is hidden here"),
        }
        assert_eq!(tried.interrupts.is_some(), sets_aside() && interrupts().is_some());
        assert!(tried.shm.is_some_and(|room| room.free <= room.size), "{tried:?}");
        assert!(!domain.path().exists(), "nothing is made");
    }
}
