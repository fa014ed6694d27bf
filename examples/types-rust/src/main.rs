//! Publishes and receives typed messages: a scan by copy, and a pose in the plain layout, in place.
//!
//! The types are in `types/robot.lcm`; `build.rs` generates their Rust code.

mod types {
    include!(concat!(env!("OUT_DIR"), "/types/mod.rs"));
}

use saltus_channel::{Attributes, Directory, Until, Which};
use saltus_wire::plain::{self, InPlace, field};
use saltus_wire::{Message, Plain};
use std::error::Error;
use types::robot::{Pose, PosePlain, Scan};

fn main() -> Result<(), Box<dyn Error>> {
    let domain = Directory::from_env()?; // $SALTUS_DOMAIN, or else shm://
    by_copy(&domain)?;
    in_place(&domain)?;
    Ok(())
}

/// For any type: encodes into a buffer and decodes into a message, and reuses both. Neither allocates in the long run.
fn by_copy(domain: &Directory) -> Result<(), Box<dyn Error>> {
    let channel = domain.open_or_create("scan", &Attributes::new().max_message_size(4096))?;
    let (mut publisher, mut subscriber) = (channel.publisher()?, channel.subscriber()?);
    publisher.describe(Scan::NAME, Scan::FINGERPRINT, Scan::SCHEMA)?; // so that `saltus echo scan` can show it

    let mut scan = Scan { frame: "lidar".into(), ranges: vec![Scan::FARTHEST; 180], ..Scan::default() };
    scan.ranges[90] = 1.5;
    scan.set_sizes(); // count = 180
    let mut loan = publisher.loan(scan.encoded_size())?;
    let len = scan.encode_to(&mut loan)?;
    loan.publish(len)?;

    let (mut buf, mut received) = ([0; 4096], Scan::default());
    let sample = subscriber.newest(&mut buf)?.ok_or("no scan came")?;
    received.decode_from(&buf[..sample.len])?;
    assert_eq!(received, scan);
    println!("scan: {} ranges in {} bytes, {} m straight ahead", received.count, len, received.ranges[90]);
    domain.unlink("scan")?;
    Ok(())
}

/// For a type of fixed size: builds the message in the channel's memory and reads it in place.
fn in_place(domain: &Directory) -> Result<(), Box<dyn Error>> {
    let channel =
        domain.open_or_create("pose", &Attributes::new().max_message_size(PosePlain::PLAIN_SIZE as u64))?;
    let (mut publisher, mut subscriber) = (channel.publisher()?, channel.subscriber()?);
    publisher.describe(PosePlain::NAME, PosePlain::LAYOUT_HASH, PosePlain::SCHEMA)?;

    let mut loan = publisher.loan(PosePlain::PLAIN_SIZE)?;
    let pose = plain::place_in::<PosePlain>(&mut loan)?;
    *pose = PosePlain { utime: 1, position: [1.0, 2.0, 0.5], ..PosePlain::default() };
    loan.publish(PosePlain::PLAIN_SIZE)?;

    // The publisher may overwrite the message during the read. `with_view` returns the result only if it did not.
    let seen = subscriber.with_view(Which::Newest, Until::Poll, |view| {
        let pose = InPlace::<PosePlain, _>::open(view.len(), |at, out| view.copy_to(at, out))?;
        Ok::<_, plain::PlainError>((pose.read_at(field!(PosePlain, position), 2), Pose::from(&pose.get())))
    })?;
    let (seen, _sample) = seen.ok_or("no pose came")?;
    let (height, pose) = seen?;
    assert_eq!(height, Some(pose.position[2]));
    println!("pose: at {:?}, in {} bytes", pose.position, PosePlain::PLAIN_SIZE);
    domain.unlink("pose")?;
    Ok(())
}
