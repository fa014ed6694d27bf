//! Numbers over time, for plots.

use crate::ChannelId;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};

/// A plotted number of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct SeriesId(pub u32);

/// A value at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Time of publication, else of arrival, boot time in ns.
    pub time: u64,
    /// The value.
    pub value: f64,
}

/// The last values of a number in a channel's messages.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// The ID of the series.
    pub id: SeriesId,
    /// The channel's ID.
    pub channel: ChannelId,
    /// Channel and path: `POSE:position[0]`.
    pub name: String,
    /// The path of the number in a message, such as `position[0]`.
    pub path: String,
    /// Its unit, if the type has one.
    pub unit: Option<String>,
    /// The values, oldest first. Bounded: the oldest are removed.
    pub points: VecDeque<Point>,
    /// Whether its unit was searched for. That needs a message.
    #[serde(skip)]
    pub(crate) looked: bool,
    /// Number of users.
    #[serde(skip)]
    pub(crate) users: u32,
}

impl Series {
    pub(crate) fn push(&mut self, point: Point, most: usize) {
        while self.points.len() >= most.max(1) {
            self.points.pop_front();
        }
        // Keeps times in order for binary search: timestamps of several publishers may be slightly out of order.
        let time = self.points.back().map_or(point.time, |last| last.time.max(point.time));
        self.points.push_back(Point { time, ..point });
    }
    /// The values between two times, inclusive.
    pub fn between(&self, from: u64, to: u64) -> impl Iterator<Item = &Point> {
        let first = self.points.partition_point(|point| point.time < from);
        let end = self.points.partition_point(|point| point.time <= to);
        self.points.range(first..end.max(first))
    }
}

/// Writes series as CSV: a line for each time, with seconds and a column for each series, empty if it has no value then.
pub(crate) fn csv(series: &[&Series], out: &mut dyn Write) -> io::Result<()> {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    write!(out, "time_s")?;
    for one in series {
        let unit = one.unit.as_ref().map(|unit| format!(" [{unit}]")).unwrap_or_default();
        write!(out, ",{}", quoted(&format!("{}{unit}", one.name)))?;
    }
    writeln!(out)?;
    let mut lines: BTreeMap<u64, Vec<Option<f64>>> = BTreeMap::new();
    for (i, one) in series.iter().enumerate() {
        for point in &one.points {
            lines.entry(point.time).or_insert_with(|| vec![None; series.len()])[i] = Some(point.value);
        }
    }
    for (time, values) in lines {
        write!(out, "{}.{:09}", time / 1_000_000_000, time % 1_000_000_000)?;
        for value in values {
            match value {
                Some(value) => write!(out, ",{value}")?,
                None => write!(out, ",")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, unit: Option<&str>, points: &[(u64, f64)]) -> Series {
        let points = points.iter().map(|&(time, value)| Point { time, value }).collect();
        let (id, channel) = (SeriesId(0), ChannelId(0));
        Series {
            id,
            channel,
            name: name.into(),
            path: String::new(),
            unit: unit.map(String::from),
            points,
            looked: true,
            users: 1,
        }
    }

    #[test]
    fn csv_has_a_column_for_each_and_a_line_for_each_time() {
        let a = series("A:x", Some("m"), &[(1_500_000_000, 1.0), (2_000_000_000, 2.5)]);
        let b = series("B:\"y\"", None, &[(2_000_000_000, -1.0)]);
        let mut out = Vec::new();
        csv(&[&a, &b], &mut out).unwrap();
        let expected = "time_s,\"A:x [m]\",\"B:\"\"y\"\"\"\n1.500000000,1,\n2.000000000,2.5,-1\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn the_oldest_go_and_a_part_can_be_had() {
        let mut one = series("x", None, &[]);
        (0..10).for_each(|time| one.push(Point { time, value: 0.0 }, 4));
        assert_eq!(one.points.iter().map(|p| p.time).collect::<Vec<_>>(), [6, 7, 8, 9]);
        assert_eq!(one.between(7, 8).count(), 2);
        assert_eq!(one.between(8, 3).count(), 0);
    }
}
