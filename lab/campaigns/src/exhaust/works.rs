//! The last part of all these checks: the rest keeps working, promptly.

use crate::report::Failure;
use saltus_channel::{Channel, Until, Which};
use std::time::Duration;

/// Longer than any check here takes.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A channel still works: its publisher's messages are received.
pub fn still_works(channel: &Channel, publisher: &mut saltus_channel::Publisher) -> Result<(), Failure> {
    let mut subscriber = channel.subscriber()?;
    subscriber.flush();
    let message = vec![0x5A; publisher.max_len()];
    publisher.publish(&message)?;
    let mut bytes = Vec::new();
    let sample = subscriber.receive_vec(Which::Next, Until::Poll, &mut bytes)?;
    match sample {
        Some(_) if bytes == message => Ok(()),
        other => Err(format!("published {} B, received {other:?}", message.len()).into()),
    }
}
