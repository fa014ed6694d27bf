//! Traces an operation once, and then kills it repeatedly, each time one instruction later.
//!
//! Reaching instruction `k` by single steps would cost `k` steps. So the child runs freely to a waypoint before it,
//! given by an address and how many times it is reached, and is stepped only from there.

use super::tracee::{Asleep, Position, Stop, Tracee};
use crate::report::Failure;
use saltus_os::map::{Access, Map};
use saltus_ring::{Memory, Shm};
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed; // the tracee is stopped while its words are compared

/// An action on a channel, and what must be true if the process dies during it.
pub trait Operation {
    /// The state before it: created again for each kill.
    type World;

    /// The action; its cases are reported together.
    fn name(&self) -> String;
    /// Which case of it.
    fn case(&self) -> String;
    /// Creates the world.
    fn build(&self, ground: &Path) -> Result<Self::World, Failure>;
    /// Prepares, calls `begin`, acts, calls `end`. In the child.
    fn act(&self, world: &Self::World) -> Result<(), Failure>;
    /// Files whose contents other processes see.
    fn files(&self, world: &Self::World) -> Vec<PathBuf>;
    /// Whether the operation blocks in the kernel.
    fn sleeps(&self) -> bool {
        false
    }
    /// Called when the process is stopped at `begin`.
    fn ready(&self, _world: &mut Self::World) -> Result<(), Failure> {
        Ok(())
    }
    /// Called when the operation blocks: wakes it.
    fn wake(&self, _world: &mut Self::World) -> Result<(), Failure> {
        Ok(())
    }
    /// Called after the last kill.
    fn finish(&self, _ground: &Path) -> Result<(), Failure> {
        Ok(())
    }
    /// Checks the state after the process was killed. `kill` counts the kills.
    fn check(&self, world: Self::World, ground: &Path, kill: usize) -> Result<(), Failure>;
}

/// The results of an operation.
#[derive(Debug, Default)]
pub struct Tally {
    pub operations: usize,
    pub instructions: usize,
    pub calls: usize,
    /// Instructions after which the visible state differs.
    pub changes: usize,
    pub kills: usize,
    /// Whether some instructions were skipped.
    pub sampled: bool,
    /// Instructions that were not reached, because a loop (of the vDSO's clock) took more or fewer rounds each
    /// time.
    pub missed: usize,
    pub violations: Vec<String>,
}

impl Tally {
    /// Adds the results of another operation.
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

/// The cost of passing a breakpoint once, in single steps.
const PASS: usize = 5;
/// Most attempts to lead the child to an instruction that it did not reach, because a loop took more rounds than in
/// the trace.
const TRIES: usize = 5;
/// How many kill points the short form chooses among the instructions, and among the changes.
const SHORT: usize = 120;
/// After this many violations the rest of an operation is skipped.
const ENOUGH: usize = 3;

/// The instructions of one run of the operation.
struct Trace {
    steps: Vec<Position>,
    /// The numbers of steps after which the visible state changes.
    changes: Vec<usize>,
    /// For each step, how often its instruction was reached before.
    times: Vec<usize>,
    /// Steps in which the process blocks.
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
                let _ = std::fs::remove_dir_all(ground); // the next kill needs a clean directory
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

/// Kills the operation after `k` instructions; with `asleep` while the next one blocks. Returns whether it got
/// there, and the result of the check.
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
            // SAFETY: kills our child, which is blocked.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        };
        arrived &= tracee.step(Some(&mut kill)).is_err(); // the step does not end, the child does
    }
    tracee.kill();
    woken?;
    Ok((arrived, operation.check(world, ground, kill)))
}

/// Runs the operation step by step from begin to end, and records it.
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
    /// The cheapest step up to which the child runs freely on its way to step `k`.
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

/// The numbers of steps after which to kill: all, or in the short form some, including every change if there are
/// not too many.
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

/// Leads the child to where `k` instructions are done. `false`: it is elsewhere.
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
        // Repeated steps of one instruction are a string move, one byte per round.
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

/// A file, and its contents at the last check.
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

    /// Whether its contents differ from the last check.
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
