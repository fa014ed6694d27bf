//! Measures a publish that makes its channel larger, one that does not, and receiving during both.
//!
//! ```sh
//! cargo run --release -p saltus-domain --example growth_cost
//! ```

use saltus_domain::{Domain, Options, Pattern, Until};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = format!("/dev/shm/saltus-growth-cost-{}", std::process::id());
    let measured = measure(&format!("shm://{directory}"));
    std::fs::remove_dir_all(&directory)?;
    measured
}

fn measure(url: &str) -> Result<(), Box<dyn Error>> {
    const MANY: u32 = 1_000_000;
    let domain = Domain::open(url)?;
    let mut publisher = domain.publisher("flat")?;
    publisher.publish(&[0; 64])?;
    let mut subscriber = domain.subscriber_with(Pattern::name("flat")?, Options::newest())?;
    let mut best = [f64::MAX; 2];
    for _ in 0..10 {
        let start = Instant::now();
        for _ in 0..MANY {
            publisher.publish(&[0; 64])?;
        }
        best[0] = best[0].min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        for _ in 0..MANY {
            publisher.publish(&[0; 64])?;
            subscriber.receive(Until::Poll)?;
        }
        best[1] = best[1].min(start.elapsed().as_secs_f64());
    }
    let each = |seconds: f64| seconds / f64::from(MANY) * 1e9;
    println!(
        "64 B, best of 10 times a million: publish {:.1} ns, publish and receive {:.1} ns",
        each(best[0]),
        each(best[1])
    );
    for len in [600, 10_000, 100_000, 1 << 20] {
        let mut times = Vec::new();
        for n in 0..20 {
            let mut publisher = domain.publisher(format!("{len}/{n}"))?;
            publisher.publish(&[0; 64])?;
            let message = vec![1; len];
            let start = Instant::now();
            publisher.publish(&message)?;
            times.push(start.elapsed());
            if let Some(directory) = domain.shared_memory() {
                directory.unlink(format!("{len}/{n}"))?;
            }
        }
        times.sort();
        println!("from 64 B to {len} B: {:?} (median of 20), {:?} (longest)", times[10], times[19]);
    }
    Ok(())
}
