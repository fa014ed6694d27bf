//! Tables for people, JSON for programs, and the one target.

use super::run::{Company, Run, Where};
use crate::aims::{Aim, Verdict};
use crate::stats::{Ratio, median};
use crate::table::{count, ns};
use hdrhistogram::Histogram;
use serde_json::{Value, json};
use std::fmt::Write;

/// The loads, in the order of [`Run::times`].
const LOADS: [&str; 2] = ["1 kHz on 20 channels", "full rate on one"];
/// The quantiles that are compared.
const QUANTILES: [(&str, f64); 3] = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)];

/// The quantile of each repetition.
fn each(runs: &[Run], place: Where, company: Company, load: usize, q: f64) -> Vec<(usize, f64)> {
    let runs = runs.iter().filter(|run| (run.place, run.company) == (place, company));
    runs.map(|run| (run.rep, run.times[load].calls.value_at_quantile(q) as f64)).collect()
}

/// The ratios of one company to another in the same repetition.
fn ratio(
    runs: &[Run],
    place: Where,
    (ours, theirs): (Company, Company),
    load: usize,
    q: f64,
) -> Option<Ratio> {
    Ratio::of(&each(runs, place, ours, load, q), &each(runs, place, theirs, load, q))
}

fn places(runs: &[Run]) -> impl Iterator<Item = Where> {
    [Where::Apart, Where::Anywhere].into_iter().filter(|place| runs.iter().any(|run| run.place == *place))
}

/// All measurements.
pub fn tables(runs: &[Run], most: usize) -> String {
    let mut out = String::new();
    let mut companies: Vec<Company> = Vec::new();
    runs.iter().for_each(|run| {
        if !companies.contains(&run.company) {
            companies.push(run.company);
        }
    });
    for place in places(runs) {
        for (load, what) in LOADS.iter().enumerate() {
            let _ = writeln!(out, "\n## Publish calls, {what}; {}\n", place.name());
            let head = ["p50", "p99", "p99.9", "max", "count", "publishes/s", "their cores"];
            let head = head.map(|word| format!(" {word:>11}")).concat();
            let _ =
                writeln!(out, "  {:<14}{head}  p50, p99, p99.9: ratio to 0 spies (smallest..largest)", "");
            for &company in &companies {
                let same: Vec<&Run> =
                    runs.iter().filter(|run| (run.place, run.company) == (place, company)).collect();
                let Some(calls) = merged(&same, load) else { continue };
                let of = |value: fn(&Run, usize) -> f64| {
                    median(&same.iter().map(|run| value(run, load)).collect::<Vec<_>>()).unwrap_or(0.0)
                };
                let mut cells = QUANTILES.map(|(_, q)| ns(calls.value_at_quantile(q) as f64)).to_vec();
                cells.extend([ns(calls.max() as f64), calls.len().to_string()]);
                cells.push(count(of(|run, load| run.times[load].rate)));
                cells.push(format!("{:.3}", of(|run, _| run.share)));
                let cells: String = cells.iter().map(|cell| format!(" {cell:>11}")).collect();
                let ratios = QUANTILES.map(|(_, q)| {
                    let ratio = ratio(runs, place, (company, Company::Spies(0)), load, q);
                    ratio.map_or("-".into(), |r| format!("{:.2} ({:.2}..{:.2})", r.median, r.min, r.max))
                });
                let _ = writeln!(out, "  {:<14}{cells}  {}", company.name(most), ratios.join("  "));
            }
        }
    }
    out + "\n  \"their cores\" is the processor time of all spies, or burners, together, as a part of one core, over both loads.\n"
}

fn merged(runs: &[&Run], load: usize) -> Option<Histogram<u64>> {
    let mut all = runs.first()?.times[load].calls.clone();
    runs[1..].iter().try_for_each(|run| all.add(&run.times[load].calls)).ok()?;
    Some(all)
}

/// Whether the ratio of the most spies to none is within the ratio of none to none repeated. The ratio to burners
/// separates the effect of reading from the effect of a busy machine.
pub fn judge(runs: &[Run], most: usize) -> Vec<Aim> {
    let mut aims = Vec::new();
    for place in [Where::Apart, Where::Anywhere] {
        for (load, what) in LOADS.iter().enumerate() {
            for (name, q) in &QUANTILES[..2] {
                let of = |company, base| {
                    ratio(runs, place, (company, base), load, *q).filter(|r| r.each.len() > 1)
                };
                let spies = of(Company::Spies(most), Company::Spies(0));
                let (noise, burners) =
                    (of(Company::NobodyAgain, Company::Spies(0)), of(Company::Spies(most), Company::Burners));
                let text =
                    format!("{name} of publish, {what}, {}: {most} spies are within noise", place.name());
                let (verdict, found) = match (&spies, &noise) {
                    (Some(spies), Some(noise)) => {
                        let verdict =
                            if spies.median <= noise.max { Verdict::Reached } else { Verdict::Missed };
                        let burners = burners.map_or(String::new(), |r| {
                            format!("; {:.2} ({:.2}..{:.2}) x that next to burners", r.median, r.min, r.max)
                        });
                        let found = format!(
                            "{:.2} ({:.2}..{:.2}) x 0 spies; 0 spies repeated are {:.2} ({:.2}..{:.2}){burners}",
                            spies.median, spies.min, spies.max, noise.median, noise.min, noise.max
                        );
                        (verdict, found)
                    }
                    _ => (Verdict::Unknown, "one repetition does not show the noise".into()),
                };
                aims.push(Aim { text, verdict, found, lost: Vec::new() });
            }
        }
    }
    aims
}

/// Every measurement.
pub fn json(runs: &[Run], most: usize) -> Value {
    let runs = runs.iter().map(|run| {
        let loads = LOADS.iter().zip(&run.times).map(|(load, times)| {
            let value = |q: f64| times.calls.value_at_quantile(q);
            json!({
                "load": load,
                "count": times.calls.len(),
                "publishes_per_second": times.rate,
                "p50_ns": value(0.5),
                "p99_ns": value(0.99),
                "p99_9_ns": value(0.999),
                "max_ns": times.calls.max(),
            })
        });
        json!({
            "place": run.place.name(),
            "company": run.company.name(most),
            "rep": run.rep,
            "their_cores": run.share,
            "publish": loads.collect::<Vec<_>>(),
        })
    });
    json!({ "runs": runs.collect::<Vec<_>>() })
}
