//! **Torn reads**: a writer writes as fast as it can into a small ring, and a reader on another processor checks
//! every byte of each message delivered as whole.

use crate::child::spawn;
use crate::context::Context;
use crate::message;
use crate::place::Place;
use crate::report::{Failure, Skip, figure};
use saltus_channel::{
    Attributes, Channel, Error, MessageInfo, Start, Subscriber, SubscriberOptions, Until, Which, rt,
};
use std::time::{Duration, Instant};

const KEY: u64 = 11;
/// Checks of the full form, over all combinations.
const FULL: u64 = 100_000_000;

/// How the writer fills its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writing {
    Copy,
    Loan,
    /// A loan filled by non-temporal stores, which the processor does not order.
    Streaming,
}

/// How the reader receives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Copy,
    Vec,
    View,
}

/// Frames and frame size: a ring of a few short messages, and one of a few long ones.
const SHAPES: [(u64, usize); 2] = [(1, 960), (2, 20_000)];

pub fn run(context: &Context) -> Result<(), Failure> {
    let cases: Vec<_> = SHAPES
        .into_iter()
        .flat_map(|shape| [Writing::Copy, Writing::Loan, Writing::Streaming].map(|w| (shape, w)))
        .flat_map(|(shape, w)| [Reading::Copy, Reading::Vec, Reading::View].map(|r| (shape, w, r)))
        .collect();
    let time = context.time(9, 7200) / cases.len() as u32;
    // Far more short messages fit into the same time, so they make up the count.
    let small = cases.len() as u64 / 2;
    let place = Place::new(context.root, "torn")?;
    let mut checks = 0;
    for (i, ((frames, size), writing, reading)) in cases.into_iter().enumerate() {
        let name = format!("written by {writing:?}, read by {reading:?}, up to {size} B");
        context.report.check(&name, || {
            if writing == Writing::Streaming && cfg!(not(target_arch = "x86_64")) {
                return Err(Skip::because("streaming stores are x86's"));
            }
            let attributes = Attributes::new().depth(frames).max_message_size(size as u64);
            let channel = place.domain("domain")?.create(format!("c{i}"), &attributes)?;
            let enough = if size == SHAPES[0].1 { FULL / small } else { FULL / small / 20 };
            let (text, n) =
                race(&channel, writing, reading, if context.options.full { enough } else { u64::MAX }, time)?;
            checks += n;
            Ok(text)
        });
    }
    figure("messages checked to the byte", checks);
    Ok(())
}

/// Runs writer and reader until `enough` messages are checked, or the time is up.
fn race(
    channel: &Channel,
    writing: Writing,
    reading: Reading,
    enough: u64,
    time: Duration,
) -> Result<(String, u64), Failure> {
    let cpus = rt::affinity();
    let mut writer = spawn(|| {
        rt::set_affinity(&cpus[..1])?;
        write_for_ever(channel, writing)
    })?;
    let mut subscriber =
        channel.subscriber_with(SubscriberOptions::new().start(Start::Now).counters(false))?;
    let _ = rt::set_affinity(&cpus[cpus.len() - 1..]);
    let end = Instant::now() + time;
    let (mut checked, mut looks, mut overwritten) = (0, 0u64, 0u64);
    let mut bytes = vec![0; subscriber_buffer(channel)];
    let result = loop {
        looks += 1;
        if checked >= enough || (looks % 256 == 0 && Instant::now() >= end) {
            break match writer.wait_for(Duration::ZERO) {
                Some(end) => Err(format!("the writer ended by itself: {end:?}")),
                None => Ok(()),
            };
        }
        let which = [Which::Newest, Which::Next, Which::Next, Which::Current][checked as usize % 4];
        match read(&mut subscriber, reading, which, &mut bytes) {
            Ok(Some(info)) => {
                if let Err(why) = message::check(KEY, info.seq, &bytes[..info.len]) {
                    break Err(why);
                }
                if info.len != message::len_of(KEY, info.seq, bytes.len()) {
                    break Err(format!("message {} has {} B", info.seq, info.len));
                }
                checked += 1;
            }
            Ok(None) => {}
            Err(Error::Overrun { .. }) => overwritten += 1,
            Err(e) => break Err(e.to_string()),
        }
    };
    let _ = rt::set_affinity(&cpus);
    writer.kill();
    result?;
    let published = channel.info()?.lanes.first().map_or(0, |lane| lane.published);
    Ok((
        format!("{checked} checked of {published} published, {overwritten} given up as overwritten"),
        checked,
    ))
}

fn subscriber_buffer(channel: &Channel) -> usize {
    channel.attributes().get_max_message_size() as usize
}

fn read(
    subscriber: &mut Subscriber,
    reading: Reading,
    which: Which,
    bytes: &mut [u8],
) -> Result<Option<MessageInfo>, Error> {
    match reading {
        Reading::Copy => subscriber.receive(which, Until::Poll, bytes),
        Reading::Vec => {
            let mut grown = Vec::new();
            let info = subscriber.receive_vec(which, Until::Poll, &mut grown)?;
            bytes[..grown.len()].copy_from_slice(&grown);
            Ok(info)
        }
        Reading::View => {
            let Some(view) = subscriber.view(which, Until::Poll)? else { return Ok(None) };
            let len = view.len();
            // In two pieces, the second of which begins at any offset.
            view.copy_to(0, &mut bytes[..len / 3]);
            view.copy_to(len / 3, &mut bytes[len / 3..len]);
            view.validate().map(Some)
        }
    }
}

fn write_for_ever(channel: &Channel, writing: Writing) -> Result<(), Failure> {
    let mut publisher = channel.publisher()?;
    let most = publisher.max_len();
    let mut bytes = vec![0; most];
    for seq in 1.. {
        let len = message::len_of(KEY, seq, most);
        let published = match writing {
            Writing::Copy => {
                message::fill(KEY, seq, &mut bytes[..len]);
                publisher.publish(&bytes[..len])?
            }
            Writing::Loan => {
                let mut loan = publisher.loan(most)?;
                message::fill(KEY, seq, &mut loan[..len]);
                loan.publish(len)?
            }
            Writing::Streaming => {
                message::fill(KEY, seq, &mut bytes[..len]);
                let mut loan = publisher.loan(most)?;
                stream(&bytes[..len], &mut loan);
                loan.publish(len)?
            }
        };
        if published.seq != seq {
            return Err(format!("message {seq} was published as {}", published.seq).into());
        }
    }
    Ok(())
}

/// Copies by non-temporal stores; the rest, less than a word, by ordinary ones.
#[cfg(target_arch = "x86_64")]
fn stream(from: &[u8], to: &mut [u8]) {
    let (words, rest) = from.as_chunks::<8>();
    let (whole, tail) = to[..from.len()].split_at_mut(8 * words.len());
    for (word, to) in words.iter().zip(whole.as_chunks_mut::<8>().0) {
        // SAFETY: SSE2 is part of x86-64. The destination is eight bytes of a loan, which begins at a multiple of
        // 64.
        unsafe { core::arch::x86_64::_mm_stream_si64(to.as_mut_ptr().cast(), i64::from_le_bytes(*word)) };
    }
    tail.copy_from_slice(rest);
}

#[cfg(not(target_arch = "x86_64"))]
fn stream(from: &[u8], to: &mut [u8]) {
    to[..from.len()].copy_from_slice(from);
}
