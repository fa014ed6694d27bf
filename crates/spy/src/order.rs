//! Sorting and filtering of rows, the same in every front end.

use crate::Row;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::cmp::Ordering;

/// A column of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Column {
    /// Channel name, then domain.
    #[default]
    Channel,
    /// Name of the type.
    Type,
    /// Number of publishers.
    Publishers,
    /// Messages so far.
    Count,
    /// Messages per second.
    Rate,
    /// Time between messages.
    Period,
    /// Its standard deviation.
    Jitter,
    /// Bytes per second.
    Bandwidth,
    /// Size of the newest message.
    Size,
    /// Age of the newest message.
    Age,
    /// Latency, median.
    P50,
    /// Latency, 99th percentile.
    P99,
    /// Missed messages.
    Missed,
    /// Messages dropped by the spy, and undecodable ones.
    Dropped,
}

impl Column {
    /// All columns, in the order of the table.
    pub const ALL: [Column; 14] = [
        Column::Channel,
        Column::Type,
        Column::Publishers,
        Column::Count,
        Column::Rate,
        Column::Period,
        Column::Jitter,
        Column::Bandwidth,
        Column::Size,
        Column::Age,
        Column::P50,
        Column::P99,
        Column::Missed,
        Column::Dropped,
    ];

    /// The number to sort by. Unknown values sort below all others.
    fn number(self, row: &Row) -> f64 {
        let known = |n: Option<f64>| n.unwrap_or(f64::NEG_INFINITY);
        match self {
            Column::Channel | Column::Type => 0.0,
            Column::Publishers => row.publishers.len() as f64,
            Column::Count => row.count as f64,
            Column::Rate => row.rate_hz,
            Column::Period => known(row.period_s),
            Column::Jitter => known(row.jitter_s),
            Column::Bandwidth => row.bytes_per_s,
            Column::Size => known(row.size.map(|n| n as f64)),
            Column::Age => known(row.age_s),
            Column::P50 => known(row.latency_us.map(|l| l.p50)),
            Column::P99 => known(row.latency_us.map(|l| l.p99)),
            Column::Missed => known(row.missed.map(|n| n as f64)),
            Column::Dropped => (row.dropped + row.undecodable) as f64,
        }
    }
}

/// Sorts rows, or references to them, by a column; equal ones by name.
pub fn sort<R: Borrow<Row>>(rows: &mut [R], by: Column, descending: bool) {
    let names = |a: &Row, b: &Row| natural(&a.channel, &b.channel).then_with(|| a.domain.cmp(&b.domain));
    rows.sort_by(|a, b| {
        let (a, b) = (a.borrow(), b.borrow());
        let first = match by {
            Column::Channel => names(a, b),
            Column::Type => a.type_name.cmp(&b.type_name),
            other => other.number(a).total_cmp(&other.number(b)),
        };
        let first = if descending { first.reverse() } else { first };
        first.then_with(|| names(a, b))
    });
}

/// Natural order: `LASER_2` before `LASER_10`, ignoring case.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a, b);
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    loop {
        let (n, m) = (digits(x), digits(y));
        if n > 0 && m > 0 {
            let (left, right) = (x[..n].trim_start_matches('0'), y[..m].trim_start_matches('0'));
            let order = left.len().cmp(&right.len()).then_with(|| left.cmp(right));
            if order != Ordering::Equal {
                return order;
            }
            (x, y) = (&x[n..], &y[m..]);
            continue;
        }
        let (Some(c), Some(d)) = (x.chars().next(), y.chars().next()) else {
            return x.len().cmp(&y.len()).then_with(|| a.cmp(b));
        };
        let order = c.to_lowercase().cmp(d.to_lowercase());
        if order != Ordering::Equal {
            return order;
        }
        (x, y) = (&x[c.len_utf8()..], &y[d.len_utf8()..]);
    }
}

/// A filter for rows: all words must occur in the name, the type, the domain or a publisher. A word that begins with `!` must not occur.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    words: Vec<(bool, String)>,
}

impl Filter {
    /// A filter of words separated by spaces; ignores case.
    pub fn new(text: &str) -> Filter {
        let word = |word: &str| match word.strip_prefix('!') {
            Some(rest) => (false, rest.to_lowercase()),
            None => (true, word.to_lowercase()),
        };
        Filter { words: text.split_whitespace().map(word).filter(|(_, word)| !word.is_empty()).collect() }
    }

    /// Whether a row is shown.
    pub fn matches(&self, row: &Row) -> bool {
        let has = |word: &str| {
            let publishers = row.publishers.iter().filter_map(|peer| peer.process.as_deref());
            let texts = [Some(row.channel.as_str()), row.type_name.as_deref(), Some(row.domain.as_str())];
            let mut texts = texts.into_iter().flatten().chain(publishers);
            texts.any(|text| text.to_lowercase().contains(word))
        };
        self.words.iter().all(|(wanted, word)| has(word) == *wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(channel: &str, rate_hz: f64) -> Row {
        Row { channel: channel.into(), rate_hz, type_name: Some("carmen.pose_t".into()), ..Row::default() }
    }
    fn names(rows: &[Row]) -> Vec<&str> {
        rows.iter().map(|row| row.channel.as_str()).collect()
    }

    #[test]
    fn names_sort_as_people_count() {
        let mut rows = [row("laser_10", 1.0), row("LASER_2", 1.0), row("imu", 5.0), row("laser_02b", 1.0)];
        sort(&mut rows, Column::Channel, false);
        assert_eq!(names(&rows), ["imu", "LASER_2", "laser_02b", "laser_10"]);
    }

    #[test]
    fn equal_rows_keep_the_order_of_names_both_ways() {
        let mut rows = [row("b", 1.0), row("a", 1.0), row("c", 2.0)];
        sort(&mut rows, Column::Rate, true);
        assert_eq!(names(&rows), ["c", "a", "b"]);
        sort(&mut rows, Column::Rate, false);
        assert_eq!(names(&rows), ["a", "b", "c"]);
    }

    #[test]
    fn unknown_numbers_sort_below_known_ones() {
        let mut rows = [row("a", 1.0), Row { missed: Some(0), ..row("b", 1.0) }];
        sort(&mut rows, Column::Missed, true);
        assert_eq!(names(&rows), ["b", "a"]);
    }

    #[test]
    fn every_word_must_be_found_and_none_of_the_unwanted() {
        assert!(Filter::new("LAS pose").matches(&row("laser", 1.0)));
        assert!(!Filter::new("laser imu").matches(&row("laser", 1.0)));
        assert!(!Filter::new("!laser").matches(&row("laser", 1.0)));
        assert!(Filter::new("  !").matches(&row("laser", 1.0)));
    }
}
