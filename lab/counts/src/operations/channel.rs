//! Channels and domains in shared memory.

use crate::operation::Operation;
use crate::outcome::{Outcome, Result};
use crate::stepper::{counted, rounds};
use saltus_channel::{Attributes, Channel, Directory, Publisher, Subscriber, Until, Wake, Which};
use saltus_domain::{Domain, Options, Pattern};
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

pub const ALL: &[Operation] = &[
    Operation { name: "publish 64 B", run: |at| publish(at, 64, Wake::OnDemand) },
    Operation { name: "publish 4 KiB", run: |at| publish(at, 4096, Wake::OnDemand) },
    Operation { name: "publish 64 B, wake always", run: |at| publish(at, 64, Wake::Always) },
    Operation { name: "loan and publish 64 B", run: loan },
    Operation {
        name: "receive the newest, 64 B",
        run: |at| receive(at, |s, buf| Ok(s.newest(buf)?.is_some())),
    },
    Operation { name: "receive the next, 64 B", run: |at| receive(at, |s, buf| Ok(s.next(buf)?.is_some())) },
    Operation {
        name: "receive the newest again, 64 B",
        run: |at| receive(at, |s, buf| Ok(s.current(buf)?.is_some())),
    },
    Operation {
        name: "wait for the newest that is there, 64 B",
        run: |at| receive(at, |s, buf| Ok(s.wait_newest(Duration::from_secs(1), buf)?.is_some())),
    },
    Operation {
        name: "wait for the next that is there, 64 B",
        run: |at| receive(at, |s, buf| Ok(s.wait_next(Duration::from_secs(1), buf)?.is_some())),
    },
    Operation { name: "view the newest and validate, 64 B", run: |at| receive(at, view) },
    Operation { name: "receive the newest of 8 publishers, 64 B", run: newest_of_many },
    Operation { name: "poll for the newest, nothing new", run: |at| poll(at, Which::Newest) },
    Operation { name: "poll for the next, nothing new", run: |at| poll(at, Which::Next) },
    Operation { name: "domain: publish 64 B", run: domain_publish },
    Operation { name: "domain: receive the newest, 64 B", run: |at| domain_receive(at, Options::newest()) },
    Operation { name: "domain: receive the next, 64 B", run: |at| domain_receive(at, Options::next(64)) },
];

const MESSAGE: [u8; 64] = [7; 64];

/// A channel whose ring does not wrap around during the rounds.
fn channel(at: &Path, wake: Wake) -> Result<Channel> {
    let directory = Directory::open(&format!("shm://{}", at.join("domain").display()))?;
    Ok(directory.create("c", &Attributes::new().depth(64).max_message_size(4096).wake(wake))?)
}

fn publish(at: &Path, len: usize, wake: Wake) -> Outcome {
    let (mut publisher, message) = (channel(at, wake)?.publisher()?, vec![7; len]);
    rounds(|| {
        counted(|| black_box(publisher.publish(black_box(&message))))?;
        Ok(())
    })
}

fn loan(at: &Path) -> Outcome {
    let mut publisher = channel(at, Wake::OnDemand)?.publisher()?;
    rounds(|| {
        counted(|| -> Outcome {
            let mut loan = publisher.loan(MESSAGE.len())?;
            loan.copy_from_slice(black_box(&MESSAGE));
            black_box(loan.publish(MESSAGE.len())?);
            Ok(())
        })
    })
}

/// Publishes a message, and counts how it is received.
fn receive(at: &Path, mut act: impl FnMut(&mut Subscriber, &mut [u8]) -> Result<bool>) -> Outcome {
    let channel = channel(at, Wake::OnDemand)?;
    let (mut publisher, mut subscriber) = (channel.publisher()?, channel.subscriber()?);
    let mut buf = [0; 64];
    rounds(|| {
        publisher.publish(&MESSAGE)?;
        match counted(|| act(&mut subscriber, black_box(&mut buf)))? && buf == MESSAGE {
            true => Ok(()),
            false => Err("the message was not received".into()),
        }
    })
}

fn view(subscriber: &mut Subscriber, buf: &mut [u8]) -> Result<bool> {
    let Some(view) = subscriber.view(Which::Newest, Until::Poll)? else { return Ok(false) };
    view.copy_to(0, buf);
    view.validate()?;
    Ok(true)
}

fn newest_of_many(at: &Path) -> Outcome {
    let channel = channel(at, Wake::OnDemand)?;
    let mut publishers: Vec<Publisher> = (0..8).map(|_| channel.publisher()).collect::<Result<_, _>>()?;
    let (mut subscriber, mut buf) = (channel.subscriber()?, [0; 64]);
    rounds(|| {
        publishers.iter_mut().try_for_each(|publisher| publisher.publish(&MESSAGE).map(drop))?;
        match counted(|| subscriber.newest(black_box(&mut buf)))? {
            Some(_) => Ok(()),
            None => Err("no message was received".into()),
        }
    })
}

fn poll(at: &Path, which: Which) -> Outcome {
    let channel = channel(at, Wake::OnDemand)?;
    let (mut publisher, mut subscriber, mut buf) = (channel.publisher()?, channel.subscriber()?, [0; 64]);
    publisher.publish(&MESSAGE)?;
    subscriber.newest(&mut buf)?;
    rounds(|| match counted(|| subscriber.receive(which, Until::Poll, black_box(&mut buf)))? {
        None => Ok(()),
        Some(_) => Err("there was a message".into()),
    })
}

fn domain(at: &Path) -> Result<Domain> {
    Ok(Domain::open(&format!("shm://{}?depth=64", at.join("domain").display()))?)
}

fn domain_publish(at: &Path) -> Outcome {
    let mut publisher = domain(at)?.publisher("c")?;
    rounds(|| Ok(counted(|| publisher.publish(black_box(&MESSAGE)))?))
}

fn domain_receive(at: &Path, options: Options) -> Outcome {
    let domain = domain(at)?;
    let mut publisher = domain.publisher("c")?;
    let mut subscriber = domain.subscriber_with(Pattern::name("c")?, options)?;
    rounds(|| {
        publisher.publish(&MESSAGE)?;
        match counted(|| subscriber.receive(Until::Poll).map(|message| message.is_some()))? {
            true => Ok(()),
            false => Err("the message was not received".into()),
        }
    })
}
