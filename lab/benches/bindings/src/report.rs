//! The table.

use std::fmt::Write;

/// The measurements of a contender: how many cycles per round, and how many repetitions in each. Cycles are short
/// where nanoseconds are compared, because the machine's speed changes from one millisecond to the next.
pub const CALLS: &[(&str, usize, usize)] = &[
    ("publish", 10, 20),
    ("next", 10, 20),
    ("publish+newest", 10, 20),
    ("poll", 10, 20),
    ("domain publish", 10, 20),
    ("domain next", 10, 20),
    ("domain publish+newest", 10, 20),
    ("domain poll", 10, 20),
    ("receive 64", 1, 100),
    ("receive 65536", 1, 100),
    ("receive 1048576", 1, 100),
    ("view 64", 1, 100),
    ("view 65536", 1, 100),
    ("view 1048576", 1, 100),
    ("array 64", 1, 100),
    ("array 65536", 1, 100),
    ("array 1048576", 1, 100),
    ("hop", 1, 500),
    ("Java hop", 1, 500),
];

/// The times of one contender at one thing, ns.
pub struct Row {
    pub what: &'static str,
    pub who: String,
    /// Each turn's.
    pub turns: Vec<Vec<f64>>,
}

/// The times of one contender at one thing, in their order.
struct Sorted(Vec<f64>);

impl Sorted {
    fn new(times: &[f64]) -> Sorted {
        let mut times = times.to_vec();
        times.sort_by(f64::total_cmp);
        Sorted(times)
    }

    /// The value below which `part` of them lie, by the nearest rank; NaN of none.
    fn quantile(&self, part: f64) -> f64 {
        let rank = (part * self.0.len() as f64).ceil() as usize;
        self.0.get(rank.max(1) - 1).copied().unwrap_or(f64::NAN)
    }
}

/// How much a row's median exceeds the first contender's in the same cycle: the median over all cycles, because the
/// machine's speed changes from cycle to cycle.
fn more(row: &Row, first: &Row) -> f64 {
    let median = |turn: &Vec<f64>| Sorted::new(turn).quantile(0.5);
    let pairs = row.turns.iter().zip(&first.turns);
    Sorted::new(&pairs.map(|(one, first)| median(one) - median(first)).collect::<Vec<f64>>()).quantile(0.5)
}

/// All measurements. The others are compared with the first contender of each.
pub fn text(facts: &[(&str, String)], rounds: usize, rows: &[Row], missing: &[String]) -> String {
    let mut out = String::from("# What the bindings cost\n\n");
    for (name, value) in facts {
        let _ = writeln!(out, "  {name:<20} {value}");
    }
    let _ = writeln!(out, "  {:<20} {rounds}", "rounds");
    for why in missing {
        let _ = writeln!(out, "  {:<20} {why}", "NOT MEASURED");
    }
    out += "\nThe machine is shared, virtual and noisy. Times in ns; `more`: p50 less the first line's of the same turn, of all turns the median.\n";
    for (what, ..) in CALLS {
        let of_it: Vec<&Row> = rows.iter().filter(|row| row.what == *what).collect();
        if of_it.is_empty() {
            continue;
        }
        let _ = writeln!(
            out,
            "\n{what}\n  {:<22} {:>10} {:>10} {:>10} {:>12} {:>8} {:>10}",
            "", "p50", "p99", "p99.9", "max", "count", "more"
        );
        for row in &of_it {
            let sorted = Sorted::new(&row.turns.concat());
            let p50 = sorted.quantile(0.5);
            let more = more(row, of_it[0]);
            let [p99, p999, max] = [0.99, 0.999, 1.0].map(|part| sorted.quantile(part));
            let _ = writeln!(
                out,
                "  {:<22} {p50:>10.1} {p99:>10.1} {p999:>10.1} {max:>12.1} {:>8} {more:>+10.1}",
                row.who,
                sorted.0.len()
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_by_the_nearest_rank() {
        let sorted = Sorted((1..=1000).map(f64::from).collect());
        assert_eq!([0.5, 0.99, 0.999, 1.0].map(|part| sorted.quantile(part)), [500.0, 990.0, 999.0, 1000.0]);
        assert!(Sorted(Vec::new()).quantile(0.5).is_nan());
    }

    #[test]
    fn differences_are_compared_within_rounds() {
        let row = |turns: &[[f64; 3]]| {
            let turns = turns.iter().map(|turn| turn.to_vec()).collect();
            Row { what: "publish", who: "one".into(), turns }
        };
        // The machine is slow for two turns, though not the same calls of both.
        let first = row(&[[10.0, 11.0, 12.0], [13.0, 51.0, 52.0], [14.0, 51.0, 90.0]]);
        let other = row(&[[13.0, 14.0, 15.0], [53.0, 54.0, 59.0], [53.0, 54.0, 55.0]]);
        assert_eq!((more(&other, &first), more(&first, &first)), (3.0, 0.0));
        let all = |row: &Row| Sorted::new(&row.turns.concat()).quantile(0.5);
        assert_eq!(all(&other) - all(&first), 39.0);
        assert!(more(&row(&[]), &first).is_nan());
    }
}
