//! Killed while publishing: by copy and by loan, anywhere in the ring, and while leasing a lane.

use super::ledger::{Ledger, contents, publish_all};
use super::runner::Operation;
use super::tracee::{begin, end};
use crate::child::spawn;
use crate::report::Failure;
use saltus_channel::{Attributes, Channel, Directory, Publisher};
use saltus_ring::{LaneLayout, round_up};
use std::hint::black_box;
use std::io::IoSlice;
use std::path::{Path, PathBuf};

/// The name of the channel under test.
pub const NAME: &str = "c";

/// The action between begin and end.
#[derive(Clone, Debug)]
pub enum Act {
    /// Publishes a copy of this many bytes.
    Publish(usize),
    /// The same, in three pieces.
    Vectored(usize),
    /// Loans, fills, and publishes a part: (loaned, published).
    Loan(usize, usize),
    /// Loans, fills, returns it unused, and publishes a copy: (loaned, published).
    Abandon(usize, usize),
    /// Opens a publisher and publishes a copy.
    Lease(usize),
    /// Closes the publisher.
    Close,
}

/// The publisher of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// The process that will be killed.
    Same,
    /// Another, which has ended.
    Ended,
    /// Another, which was killed while it held a loan for the longest message.
    KilledWithLoan,
    /// Another, which lives on.
    Alive,
}

/// One of the above, at a given position in the ring.
#[derive(Clone, Debug)]
pub struct Publishing {
    pub place: &'static str,
    pub frames: u64,
    pub size: u64,
    /// Lengths of the earlier messages.
    pub history: Vec<usize>,
    pub before: Before,
    pub act: Act,
}

/// The state when the process starts.
pub struct World {
    pub domain: Directory,
    pub channel: Channel,
    pub ledger: Ledger,
    other: Option<Publisher>,
}

impl Publishing {
    /// Lengths of the messages that it publishes.
    fn lens(&self) -> Vec<usize> {
        match self.act {
            Act::Close => Vec::new(),
            Act::Publish(len) | Act::Vectored(len) | Act::Lease(len) => vec![len],
            Act::Loan(_, len) | Act::Abandon(_, len) => vec![len],
        }
    }

    /// The lane that the process publishes in.
    fn lane(&self) -> usize {
        usize::from(self.before == Before::Alive)
    }

    fn make_history(&self, channel: &Channel) -> Result<Option<Publisher>, Failure> {
        let publish = || -> Result<Publisher, Failure> {
            let mut publisher = channel.publisher()?;
            publish_all(&mut publisher, 0, &self.history)?;
            Ok(publisher)
        };
        match self.before {
            Before::Same => Ok(None),
            Before::Alive => publish().map(Some),
            Before::Ended => publish().map(|_| None),
            Before::KilledWithLoan => {
                let mut child = spawn(|| {
                    let mut publisher = publish()?;
                    let mut loan = publisher.loan(self.size as usize)?;
                    loan.fill(0xEE);
                    // SAFETY: ends this process while it holds the loan.
                    unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
                    Ok(())
                })?;
                child.wait();
                Ok(None)
            }
        }
    }
}

impl Operation for Publishing {
    type World = World;

    fn name(&self) -> String {
        match self.act {
            Act::Publish(len) => format!("publish {len} B"),
            Act::Vectored(len) => format!("publish {len} B in pieces"),
            Act::Loan(room, len) => format!("borrow {room} B, publish {len} B of it"),
            Act::Abandon(room, len) => format!("borrow {room} B, give back, publish {len} B"),
            Act::Lease(len) => match self.before {
                Before::Same | Before::Ended => format!("take over a lane, publish {len} B"),
                Before::KilledWithLoan => format!("take over a lane with a dead loan, publish {len} B"),
                Before::Alive => format!("lease a new lane, publish {len} B"),
            },
            Act::Close => "close a publisher".into(),
        }
    }

    fn case(&self) -> String {
        format!("{} frames of {} B, {}", self.frames, self.size, self.place)
    }

    fn build(&self, ground: &Path) -> Result<World, Failure> {
        let domain = Directory::open(&format!("shm://{}", ground.display()))?;
        let attributes = Attributes::new().depth(self.frames).max_message_size(self.size);
        let channel = domain.create(NAME, &attributes)?;
        let other = self.make_history(&channel)?;
        let mut ledger = Ledger::new(self.frames, 1);
        ledger.lanes[0].clone_from(&self.history);
        Ok(World { domain, channel, ledger, other })
    }

    fn act(&self, world: &World) -> Result<(), Failure> {
        let first = if self.lane() == 0 { self.history.len() as u64 + 1 } else { 1 };
        let message = contents(first, self.lens().first().copied().unwrap_or(0));
        if let Act::Lease(_) = self.act {
            begin();
            let mut publisher = world.channel.publisher()?;
            publisher.publish(&message)?;
            end();
            return Ok(());
        }
        let mut publisher = world.channel.publisher()?;
        if self.before == Before::Same {
            publish_all(&mut publisher, 0, &self.history)?;
        }
        begin();
        match self.act {
            Act::Vectored(len) => {
                let (a, rest) = message.split_at(len / 3);
                let (b, c) = rest.split_at(rest.len() / 2);
                publisher.publish_vectored(&[IoSlice::new(a), IoSlice::new(b), IoSlice::new(c)])?;
            }
            Act::Loan(room, len) => {
                let mut loan = publisher.loan(room)?;
                loan[..len].copy_from_slice(&message);
                loan.publish(len)?;
            }
            Act::Abandon(room, _) => {
                let mut loan = publisher.loan(room)?;
                loan.fill(0xDD);
                drop(loan);
                publisher.publish(&message)?;
            }
            Act::Close => {
                drop(publisher);
                end();
                return Ok(());
            }
            Act::Publish(_) | Act::Lease(_) => drop(publisher.publish(black_box(&message))?),
        }
        end();
        Ok(())
    }

    fn files(&self, world: &World) -> Vec<PathBuf> {
        ["data", "bell"].map(|file| world.domain.path().join(NAME).join(file)).into()
    }

    fn check(&self, mut world: World, _: &Path, kill: usize) -> Result<(), Failure> {
        let World { domain, ledger, .. } = &mut world;
        let channel = domain.open_channel(NAME)?;
        let lane = self.lane();
        ledger.settle(&channel, lane, &self.lens())?;
        ledger.verify(&channel)?;
        if lane == 0 {
            ledger.verify_newest(&channel, 0)?;
        }
        // Around the ring, alternating the longest and the shortest, beginning with either.
        let size = self.size as usize;
        let turns = [size, 0, size.min(64), size, size / 2, size, 1];
        let lens: Vec<usize> =
            (0..self.frames as usize + 4).map(|i| turns[(i + kill) % turns.len()]).collect();
        ledger.resume(&channel, lane, &lens)?;
        if let Some(other) = &mut world.other {
            let done = world.ledger.head(0);
            publish_all(other, done, &[size])?;
            world.ledger.lanes[0].push(size);
            world.ledger.verify(&channel)?;
        }
        drop(channel);
        world.domain.unlink(NAME)?;
        Ok(())
    }
}

/// Messages of up to `most` bytes that advance a lane's ring to `to` bytes.
fn lead_to(to: u64, most: u64) -> Vec<usize> {
    let (frame, mut left, mut lens) = (round_up(most, 64), to, Vec::new());
    while left > 0 {
        let room = left.min(frame);
        lens.push(room.min(most) as usize);
        left -= room;
    }
    lens
}

/// Every wrap case for acts that use up `len` bytes.
fn places(frames: u64, size: u64, len: u64) -> Vec<(&'static str, Vec<usize>)> {
    let layout = LaneLayout::new(frames, size).expect("a shape with sense");
    let (cap, need) = (layout.cap(), round_up(len, 64));
    let mut places = vec![
        ("first of all", Vec::new()),
        ("fits", lead_to(3 * 64, size)),
        ("ends at the ring's end", lead_to(cap - need, size)),
        ("fits in the second round", [lead_to(cap, size), lead_to(64, size)].concat()),
    ];
    if need > 0 {
        let short = if need == 64 { cap } else { cap - 64 };
        places.push(("jumps to the ring's start", lead_to(short, size)));
        // Space for a history of all frames after the jump.
        places.push((
            "jumps, many rounds later",
            [lead_to(cap, size), lead_to(cap, size), lead_to(short, size)].concat(),
        ));
    }
    places
}

/// All operations of this file.
pub fn operations() -> Vec<Publishing> {
    let mut all = Vec::new();
    let mut add = |frames, size, len: usize, before, act: Act| {
        for (place, history) in places(frames, size, len as u64) {
            all.push(Publishing { place, frames, size, history, before, act: act.clone() });
        }
    };
    for len in [0, 1, 7, 8, 63, 64, 65, 128, 200] {
        add(2, 200, len, Before::Same, Act::Publish(len));
    }
    for len in [511, 512, 1000, 4096] {
        add(2, 4096, len, Before::Same, Act::Publish(len));
    }
    add(1, 64, 64, Before::Same, Act::Publish(64));
    add(5, 300, 300, Before::Same, Act::Publish(300));
    add(2, 200, 199, Before::Same, Act::Vectored(199));
    add(2, 200, 200, Before::Same, Act::Loan(200, 200));
    add(2, 200, 200, Before::Same, Act::Loan(200, 9));
    add(1, 4096, 4096, Before::Same, Act::Loan(4096, 1000));
    add(2, 200, 200, Before::Same, Act::Abandon(200, 8));
    add(1, 4096, 4096, Before::Same, Act::Abandon(4096, 0));
    add(2, 200, 0, Before::Same, Act::Close);
    for before in [Before::Ended, Before::KilledWithLoan, Before::Alive] {
        let mut places = places(1, 200, 200);
        let few: &[&str] = match before {
            Before::Alive => &["fits"], // very many instructions
            _ => &["first of all", "fits", "jumps to the ring's start"],
        };
        places.retain(|(place, _)| few.contains(place));
        for (place, history) in places {
            all.push(Publishing { place, frames: 1, size: 200, history, before, act: Act::Lease(200) });
        }
    }
    all
}
