//! Channels in shared memory as JSON and as text for people: what `saltus info` prints.

use saltus_channel::clock::Clock;
use saltus_channel::{
    Channel, Description, Group, LaneInfo, Result, Retired, RootKind, SubscriberInfo, Wake, clock,
};
use saltus_decode::{Dictionary, Kind, TypeText};
use saltus_measure::channel::Latency;
use saltus_os::users;
use saltus_text::escape::{escaped, harmless};
use saltus_text::human::{bytes, nanos, plural};
use serde::Serialize;

use crate::Timestamp;

/// A channel, as `info --json` prints it. Its fields are a stable interface.
#[derive(Serialize)]
pub struct ChannelLine {
    channel: String,
    domain: String,
    path: String,
    root: Option<Root>,
    state: &'static str,
    created: Timestamp,
    #[serde(skip)]
    created_ns: u64,
    depth: u64,
    max_message_size: u64,
    reserve_publishers: u32,
    owner: Option<String>,
    owner_uid: u32,
    mode: String,
    group: Option<u32>,
    timestamps: bool,
    clock: &'static str,
    wake: &'static str,
    prefault: bool,
    mlock: bool,
    memory: u64,
    types: Vec<Type>,
    publishers: Vec<Publisher>,
    subscribers: Vec<Subscriber>,
}

/// The kind of the root that contains the domain.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum Root {
    /// Shared by all users, or by a group.
    Shared,
    /// This user's own `/dev/shm/saltus`.
    Own,
    /// Private to this user.
    Private,
}

#[derive(Serialize)]
struct Type {
    name: String,
    fingerprint: String,
    encoding: Option<&'static str>,
}

#[derive(Serialize)]
struct Publisher {
    lane: u32,
    lease: u64,
    alive: bool,
    pid: u32,
    process: String,
    published: u64,
    bytes: u64,
    kept: u64,
    last_timestamp: Option<Timestamp>,
    wakes: u64,
    abandoned: u64,
}

#[derive(Serialize)]
struct Subscriber {
    pid: u32,
    process: String,
    alive: bool,
    received: u64,
    missed: u64,
    overruns: u64,
    latency: Option<Latency>,
}

impl ChannelLine {
    /// The present state of a channel.
    ///
    /// # Errors
    /// Its files cannot be read.
    pub fn of(channel: &Channel) -> Result<ChannelLine> {
        let (reported, types, domain) = (channel.info()?, channel.descriptions()?, channel.domain());
        let attributes = &reported.attributes;
        Ok(ChannelLine {
            channel: escaped(channel.name().as_bytes()),
            domain: domain.url(),
            path: domain.path().join(channel.name().file_name()).display().to_string(),
            root: domain.root().map(Root::of),
            state: match reported.retired {
                None => "live",
                Some(Retired::Removed) => "removed",
                Some(Retired::Replaced) => "replaced",
                Some(Retired::Vanished) => "vanished",
                Some(Retired::CutShort { .. }) => "cut short",
            },
            created: Timestamp::of(reported.created),
            created_ns: reported.created,
            depth: attributes.get_depth(),
            max_message_size: attributes.get_max_message_size(),
            reserve_publishers: attributes.get_reserve_publishers(),
            owner: users::user_name(reported.owner),
            owner_uid: reported.owner,
            mode: format!("{:03o}", attributes.get_mode()),
            group: match attributes.get_group() {
                Some(Group::Id(id)) => Some(*id),
                _ => None,
            },
            timestamps: attributes.get_timestamps(),
            clock: match attributes.get_clock() {
                Clock::Boottime => "boottime",
                Clock::Monotonic => "monotonic",
                Clock::Realtime => "realtime",
            },
            wake: match attributes.get_wake() {
                Wake::OnDemand => "on demand",
                Wake::Always => "always",
            },
            prefault: attributes.get_prefault(),
            mlock: attributes.get_lock_memory(),
            memory: reported.memory,
            types: Type::all(types),
            publishers: reported.lanes.into_iter().map(Publisher::of).collect(),
            subscribers: reported.subscribers.into_iter().map(Subscriber::of).collect(),
        })
    }

    /// Lines for people.
    pub fn words(&self) -> Vec<String> {
        let age = |ns: u64| nanos(clock::boottime().saturating_sub(ns) as f64);
        let mut words = vec![
            format!("channel      {}", self.channel),
            format!("state        {}, created {} ago", self.state, age(self.created_ns)),
            format!("path         {}{}", self.path, self.root.map_or("", |root| root.words())),
            format!("owner        {}", users::user_for_people(self.owner_uid)),
            format!(
                "depth        {} messages of up to {} each",
                self.depth,
                bytes(self.max_message_size as f64)
            ),
            format!(
                "memory       {}, reserved for {} at creation",
                bytes(self.memory as f64),
                plural(self.reserve_publishers.into(), "publisher")
            ),
            format!(
                "mode         {}{}",
                self.mode,
                self.group.map_or(String::new(), |id| format!(", group {id}"))
            ),
            format!("timestamps   {}", if self.timestamps { self.clock } else { "none" }),
            format!("wake         {}", self.wake),
        ];
        for described in &self.types {
            let how = match described.encoding {
                Some("plain") => ", plain layout",
                Some(_) => "",
                None => ", which its schema does not have",
            };
            let (name, fingerprint) = (harmless(&described.name), &described.fingerprint);
            words.push(format!("type         {name}, fingerprint {fingerprint}{how}"));
        }
        for lane in &self.publishers {
            let who =
                if lane.alive { format!("pid {} ({})", lane.pid, lane.process) } else { "nobody now".into() };
            words.push(format!(
                "publisher    {}.{}: {who}, published {} ({}), {} kept, {}",
                lane.lane,
                lane.lease,
                lane.published,
                bytes(lane.bytes as f64),
                lane.kept,
                plural(lane.wakes, "wake")
            ));
        }
        for subscriber in &self.subscribers {
            let dead = if subscriber.alive { "" } else { ", dead (saltus sweep removes this)" };
            let latency = subscriber.latency.map_or(String::new(), |l| {
                let [p50, p99, max] = [l.p50, l.p99, l.max].map(|ns| nanos(ns as f64));
                format!(", latency p50 {p50} p99 {p99} max {max}")
            });
            words.push(format!(
                "subscriber   pid {} ({}){dead}: received {}, missed {}{latency}",
                subscriber.pid, subscriber.process, subscriber.received, subscriber.missed
            ));
        }
        words
    }
}

impl Root {
    fn of(root: &saltus_channel::Root) -> Root {
        match root.kind() {
            RootKind::Shared => Root::Shared,
            RootKind::Private => Root::Private,
            _ => Root::Own,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Root::Shared => " (in the directory that users share)",
            Root::Own | Root::Private => " (in the directory of this user alone)",
        }
    }
}

impl Type {
    /// The types of `descriptions`. The layout of a type is missing if its schema does not match its fingerprint.
    fn all(descriptions: Vec<Description>) -> Vec<Type> {
        let mut dictionary = Dictionary::default();
        descriptions
            .into_iter()
            .map(|Description { name, fingerprint, schema }| {
                let text = TypeText { name: name.clone(), text: schema };
                let mut kinds =
                    dictionary.understand(&text).into_iter().flat_map(|(schema, id)| Kind::all(&schema, id));
                let kind = kinds.find(|kind| kind.number() == fingerprint);
                let encoding = kind.map(|kind| if kind.is_plain() { "plain" } else { "lcm" });
                Type { name, fingerprint: format!("{fingerprint:016x}"), encoding }
            })
            .collect()
    }
}

impl Publisher {
    fn of(lane: LaneInfo) -> Publisher {
        Publisher {
            lane: lane.publisher.lane,
            lease: lane.publisher.lease,
            alive: lane.alive,
            pid: lane.pid,
            process: lane.process,
            published: lane.published,
            bytes: lane.bytes,
            kept: lane.kept,
            last_timestamp: Some(lane.last_timestamp).filter(|timestamp| *timestamp > 0).map(Timestamp::of),
            wakes: lane.wakes,
            abandoned: lane.abandoned,
        }
    }
}

impl Subscriber {
    fn of(subscriber: SubscriberInfo) -> Subscriber {
        Subscriber {
            pid: subscriber.pid,
            process: subscriber.process,
            alive: subscriber.alive,
            received: subscriber.received,
            missed: subscriber.missed,
            overruns: subscriber.overruns,
            latency: Latency::of(&subscriber.latency),
        }
    }
}
