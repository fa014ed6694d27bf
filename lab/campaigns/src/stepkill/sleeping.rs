//! Killed while waking others, and while blocking, waiting and waking up.

use super::ledger::{Ledger, contents, publish_all};
use super::publishing::NAME;
use super::runner::Operation;
use super::tracee::{begin, end};
use crate::place;
use crate::report::Failure;
use crate::sleeper::{self, Kind, Sleeper};
use saltus_channel::{Attributes, Channel, Directory, Publisher, Start, SubscriberOptions, Until, Which};
use std::path::{Path, PathBuf};
use std::time::Duration;

const FRAMES: u64 = 4;
const LEN: usize = 64;

/// The state when the process starts.
pub struct World {
    domain: Directory,
    channel: Channel,
    ledger: Ledger,
    other: Option<Publisher>,
    sleepers: Vec<Sleeper>,
    published: bool,
}

impl World {
    fn new(ground: &Path, with_publisher: bool) -> Result<World, Failure> {
        let domain = Directory::open(&format!("shm://{}", ground.display()))?;
        let channel = domain.create(NAME, &Attributes::new().depth(FRAMES).max_message_size(LEN as u64))?;
        let other = if with_publisher { Some(channel.publisher()?) } else { None };
        let ledger = Ledger::new(FRAMES, 1);
        Ok(World { domain, channel, ledger, other, sleepers: Vec::new(), published: false })
    }

    /// The other publisher publishes one more, in lane 0.
    fn publish(&mut self) -> Result<(), Failure> {
        let done = self.ledger.head(0);
        publish_all(self.other.as_mut().ok_or("no publisher")?, done, &[LEN])?;
        self.ledger.lanes[0].push(LEN);
        Ok(())
    }

    /// All waiting readers have seen something, published messages are readable, and nothing is left behind.
    fn finish(self) -> Result<(), Failure> {
        for sleeper in self.sleepers {
            sleeper.woken()?;
        }
        self.ledger.verify(&self.domain.open_channel(NAME)?)?;
        self.domain.sweep()?;
        let counters = place::names(&self.domain.path().join(NAME).join("subs"));
        if !counters.is_empty() {
            return Err(format!("counters of the dead are left after a sweep: {counters:?}").into());
        }
        drop(self.channel);
        self.domain.unlink(NAME)?;
        Ok(())
    }

    fn files(&self) -> Vec<PathBuf> {
        ["data", "bell"].map(|file| self.domain.path().join(NAME).join(file)).into()
    }
}

/// What wakes the readers that a killed publisher has not woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rescue {
    /// The next message of any publisher.
    NextPublish,
    /// The next publisher that opens.
    Successor,
    /// Their own wake-up intervals.
    Slice,
}

/// A publisher publishes to waiting readers.
#[derive(Clone, Copy, Debug)]
pub struct Waking {
    pub sleepers: usize,
    pub rescue: Rescue,
}

impl Operation for Waking {
    type World = World;

    fn name(&self) -> String {
        "publish and wake".into()
    }
    fn case(&self) -> String {
        format!("{} waiting readers, saved by {:?}", self.sleepers, self.rescue)
    }
    fn build(&self, ground: &Path) -> Result<World, Failure> {
        World::new(ground, true)
    }
    fn act(&self, world: &World) -> Result<(), Failure> {
        let mut publisher = world.channel.publisher()?; // lane 1
        let message = contents(1, LEN);
        begin();
        publisher.publish(&message)?;
        end();
        Ok(())
    }
    fn ready(&self, world: &mut World) -> Result<(), Failure> {
        let kind = if self.rescue == Rescue::Slice { Kind::Slice } else { Kind::Wake };
        world.sleepers = sleeper::start(self.sleepers, &world.channel, kind)?;
        Ok(())
    }
    fn files(&self, world: &World) -> Vec<PathBuf> {
        world.files()
    }
    fn check(&self, mut world: World, _: &Path, _: usize) -> Result<(), Failure> {
        let published = world.ledger.settle(&world.channel, 1, &[LEN])? == 1;
        match self.rescue {
            Rescue::Slice if published => {}
            Rescue::NextPublish | Rescue::Slice => world.publish()?,
            Rescue::Successor => {
                let lens: &[usize] = if published { &[] } else { &[LEN] };
                world.ledger.resume(&world.channel.clone(), 1, lens)?;
            }
        }
        world.finish()
    }
}

/// A subscriber waits, among others.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// Readers that wait before it.
    pub before: usize,
    /// Readers that start to wait after it.
    pub after: usize,
}

impl Operation for Waiting {
    type World = World;

    fn name(&self) -> String {
        "wait: arm, sleep, wake up, receive".into()
    }
    fn case(&self) -> String {
        format!("{} waiting readers before it, {} after it", self.before, self.after)
    }
    fn build(&self, ground: &Path) -> Result<World, Failure> {
        World::new(ground, true)
    }
    fn act(&self, world: &World) -> Result<(), Failure> {
        let mut subscriber = world.channel.subscriber_with(SubscriberOptions::new().start(Start::Now))?;
        let mut bytes = [0; LEN];
        let time = Until::For(Duration::from_secs(20));
        begin();
        subscriber.receive(Which::Next, time, &mut bytes)?;
        end();
        Ok(())
    }
    fn ready(&self, world: &mut World) -> Result<(), Failure> {
        world.sleepers = sleeper::start(self.before, &world.channel, Kind::Wake)?;
        Ok(())
    }
    fn sleeps(&self) -> bool {
        true
    }
    fn wake(&self, world: &mut World) -> Result<(), Failure> {
        if !world.published {
            world.published = true;
            world.sleepers.extend(sleeper::start(self.after, &world.channel, Kind::Wake)?);
            world.publish()?;
        }
        Ok(())
    }
    fn files(&self, world: &World) -> Vec<PathBuf> {
        world.files()
    }
    fn check(&self, mut world: World, _: &Path, _: usize) -> Result<(), Failure> {
        // If it was killed when a publisher relied on it to wake others, this publish must wake them.
        world.publish()?;
        world.finish()
    }
}

pub fn waking() -> Vec<Waking> {
    let case = |sleepers, rescue| Waking { sleepers, rescue };
    vec![
        case(1, Rescue::NextPublish),
        case(1, Rescue::Successor),
        case(1, Rescue::Slice),
        case(12, Rescue::NextPublish),
    ]
}

pub fn waiting() -> Vec<Waiting> {
    vec![Waiting { before: 0, after: 0 }, Waiting { before: 1, after: 0 }, Waiting { before: 4, after: 8 }]
}
