//! **Fork before use**: handles that were opened before `fork` and are used by the children, by the parent, or by
//! both. Leases must end with their owner, whatever its children do.

use crate::child::{Child, End, spawn, until};
use crate::context::Context;
use crate::message;
use crate::place::{self, Place};
use crate::report::Failure;
use crate::shared::Words;
use saltus_channel::{
    Attributes, Channel, MessageInfo, Publisher, Start, Subscriber, SubscriberOptions, Until, Which,
};
use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::AsRawFd;
use std::sync::atomic::Ordering::{Acquire, Release}; // each pairs with its counterpart in the other process
use std::time::Duration;

const CHILDREN: usize = 4;
const EACH: u64 = 50;
const LEN: usize = 100;
const PATIENCE: Duration = Duration::from_secs(20);

pub fn run(context: &Context) -> Result<(), Failure> {
    type Check = fn(&Channel) -> Result<String, Failure>;
    let checks: [(&str, Check); 8] = [
        ("a publisher opened before fork, used by all children", publisher_in_children),
        ("a publisher that has published before fork", publisher_in_both),
        ("a loan taken before fork", loan_across_fork),
        ("subscribers opened before fork have separate positions", subscriber_in_children),
        ("an event descriptor opened before fork, and one opened in a child", event_in_children),
        ("a child that outlives its parent does not hold the parent's lane", child_outlives),
        ("exec in a child, and close_range in the parent, keep the lease", close_range_keeps),
        ("exec ends the lease", exec_ends),
    ];
    let place = Place::new(context.root, "fork")?;
    for (i, (name, check)) in checks.into_iter().enumerate() {
        context.report.check(name, || {
            let attributes = Attributes::new().depth(CHILDREN as u64 * EACH).max_message_size(LEN as u64);
            let channel = place.domain("domain")?.create(format!("c{i}"), &attributes)?;
            let found = check(&channel)?;
            channel.domain().unlink(channel.name().as_bytes())?;
            Ok(found)
        });
    }
    Ok(())
}

/// Publishes messages `from..to` of a publisher, with contents determined by `key`.
fn publish(publisher: &mut Publisher, key: u64, count: u64) -> Result<(), Failure> {
    for i in 1..=count {
        let mut bytes = message::make(key, i, LEN);
        bytes[..8].copy_from_slice(&key.to_le_bytes());
        publisher.publish(&bytes)?;
    }
    Ok(())
}

/// The keys of the messages by lane and lease, each of which must belong to one process.
fn collect(subscriber: &mut Subscriber) -> Result<BTreeMap<(u32, u64), Vec<u64>>, Failure> {
    let mut by_writer: BTreeMap<(u32, u64), Vec<u64>> = BTreeMap::new();
    let mut bytes = [0; LEN];
    while let Some(info) = subscriber.next(&mut bytes)? {
        let key = u64::from_le_bytes(bytes[..8].try_into()?);
        let seen = by_writer.entry((info.publisher.lane, info.publisher.lease)).or_default();
        let mut whole = message::make(key, seen.len() as u64 + 1, LEN);
        whole[..8].copy_from_slice(&key.to_le_bytes());
        if whole != bytes {
            return Err(format!("not the next message of its publisher: {info:?}").into());
        }
        seen.push(key);
    }
    Ok(by_writer)
}

/// Checks that there are `writers` writers, and that each has published exactly `EACH` messages of one process.
fn expect(found: &BTreeMap<(u32, u64), Vec<u64>>, writers: usize) -> Result<(), Failure> {
    let keys: BTreeSet<u64> = found.values().flatten().copied().collect();
    let lanes: BTreeSet<u32> = found.keys().map(|(lane, _)| *lane).collect();
    let pure = found.values().all(|keys| keys.len() as u64 == EACH && keys.iter().all(|k| *k == keys[0]));
    match pure && keys.len() == writers && found.len() == writers && lanes.len() == writers {
        true => Ok(()),
        false => Err(format!("{writers} processes published, found: {:?}", found.keys()).into()),
    }
}

/// Forks `CHILDREN` that all do `work` with a number, concurrently, and waits for them. They all live until all
/// have done it, so that none gets the lane of an ended one.
fn all_at_once(work: impl Fn(u64) -> Result<(), Failure>) -> Result<(), Failure> {
    let done = Words::new(1)?;
    let mut children: Vec<Child> = Vec::new();
    for i in 0..CHILDREN as u64 {
        let (work, done) = (&work, &done);
        children.push(spawn(move || {
            let result = work(i);
            done[0].fetch_add(1, Release);
            until(PATIENCE, || done[0].load(Acquire) == CHILDREN as u64);
            result
        })?);
    }
    for child in &mut children {
        child.finish(PATIENCE)?;
    }
    Ok(())
}

fn publisher_in_children(channel: &Channel) -> Result<String, Failure> {
    let mut subscriber = channel.subscriber()?;
    let publisher = std::cell::RefCell::new(channel.publisher()?);
    all_at_once(|i| publish(&mut publisher.borrow_mut(), 10 + i, EACH))?;
    publish(&mut publisher.borrow_mut(), 9, EACH)?;
    expect(&collect(&mut subscriber)?, CHILDREN + 1)?;
    Ok(format!("{CHILDREN} children and the parent have published in {} lanes", CHILDREN + 1))
}

fn publisher_in_both(channel: &Channel) -> Result<String, Failure> {
    let mut subscriber = channel.subscriber()?;
    let mut publisher = channel.publisher()?;
    let before = publisher.id();
    let mut child = spawn(|| {
        let inherited = publisher.id();
        publish(&mut publisher, 2, EACH)?;
        match publisher.id() != inherited {
            true => Ok(()),
            false => Err("the child publishes in its parent's name".into()),
        }
    })?;
    child.finish(PATIENCE)?;
    publish(&mut publisher, 1, EACH)?;
    expect(&collect(&mut subscriber)?, 2)?;
    if publisher.id() != before {
        return Err("the parent lost its lane to its child".into());
    }
    Ok("parent and child publish in separate lanes".into())
}

fn loan_across_fork(channel: &Channel) -> Result<String, Failure> {
    let mut subscriber = channel.subscriber()?;
    let mut publisher = channel.publisher()?;
    let mut loan = publisher.loan(LEN)?;
    loan.fill(1);
    let taken = std::cell::Cell::new(Some(loan));
    let mut child = spawn(|| {
        let loan = taken.take().ok_or("no loan")?;
        match loan.publish(LEN) {
            Err(_) => Ok(()),
            Ok(published) => Err(format!("a child has published its parent's loan: {published:?}").into()),
        }
    })?;
    child.finish(PATIENCE)?;
    let mut bytes = [0; LEN];
    if subscriber.next(&mut bytes)?.is_some() {
        return Err("a child has published its parent's loan".into());
    }
    taken.take().ok_or("no loan")?.publish(LEN)?;
    match subscriber.next(&mut bytes)? {
        Some(MessageInfo { seq: 1, .. }) if bytes == [1; LEN] => {
            Ok("refused in the child, published by the parent".into())
        }
        other => Err(format!("the parent's loan arrived as {other:?}").into()),
    }
}

fn subscriber_in_children(channel: &Channel) -> Result<String, Failure> {
    let mut publisher = channel.publisher()?;
    let subscriber =
        std::cell::RefCell::new(channel.subscriber_with(SubscriberOptions::new().start(Start::Oldest))?);
    publish(&mut publisher, 1, EACH)?;
    // The parent publishes 10, so that its children begin with the 11th.
    for _ in 0..10 {
        subscriber.borrow_mut().next(&mut [0; LEN])?;
    }
    let counted = Words::new(1)?;
    let drain = |from: u64| -> Result<(), Failure> {
        let mut subscriber = subscriber.borrow_mut();
        let mut seq = from;
        while let Some(info) = subscriber.next(&mut [0; LEN])? {
            seq += 1;
            if info.seq != seq || info.missed != 0 {
                return Err(format!("expected message {seq}, received {info:?}").into());
            }
        }
        match seq == EACH && subscriber.received() == EACH {
            true => Ok(()),
            false => Err(format!("received {} of {EACH}, up to {seq}", subscriber.received()).into()),
        }
    };
    all_at_once(|_| {
        drain(10)?;
        // Own counters, under the own PID, while all live.
        let me = std::process::id();
        let mine =
            |info: &saltus_channel::SubscriberInfo| info.pid == me && info.alive && info.received == EACH;
        let found = channel.info()?.subscribers.iter().filter(|s| mine(s)).count();
        counted[0].fetch_add(found as u64, Release);
        Ok(())
    })?;
    let files = counted[0].load(Acquire);
    if files != CHILDREN as u64 {
        return Err(format!("{CHILDREN} children have {files} files of counters").into());
    }
    drain(10)?;
    channel.domain().sweep()?;
    let subs = place::names(&crate::sleeper::directory(channel).join("subs"));
    if subs.len() != 1 || !channel.info()?.subscribers[0].alive {
        return Err(
            format!("files of counters after a sweep, the parent's alone must be left: {subs:?}").into()
        );
    }
    Ok(format!(
        "{CHILDREN} children and the parent received all from separate positions, with separate counters"
    ))
}

/// Waits until `subscriber`'s descriptor is readable, and receives.
fn receive_by_event(subscriber: &mut Subscriber) -> Result<MessageInfo, Failure> {
    for _ in 0..200 {
        if let Some(info) = subscriber.next(&mut [0; LEN])? {
            return Ok(info);
        }
        let fd = subscriber.event_fd()?.as_raw_fd();
        let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        // SAFETY: one valid record, as given.
        if unsafe { libc::poll(&mut poll, 1, PATIENCE.as_millis() as i32) } != 1 {
            return Err("the descriptor never became readable".into());
        }
    }
    Err("readable again and again, with nothing to read".into())
}

fn event_in_children(channel: &Channel) -> Result<String, Failure> {
    let mut publisher = channel.publisher()?;
    let mut inherited = channel.subscriber()?;
    let mut fresh = channel.subscriber()?;
    inherited.event_fd()?;
    let step = Words::new(1)?;
    let mut child = spawn(|| {
        step[0].store(1, Release);
        for subscriber in [&mut inherited, &mut fresh] {
            for seq in 1..=3 {
                let info = receive_by_event(subscriber)?;
                if info.seq != seq || info.missed > 0 {
                    return Err(format!("expected message {seq}, received {info:?}").into());
                }
            }
        }
        Ok(())
    })?;
    until(PATIENCE, || step[0].load(Acquire) == 1);
    for key in 1..=3 {
        std::thread::sleep(Duration::from_millis(5)); // so that the child must wait for each
        publish(&mut publisher, key, 1)?;
    }
    child.finish(PATIENCE)?;
    for seq in 1..=3 {
        let info = receive_by_event(&mut inherited)?;
        if info.seq != seq {
            return Err(format!("the parent: expected message {seq}, received {info:?}").into());
        }
    }
    Ok("the child and the parent were notified of every message, each by its own descriptor".into())
}

fn child_outlives(channel: &Channel) -> Result<String, Failure> {
    let (step, end) = (Words::new(1)?, Words::new(1)?);
    let mut parent = spawn(|| {
        let mut publisher = channel.publisher()?;
        publish(&mut publisher, 1, 3)?;
        // SAFETY: this process has one thread; the child only waits, and the guardian ends it in any case.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            step[0].store(std::process::id().into(), Release);
            until(PATIENCE, || end[0].load(Acquire) == 1);
            // SAFETY: exits the child.
            unsafe { libc::_exit(0) };
        }
        until(PATIENCE, || step[0].load(Acquire) != 0);
        std::mem::forget(publisher); // the process dies while it holds the lease
        Ok(())
    })?;
    let ended = parent.wait();
    let heir = step[0].load(Acquire) as i32;
    let alive = crate::child::state(heir).is_some_and(|state| state != 'Z');
    let lane = channel.publisher().map(|publisher| publisher.id().lane);
    end[0].store(1, Release);
    until(PATIENCE, || crate::child::state(heir).is_none_or(|state| state == 'Z'));
    if ended != End::Code(0) || !alive {
        return Err(format!("the parent ended with {ended:?}, its child lives: {alive}").into());
    }
    match lane? {
        0 => Ok("its lane was taken over while the child lived".into()),
        lane => {
            Err(format!("the dead parent's lane is still held: the next publisher got lane {lane}").into())
        }
    }
}

fn close_range_keeps(channel: &Channel) -> Result<String, Failure> {
    let (step, end) = (Words::new(1)?, Words::new(1)?);
    let mut owner = spawn(|| {
        let mut publisher = channel.publisher()?;
        publish(&mut publisher, 1, 1)?;
        // SAFETY: closes all descriptors of this process except the standard ones, as a daemon does. Their Rust
        // owners are never used again, since this process only publishes and exits.
        unsafe { libc::close_range(3, u32::MAX, 0) };
        // SAFETY: this process has one thread; the child execs or exits at once.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            // SAFETY: the path and the argument are C strings, the list ends with null.
            unsafe {
                libc::execl(
                    c"/bin/sleep".as_ptr(),
                    c"sleep".as_ptr(),
                    c"0.3".as_ptr(),
                    std::ptr::null::<libc::c_char>(),
                );
                libc::_exit(0);
            }
        }
        step[0].store(1, Release);
        until(PATIENCE, || end[0].load(Acquire) == 1);
        let mut bytes = message::make(1, 1, LEN);
        bytes[..8].copy_from_slice(&1u64.to_le_bytes());
        publisher.publish(&bytes)?;
        // SAFETY: waits for the child created above.
        unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
        std::mem::forget(publisher);
        Ok(())
    })?;
    until(PATIENCE, || step[0].load(Acquire) == 1);
    let lane = channel.publisher()?.id().lane;
    end[0].store(1, Release);
    owner.finish(PATIENCE)?;
    if lane == 0 {
        return Err("another publisher got the lane of one that had closed its descriptors".into());
    }
    let again = channel.publisher()?.id().lane;
    match again {
        0 => Ok("held until its owner died, and no longer".into()),
        lane => {
            Err(format!("after its owner's death the lane is held: the next publisher got lane {lane}")
                .into())
        }
    }
}

fn exec_ends(channel: &Channel) -> Result<String, Failure> {
    let mut owner = spawn(|| {
        let publisher = channel.publisher()?;
        std::mem::forget(publisher);
        // SAFETY: the path and the arguments are C strings, the list ends with null.
        unsafe {
            libc::execl(
                c"/bin/sleep".as_ptr(),
                c"sleep".as_ptr(),
                c"30".as_ptr(),
                std::ptr::null::<libc::c_char>(),
            )
        };
        Err("could not start /bin/sleep".into())
    })?;
    // It must be waiting, so that the kernel has removed the previous program completely.
    let comm = || std::fs::read_to_string(format!("/proc/{}/comm", owner.pid)).unwrap_or_default();
    let is_sleep = || comm().trim() == "sleep" && owner.state() == Some('S');
    if !until(PATIENCE, is_sleep) {
        return Err("exec did not happen".into());
    }
    let lane = channel.publisher()?.id().lane;
    owner.kill();
    let mut bytes = [0; LEN];
    channel.publisher()?.publish(&message::make(1, 1, LEN))?;
    channel.subscriber()?.receive(Which::Newest, Until::Poll, &mut bytes)?.ok_or("nothing received")?;
    match lane {
        0 => Ok("the lane was free while the other program ran".into()),
        lane => Err(format!(
            "a child that does not use the channel holds the lane: the next publisher got lane {lane}"
        )
        .into()),
    }
}
