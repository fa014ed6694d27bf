//! Traces an operation once, and then kills it again and again, each time one instruction later.
//!
//! Reaching instruction `k` by single steps would cost `k` steps. So the child runs freely to a waypoint before it,
//! which the trace has shown to be met for the so-manieth time there, and is stepped only from it on.

use super::tracee::{Asleep, Position, Stop, Tracee};
use crate::report::Failure;
use saltus_os::map::{Access, Map};
use saltus_ring::{Memory, Shm};
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed; // the tracee stands still while its words are compared

/// Something that a process does to a channel, and what must be true if it dies meanwhile.
pub trait Operation {
    /// What is there before it: made anew for each kill.
    type World;

    /// What is done; several cases of it are told of together.
    fn name(&self) -> String;
    /// Which case of it.
    fn case(&self) -> String;
    /// Makes the world.
    fn build(&self, ground: &Path) -> Result<Self::World, Failure>;
    /// Prepares, calls `begin`, does it, calls `end`. In the child.
    fn act(&self, world: &Self::World) -> Result<(), Failure>;
    /// Files whose contents others see.
    fn files(&self, world: &Self::World) -> Vec<PathBuf>;
    /// Whether the operation sleeps in the kernel.
    fn sleeps(&self) -> bool {
        false
    }
    /// Called when the process stands at `begin`.
    fn ready(&self, _world: &mut Self::World) -> Result<(), Failure> {
        Ok(())
    }
    /// Called when the operation sleeps: wakes it.
    fn wake(&self, _world: &mut Self::World) -> Result<(), Failure> {
        Ok(())
    }
    /// Called after the last kill.
    fn finish(&self, _ground: &Path) -> Result<(), Failure> {
        Ok(())
    }
    /// Looks whether all is as it must be, after the process was killed. `kill` counts the kills.
    fn check(&self, world: Self::World, ground: &Path, kill: usize) -> Result<(), Failure>;
}

/// How an operation fared.
#[derive(Debug, Default)]
pub struct Tally {
    pub operations: usize,
    pub instructions: usize,
    pub calls: usize,
    /// Instructions after which others see something else.
    pub changes: usize,
    pub kills: usize,
    /// Whether some instructions were left out.
    pub sampled: bool,
    /// Instructions that were not hit, because a loop (of the vDSO's clock) ran longer or shorter each time.
    pub missed: usize,
    pub violations: Vec<String>,
}

impl Tally {
    /// Adds how another operation fared.
    pub fn add(&mut self, other: Tally) {
        self.operations += other.operations;
        self.instructions += other.instructions;
        self.calls += other.calls;
        self.changes += other.changes;
        self.kills += other.kills;
        self.sampled |= other.sampled;
        self.missed += other.missed;
        self.violations.extend(other.violations);
    }
}

/// What it costs to pass a breakpoint once, in single steps.
const PASS: usize = 5;
/// How often the child is led to an instruction that it did not reach, because a loop ran longer than in the trace.
const TRIES: usize = 5;
/// How many kill points the short form chooses among the instructions, and among the changes.
const SHORT: usize = 120;
/// After so many violations the rest of an operation is spared.
const ENOUGH: usize = 3;

/// The instructions of one run of the operation.
struct Trace {
    steps: Vec<Position>,
    /// After how many steps others see something else than before.
    changes: Vec<usize>,
    /// At which step each instruction is met for the so-manieth time, beginning with 0.
    times: Vec<usize>,
    /// Steps that put the process to sleep.
    sleeps: Vec<usize>,
}

/// Kills `operation` at every instruction, or in the short form at some.
pub fn run<O: Operation>(operation: &O, ground: &Path, full: bool) -> Result<Tally, Failure> {
    let trace = trace(operation, ground)?;
    let calls = trace.steps.iter().filter(|p| p.call).count();
    let points = choose(&trace, full);
    let mut tally = Tally {
        operations: 1,
        instructions: trace.steps.len(),
        calls,
        changes: trace.changes.len(),
        sampled: points.len() <= trace.steps.len(),
        ..Tally::default()
    };
    let in_sleep = trace.sleeps.iter().map(|&k| (k, true));
    for (k, asleep) in points.into_iter().map(|k| (k, false)).chain(in_sleep) {
        let mut tries = 0;
        loop {
            let (arrived, checked) = kill_at(operation, ground, &trace, k, asleep, tally.kills)?;
            tally.kills += 1;
            tries += 1;
            if let Err(why) = checked {
                let (case, of) = (operation.case(), trace.steps.len());
                let at = trace.steps.get(k).map_or(0, |p| p.at);
                tally
                    .violations
                    .push(format!("{case}, killed after {k} of {of} instructions, at {at:#x}: {why}"));
                let _ = std::fs::remove_dir_all(ground); // the next kill finds a world without the remains of this
            }
            if arrived || tries == TRIES {
                tally.missed += usize::from(!arrived);
                break;
            }
        }
        if tally.violations.len() >= ENOUGH {
            break;
        }
    }
    if let Err(why) = operation.finish(ground) {
        tally.violations.push(why.to_string());
    }
    Ok(tally)
}

/// Kills the operation after `k` instructions; with `asleep` while the next one makes it sleep. Returns whether it
/// stood there, and what was found then.
fn kill_at<O: Operation>(
    operation: &O,
    ground: &Path,
    trace: &Trace,
    k: usize,
    asleep: bool,
    kill: usize,
) -> Result<(bool, Result<(), Failure>), Failure> {
    let mut world = operation.build(ground)?;
    let mut tracee = Tracee::start(|| operation.act(&world))?;
    operation.ready(&mut world)?;
    let mut woken = Ok(());
    let mut wake = || woken = operation.wake(&mut world);
    let mut arrived =
        advance(&mut tracee, trace, k, if operation.sleeps() { Some(&mut wake) } else { None })?;
    if asleep {
        let pid = tracee.pid();
        let mut kill = || {
            // SAFETY: kills our child, which sleeps.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        };
        arrived &= tracee.step(Some(&mut kill)).is_err(); // the step does not end, the child does
    }
    tracee.kill();
    woken?;
    Ok((arrived, operation.check(world, ground, kill)))
}

/// Runs the operation step by step from begin to end, and looks on.
fn trace<O: Operation>(operation: &O, ground: &Path) -> Result<Trace, Failure> {
    let mut world = operation.build(ground)?;
    let mut tracee = Tracee::start(|| operation.act(&world))?;
    operation.ready(&mut world)?;
    let mut files: Vec<Watched> =
        operation.files(&world).iter().map(|f| Watched::new(f)).collect::<Result<_, _>>()?;
    let (mut steps, mut changes, mut sleeps) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let here = tracee.position()?;
        let mut slept = false;
        let stop = if operation.sleeps() && here.call {
            let mut woken = Ok(());
            let stop = tracee.step(Some(&mut || {
                slept = true;
                woken = operation.wake(&mut world);
            }))?;
            woken?;
            stop
        } else {
            tracee.step(None)?
        };
        if stop == Stop::End {
            break;
        }
        if slept {
            sleeps.push(steps.len());
        }
        steps.push(here);
        if here.call | files.iter_mut().fold(false, |changed, file| changed | file.changed()) {
            changes.push(steps.len());
        }
    }
    tracee.kill();
    operation.check(world, ground, 0)?;
    let mut met = HashMap::new();
    let times = steps.iter().map(|step| {
        let count = met.entry(step.at).or_insert(0);
        *count += 1;
        *count - 1
    });
    Ok(Trace { times: times.collect(), steps, changes, sleeps })
}

impl Trace {
    /// The step up to which the child runs freely on its way to step `k`: the cheapest.
    fn waypoint(&self, k: usize) -> usize {
        let mut best = (k, 0);
        for from in (0..k.min(self.steps.len())).rev() {
            let way = k - from;
            if way >= best.0 {
                break;
            }
            best = best.min((way + PASS * self.times[from], from));
        }
        best.1
    }
}

/// After how many steps to kill: all, or in the short form some, but every change if there are not too many.
fn choose(trace: &Trace, full: bool) -> Vec<usize> {
    let all = trace.steps.len() + 1;
    if full {
        return (0..all).collect();
    }
    let mut points: Vec<usize> = (0..all).step_by(all.div_ceil(SHORT).max(1)).collect();
    points.extend(trace.changes.iter().step_by(trace.changes.len().div_ceil(SHORT).max(1)));
    points.push(all - 1);
    points.sort_unstable();
    points.dedup();
    points
}

/// Leads the child to where `k` instructions are done. `false`: it stands elsewhere.
fn advance(tracee: &mut Tracee, trace: &Trace, k: usize, mut asleep: Asleep) -> Result<bool, Failure> {
    let from = trace.waypoint(k);
    for pass in 0..if from == 0 { 0 } else { trace.times[from] + 1 } {
        if pass > 0 && tracee.step(reborrow(&mut asleep))? == Stop::End {
            return Ok(false);
        }
        if tracee.run_to(trace.steps[from].at, reborrow(&mut asleep))? == Stop::End {
            return Ok(false);
        }
    }
    let mut at = from;
    while at < k {
        // The way along one and the same instruction is a string move, a byte a round.
        let same = trace.steps[at..k].iter().take_while(|p| p.at == trace.steps[at].at).count();
        let done = if same > 2 { tracee.leap(same as u64)? as usize } else { 0 };
        if done > 0 {
            at += done;
            continue;
        }
        if tracee.step(reborrow(&mut asleep))? == Stop::End {
            return Ok(k == trace.steps.len());
        }
        at += 1;
    }
    Ok(trace.steps.get(k).is_none_or(|step| tracee.position().is_ok_and(|here| here.at == step.at)))
}

fn reborrow<'a>(asleep: &'a mut Asleep) -> Asleep<'a> {
    match asleep {
        Some(tell) => Some(&mut **tell),
        None => None,
    }
}

/// A file, and what stood in it when we looked last.
struct Watched {
    map: Map,
    last: Vec<u64>,
}

impl Watched {
    fn new(path: &Path) -> Result<Watched, Failure> {
        let file = File::open(path)?;
        let len = file.metadata()?.len() as usize / 8;
        let map = Map::new(&file, 0, len * 8, Access::Read, true)?;
        Ok(Watched { map, last: vec![0; len] })
    }

    /// Whether it says something else than at the last look.
    fn changed(&mut self) -> bool {
        // SAFETY: mapped for reading as long as `self` lives.
        let mem = unsafe { Shm::new(self.map.base(), self.map.len()) };
        let mut changed = false;
        for (i, last) in self.last.iter_mut().enumerate() {
            let now = mem.load(8 * i, Relaxed);
            changed |= now != *last;
            *last = now;
        }
        changed
    }
}
