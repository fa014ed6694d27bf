//! Features of middleware: DALi's comparison, from one table of facts with its sources.

use super::figure::Figure;

/// The table; its header describes the columns.
const TABLE: &str = include_str!("features.txt");

/// The rows of cells; the first has the titles.
fn rows() -> impl Iterator<Item = Vec<&'static str>> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split('|').map(str::trim).collect())
}

/// Groups of columns that a page shows side by side; the first column is repeated in each.
const TABLES: [std::ops::Range<usize>; 3] = [1..6, 6..11, 11..14];

/// The table as Markdown, split into several tables that fit a sheet.
pub fn figure() -> Figure {
    let table = |columns: std::ops::Range<usize>| {
        let rule = format!("|{}", "---|".repeat(columns.len() + 1));
        let mut lines: Vec<String> =
            rows().map(|row| format!("| {} | {} |", row[0], row[columns.clone()].join(" | "))).collect();
        lines.insert(1, rule);
        lines.join("\n")
    };
    Figure {
        name: "features",
        shows: TABLES.map(|columns| table(columns) + "\n").into(),
        ..Figure::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Set;

    #[test]
    fn every_row_is_whole_and_names_its_source() {
        let titles = rows().next().expect("titles").len();
        for row in rows() {
            assert_eq!(titles, TABLES[2].end, "every column is in a table");
            assert!(row.len() == titles && row.iter().all(|word| !word.is_empty()), "{row:?}");
        }
    }

    #[test]
    fn every_provider_that_is_measured_has_a_row() {
        let names: Vec<&str> = rows().map(|row| row[0]).collect();
        for contender in Set::Dali.contenders() {
            let name = format!("Saltus {}", contender.name());
            assert!(names.contains(&&*name), "{name}");
        }
    }
}
