//! Messages in LCM's encoding on one side, messages of ROS 2 on the other.

#![cfg(feature = "dds")]

#[path = "../../domain/tests/dds/peer.rs"]
mod peer;

use peer::{Peer, apart, imu, schema, types};
use saltus_bridge::{Bridge, Route};
use saltus_domain::{Description, Domain, Error, Options, Pattern, Subscriber};
use std::thread;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(20);

fn all(domain: &Domain, channel: &str) -> Subscriber {
    domain.subscriber_with(Pattern::name(channel).unwrap(), Options::next(100)).unwrap()
}

/// The description that a typed publisher stores with its channel.
fn description() -> Description {
    let id = schema().find("sensor_msgs.Imu").unwrap();
    let (fingerprint, schema) = (schema().get(id).fingerprint, schema().to_lcm(id));
    Description { name: "sensor_msgs.Imu".into(), fingerprint, schema }
}

/// Runs a bridge from one domain to another while `work` runs.
fn carried(from: &Domain, to: &Domain, work: impl FnOnce()) {
    let mut bridge = Bridge::new();
    bridge.add(Route::new(from, to)).unwrap();
    let cancel_handles = bridge.cancel_handles();
    thread::scope(|s| {
        let carries = s.spawn(move || {
            loop {
                match bridge.step(LONG) {
                    Ok(_) => assert!(bridge.trouble().is_none()),
                    Err(Error::Canceled) => return bridge.counts(),
                    Err(e) => panic!("{e}"),
                }
            }
        });
        /// Stops the bridge, even if the work fails.
        struct End(Vec<saltus_domain::CancelHandle>);
        impl Drop for End {
            fn drop(&mut self) {
                self.0.iter().for_each(|cancel| cancel.cancel());
            }
        }
        let end = End(cancel_handles);
        work();
        drop(end);
        assert!(carries.join().unwrap().carried > 0);
    });
}

/// Publishes until the peer has received the last message.
fn until_ros_has_it(mut publish: impl FnMut(&[u8]), peer: &mut Peer, channel: &str) {
    peer.ask(&format!("read rt/{channel} imu reliable"));
    for seed in 1..4 {
        let start = Instant::now();
        loop {
            assert!(start.elapsed() < LONG, "{seed}");
            peer.tell(&format!("take rt/{channel}"));
            let answer = loop {
                publish(&imu(seed));
                if let Some(answer) = peer.answer_within(SHORT) {
                    break answer;
                }
            };
            assert!(answer.starts_with("0 "), "{answer}");
            if answer == format!("0 {seed}") {
                break;
            }
        }
    }
}

#[test]
fn ros_reads_a_typed_shared_memory_channel() {
    apart(|| {
        let dir = format!("/dev/shm/saltus-bridge-dds-{}", std::process::id());
        let (shm, ros) =
            (Domain::open(&format!("shm://{dir}")).unwrap(), Domain::open("dds://7?names=ros2").unwrap());
        let mut publisher = shm.publisher_described("imu", &description()).unwrap();
        carried(&shm, &ros, || {
            let mut peer = Peer::start(7);
            until_ros_has_it(|message| publisher.publish(message).unwrap(), &mut peer, "imu");
        });
        saltus_channel::Directory::open(&format!("shm://{dir}")).unwrap().unlink("imu").unwrap();
        std::fs::remove_dir(&dir).unwrap();
    });
}

#[test]
fn messages_of_lcms_network_arrive_in_ros() {
    apart(|| {
        let url = format!("dds://7?names=ros2&types={}", types().display());
        let (lcm, ros) = (Domain::open("udpm://").unwrap(), Domain::open(&url).unwrap());
        carried(&lcm, &ros, || {
            let mut publisher = Domain::open("udpm://").unwrap().publisher("imu").unwrap();
            let mut peer = Peer::start(7);
            until_ros_has_it(|message| publisher.publish(message).unwrap(), &mut peer, "imu");
        });
    });
}

#[test]
fn messages_of_ros_arrive_on_lcms_network() {
    apart(|| {
        let url = format!("dds://7?names=ros2&types={}", types().display());
        let (ros, lcm) = (Domain::open(&url).unwrap(), Domain::open("udpm://").unwrap());
        let mut subscriber = all(&Domain::open("udpm://").unwrap(), "imu");
        carried(&ros, &lcm, || {
            let mut peer = Peer::start(7);
            peer.ask("write rt/imu imu reliable");
            for seed in 1..4 {
                peer.ask(&format!("send rt/imu 0 {seed}"));
                let message = subscriber.receive(LONG).unwrap().expect("a message in time");
                assert_eq!(message.data, imu(seed));
            }
        });
    });
}
