//! A writer of the chaos campaign: publishes all sizes until it is killed.

use super::board::Board;
use crate::message;
use crate::report::Failure;
use crate::rng::Rng;
use saltus_channel::{Channel, Publisher, PublisherId};
use std::sync::atomic::Ordering::Relaxed; // the writer's own word
use std::time::Duration;

/// The key of a writer's message contents: readers compute it from the metadata.
pub fn key(writer: PublisherId) -> u64 {
    (writer.lane as u64) << 48 ^ writer.lease
}

/// Publishes forever.
pub fn run(i: usize, board: &Board, channel: &Channel, seed: u64) -> Result<(), Failure> {
    let mut publisher = channel.publisher()?;
    let writer = publisher.id();
    let mut rng = Rng::new(seed ^ writer.lease);
    let most = publisher.max_len();
    // No other process writes this lane, or in our name: we begin where its last owner ended.
    let mut last = channel.info()?.lanes[writer.lane as usize].published;
    let reported = board.published(writer.lane).load(Relaxed);
    if last != reported && last != reported + 1 {
        return Err(format!(
            "lane {}: {reported} messages were published, but the channel counts {last}",
            writer.lane
        )
        .into());
    }
    // The last owner may have been killed before it reported its last message. We report it now: otherwise, if we
    // are killed before we report our first one, the next owner finds two more than reported.
    board.published(writer.lane).store(last, Relaxed);
    board.set_ready(i, true);
    loop {
        let seq = last + 1;
        let len = message::len_of(key(writer), seq, most);
        let message = message::make(key(writer), seq, len);
        let published = publish(&mut publisher, &message, &mut rng)?;
        if published != seq {
            return Err(format!("lane {}: message {seq} was published as {published}", writer.lane).into());
        }
        board.published(writer.lane).store(seq, Relaxed);
        board.count(i);
        last = seq;
        match rng.below(16) {
            0 => std::thread::sleep(Duration::from_micros(rng.below(300))),
            1..4 => std::thread::yield_now(),
            _ => {}
        }
    }
}

/// By copy, by loan, or by loan after one that is returned unused.
fn publish(publisher: &mut Publisher, message: &[u8], rng: &mut Rng) -> Result<u64, Failure> {
    let how = rng.below(8);
    if how > 1 {
        return Ok(publisher.publish(message)?.seq);
    }
    let most = publisher.max_len();
    if how == 1 {
        drop(publisher.loan(most)?);
    }
    let mut loan = publisher.loan(message.len() + rng.below((most - message.len()) as u64 + 1) as usize)?;
    loan[..message.len()].copy_from_slice(message);
    Ok(loan.publish(message.len())?.seq)
}
