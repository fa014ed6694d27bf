//! The cells of the table.

use saltus_spy::{Column, Row};

use saltus_text::human;

/// The heading of a column.
pub fn title(column: Column) -> &'static str {
    match column {
        Column::Channel => "CHANNEL",
        Column::Type => "TYPE",
        Column::Publishers => "PUBLISHERS",
        Column::Count => "COUNT",
        Column::Rate => "RATE",
        Column::Period => "PERIOD",
        Column::Jitter => "JITTER",
        Column::Bandwidth => "BANDWIDTH",
        Column::Size => "SIZE",
        Column::Age => "AGE",
        Column::P50 => "LAT P50",
        Column::P99 => "LAT P99",
        Column::Missed => "MISSED",
        Column::Dropped => "DROPPED",
    }
}

/// Whether the column has numbers, which are aligned right.
pub fn is_number(column: Column) -> bool {
    !matches!(column, Column::Channel | Column::Type | Column::Publishers)
}

/// The cell of a row; `-` if the value is unknown.
pub fn cell(column: Column, row: &Row) -> String {
    let time = |seconds: Option<f64>| seconds.map_or("-".into(), |s| human::nanos(s * 1e9));
    let micros = |us: Option<f64>| us.map_or("-".into(), |us| human::nanos(us * 1e3));
    match column {
        Column::Channel => row.channel.clone(),
        Column::Type => match (&row.type_name, &row.fingerprint) {
            (Some(name), _) => name.clone(),
            // The first digits are enough to distinguish types.
            (None, Some(fingerprint)) => format!("? {}", &fingerprint[..fingerprint.len().min(8)]),
            (None, None) => "-".into(),
        },
        Column::Publishers => match row.publishers.as_slice() {
            [] => "-".into(),
            [one] => one.short(),
            [one, more @ ..] => format!("{} +{}", one.short(), more.len()),
        },
        Column::Count => row.count.to_string(),
        Column::Rate => human::hertz(row.rate_hz),
        Column::Period => time(row.period_s),
        Column::Jitter => time(row.jitter_s),
        Column::Bandwidth => format!("{}/s", human::bytes(row.bytes_per_s)),
        Column::Size => row.size.map_or("-".into(), |size| human::bytes(size as f64)),
        Column::Age => time(row.age_s),
        Column::P50 => micros(row.latency_us.map(|l| l.p50)),
        Column::P99 => micros(row.latency_us.map(|l| l.p99)),
        Column::Missed => row.missed.map_or("-".into(), |missed| missed.to_string()),
        Column::Dropped => (row.dropped + row.undecodable).to_string(),
    }
}

/// The columns in order of importance, for a screen too narrow for all.
const FIRST: [Column; 14] = [
    Column::Channel,
    Column::Rate,
    Column::Age,
    Column::Type,
    Column::Bandwidth,
    Column::Size,
    Column::Missed,
    Column::Jitter,
    Column::Publishers,
    Column::P99,
    Column::Count,
    Column::Period,
    Column::P50,
    Column::Dropped,
];

/// The columns that fit, with their widths. The sorted column is always included.
pub(crate) fn fitting(rows: &[Row], sorted: Column, width: usize) -> Vec<(Column, usize)> {
    let longest = |of: fn(&Row) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let want = |column| match column {
        Column::Channel => longest(|row| row.channel.chars().count()).clamp(12, 40),
        Column::Type => longest(|row| cell(Column::Type, row).chars().count()).clamp(8, 28),
        Column::Publishers => 14,
        Column::Bandwidth => 10,
        _ => 9,
    };
    let mut left = width;
    let mut shown = Vec::new();
    for column in [sorted].into_iter().chain(FIRST) {
        let need = want(column) + 1;
        if !shown.contains(&column) && need <= left {
            left -= need;
            shown.push(column);
        }
    }
    let all = Column::ALL.into_iter().filter(|column| shown.contains(column));
    all.map(|column| (column, want(column))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_terminal_shows_what_matters_and_what_is_sorted_by() {
        let shown = fitting(&[], Column::P50, 80);
        let columns: Vec<Column> = shown.iter().map(|(column, _)| *column).collect();
        assert!(columns.starts_with(&[Column::Channel, Column::Type]), "{columns:?}");
        assert!(columns.contains(&Column::Rate) && columns.contains(&Column::P50), "{columns:?}");
        assert!(shown.iter().map(|(_, width)| width + 1).sum::<usize>() <= 80);
        assert_eq!(fitting(&[], Column::Channel, 400).len(), Column::ALL.len());
    }

    #[test]
    fn unknown_values_are_dashes() {
        let row = Row::default();
        assert_eq!([Column::Missed, Column::Age, Column::P99, Column::Type].map(|c| cell(c, &row)), ["-"; 4]);
    }
}
