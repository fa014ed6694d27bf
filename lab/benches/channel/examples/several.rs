//! Waiting for 8 channels at once: with `futex_waitv`, and with that call taken away, as on Linux before 5.16.
//!
//! ```sh
//! cargo run --profile dist -p saltus-bench-channel --example several -- 5
//! ```
//!
//! Rounds alternate between the two. In each, one process publishes 2,000 messages, 1 ms apart, to the channels in turn; another waits for
//! all of them. Prints the time from publishing to the return of the wait, and the processor time of the waiting process.

use hdrhistogram::Histogram;
use saltus_channel::{Attributes, Directory, wait_any};
use saltus_os::{clock, process};
use std::io::{Read, Write};
use std::time::Duration;

const CHANNELS: usize = 8;
const MESSAGES: u64 = 2_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rounds: usize = std::env::args().nth(1).map_or(Ok(3), |text| text.parse())?;
    let names = ["futex_waitv", "without it"];
    let mut all = [Histogram::<u64>::new(3)?, Histogram::new(3)?];
    let mut cpu = [0, 0];
    for _ in 0..rounds {
        for (i, refused) in [false, true].into_iter().enumerate() {
            for value in round(refused)? {
                match value {
                    (0, used) => cpu[i] += used,
                    (_, latency) => all[i].record(latency)?,
                }
            }
        }
    }
    println!(
        "{:12} {:>8} {:>9} {:>9} {:>9} {:>9} {:>14}",
        "", "count", "p50 us", "p99 us", "p99.9 us", "max us", "cpu us/message"
    );
    for ((name, histogram), cpu) in names.iter().zip(&all).zip(cpu) {
        let us = |ns: u64| format!("{:.1}", ns as f64 / 1e3);
        let at = |q| us(histogram.value_at_quantile(q));
        let count = histogram.len();
        let each = cpu as f64 / 1e3 / count as f64;
        println!(
            "{name:12} {count:>8} {:>9} {:>9} {:>9} {:>9} {each:>14.1}",
            at(0.5),
            at(0.99),
            at(0.999),
            us(histogram.max())
        );
    }
    Ok(())
}

/// Pairs of the waiting process: (1, latency in ns) for each message, and (0, its processor time in ns).
fn round(refused: bool) -> Result<Vec<(u64, u64)>, Box<dyn std::error::Error>> {
    let path = format!("/dev/shm/saltus-several-{}", std::process::id());
    let place = Directory::open(&format!("shm://{path}"))?;
    let attributes = Attributes::new().depth(16).max_message_size(64);
    let channels: Vec<_> =
        (0..CHANNELS).map(|i| place.create(format!("c{i}"), &attributes)).collect::<Result<_, _>>()?;
    let (mut reader, mut writer) = std::io::pipe()?;
    // SAFETY: this program has one thread.
    let child = unsafe { libc::fork() };
    if child == 0 {
        if refused {
            saltus_netns::refuse_call(libc::SYS_futex_waitv, None, libc::ENOSYS);
        }
        let mut subscribers: Vec<_> =
            channels.iter().map(|channel| channel.subscriber().expect("a subscriber")).collect();
        let mut list: Vec<_> = subscribers.iter_mut().collect();
        let mut out = Vec::new();
        while let Some(i) = wait_any(&mut list, Duration::from_secs(1)).expect("a wait") {
            let now = clock::monotonic();
            let mut due = [0; 8];
            if list[i].next(&mut due).expect("a message").is_some() {
                out.extend([1_u64, now - u64::from_le_bytes(due)].map(u64::to_le_bytes));
            }
        }
        // SAFETY: all zeros is a valid record to be filled in.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(libc::RUSAGE_SELF, &mut usage);
            usage
        };
        let ns = |time: libc::timeval| (time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64) * 1_000;
        out.extend([0, ns(usage.ru_utime) + ns(usage.ru_stime)].map(u64::to_le_bytes));
        writer.write_all(out.as_flattened()).expect("the pipe");
        // SAFETY: what the parent owns must not be dropped here.
        unsafe { libc::_exit(0) };
    }
    drop(writer);
    let mut publishers: Vec<_> =
        channels.iter().map(|channel| channel.publisher()).collect::<Result<_, _>>()?;
    process::sleep_until(clock::monotonic() + 100_000_000);
    for i in 0..MESSAGES {
        process::sleep_until(clock::monotonic() + 1_000_000);
        publishers[i as usize % CHANNELS].publish(&clock::monotonic().to_le_bytes())?;
    }
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    // SAFETY: it is our child.
    unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
    drop((publishers, channels));
    std::fs::remove_dir_all(&path)?;
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
    Ok(bytes.chunks_exact(16).map(|pair| (word(&pair[..8]), word(&pair[8..]))).collect())
}
