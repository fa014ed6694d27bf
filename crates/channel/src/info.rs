//! Channel statistics for tools, read from counters without effect on other processes.

use crate::counters::{self, LatencyCounts};
use crate::geometry::LEASES;
use crate::mapping::Mapping;
use crate::message::PublisherId;
use crate::{Attributes, Group, Name, Result, Retired};
use saltus_os::lock;
use saltus_ring::{Lanes, Memory, reader};
use std::sync::atomic::Ordering::Relaxed;

/// The state of a channel at one moment.
#[derive(Clone, Debug)]
pub struct Info {
    /// Its name.
    pub name: Name,
    /// Its attributes; mode and group are the current ones.
    pub attributes: Attributes,
    /// When this was read, in ns of the channel's clock.
    pub taken: u64,
    /// When it was created, boot time in ns.
    pub created: u64,
    /// Process and user that created it, in their own namespaces.
    pub creator: (u32, u32),
    /// The user who owns it now, in this process's namespace.
    pub owner: u32,
    /// A random number that no other channel has.
    pub id: u64,
    /// Why it is retired; `None` while it is alive.
    pub retired: Option<Retired>,
    /// Shared memory in bytes, without counters of subscribers and descriptions of types.
    pub memory: u64,
    /// Publisher IDs issued since the channel was created.
    pub leases: u64,
    /// Its publishers' buffers, including those of dead publishers.
    pub lanes: Vec<LaneInfo>,
    /// Its subscribers that have files of counters.
    pub subscribers: Vec<SubscriberInfo>,
}

/// A publisher's buffer (a lane). Publishers use it one after the other.
#[derive(Clone, Debug)]
pub struct LaneInfo {
    /// Its current or last owner, as in [`MessageInfo::publisher`](crate::MessageInfo::publisher).
    pub publisher: PublisherId,
    /// Whether the owner is alive.
    pub alive: bool,
    /// The owner's process, in its own namespace.
    pub pid: u32,
    /// The owner's user, in its own namespace.
    pub uid: u32,
    /// The owner's process name.
    pub process: String,
    /// When the owner acquired it, boot time in ns.
    pub since: u64,
    /// Messages ever published in it.
    pub published: u64,
    /// Payload bytes ever published in it.
    pub bytes: u64,
    /// Messages that a subscriber can still receive.
    pub kept: u64,
    /// Messages that can no longer be received.
    pub overwritten: u64,
    /// Loans dropped without publishing.
    pub abandoned: u64,
    /// System calls made to wake waiting subscribers.
    pub wakes: u64,
    /// Timestamp of the newest message in ns of the channel's clock, 0 if none.
    pub last_timestamp: u64,
    /// Length of the newest message in bytes.
    pub last_len: u64,
}

/// A subscriber's counters, as the subscriber reports them.
#[derive(Clone, Debug)]
pub struct SubscriberInfo {
    /// Whether it is alive.
    pub alive: bool,
    /// Its process, in its own namespace.
    pub pid: u32,
    /// Its user, in its own namespace.
    pub uid: u32,
    /// Its process name.
    pub process: String,
    /// When it subscribed, boot time in ns.
    pub since: u64,
    /// Messages received.
    pub received: u64,
    /// Messages missed.
    pub missed: u64,
    /// Sequence number of the last message received.
    pub last_seq: u64,
    /// Timestamp of the last message received.
    pub last_timestamp: u64,
    /// The number of sleeps.
    pub sleeps: u64,
    /// The number of receives that failed with [`Error::Overrun`](crate::Error::Overrun).
    pub overruns: u64,
    /// Time from publish to receive.
    pub latency: LatencyCounts,
}

impl Info {
    /// Messages published by all publishers together.
    pub fn published(&self) -> u64 {
        self.lanes.iter().fold(0, |sum, lane| sum.saturating_add(lane.published))
    }

    /// Age of the newest message in ns; `None` if there is none, or the channel has no timestamps.
    pub fn age_of_newest(&self) -> Option<u64> {
        let newest =
            self.lanes.iter().map(|lane| lane.last_timestamp).max().filter(|timestamp| *timestamp > 0)?;
        Some(self.taken.saturating_sub(newest))
    }

    /// Messages per second since `earlier` was read; `None` if no time has passed.
    pub fn rate_since(&self, earlier: &Info) -> Option<f64> {
        let ns = self.taken.saturating_sub(earlier.taken);
        let more = self.published().saturating_sub(earlier.published());
        (ns > 0).then(|| more as f64 * 1e9 / ns as f64)
    }
}

/// Reads all counters of a channel.
pub(crate) fn read(mapping: &Mapping) -> Result<Info> {
    let lanes = (0..mapping.used()).filter_map(|i| Some(lane_info(mapping, i, mapping.lane(i)?))).collect();
    let subscribers = counters::read_all(&mapping.dir);
    let mut attributes = mapping.geometry.attributes.clone();
    let mut owner = mapping.geometry.uid;
    if let Ok(now) = saltus_os::file::inode(&mapping.data) {
        owner = now.user;
        attributes = attributes.mode(now.mode & 0o777).group(Group::Id(now.group));
    }
    Ok(Info {
        name: mapping.name.clone(),
        attributes,
        taken: mapping.now(),
        created: mapping.geometry.created,
        creator: (mapping.geometry.pid, mapping.geometry.uid),
        owner,
        id: mapping.geometry.id,
        retired: mapping.retired().or_else(|| mapping.vanished()),
        memory: mapping.memory(),
        leases: mapping.page.mem.load(LEASES, Relaxed), // Relaxed: a number for tools
        lanes,
        subscribers: subscribers.into_iter().map(subscriber_info).collect(),
    })
}

fn lane_info(mapping: &Mapping, i: usize, mem: &saltus_ring::Shm) -> LaneInfo {
    let c = reader::counters(mem, mapping.layout());
    LaneInfo {
        publisher: PublisherId { lane: i as u32, lease: c.owner.lease },
        alive: lock::is_locked(&mapping.data, i as u64).unwrap_or(false),
        pid: c.owner.pid,
        uid: c.owner.uid,
        process: text(&c.owner.name),
        since: c.owner.since,
        published: c.published,
        bytes: c.bytes,
        kept: c.kept,
        overwritten: c.published - c.kept,
        abandoned: c.abandoned,
        wakes: c.wakes,
        last_timestamp: c.last_timestamp,
        last_len: c.last_len,
    }
}

fn subscriber_info(seen: counters::Seen) -> SubscriberInfo {
    SubscriberInfo {
        alive: seen.alive,
        pid: seen.pid,
        uid: seen.uid,
        process: text(&seen.process),
        since: seen.since,
        received: seen.received,
        missed: seen.missed,
        last_seq: seen.last_seq,
        last_timestamp: seen.last_timestamp,
        sleeps: seen.sleeps,
        overruns: seen.overruns,
        latency: seen.latency,
    }
}

/// A name padded with zeros, without characters that could control a terminal.
fn text(name: &[u8]) -> String {
    let end = name.iter().position(|b| *b == 0).unwrap_or(name.len());
    String::from_utf8_lossy(&name[..end]).chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}
