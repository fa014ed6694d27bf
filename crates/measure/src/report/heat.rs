//! Frequencies of times over time, reduced to the number of columns that a chart shows.

use hdrhistogram::Histogram;

/// Most columns. A chart cannot show more.
const COLUMNS: usize = 240;
/// Bins per decade.
const PER_DECADE: f64 = 10.0;
/// Number of bins: from 1 ns to more than an hour.
const BINS: usize = 130;

/// A column of consecutive intervals.
#[derive(Clone)]
pub struct Column {
    /// Start of the first, in seconds, on the file's clock.
    pub start: f64,
    /// End of the last.
    pub end: f64,
    /// The number of times in each tenth of a decade, from 1 ns.
    pub cells: [u64; BINS],
}

/// The columns. If there are too many intervals, several share one.
pub struct Heat {
    columns: Vec<Column>,
    /// Number of intervals per column.
    shared: usize,
    /// Number of intervals in the last column.
    filled: usize,
}

impl Heat {
    /// Without columns.
    pub fn new() -> Heat {
        Heat { columns: Vec::new(), shared: 1, filled: 0 }
    }

    /// Adds an interval: its start, its length, and its times.
    pub(super) fn add(&mut self, start: f64, length: f64, times: &Histogram<u64>) {
        if self.filled == self.shared && self.columns.len() == COLUMNS {
            self.columns = self.columns.chunks(2).map(|two| two[0].with(&two[1])).collect();
            self.shared *= 2;
            self.filled = self.shared;
        }
        let mut column = Column { start, end: start + length, cells: [0; BINS] };
        for step in times.iter_recorded() {
            let cell = &mut column.cells[bin(step.value_iterated_to())];
            *cell = cell.saturating_add(step.count_at_value());
        }
        match self.columns.last_mut() {
            Some(last) if self.filled < self.shared => {
                *last = last.with(&column);
                self.filled += 1;
            }
            _ => {
                self.columns.push(column);
                self.filled = 1;
            }
        }
    }

    /// The columns, in the order of the file.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }
}

impl Default for Heat {
    fn default() -> Heat {
        Heat::new()
    }
}

impl Column {
    /// Merges this column with the next.
    fn with(&self, next: &Column) -> Column {
        let mut cells = self.cells;
        cells.iter_mut().zip(next.cells).for_each(|(cell, more)| *cell = cell.saturating_add(more));
        Column { start: self.start, end: self.end.max(next.end), cells }
    }
}

/// The bin of a time.
fn bin(ns: u64) -> usize {
    (((ns.max(1) as f64).log10() * PER_DECADE) as usize).min(BINS - 1)
}

/// The shortest time of a bin, in ns.
pub(super) fn bin_start(bin: usize) -> f64 {
    10_f64.powf(bin as f64 / PER_DECADE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_intervals_share_columns_and_none_is_lost() {
        let mut times = crate::times();
        times.saturating_record(1_500);
        for count in [1, COLUMNS, COLUMNS + 1, 10 * COLUMNS + 7] {
            let mut heat = Heat::new();
            (0..count).for_each(|n| heat.add(n as f64, 1.0, &times));
            let columns = heat.columns();
            assert!(columns.len() <= COLUMNS && columns.len() >= count.min(COLUMNS / 2), "{count}");
            assert!(columns.windows(2).all(|pair| pair[0].end == pair[1].start), "{count}: no gap");
            assert_eq!(columns.last().map(|last| last.end), Some(count as f64));
            let cells = columns.iter().map(|column| column.cells[bin(1_500)]);
            assert_eq!(cells.sum::<u64>(), count as u64);
        }
    }
}
