//! Tele-operation from a desk: the desk sends the stick's position at 50 Hz. The robot obeys the newest command and
//! stops when none arrives.
//!
//! ```sh
//! cargo run -p saltus-domain --example teleop robot udpm://239.255.76.67:7667?ttl=1
//! cargo run -p saltus-domain --example teleop desk udpm://239.255.76.67:7667?ttl=1     # then type 0.4 or -0.2, and Enter
//! ```
//!
//! Over a radio, use the URL of a domain that `saltus tunnel` joins with the other side's.

use saltus_domain::Domain;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::{error::Error, io, thread, time::Duration};

fn main() -> Result<(), Box<dyn Error>> {
    let [_, side, url] = &std::env::args().collect::<Vec<_>>()[..] else {
        return Err("expected `robot` or `desk`, and a domain URL".into());
    };
    let domain = Domain::open(url)?;
    if side == "robot" {
        let mut commands = domain.subscriber("SPEED")?; // the newest, regardless of how many arrived since
        loop {
            match commands.receive(Duration::from_millis(200))? {
                Some(message) => println!("drive at {} m/s", f64::from_be_bytes(message.data.try_into()?)),
                None => println!("stop: the desk is silent"),
            }
        }
    }
    static SPEED: AtomicU64 = AtomicU64::new(0); // the bits of 0.0
    let mut publisher = domain.publisher("SPEED")?;
    thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            SPEED.store(line.trim().parse().unwrap_or(0.0_f64).to_bits(), Relaxed);
        }
        std::process::exit(0); // the desk is unattended; the robot stops by itself
    });
    loop {
        publisher.publish(&f64::from_bits(SPEED.load(Relaxed)).to_be_bytes())?;
        thread::sleep(Duration::from_millis(20));
    }
}
