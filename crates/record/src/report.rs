//! The account in JSON, as stored in each file, and as printed by `--json`.

use crate::account::{Account, Counts, Total, UnreadLine};
use saltus_domain::Name;
use serde::Serialize;

/// An account. Names that are not text are shown with replacement characters.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    /// Always `saltus record`.
    recorder: &'static str,
    total: Total,
    /// On networks that distinguish senders, each gap counts once, so the sum of the channels may be less.
    channels: Vec<Row<'a>>,
    /// Unreadable channels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

#[derive(Debug, Serialize)]
struct Unread {
    domain: String,
    /// Absent if the domain could not be listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    why: String,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    domain: &'a str,
    channel: String,
    #[serde(flatten)]
    counts: &'a Counts,
}

impl Report<'_> {
    /// The current account.
    pub fn new(account: &Account) -> Report<'_> {
        let rows = account.lines().iter().map(|line| Row {
            domain: &line.domain,
            channel: String::from_utf8_lossy(line.channel.as_bytes()).into_owned(),
            counts: &line.counts,
        });
        let text = |name: Name| String::from_utf8_lossy(name.as_bytes()).into_owned();
        let unread = account.unread_lines().map(|UnreadLine { domain, channel, why }| Unread {
            domain,
            channel: channel.map(text),
            why,
        });
        Report {
            recorder: "saltus record",
            total: account.total(),
            channels: rows.collect(),
            unread: unread.collect(),
        }
    }
}

pub(crate) fn json(account: &Account) -> String {
    // Serializing text and numbers cannot fail.
    serde_json::to_string(&Report::new(account)).unwrap_or_default()
}
