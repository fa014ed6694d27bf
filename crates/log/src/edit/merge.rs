//! Merges several logs in the order of time.

use super::Output;
use crate::{Damage, Error, Log};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Write;

/// Why logs were not merged.
#[derive(Debug)]
pub enum MergeError {
    /// The log with this number cannot be read.
    Read(usize, Error),
    /// The output failed.
    Write(Error),
}

/// Writes the events of all logs in the order of time, events of the same time in the order of the logs, and the
/// metadata of each file. Calls `progress` with the number of events done; it returns whether to continue. Returns
/// the unreadable parts of each log.
///
/// # Errors
/// A log cannot be read, or the output failed.
pub fn merge<W: Write>(
    logs: &mut [Log],
    out: &mut Output<W>,
    mut progress: impl FnMut(u64) -> bool,
) -> Result<Vec<Damage>, MergeError> {
    let mut heap = BinaryHeap::new();
    for (i, log) in logs.iter_mut().enumerate() {
        heap.extend(log.mark(0).map_err(|e| MergeError::Read(i, e))?.map(|mark| Reverse((mark.time, i))));
    }
    let mut damages: Vec<Damage> = logs.iter().map(Log::damage).collect();
    let mut done = 0;
    while progress(done)
        && let Some(Reverse((_, i))) = heap.pop()
    {
        let log = &mut logs[i];
        match log.next() {
            Ok(Some(event)) => out.add(&event).map_err(MergeError::Write)?,
            Ok(None) => {}
            Err(Error::DecodeFailed { .. }) => damages[i].undecodable += 1,
            Err(error) => return Err(MergeError::Read(i, error)),
        }
        let next = log.mark(log.position()).map_err(|e| MergeError::Read(i, e))?;
        heap.extend(next.map(|mark| Reverse((mark.time, i))));
        done += 1;
    }
    for log in logs.iter() {
        out.metadata(&log.summary().metadata).map_err(MergeError::Write)?;
    }
    Ok(damages)
}
