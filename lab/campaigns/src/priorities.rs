//! **Priorities**: waiting readers run in the order of their `SCHED_FIFO` priorities, and a reader that is
//! preempted inside a receive delays no publisher. All on one processor, so that only the scheduler determines the
//! order.

use crate::child::{Child, spawn, until};
use crate::context::Context;
use crate::place::Place;
use crate::report::{Failure, Skip};
use crate::shared::Words;
use saltus_channel::{Attributes, Channel, Start, SubscriberOptions, Until, Which, rt};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release}; // Acquire and Release pair with their counterparts
use std::time::Duration;

/// Priorities of the readers, mixed.
const READERS: [i32; 8] = [30, 70, 10, 50, 80, 20, 60, 40];
const ABOVE_ALL: i32 = 90;
const BELOW_ALL: i32 = 5;
const PATIENCE: Duration = Duration::from_secs(30);
/// Publishes in a burst while a reader is preempted. Short enough for the throttling of real-time tasks.
const BURST: u64 = 2000;

pub fn run(context: &Context) -> Result<(), Failure> {
    let place = Place::new(context.root, "priorities")?;
    let cpu = rt::affinity()[0];
    let possible = || -> Result<(), Failure> {
        let mut child = spawn(|| Ok(rt::set_fifo(ABOVE_ALL)?))?;
        child.wait().good().map_err(|_| Skip::because("SCHED_FIFO is refused to this process"))
    };
    let rounds = if context.options.full { 10_000 } else { 1_000 };
    let channel = |name: &str, size: u64| -> Result<Channel, Failure> {
        Ok(place.domain("domain")?.create(name, &Attributes::new().depth(4).max_message_size(size))?)
    };
    for (name, priority) in [("above", ABOVE_ALL), ("below", BELOW_ALL)] {
        context.report.check(
            &format!("eight waiting readers, the publisher's priority {name} theirs"),
            || {
                possible()?;
                order(&channel(name, 64)?, cpu, priority, rounds)
            },
        );
    }
    context.report.check("a reader that is preempted inside a receive", || {
        possible()?;
        preempted(&channel("preempted", 100_000)?, cpu, rounds / 20)
    });
    Ok(())
}

/// Publishes `rounds` times to eight waiting readers; records the order in which they run.
fn order(channel: &Channel, cpu: usize, priority: i32, rounds: u64) -> Result<String, Failure> {
    let log = Words::new(1 + READERS.len())?;
    let mut readers: Vec<Child> = Vec::new();
    for (i, reader) in READERS.into_iter().enumerate() {
        let log = &log;
        readers.push(spawn(move || {
            rt::set_affinity(&[cpu])?;
            rt::set_fifo(reader)?;
            let mut subscriber =
                channel.subscriber_with(SubscriberOptions::new().start(Start::Now).counters(false))?;
            loop {
                subscriber.wait_next(Until::Forever, &mut [0; 64])?.ok_or("no message")?;
                let turn = log[0].fetch_add(1, Relaxed) as usize % READERS.len();
                log[1 + turn].store(i as u64, Release);
            }
        })?);
    }
    let mut expected: Vec<usize> = (0..READERS.len()).collect();
    expected.sort_by_key(|&i| -READERS[i]);
    // The publisher is a separate process, so that this one keeps its priority.
    let mut publisher = spawn(|| {
        let mut publisher = channel.publisher()?;
        rt::set_affinity(&[cpu])?;
        rt::set_fifo(priority)?;
        for round in 1..=rounds {
            if !until(PATIENCE, || readers.iter().all(|r| r.state() == Some('S'))) {
                return Err(format!("round {round}: a reader does not fall asleep").into());
            }
            publisher.publish(&round.to_le_bytes())?;
            if !until(PATIENCE, || log[0].load(Acquire) == round * READERS.len() as u64) {
                return Err(format!("round {round}: {} have run", log[0].load(Acquire)).into());
            }
            let ran: Vec<usize> = log[1..].iter().map(|word| word.load(Acquire) as usize).collect();
            if ran != expected {
                let ran: Vec<i32> = ran.iter().map(|&i| READERS[i]).collect();
                return Err(format!("round {round}: they ran in the order {ran:?}").into());
            }
        }
        Ok(())
    })?;
    publisher.finish(Duration::from_secs(120))?;
    let wakes = channel.info()?.lanes[0].wakes;
    Ok(format!("{rounds} publishes, all eight in order of priority each time, {wakes} wake calls"))
}

/// A reader of low priority receives long messages forever. A publisher of high priority preempts it at any instant
/// and publishes a burst, during which the reader cannot run: if it held anything, the burst would not end.
fn preempted(channel: &Channel, cpu: usize, bursts: u64) -> Result<String, Failure> {
    const INSIDE: usize = 0;
    const PROGRESS: usize = 1;
    const CAUGHT: usize = 2;
    let words = Words::new(3)?;
    channel.publisher()?.publish(&vec![1; 100_000])?;
    let mut reader = spawn(|| {
        rt::set_affinity(&[cpu])?;
        rt::set_fifo(BELOW_ALL)?;
        let mut subscriber = channel.subscriber_with(SubscriberOptions::new().counters(false))?;
        let mut bytes = vec![0; 100_000];
        loop {
            words[INSIDE].store(1, Release);
            let _ = subscriber.receive(Which::Current, Until::Poll, &mut bytes);
            words[INSIDE].store(0, Release);
            words[PROGRESS].fetch_add(1, Release);
        }
    })?;
    let mut publisher = spawn(|| {
        let mut publisher = channel.publisher()?;
        rt::set_affinity(&[cpu])?;
        rt::set_fifo(ABOVE_ALL)?;
        let message = vec![2; 1000];
        if !until(PATIENCE, || words[PROGRESS].load(Acquire) > 0) {
            return Err("the reader does not begin".into());
        }
        for burst in 0..bursts {
            // It runs only occasionally, so that the reader makes progress, and at independent instants.
            std::thread::sleep(Duration::from_micros(200 + burst * 37 % 500));
            let inside = words[INSIDE].load(Acquire);
            let before = words[PROGRESS].load(Acquire);
            for _ in 0..BURST {
                publisher.publish(&message)?;
            }
            if words[PROGRESS].load(Acquire) != before {
                return Err(format!("burst {burst}: the reader ran during it").into());
            }
            words[CAUGHT].fetch_add(inside, Relaxed);
        }
        Ok(())
    })?;
    publisher.finish(Duration::from_secs(120))?;
    reader.kill();
    let (caught, progress) = (words[CAUGHT].load(Relaxed), words[PROGRESS].load(Acquire));
    match caught > 0 {
        true => Ok(format!(
            "{bursts} bursts of {BURST} publishes, in {caught} of them the reader stood inside a receive ({progress} in all)"
        )),
        false => Err("the reader was never caught inside a receive".into()),
    }
}
