//! **Kill at every instruction**: a process is killed (SIGKILL) after each instruction of an operation. Then a new
//! reader and a new writer must find that nothing is lost, except at most the operation in progress.

mod describing;
mod ledger;
mod naming;
mod processor;
mod publishing;
mod reading;
mod runner;
mod sleeping;
mod tracee;

use crate::child::{Child, spawn};
use crate::context::Context;
use crate::place;
use crate::place::Place;
use crate::report::{Failure, Skip, figure};
use crate::shared::Words;
use runner::{Operation, Tally};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed; // counters that are read when their writers have ended
use std::time::{Duration, Instant};
use tracee::Tracee;

/// Kills operations in a directory, in the full form or the short one.
type Run = Box<dyn Fn(&Path, bool) -> Result<Tally, Failure>>;

/// Operations reported together, ready to be killed.
struct Job {
    name: String,
    run: Run,
}

/// Joins operations of the same name to one job.
fn jobs_of<O: Operation + 'static>(operations: Vec<O>, jobs: &mut Vec<Job>) {
    let mut groups: Vec<Vec<O>> = Vec::new();
    for operation in operations {
        match groups.last_mut().filter(|group| group[0].name() == operation.name()) {
            Some(group) => group.push(operation),
            None => groups.push(vec![operation]),
        }
    }
    for group in groups {
        let name = group[0].name();
        let run = move |ground: &Path, full| -> Result<Tally, Failure> {
            let mut sum = Tally::default();
            for operation in &group {
                sum.add(
                    runner::run(operation, ground, full).map_err(|e| format!("{}: {e}", operation.case()))?,
                );
            }
            Ok(sum)
        };
        jobs.push(Job { name, run: Box::new(run) });
    }
}

fn jobs() -> Vec<Job> {
    let mut jobs = Vec::new();
    // The longest first, so that no worker ends alone with one.
    jobs_of(naming::operations(), &mut jobs);
    jobs_of(publishing::operations(), &mut jobs);
    jobs_of(sleeping::waking(), &mut jobs);
    jobs_of(sleeping::waiting(), &mut jobs);
    jobs_of(reading::operations(), &mut jobs);
    jobs_of(describing::operations(), &mut jobs);
    jobs
}

const NEXT: usize = 0;
const INSTRUCTIONS: usize = 1;
const KILLS: usize = 2;
const MISSED: usize = 3;
const VIOLATIONS: usize = 4;
const OPERATIONS: usize = 5;

pub fn run(context: &Context) -> Result<(), Failure> {
    if let Some(why) = processor::refusal() {
        context.report.check("kill at every instruction", || Err(Skip::because(why)));
        return Ok(());
    }
    let trial = Tracee::start(|| {
        tracee::begin();
        tracee::end();
        Ok(())
    });
    if let Err(why) = trial.map(Tracee::kill) {
        let why = format!("this process may not trace another: {why}");
        context.report.check("kill at every instruction", || Err(Skip::because(why)));
        return Ok(());
    }
    let jobs = jobs();
    let sums = Words::new(6)?;
    let cpus = saltus_os::rt::affinity();
    let mut workers: Vec<Child> = Vec::new();
    for &cpu in cpus.iter().take(2) {
        workers.push(spawn(|| work(context, &jobs, &sums, cpu))?);
    }
    for worker in &mut workers {
        worker.wait().good()?;
    }
    let sum = |i: usize| sums[i].load(Relaxed);
    figure("kinds of operations", jobs.len() as u64);
    for (name, i) in [
        ("cases", OPERATIONS),
        ("instructions", INSTRUCTIONS),
        ("kills", KILLS),
        ("instructions not hit", MISSED),
        ("violations", VIOLATIONS),
    ] {
        figure(name, sum(i));
    }
    Ok(())
}

/// Processes one operation after the other, on processor `cpu`.
fn work(context: &Context, jobs: &[Job], sums: &Words, cpu: usize) -> Result<(), Failure> {
    // If that processor is not available, steps are only slower.
    let _ = saltus_os::rt::set_affinity(&[cpu]);
    tick()?;
    let place = Place::new(context.root, &format!("stepkill-{cpu}"))?;
    let ground = place.path().join("domain");
    loop {
        let next = sums[NEXT].fetch_add(1, Relaxed) as usize;
        let Some(job) = jobs.get(next) else { return Ok(()) };
        context.report.check(&job.name, || {
            let start = Instant::now();
            let tally = (job.run)(&ground, context.options.full)?;
            let left = place::names(&ground);
            sums[OPERATIONS].fetch_add(tally.operations as u64, Relaxed);
            sums[INSTRUCTIONS].fetch_add(tally.instructions as u64, Relaxed);
            sums[KILLS].fetch_add(tally.kills as u64, Relaxed);
            sums[MISSED].fetch_add(tally.missed as u64, Relaxed);
            sums[VIOLATIONS].fetch_add(tally.violations.len() as u64, Relaxed);
            let text = describe(&tally, start.elapsed());
            match tally.violations.is_empty() && left.is_empty() {
                true => Ok(text),
                false => {
                    Err(format!("{text}; left: {left:?}\n       {}", tally.violations.join("\n       "))
                        .into())
                }
            }
        });
        let _ = std::fs::remove_dir_all(&ground);
    }
}

fn describe(tally: &Tally, time: Duration) -> String {
    let Tally { operations, instructions, calls, changes, kills, .. } = tally;
    let all = if tally.sampled { "" } else { " (all)" };
    let rate = time.as_secs_f64() * 1e3 / (*kills).max(1) as f64;
    let violations = tally.violations.len();
    format!(
        "{operations} cases, {instructions} instructions, {calls} system calls, {changes} changes that others see; \
         {kills} kills{all}, {violations} violations, {rate:.1} ms each"
    )
}

/// Interrupts this process's waits once per second, so that it notices hangs.
fn tick() -> std::io::Result<()> {
    extern "C" fn nothing(_: libc::c_int) {}
    let second = libc::timeval { tv_sec: 1, tv_usec: 0 };
    let timer = libc::itimerval { it_interval: second, it_value: second };
    // SAFETY: the handler does nothing; without SA_RESTART the waits end with EINTR. Children do not inherit
    // timers.
    let result = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as *const () as usize;
        libc::sigaction(libc::SIGALRM, &action, std::ptr::null_mut());
        libc::setitimer(libc::ITIMER_REAL, &timer, std::ptr::null_mut())
    };
    if result < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}
