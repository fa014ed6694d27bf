//! An honest process that uses a channel in every way, whatever its files contain.

use super::hunt::{Outcome, Prey};
use crate::report::Failure;
use crate::rng::Rng;
use saltus_channel::{
    Channel, Directory, Error, MessageInfo, Publisher, Start, Subscriber, SubscriberOptions, Until, Which,
    wait_any,
};
use std::time::Duration;

/// The longest buffer that a victim receives into.
const BUFFER: usize = 4096;

/// Opens channel `name` and calls a bit of everything. An error is correct; so is any message within its length
/// limit.
pub fn use_channel(domain: &Directory, name: &str, rng: &mut Rng, prey: &Prey) -> Result<(), Failure> {
    prey.called();
    let channel = match domain.open_channel(name) {
        Ok(channel) => channel,
        Err(e) => return refused(e, prey),
    };
    prey.count(Outcome::Opened);
    exercise(&channel, rng, prey)
}

/// An error must have a text.
fn refused(e: Error, prey: &Prey) -> Result<(), Failure> {
    prey.count(Outcome::Refused);
    match e.to_string().len() > 20 && e.code() > 0 {
        true => Ok(()),
        false => Err(format!("an error without words: {e:?}").into()),
    }
}

/// Calls a bit of everything on `channel`.
pub fn exercise(channel: &Channel, rng: &mut Rng, prey: &Prey) -> Result<(), Failure> {
    let _ = channel.info();
    let _ = (channel.memory(), channel.is_retired(), channel.attributes().memory(), channel.descriptions());
    prey.called();
    let mut subscriber = channel.subscriber_with(
        SubscriberOptions::new()
            .start(rng.pick(&[Start::Newest, Start::Now, Start::Oldest]))
            .counters(rng.below(4) == 0)
            .spin(Duration::from_micros(rng.below(2) * 20)),
    )?;
    for _ in 0..8 + rng.below(16) {
        read(&mut subscriber, rng, prey)?;
        prey.called();
    }
    if rng.below(2) == 0 {
        match channel.publisher() {
            Ok(mut publisher) => {
                let _ = publisher.describe("campaign.message_t", 1, "struct message_t { }");
                for _ in 0..1 + rng.below(8) {
                    write(&mut publisher, rng, prey);
                    read(&mut subscriber, rng, prey)?;
                    prey.called();
                }
            }
            Err(e) => refused(e, prey)?,
        }
    }
    prey.called();
    Ok(())
}

/// One call of a subscriber.
fn read(subscriber: &mut Subscriber, rng: &mut Rng, prey: &Prey) -> Result<(), Failure> {
    let most = subscriber.channel().attributes().get_max_message_size();
    let mut bytes = vec![0; rng.pick(&[0, 1, 64, BUFFER, BUFFER, BUFFER])];
    let which = rng.pick(&[Which::Newest, Which::Next, Which::Current]);
    let until = rng.pick(&[Until::Poll, Until::Poll, Until::Poll, Until::For(Duration::from_micros(500))]);
    let result = match rng.below(16) {
        0 => subscriber.receive_vec(which, until, &mut bytes),
        1..3 => view(subscriber, which, until, &mut bytes),
        3 => subscriber.with_view(which, until, |view| view.len()).map(|found| found.map(|(_, info)| info)),
        4 => wait_any(&mut [&mut *subscriber], until).map(|_| None),
        5 if rng.below(8) == 0 => subscriber.event_fd().map(|_| None),
        6 => {
            subscriber.flush();
            Ok(None)
        }
        7 => {
            subscriber.seek_oldest();
            Ok(None)
        }
        _ => subscriber.receive(which, until, &mut bytes),
    };
    let _ = (subscriber.has_unseen(), subscriber.received(), subscriber.missed());
    match result {
        Ok(Some(info)) if info.len as u64 > most => {
            Err(format!("{info:?} where {most} B are the most").into())
        }
        Ok(Some(_)) => {
            prey.count(Outcome::Delivered);
            Ok(())
        }
        Ok(None) => Ok(()),
        Err(Error::TooSmall { needed, .. }) if needed as u64 > most => {
            Err(format!("a message of {needed} B is announced where {most} B are the most").into())
        }
        Err(_) => {
            prey.count(Outcome::Failed);
            Ok(())
        }
    }
}

/// Reads a message in place, from end to end.
fn view(
    subscriber: &mut Subscriber,
    which: Which,
    until: Until,
    bytes: &mut [u8],
) -> Result<Option<MessageInfo>, Error> {
    let Some(view) = subscriber.view(which, until)? else { return Ok(None) };
    let len = view.len().min(bytes.len());
    view.copy_to(view.len() - len, &mut bytes[..len]);
    if !view.is_empty() {
        std::hint::black_box(view.byte(view.len() - 1));
    }
    view.validate().map(Some)
}

/// One call of a publisher.
fn write(publisher: &mut Publisher, rng: &mut Rng, prey: &Prey) {
    let most = publisher.max_len().min(BUFFER);
    let bytes = vec![0xAB; rng.below(most as u64 + 1) as usize];
    let result = match rng.below(4) {
        0 => publisher.loan(most).and_then(|mut loan| {
            loan.fill(0xCD);
            loan.publish(bytes.len())
        }),
        1 => publisher.loan(bytes.len()).map(drop).and_then(|()| publisher.publish(&bytes)),
        _ => publisher.publish(&bytes),
    };
    prey.count(if result.is_ok() { Outcome::Published } else { Outcome::Failed });
}
