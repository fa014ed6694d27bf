//! Publishes the tilt of a robot, and receives the newest message.
use saltus_channel::{Attributes, Directory};
use std::time::Duration;

fn main() -> saltus_channel::Result<()> {
    let directory = Directory::from_env()?; // $SALTUS_DOMAIN, or else shm://
    let channel = directory.open_or_create("tilt", &Attributes::new().max_message_size(64))?;

    let mut publisher = channel.publisher()?; // in your driver
    let mut subscriber = channel.subscriber()?; // in your controller

    for tilt in [0.02, 0.01, -0.01] {
        publisher.publish(format!("{tilt} rad").as_bytes())?;
    }
    let mut buf = [0; 64];
    if let Some(info) = subscriber.wait_newest(Duration::from_millis(100), &mut buf)? {
        let text = String::from_utf8_lossy(&buf[..info.len]);
        println!("{text}, number {}, {} missed", info.seq, info.missed);
    }
    directory.unlink("tilt")
}
