//! The final check of all counts, after all processes have stopped.
//!
//! While the robot runs, every reader checks its own sum at every message. At the end, the sums are compared with the channels' own
//! counters. The logger stops last, so it must have received or missed every message.

use saltus_channel::Directory;

use super::ledger::Ledger;
use crate::channels::CHANNELS;
use crate::error::Result;
use crate::tally::Tally;

/// Describes the counts that do not match. `logger` is the logger's number in the crew.
pub fn audit(domain: &Directory, ledger: &Ledger, logger: usize) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for (k, place) in CHANNELS.iter().enumerate() {
        let lanes = domain.open_channel(place.name)?.info()?.lanes;
        let published: u64 = lanes.iter().map(|lane| lane.published).sum();
        if ledger.own.channel == k as i64 {
            let counted = ledger.own.received + ledger.own.missed;
            wrong.extend(mismatch("the supervisor", place.name, counted, published));
            continue;
        }
        let Some(account) = ledger.accounts.get(&(logger, k)) else { continue };
        // With two lanes, the one that existed before the logger has its own base.
        if lanes.len() == 1 {
            wrong.extend(mismatch("the logger", place.name, upto(account.present()), published));
        }
    }
    Ok(wrong)
}

/// The number of messages at this reader's last receive, by its own count.
fn upto(tally: &Tally) -> i64 {
    tally.base + tally.received + tally.missed
}

fn mismatch(who: &str, channel: &str, counted: i64, published: u64) -> Option<String> {
    (counted != published as i64).then(|| {
        format!("{who} accounts for {counted} messages of `{channel}`, where {published} were published")
    })
}
