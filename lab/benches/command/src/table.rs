//! A table in columns of even width.

/// Where a column's cells stand.
#[derive(Clone, Copy, PartialEq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// The lines of a table, the heading first, without blanks at their ends; every row has a cell for every column.
pub fn lines(columns: &[(&str, Align)], rows: &[Vec<String>]) -> Vec<String> {
    let heading: Vec<String> = columns.iter().map(|(title, _)| title.to_string()).collect();
    let all = || std::iter::once(&heading).chain(rows);
    let width = |i: usize| all().map(|row| row[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let cell = |((text, width), (_, align)): ((&String, &usize), &(&str, Align))| match align {
        Align::Left => format!("{text:<width$}"),
        Align::Right => format!("{text:>width$}"),
    };
    let line =
        |row: &Vec<String>| row.iter().zip(&widths).zip(columns).map(cell).collect::<Vec<_>>().join("  ");
    all().map(|row| line(row).trim_end().to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_and_words_begin_in_one_column() {
        let rows = [["a", "1"], ["longer", "22"]].map(|row| row.map(String::from).to_vec());
        let lines = lines(&[("NAME", Align::Left), ("N", Align::Right)], &rows);
        assert_eq!(lines, ["NAME     N", "a        1", "longer  22"]);
    }
}
