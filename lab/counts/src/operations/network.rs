//! LCM's multicast, in a network of its own.

use crate::operation::Operation;
use crate::outcome::{Outcome, Result};
use crate::stepper::{counted, rounds};
use saltus_net::lcm::{Received, Udpm};
use saltus_net::udp;
use std::hint::black_box;
use std::io;

pub const ALL: &[Operation] = &[
    Operation { name: "udpm: send 64 B", run: |_| send(64) },
    Operation { name: "udpm: send 200 KiB in fragments", run: |_| send(200 << 10) },
    Operation { name: "udpm: receive 64 B", run: |_| receive(64) },
    Operation { name: "udpm: receive 200 KiB in fragments", run: |_| receive(200 << 10) },
];

/// Moves this process into a network with only a loopback interface, and joins a group there. Domains have a thread for networks; this
/// is what it calls.
fn group() -> Result<Udpm> {
    // SAFETY: changes only this process's view; returns numbers.
    let (result, user, group) =
        unsafe { (libc::unshare(libc::CLONE_NEWNET), libc::geteuid(), libc::getegid()) };
    if result != 0 {
        // SAFETY: as above. Without privileges it first becomes root of a user namespace.
        if unsafe { libc::unshare(libc::CLONE_NEWNET | libc::CLONE_NEWUSER) } != 0 {
            let why = io::Error::last_os_error();
            return Err(format!("the kernel refuses a network namespace: {why}").into());
        }
        std::fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
        std::fs::write("/proc/self/setgroups", "deny")?;
        std::fs::write("/proc/self/gid_map", format!("0 {group} 1"))?;
    }
    saltus_netns::ip("link set lo up multicast on");
    saltus_netns::ip("route add 224.0.0.0/4 dev lo");
    // Without pauses between bursts, whose number would depend on the time.
    Ok(Udpm::open(&udp::Options { pace: None, ..udp::Options::default() })?)
}

/// Takes what has arrived; returns how long the last message is.
fn drain(group: &mut Udpm) -> Result<usize> {
    let mut len = 0;
    group.drain(256, |received: Received<'_>| len = received.payload.len())?;
    Ok(len)
}

fn send(len: usize) -> Outcome {
    let (mut group, message) = (group()?, vec![7; len]);
    rounds(|| {
        counted(|| group.publish(b"POSE", black_box(&message)))?;
        drain(&mut group).map(drop)
    })
}

fn receive(len: usize) -> Outcome {
    let (mut group, message) = (group()?, vec![7; len]);
    rounds(|| {
        group.publish(b"POSE", &message)?;
        // What goes over the loopback is there when the call that sends it returns.
        match counted(|| drain(&mut group))? {
            received if received == len => Ok(()),
            received => Err(format!("{received} B of {len} B were received").into()),
        }
    })
}
