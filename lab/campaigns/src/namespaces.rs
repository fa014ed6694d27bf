//! **Namespaces**: publishers and subscribers that do not see each other's processes or clocks.

use crate::child::{Child, spawn, until};
use crate::context::Context;
use crate::message;
use crate::namespace;
use crate::place::Place;
use crate::report::{Failure, Skip};
use crate::shared::Words;
use saltus_channel::{Attributes, Channel, SubscriberOptions, Until, Which, clock};
use std::sync::atomic::Ordering::{Acquire, Release}; // each pairs with its counterpart in the other process
use std::time::{Duration, Instant};

const KEY: u64 = 5;
const LEN: usize = 200;
const PATIENCE: Duration = Duration::from_secs(20);
/// Shift of the time namespace in seconds.
const SHIFT: u64 = 100_000;

pub fn run(context: &Context) -> Result<(), Failure> {
    let place = Place::new(context.root, "namespaces")?;
    let channel = |name: &str| -> Result<Channel, Failure> {
        Ok(place.domain("domain")?.create(name, &Attributes::new().depth(64).max_message_size(LEN as u64))?)
    };
    // Run first: a process reads the shift of its clocks once, and its children inherit it.
    context.report.check("a time namespace: timestamps agree, deadlines hold", || {
        spawn(|| channel("time").map(drop))?.finish(PATIENCE)?;
        time(&place)
    });
    context.report.check("two PID namespaces: kill in one, take over in the other", || {
        namespace::available(libc::CLONE_NEWPID)?;
        pids(&channel("pids")?)
    });
    context.report.check("two PID namespaces: a waiting reader in one, its waker in the other", || {
        namespace::available(libc::CLONE_NEWPID)?;
        sleeper(&channel("waiting")?)
    });
    Ok(())
}

/// Publishes forever, in a namespace where it has PID 1.
fn publisher(channel: &Channel, progress: &Words, i: usize) -> Result<(), Failure> {
    if std::process::id() != 1 {
        return Err(format!("not the first process of a namespace, but {}", std::process::id()).into());
    }
    let mut publisher = channel.publisher()?;
    loop {
        let info = channel.info()?;
        let seq = info.lanes[publisher.id().lane as usize].published + 1;
        publisher.publish(&message::make(KEY, seq, LEN))?;
        progress[i].fetch_add(1, Release);
        std::thread::sleep(Duration::from_micros(100));
    }
}

fn pids(channel: &Channel) -> Result<String, Failure> {
    let progress = Words::new(4)?;
    let mut subscriber = channel.subscriber()?;
    let start = |i: usize| -> Result<Child, Failure> {
        let child = namespace::spawn_in_pid_namespace(|| publisher(channel, &progress, i))?;
        match until(PATIENCE, || progress[i].load(Acquire) > 10) {
            true => Ok(child),
            false => Err(format!("publisher {i} does not get on").into()),
        }
    };
    // Both have PID 1.
    let mut first = start(0)?;
    let _second = start(1)?;
    let lanes = channel.info()?.lanes;
    if lanes.len() != 2 || lanes.iter().any(|lane| lane.pid != 1 || !lane.alive) {
        return Err(format!("two publishers with number 1 must live in two lanes: {lanes:?}").into());
    }
    let lost = lanes[0].publisher;
    first.kill(); // its parent; the kernel then kills the namespace's first process
    let dead = || channel.info().is_ok_and(|info| !info.lanes[0].alive);
    if !until(PATIENCE, dead) {
        return Err("the lane of a killed publisher stays leased".into());
    }
    let before = channel.info()?.lanes[0].published;
    let _third = start(2)?; // in a third namespace, with PID 1 again
    let lanes = channel.info()?.lanes;
    if lanes.len() != 2
        || lanes[0].publisher.lease <= lost.lease
        || lanes[0].published <= before
        || !lanes[0].alive
    {
        return Err(format!("lane 0 was not taken over: {lanes:?}").into());
    }
    let still = progress[1].load(Acquire);
    if !until(PATIENCE, || progress[1].load(Acquire) > still + 10) {
        return Err("the other publisher has stopped publishing".into());
    }
    let (mut bytes, mut last) = ([0; LEN], [0; 2]);
    while let Some(info) = subscriber.next(&mut bytes)? {
        message::check(KEY, info.seq, &bytes)?;
        let lane = &mut last[info.publisher.lane as usize];
        if info.seq <= *lane {
            return Err(format!("{info:?} after {lane}").into());
        }
        *lane = info.seq;
        if subscriber.received() > 100_000 {
            break;
        }
    }
    Ok(format!(
        "lane 0 went from one process 1 to another; {} messages received whole and in order",
        subscriber.received()
    ))
}

fn sleeper(channel: &Channel) -> Result<String, Failure> {
    let asleep = Words::new(1)?;
    let mut sleeper = namespace::spawn_in_pid_namespace(|| {
        let mut subscriber = channel.subscriber_with(SubscriberOptions::new())?;
        let mut bytes = [0; LEN];
        for seq in 1..=50 {
            asleep[0].store(seq, Release);
            let info = subscriber.wait_next(PATIENCE, &mut bytes)?.ok_or("not woken")?;
            if info.seq != seq {
                return Err(format!("expected message {seq}, received {info:?}").into());
            }
            message::check(KEY, seq, &bytes)?;
        }
        Ok(())
    })?;
    let mut waker = namespace::spawn_in_pid_namespace(|| {
        let mut publisher = channel.publisher()?;
        for seq in 1..=50 {
            if !until(PATIENCE, || asleep[0].load(Acquire) == seq) {
                return Err("the waiting reader makes no progress".into());
            }
            publisher.publish(&message::make(KEY, seq, LEN))?;
        }
        Ok(())
    })?;
    waker.finish(PATIENCE)?;
    sleeper.finish(PATIENCE)?;
    Ok("50 messages, each awaited in one namespace and published in the other".into())
}

fn time(place: &Place) -> Result<String, Failure> {
    const CLONE_NEWTIME: libc::c_int = 0x80;
    let domain = place.domain("domain")?;
    // The namespace applies to the children of the process that creates it, so there are two generations.
    let words = Words::new(2)?;
    let (refused, begun) = (&words[0], &words[1]);
    let mut outer = spawn(|| {
        let entered = namespace::enter(CLONE_NEWTIME).and_then(|()| {
            let offsets = format!("monotonic {SHIFT} 0\nboottime {} 0\n", 2 * SHIFT);
            Ok(std::fs::write("/proc/self/timens_offsets", offsets)?)
        });
        if entered.is_err() {
            refused.store(1, Release);
            return Ok(());
        }
        let mut inner = spawn(|| {
            // Not before the reference time of its message was read.
            if !until(PATIENCE, || begun.load(Acquire) == 1) {
                return Err("nobody began".into());
            }
            let channel = domain.open_channel("time")?;
            let mut publisher = channel.publisher()?;
            publisher.publish(&message::make(KEY, 1, LEN))?;
            let mut subscriber = channel.subscriber()?;
            subscriber.flush();
            let start = Instant::now();
            let none =
                subscriber.receive(Which::Next, Until::For(Duration::from_millis(30)), &mut [0; LEN])?;
            let waited = start.elapsed();
            let until = clock::monotonic() + 30_000_000;
            let at = subscriber.receive(Which::Next, Until::At(until), &mut [0; LEN])?;
            let late = clock::monotonic() >= until;
            match none.is_none()
                && at.is_none()
                && late
                && waited >= Duration::from_millis(29)
                && waited < PATIENCE
            {
                true => Ok(()),
                false => Err(format!("deadlines: {none:?} after {waited:?}, {at:?}, late {late}").into()),
            }
        })?;
        Ok(inner.finish(PATIENCE + PATIENCE)?)
    })?;
    // After the children were created, which would otherwise inherit the clock data of this namespace.
    let before = clock::boottime();
    begun.store(1, Release);
    outer.finish(3 * PATIENCE)?;
    if refused.load(Acquire) == 1 {
        return Err(Skip::because("the kernel refuses time namespaces to this process"));
    }
    let (mut bytes, mut subscriber) = ([0; LEN], domain.open_channel("time")?.subscriber()?);
    let info = subscriber.newest(&mut bytes)?.ok_or("nothing was published")?;
    let after = clock::boottime();
    match (before..=after).contains(&info.timestamp) {
        true => Ok(format!("shifted by {} s, the timestamp lies where it must", 2 * SHIFT)),
        false => {
            Err(format!("the timestamp {} does not lie between {before} and {after}", info.timestamp).into())
        }
    }
}
