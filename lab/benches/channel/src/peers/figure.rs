//! The figure of the set of peers: latencies by percentile, and the findings in sentences.

use crate::case::{Place, Scenario};
use crate::diagrams::{Axis, Line, Panel, panels};
use crate::error::Fallible;
use crate::outcome::Metric;
use crate::papers::figure::ranking;
use crate::plan_peers::LARGE;
use crate::results::{Results, Row};
use crate::stats::median;
use crate::table::count;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// One panel: a scenario's rows on one core or on two.
const DRAWN: [(&str, Scenario, Metric, Place); 3] = [
    ("round trip, halved, one core", Scenario::Pingpong, Metric::OneWay, Place::OneCore),
    ("round trip, halved, two cores", Scenario::Pingpong, Metric::OneWay, Place::TwoCores),
    ("1 kHz, since due, two cores", Scenario::Paced, Metric::Response, Place::TwoCores),
];
/// The percentiles that are drawn, as fractions of the messages; the maximum comes last.
const QUANTILES: [f64; 7] = [0.0, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999];

/// Writes `peers.svg`; returns the sentences with a link to it, as Markdown.
pub fn write(results: &Results, out: &Path) -> Fallible<String> {
    let mut text = String::from("\n## What it shows\n\n");
    let mut drawn = Vec::new();
    for (title, scenario, metric, place) in DRAWN {
        let mut rows = results.rows(scenario);
        rows.retain(|row| row.metric == metric && row.cell.case.place == place && !row.times.is_empty());
        text.extend(ranking(rows.iter(), title).map(|reported| format!("- {reported}\n")));
        let lines: Vec<Line> = rows.iter().map(line).collect();
        if !lines.is_empty() {
            let x = ("one in N takes longer".into(), Axis::Log);
            drawn.push(Panel { title: format!("64 B, {title}"), x, y: ("time".into(), Axis::Time), lines });
        }
    }
    text.extend(without_loss(results));
    if !drawn.is_empty() {
        fs::write(out.join("peers.svg"), panels(&drawn)?)?;
        let _ = writeln!(text, "\n![times of the peers](peers.svg)");
    }
    Ok(text)
}

fn line(row: &Row<'_>) -> Line {
    let all = row.times.len() as f64;
    let at = |q: f64| row.times.value_at_quantile(q) as f64 / row.metric.per_ns();
    // No percentile that is finer than the number of messages.
    let rare = QUANTILES.map(|q| (1.0 / (1.0 - q), at(q)));
    let points = rare.into_iter().filter(|(x, _)| *x < all).chain([(all, at(1.0))]).collect();
    Line { name: row.cell.contender.into(), points }
}

/// Which peers carried most and least of 1 MB messages without loss.
fn without_loss(results: &Results) -> Option<String> {
    let rows = results.rows(Scenario::Lossless);
    let rows = rows.iter().filter(|row| row.metric == Metric::Response && row.cell.case.size == LARGE);
    let mut rates: Vec<(f64, &str)> =
        rows.filter_map(|row| Some((median(&row.cell.rates())?, row.cell.contender))).collect();
    rates.sort_by(|a, b| b.0.total_cmp(&a.0));
    let [(most, first), .., (least, last)] = rates[..] else { return None };
    let rate =
        |rate: f64| if rate > 0.0 { format!("{} messages/s", count(rate)) } else { "not at 30".into() };
    Some(format!(
        "- 1 MB without loss: most over `{first}` ({}), least over `{last}` ({})\n",
        rate(most),
        rate(least)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan_peers::cases;
    use crate::results::tests::add;

    #[test]
    fn times_are_drawn_as_rare_as_they_were_and_sentences_name_first_and_last() {
        let mut results = Results { reference: "shm://", ..Results::default() };
        let paced = cases(Scenario::Paced, false)[0];
        let few: Vec<f64> = (1..=20).map(|n| f64::from(n) * 1_000.0).collect();
        add(&mut results, paced, "shm://", Metric::Response, &few);
        add(&mut results, paced, "lcm", Metric::Response, &[90_000.0, 95_000.0]);
        let lossless = cases(Scenario::Lossless, false)[0];
        add(&mut results, lossless, "lcm", Metric::Response, &[4e9]);
        add(&mut results, lossless, "shm://", Metric::Response, &[1e6]);
        let rows = results.rows(Scenario::Paced);
        let drawn = line(&rows[0]);
        assert_eq!(drawn.points.iter().map(|p| p.0.round()).collect::<Vec<_>>(), [1.0, 2.0, 4.0, 10.0, 20.0]);
        assert!(drawn.points.is_sorted_by(|a, b| a.1 <= b.1), "{drawn:?}");

        let out = std::env::temp_dir().join(format!("saltus-bench-peers-{}", std::process::id()));
        fs::create_dir_all(&out).expect("a directory");
        let text = write(&results, &out).expect("written");
        assert!(
            text.contains("1 kHz, since due, two cores: lowest p99 `shm://`")
                && text.contains("highest `lcm`"),
            "{text}"
        );
        assert!(
            text.contains("most over `shm://` (1.00k messages/s), least over `lcm` (not at 30)"),
            "{text}"
        );
        assert!(text.contains("(peers.svg)") && out.join("peers.svg").is_file());
        fs::remove_dir_all(&out).expect("only ours");
    }
}
