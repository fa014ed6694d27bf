//! Tables with aligned columns.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The alignment of a column's cells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// For words.
    Left,
    /// For numbers.
    Right,
}

/// A table with a heading. Every row has a cell for every column.
pub struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table with these columns.
    pub fn new(columns: &[(&'static str, Align)]) -> Table {
        Table { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.columns.len(), "a row has a cell for every column");
        self.rows.push(cells);
    }

    /// The table without as many of the columns `dispensable`, in their order, as it takes for its lines to fit into `width`.
    #[must_use]
    pub fn fitting(mut self, width: usize, dispensable: &[&str]) -> Table {
        for title in dispensable {
            if self.lines().iter().all(|line| line.width() <= width) {
                break;
            }
            if let Some(at) = self.columns.iter().position(|(known, _)| known == title) {
                self.columns.remove(at);
                self.rows.iter_mut().for_each(|row| drop(row.remove(at)));
            }
        }
        self
    }

    /// The lines of the table, the heading first, without trailing spaces.
    pub fn lines(&self) -> Vec<String> {
        let heading: Vec<String> = self.columns.iter().map(|(title, _)| title.to_string()).collect();
        let all = || std::iter::once(&heading).chain(&self.rows);
        let widths: Vec<usize> =
            (0..self.columns.len()).map(|i| all().map(|row| row[i].width()).max().unwrap_or(0)).collect();
        all().map(|row| self.line(row, &widths)).collect()
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let mut line = String::new();
        for ((cell, (_, align)), width) in row.iter().zip(&self.columns).zip(widths) {
            let blanks = " ".repeat(width - cell.width());
            match align {
                Align::Left => line.extend([cell, &blanks[..], "  "]),
                Align::Right => line.extend([&blanks[..], cell, "  "]),
            }
        }
        line.truncate(line.trim_end_matches(' ').len());
        line
    }
}

/// Rows as lines with aligned columns, without a heading.
pub fn columns<const N: usize>(rows: &[[String; N]]) -> Vec<String> {
    let mut table = Table::new(&[("", Align::Left); N]);
    rows.iter().for_each(|row| table.row(row.to_vec()));
    table.lines().split_off(1)
}

/// The beginning of the line that fits into `columns` of a terminal.
pub fn clipped(line: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, c) in line.char_indices() {
        used += c.width().unwrap_or(0);
        if used > columns {
            return &line[..at];
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_whatever_their_script() {
        let mut table = Table::new(&[("CHANNEL", Align::Left), ("RATE", Align::Right)]);
        table.row(vec!["größe/腕".into(), "1 Hz".into()]);
        table.row(vec!["imu".into(), "1.00 kHz".into()]);
        assert_eq!(table.lines(), ["CHANNEL       RATE", "größe/腕      1 Hz", "imu       1.00 kHz"]);
    }

    #[test]
    fn a_table_that_is_too_wide_loses_whole_columns_in_the_given_order() {
        let table = || {
            let mut table =
                Table::new(&["CHANNEL", "SIZE", "RATE", "AGE"].map(|title| (title, Align::Right)));
            table.row(["imu", "5 B", "100 Hz", "4.59 ms"].map(String::from).to_vec());
            table
        };
        let lines = |width| table().fitting(width, &["SIZE", "AGE"]).lines();
        assert_eq!(lines(30), table().lines());
        assert_eq!(lines(29), ["CHANNEL    RATE      AGE", "    imu  100 Hz  4.59 ms"]);
        assert_eq!(lines(23), ["CHANNEL    RATE", "    imu  100 Hz"]);
        assert_eq!(lines(1), lines(23), "the others stay");
    }

    #[test]
    fn lines_are_clipped_at_whole_characters() {
        assert_eq!(clipped("größe", 3), "grö");
        assert_eq!(clipped("腕腕", 3), "腕");
        assert_eq!(clipped("imu", 80), "imu");
    }
}
