//! Waiting on several channels at once.

use super::Subscriber;
use crate::until::Until;
use crate::wait;
use crate::{Error, Result};
use saltus_os::several::MOST_WORDS;

/// Waits until one of `subscribers` has an unseen message, and returns its index; the lowest, if several have one. `None` when the time
/// expires.
///
/// One system call sleeps on all of them, and nothing is allocated. Before Linux 5.16, and in sandboxes without `futex_waitv`, the first
/// waits of a thread start a helper thread for each channel but one.
/// Accepts at most 127 subscribers; each with a cancel handle counts twice.
/// The cancel handle of any of them cancels the wait, and a retired channel ends it with [`Error::Retired`].
///
/// ```
/// use saltus_channel::{Attributes, Until, wait_any};
/// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
/// # let domain = doc::domain();
/// let imu = domain.create("imu", &Attributes::new())?;
/// let scan = domain.create("scan", &Attributes::new())?;
/// let (mut first, mut second) = (imu.subscriber()?, scan.subscriber()?);
/// scan.publisher()?.publish(b"0.5 0.6")?;
/// assert_eq!(wait_any(&mut [&mut first, &mut second], Until::Forever)?, Some(1));
/// # Ok::<(), saltus_channel::Error>(())
/// ```
pub fn wait_any(subscribers: &mut [&mut Subscriber], until: impl Into<Until>) -> Result<Option<usize>> {
    let deadline = until.into().deadline();
    let handles = subscribers.iter().filter(|s| s.waiter.is_cancelable()).count();
    if subscribers.len() + handles >= MOST_WORDS {
        return Err(Error::invalid(format!(
            "waiting on {} channels with {handles} cancel handles at once: the kernel takes {} together",
            subscribers.len(),
            MOST_WORDS - 1
        )));
    }
    loop {
        if let Some(found) = subscribers.iter().position(|s| s.has_unseen()) {
            return Ok(Some(found));
        }
        let Some(deadline) = deadline else { return Ok(None) };
        if !wait::sleep::<MOST_WORDS>(subscribers, deadline)? {
            return Ok(subscribers.iter().position(|s| s.has_unseen()));
        }
    }
}
