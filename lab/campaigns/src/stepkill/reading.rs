//! Killed while reading, and while becoming a reader. There must be no trace of it.

use super::ledger::{Ledger, is_whole, publish_all};
use super::naming::{OLD, limbo};
use super::publishing::NAME;
use super::runner::Operation;
use super::tracee::{begin, end};
use crate::place;
use crate::report::Failure;
use saltus_channel::{
    Attributes, Channel, Directory, Publisher, Start, Subscriber, SubscriberOptions, Until, Which,
};
use std::fs;
use std::path::{Path, PathBuf};

const FRAMES: u64 = 4;
const SIZE: usize = 700;
/// Lengths of the messages to read, by lane.
const HISTORY: [&[usize]; 2] = [&[700, 64, 1], &[0, 511, 700, 8, 65]];

/// The action of the reader.
#[derive(Clone, Copy, Debug)]
pub enum Reading {
    Newest,
    Next,
    Again,
    IntoVec,
    View,
    Flush,
    SeekOldest,
    Subscribe,
    Unsubscribe,
}

pub struct World {
    domain: Directory,
    channel: Channel,
    ledger: Ledger,
    publishers: Vec<Publisher>,
}

impl Reading {
    fn read(self, subscriber: &mut Subscriber, bytes: &mut Vec<u8>) -> Result<(), Failure> {
        let read = match self {
            Reading::Newest => subscriber.newest(bytes)?,
            Reading::Next => subscriber.next(bytes)?,
            Reading::Again => subscriber.current(bytes)?,
            Reading::IntoVec => subscriber.receive_vec(Which::Next, Until::Poll, bytes)?,
            Reading::View => {
                let view = subscriber.view(Which::Newest, Until::Poll)?.ok_or("no message to view")?;
                view.copy_to(0, &mut bytes[..view.len()]);
                Some(view.validate()?)
            }
            Reading::Flush => {
                subscriber.flush();
                return Ok(());
            }
            Reading::SeekOldest | Reading::Subscribe | Reading::Unsubscribe => {
                subscriber.seek_oldest();
                return Ok(());
            }
        };
        let info = read.ok_or("nothing to read")?;
        Ok(is_whole(info.seq, &bytes[..info.len])?)
    }
}

impl Operation for Reading {
    type World = World;

    fn name(&self) -> String {
        match self {
            Reading::Subscribe => "become a subscriber".into(),
            Reading::Unsubscribe => "cease to be one".into(),
            _ => "receive".into(),
        }
    }
    fn case(&self) -> String {
        format!("{self:?}")
    }

    fn build(&self, ground: &Path) -> Result<World, Failure> {
        let domain = Directory::open(&format!("shm://{}", ground.display()))?;
        let channel = domain.create(NAME, &Attributes::new().depth(FRAMES).max_message_size(SIZE as u64))?;
        let (mut publishers, mut ledger) = (Vec::new(), Ledger::new(FRAMES, HISTORY.len()));
        for (lane, lens) in HISTORY.iter().enumerate() {
            let mut publisher = channel.publisher()?;
            publish_all(&mut publisher, 0, lens)?;
            ledger.lanes[lane].extend(*lens);
            publishers.push(publisher);
        }
        Ok(World { domain, channel, ledger, publishers })
    }

    fn act(&self, world: &World) -> Result<(), Failure> {
        let mut bytes = vec![0; SIZE];
        if matches!(self, Reading::Subscribe) {
            begin();
            let subscriber = world.channel.subscriber()?;
            end();
            drop(subscriber);
            return Ok(());
        }
        let mut subscriber = world.channel.subscriber_with(SubscriberOptions::new().start(Start::Oldest))?;
        if matches!(self, Reading::Unsubscribe) {
            begin();
            drop(subscriber);
            end();
            return Ok(());
        }
        begin();
        self.read(&mut subscriber, &mut bytes)?;
        end();
        Ok(())
    }

    fn files(&self, world: &World) -> Vec<PathBuf> {
        ["data", "bell"].map(|file| world.domain.path().join(NAME).join(file)).into()
    }

    fn check(&self, mut world: World, _: &Path, _: usize) -> Result<(), Failure> {
        let channel = world.domain.open_channel(NAME)?;
        world.ledger.verify(&channel)?;
        for (lane, publisher) in world.publishers.iter_mut().enumerate() {
            let done = world.ledger.head(lane);
            publish_all(publisher, done, &[SIZE])?;
            world.ledger.lanes[lane].push(SIZE);
        }
        world.ledger.verify(&channel)?;
        world.domain.sweep()?;
        let subs = world.domain.path().join(NAME).join("subs");
        for left in place::names(&subs) {
            if fs::metadata(subs.join(&left))?.len() > 0 {
                return Err(
                    format!("the counters of a dead subscriber are left after a sweep: {left}").into()
                );
            }
            // It may be under construction: too young to be swept.
            let limbo = Directory::open(&format!("shm://{}", limbo(world.domain.path()).display()))?;
            limbo.open_or_create(NAME, &Attributes::new())?;
            fs::rename(subs.join(&left), limbo.path().join(NAME).join("subs").join(left))?;
        }
        world.domain.unlink(NAME)?;
        drop(world.channel);
        Ok(())
    }

    fn finish(&self, ground: &Path) -> Result<(), Failure> {
        let limbo = Directory::open(&format!("shm://{}", limbo(ground).display()))?;
        let subs = limbo.path().join(NAME).join("subs");
        let young = place::names(&subs).len();
        if young == 0 {
            return Ok(());
        }
        std::thread::sleep(OLD);
        limbo.sweep()?;
        let left = place::names(&subs);
        fs::remove_dir_all(limbo.path())?;
        match left.is_empty() {
            true => Ok(()),
            false => {
                Err(format!("of {young} counters without length, {} are never swept: {left:?}", left.len())
                    .into())
            }
        }
    }
}

pub fn operations() -> Vec<Reading> {
    use Reading::*;
    vec![Newest, Next, Again, IntoVec, View, Flush, SeekOldest, Subscribe, Unsubscribe]
}
