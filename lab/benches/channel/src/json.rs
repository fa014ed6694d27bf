//! The results as JSON: one object for each row, with all percentiles and the ratios of every repetition.

use crate::aims::Aim;
use crate::case::{Mode, Place, Policy, Scenario};
use crate::contender::Contender;
use crate::machine::Machine;
use crate::results::{Results, Row};
use crate::stats::Ratio;
use serde_json::{Value, json};

/// One object for each row.
pub fn rows(results: &Results) -> Vec<Value> {
    Scenario::ALL.iter().flat_map(|s| results.rows(*s)).map(|row| object(&row)).collect()
}

/// The complete document.
pub fn document(results: &Results, machine: &Machine, aims: &[Aim]) -> Value {
    let counted: Vec<Value> = (results.counted.iter())
        .map(|c| {
            json!({
                "contender": c.contender,
                "case": c.case.to_string(),
                "publishes": c.publishes,
                "calls": c.calls,
                "calls_per_publish": c.per_publish(),
            })
        })
        .collect();
    let steps: Vec<Value> = (results.steps.iter())
        .map(|s| json!({ "contender": s.contender, "case": s.case.to_string(), "instructions": s.per_message }))
        .collect();
    let aims: Vec<Value> = (aims.iter())
        .map(|a| json!({ "aim": a.text, "verdict": a.verdict.name(), "found": a.found, "lost": a.lost }))
        .collect();
    let skipped: Vec<Value> = (results.skipped.iter())
        .map(|(case, who, why)| json!({ "case": case.to_string(), "contender": who, "why": why }))
        .collect();
    let notes: Vec<Value> = (results.notes.iter())
        .map(|n| json!({ "case": n.case.to_string(), "contender": n.contender, "rep": n.rep, "value": n.value, "found": n.text }))
        .collect();
    let failed: Vec<Value> = (results.failed.iter())
        .map(|(case, who, why)| json!({ "case": case.to_string(), "contender": who, "why": why }))
        .collect();
    json!({
        "machine": machine.facts(),
        "rows": rows(results),
        "syscalls": counted,
        "instructions": steps,
        "aims": aims,
        "skipped": skipped,
        "notes": notes,
        "failed": failed,
    })
}

/// Versions of the contenders that are not part of this workspace, by name.
pub fn versions(contenders: &[Box<dyn Contender>]) -> Value {
    contenders.iter().filter_map(|c| Some((c.name(), c.version()?))).collect()
}

fn object(row: &Row<'_>) -> Value {
    let (case, cell) = (&row.cell.case, row.cell);
    let at = |q: f64| row.times.value_at_quantile(q) as f64 / row.metric.per_ns();
    let reps: Vec<Value> = (cell.values(row.metric).iter())
        .map(|(number, value)| json!({ "rep": number, "ns": value }))
        .collect();
    json!({
        "scenario": case.scenario.name(),
        "metric": row.metric.name(),
        "contender": cell.contender,
        "place": match case.place { Place::OneCore => "1core", Place::TwoCores => "2cores", Place::Anywhere => "anywhere" },
        "policy": match case.policy { Policy::Default => "default", Policy::Fifo => "fifo" },
        "readers_mode": match case.mode { Mode::Poll => "poll", Mode::Sleep => "sleep", Mode::Stopped => "stopped" },
        "size": case.size,
        "readers": case.readers,
        "writers": case.writers,
        "depth": case.depth(),
        "rate": case.rate,
        "hops": case.hops,
        "part": case.part,
        "count": row.times.len(),
        "mean_ns": row.times.mean() / row.metric.per_ns(),
        "p50_ns": at(0.5),
        "p90_ns": at(0.9),
        "p99_ns": at(0.99),
        "p99_9_ns": at(0.999),
        "p99_99_ns": at(0.9999),
        "max_ns": row.times.max() as f64 / row.metric.per_ns(),
        "cpu_ns_per_message": cell.cpu_per_message(),
        "received_per_second_each": cell.rates(),
        "missed": cell.missed(),
        "each_rep": reps,
        "ratio": row.ratio.as_ref().map(ratio),
    })
}

fn ratio(ratio: &Ratio) -> Value {
    json!({ "median": ratio.median, "min": ratio.min, "max": ratio.max, "each": ratio.each })
}
