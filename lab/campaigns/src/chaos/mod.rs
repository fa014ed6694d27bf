//! **Random kill and freeze** of writers and readers under load.
//!
//! Every round freezes or kills some processes at random instants, then requires progress of all others while the
//! frozen ones are stopped: a process that waited for one of those would make none. Nothing is timed, only awaited,
//! so a busy machine makes no difference. At the end every sum must be right.

mod board;
mod reader;
mod writer;

use crate::child::{Child, End, spawn, until};
use crate::context::Context;
use crate::place::Place;
use crate::report::{Failure, figure, say};
use crate::rng::Rng;
use board::Board;
use reader::{MOST, Way};
use saltus_channel::{Attributes, Channel};
use std::sync::atomic::Ordering::Relaxed; // counters, and a word that is polled
use std::time::{Duration, Instant};

const WRITERS: usize = 8;
/// Two of each kind: one reader from the very start, which is frozen but never killed, and one that is killed too.
const READERS: usize = 2 * Way::ALL.len();
/// A lack of progress for this long means a hang.
const PATIENCE: Duration = Duration::from_secs(30);

/// One process of the campaign.
struct Actor {
    child: Child,
    frozen: bool,
}

/// Counts of actions.
#[derive(Default)]
struct Deeds {
    rounds: u64,
    kills: [u64; 2],
    freezes: [u64; 2],
    alone: u64,
}

struct Chaos<'a> {
    board: &'a Board,
    channel: &'a Channel,
    actors: Vec<Actor>,
    rng: Rng,
    deeds: Deeds,
}

pub fn run(context: &Context) -> Result<(), Failure> {
    let seed = context.seed();
    say(&format!("  seed {seed}"));
    context.report.check("kill and freeze at random", || {
        let place = Place::new(context.root, "chaos")?;
        let channel = place
            .domain("domain")?
            .create("c", &Attributes::new().depth(64).max_message_size(MOST as u64))?;
        let board = Board::new(WRITERS + READERS)?;
        let mut chaos = Chaos {
            board: &board,
            channel: &channel,
            actors: Vec::new(),
            rng: Rng::new(seed),
            deeds: Deeds::default(),
        };
        chaos.run(context.time(12, 600))
    });
    Ok(())
}

impl Chaos<'_> {
    fn run(&mut self, time: Duration) -> Result<String, Failure> {
        // Readers first, so that those from the start have missed nothing.
        let readers: Vec<usize> = (WRITERS..WRITERS + READERS).collect();
        let mut actors: Vec<Option<Actor>> = (0..WRITERS + READERS).map(|_| None).collect();
        for i in readers.into_iter().chain(0..WRITERS) {
            actors[i] = Some(self.start(i)?);
        }
        self.actors = actors.into_iter().flatten().collect();
        let end = Instant::now() + time;
        while Instant::now() < end {
            self.round()?;
        }
        self.finish()
    }

    /// Starts process `i`, and returns when it has opened its handles.
    fn start(&self, i: usize) -> Result<Actor, Failure> {
        self.board.set_ready(i, false);
        let (board, channel, seed) = (self.board, self.channel, self.rng.clone().next());
        let child = spawn(move || match i.checked_sub(WRITERS) {
            None => writer::run(i, board, channel, seed),
            Some(r) => reader::run(i, board, channel, Way::ALL[r % Way::ALL.len()], r < Way::ALL.len()),
        })?;
        let mut actor = Actor { child, frozen: false };
        until(PATIENCE, || self.board.is_ready(i) || actor.child.wait_for(Duration::ZERO).is_some());
        match self.board.is_ready(i) {
            true => Ok(actor),
            false => Err(format!("process {i} did not get ready").into()),
        }
    }

    /// Kills or freezes some; requires progress of the others; then continues the frozen ones.
    fn round(&mut self) -> Result<(), Failure> {
        self.deeds.rounds += 1;
        let survivor = self.rng.below(WRITERS as u64) as usize;
        let alone = self.rng.below(4) == 0; // sometimes only one writer is left
        self.deeds.alone += u64::from(alone);
        for i in 0..self.actors.len() {
            let writer = i < WRITERS;
            let harm = self.rng.below(if writer { 4 } else { 10 });
            let from_start = !writer && i - WRITERS < Way::ALL.len();
            if i == survivor {
                continue;
            }
            if harm == 0 && !from_start {
                self.deeds.kills[usize::from(!writer)] += 1;
                match self.actors[i].child.kill() {
                    End::Signal(libc::SIGKILL) => {}
                    end => return Err(format!("process {i} had ended before it was killed: {end:?}").into()),
                }
                self.actors[i] = self.start(i)?;
            }
            if harm == 1 || (writer && alone) {
                self.deeds.freezes[usize::from(!writer)] += 1;
                self.actors[i].child.freeze();
                self.actors[i].frozen = true;
            }
        }
        self.await_progress()?;
        for actor in self.actors.iter_mut().filter(|a| a.frozen) {
            actor.child.signal(libc::SIGCONT);
            actor.frozen = false;
        }
        std::thread::sleep(Duration::from_micros(self.rng.below(3000)));
        Ok(())
    }

    /// Requires progress of all processes that are not frozen, and none of frozen ones.
    fn await_progress(&mut self) -> Result<(), Failure> {
        let before: Vec<u64> = (0..self.actors.len()).map(|i| self.board.progress(i)).collect();
        let all = until(PATIENCE, || {
            (0..before.len()).all(|i| self.actors[i].frozen || self.board.progress(i) > before[i])
        });
        for (i, actor) in self.actors.iter_mut().enumerate() {
            let way = i.checked_sub(WRITERS).map(|r| Way::ALL[r % Way::ALL.len()]);
            if let Some(end) = actor.child.wait_for(Duration::ZERO) {
                return Err(format!("process {i} ({way:?}) ended by itself: {end:?}").into());
            }
            let on = self.board.progress(i) > before[i];
            if on && actor.frozen {
                return Err(format!("process {i} ({way:?}) got on while it was frozen").into());
            }
            if !on && !actor.frozen {
                return Err(format!("process {i} ({way:?}) stood still while others were frozen").into());
            }
        }
        if all { Ok(()) } else { Err("somebody stood still".into()) }
    }

    /// Kills the writers, lets the readers receive the rest, and compares the sums.
    fn finish(&mut self) -> Result<String, Failure> {
        for writer in &mut self.actors[..WRITERS] {
            writer.child.kill();
        }
        let lanes = self.channel.info()?.lanes;
        if lanes.len() > WRITERS {
            return Err(format!("{WRITERS} writers at a time have used {} lanes", lanes.len()).into());
        }
        for lane in &lanes {
            let reported = self.board.published(lane.publisher.lane).load(Relaxed);
            if lane.published != reported && lane.published != reported + 1 {
                return Err(format!(
                    "lane {}: published {reported}, but the channel counts {}",
                    lane.publisher.lane, lane.published
                )
                .into());
            }
        }
        self.board.ending().store(1, Relaxed);
        for (i, reader) in self.actors[WRITERS..].iter_mut().enumerate() {
            reader
                .child
                .finish(PATIENCE)
                .map_err(|e| format!("reader {:?}: {e}", Way::ALL[i % Way::ALL.len()]))?;
        }
        self.channel.domain().sweep()?;
        let left = self.channel.info()?.subscribers.len();
        if left > 0 {
            return Err(format!("{left} files of counters are left after a sweep").into());
        }
        let readers = WRITERS..WRITERS + READERS;
        let received: u64 = readers.clone().map(|i| self.board.progress(i)).sum();
        let missed: u64 = readers.clone().map(|i| self.board.missed(i)).sum();
        let overruns: u64 = readers.map(|i| self.board.overruns(i)).sum();
        let published: u64 = lanes.iter().map(|lane| lane.published).sum();
        let Deeds { rounds, kills, freezes, alone } = &self.deeds;
        for (name, number) in [
            ("rounds", *rounds),
            ("kills", kills[0] + kills[1]),
            ("kills of readers", kills[1]),
            ("freezes", freezes[0] + freezes[1]),
            ("messages published", published),
            ("deliveries checked", received),
            ("messages missed", missed),
            ("overruns", overruns),
        ] {
            figure(name, number);
        }
        Ok(format!(
            "every sum is right; {alone} times one writer was left, {} freezes of readers, {} lanes",
            freezes[1],
            lanes.len(),
        ))
    }
}
