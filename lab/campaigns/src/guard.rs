//! The guardian: runs each campaign in a separate process group, and cleans up after it in any case.
//!
//! A campaign kills, freezes, forks and changes namespaces. So the process that the user started does none of that:
//! it waits. When a campaign ends, crashes, takes too long or is interrupted, the guardian kills its whole group,
//! waits for it including orphans, and removes its directories.

use crate::child::{self, End};
use crate::context::{Campaign, Context, Options};
use crate::place;
use crate::report::{Failure, Report, say};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// The outcome of a run of campaigns.
pub enum Verdict {
    Done { failed: u64 },
    Interrupted,
}

/// Runs `campaigns` one after the other.
pub fn run(campaigns: &[&Campaign], options: &Options) -> Result<Verdict, Failure> {
    let root = place::root(std::process::id());
    std::fs::create_dir(&root)?;
    let verdict = run_in(&root, campaigns, options);
    place::clear(&root);
    verdict
}

fn run_in(root: &Path, campaigns: &[&Campaign], options: &Options) -> Result<Verdict, Failure> {
    let signals = block()?;
    // SAFETY: sets an attribute of this process: orphans of a campaign become its children.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
    let mut total = [0; 3];
    for campaign in campaigns {
        say(&format!("{}: {}", campaign.name, campaign.about));
        let start = Instant::now();
        let report = Report::new()?;
        if !run_one(root, campaign, options, &report, &signals)? {
            say(&format!("interrupted in {}: {}", campaign.name, report.last()));
            return Ok(Verdict::Interrupted);
        }
        let counts = report.counts();
        say(&format!("{}: {} in {:.1} s", campaign.name, words(counts), start.elapsed().as_secs_f64()));
        for (sum, n) in total.iter_mut().zip(counts) {
            *sum += n;
        }
    }
    say(&words(total));
    Ok(Verdict::Done { failed: total[1] })
}

fn words([passed, failed, skipped]: [u64; 3]) -> String {
    match skipped {
        0 => format!("{passed} passed, {failed} failed"),
        _ => format!("{passed} passed, {failed} failed, {skipped} skipped"),
    }
}

/// Runs one campaign to its end. `false`: the user interrupted it.
fn run_one(
    root: &Path,
    campaign: &Campaign,
    options: &Options,
    report: &Report,
    signals: &libc::sigset_t,
) -> Result<bool, Failure> {
    let guardian = std::process::id();
    let child = child::spawn(|| {
        // SAFETY: the child creates its own group and unblocks signals.
        unsafe {
            libc::setpgid(0, 0);
            libc::sigprocmask(libc::SIG_UNBLOCK, signals, std::ptr::null_mut());
        }
        let context = Context { report, options, root, guardian };
        if let Err(why) = (campaign.run)(&context) {
            report.fail(&format!("{}: {why}", campaign.name));
        }
        Ok(())
    })?;
    // SAFETY: done on both sides, in either order; fails harmlessly if the child has ended.
    unsafe { libc::setpgid(child.pid, child.pid) };
    let limit = if options.full { campaign.full_limit } else { campaign.short_limit };
    let end = await_end(child.pid, signals, Instant::now() + limit);
    clean_up(child.pid);
    crate::exhaust::remove_groups(guardian);
    std::mem::forget(child); // it is waited for
    match end {
        Waited::Ended(End::Code(0)) => {}
        Waited::Ended(end) => {
            let why = end.good().err().unwrap_or_default();
            report.fail(&format!("{}: the campaign itself: {why}, at: {}", campaign.name, report.last()));
        }
        Waited::TooLong => {
            let seconds = limit.as_secs();
            report.fail(&format!("{}: no end after {seconds} s, at: {}", campaign.name, report.last()));
        }
        Waited::Interrupted => return Ok(false),
    }
    for left in place::names(root) {
        place::clear(&root.join(left));
    }
    Ok(true)
}

enum Waited {
    Ended(End),
    TooLong,
    Interrupted,
}

/// Waits until `pid` ends, the time is up, or the user interrupts.
fn await_end(pid: i32, signals: &libc::sigset_t, until: Instant) -> Waited {
    loop {
        let mut status = 0;
        // SAFETY: the status stays alive across the call.
        if unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG) } == pid
            && let Some(end) = End::of(status)
        {
            return Waited::Ended(end);
        }
        let Some(left) = until.checked_duration_since(Instant::now()) else { return Waited::TooLong };
        let wait = left.min(Duration::from_millis(500));
        let time = libc::timespec { tv_sec: 0, tv_nsec: wait.subsec_nanos().into() };
        // SAFETY: all zeros are a valid record; it, the set and the time stay alive across the call; a signal that
        // was sent has a sender.
        let (signal, sender) = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            (libc::sigtimedwait(signals, &mut info, &time), info.si_pid())
        };
        if matches!(signal, libc::SIGINT | libc::SIGTERM | libc::SIGHUP) {
            say(&format!("signal {signal} from process {sender}"));
            return Waited::Interrupted;
        }
    }
}

/// Kills the rest of a campaign's group and waits for all of it.
fn clean_up(group: i32) {
    loop {
        // SAFETY: the group is the campaign's own; killing an empty one fails harmlessly.
        unsafe { libc::kill(-group, libc::SIGKILL) };
        let mut status = 0;
        // SAFETY: the status stays alive across the call.
        let pid = unsafe { libc::waitpid(-1, &mut status, libc::__WALL) };
        if pid < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::ECHILD) {
            return;
        }
    }
}

/// Blocks the signals that the guardian waits for, except those it was started to ignore (`nohup`).
fn block() -> io::Result<libc::sigset_t> {
    // SAFETY: all zeros are valid; the set is emptied before it is used; the calls change only it and this thread's
    // mask.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGCHLD);
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            let mut now: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut now);
            if now.sa_sigaction != libc::SIG_IGN {
                libc::sigaddset(&mut set, signal);
            }
        }
        match libc::sigprocmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()) {
            0 => Ok(set),
            _ => Err(io::Error::last_os_error()),
        }
    }
}
