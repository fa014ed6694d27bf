//! Tables for people, JSON for programs.

use crate::contender::Operation;
use crate::machine::Machine;
use crate::messages::Messages;
use crate::plan::Plan;
use crate::run::Row;
use crate::stats::{quantile, ratio};
use serde_json::{Value, json};
use std::fmt::Write;

/// The contender whose copy is the reference: `memcpy` in C.
const MEMCPY: &str = "C -O2";

/// The row of that contender for the same message.
fn row<'a>(rows: &'a [Row], name: &str, of: &Row, operation: Operation) -> Option<&'a Row> {
    rows.iter().find(|r| r.name == name && r.case == of.case && r.operation == operation)
}

/// The ratio to the time of `memcpy`.
fn to_memcpy(rows: &[Row], of: &Row) -> Option<f64> {
    ratio(&of.times, &row(rows, MEMCPY, of, Operation::Copy)?.times)
}

/// The ratio to the time of LCM in the same language. Operations that LCM does not have are compared with its
/// decoding.
fn to_rival(rows: &[Row], of: &Row) -> Option<f64> {
    let same = row(rows, of.rival, of, of.operation);
    let decode = || row(rows, of.rival, of, Operation::Decode).filter(|_| of.operation == Operation::Reuse);
    ratio(&of.times, &same.or_else(decode)?.times)
}

fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        t if t < 100.0 => format!("{t:.1} ns"),
        t if t < 10_000.0 => format!("{t:.0} ns"),
        t if t < 10_000_000.0 => format!("{:.1} us", t / 1e3),
        t => format!("{:.1} ms", t / 1e6),
    }
}

fn times(ratio: Option<f64>) -> String {
    match ratio {
        None => String::from("-"),
        Some(r) if r < 0.1 => format!("{r:.3}x"),
        Some(r) if r < 10.0 => format!("{r:.2}x"),
        Some(r) => format!("{r:.0}x"),
    }
}

/// A table for each message and operation.
pub fn text(rows: &[Row], messages: &Messages, plan: &Plan) -> String {
    let mut out = format!("{} repetitions of at least {:?} each.\n", plan.reps, plan.turn);
    for case in &messages.cases {
        let _ = writeln!(out, "\n## {}: {}, {} bytes", case.name, case.what, case.bytes.len());
        for operation in [Operation::Copy, Operation::Encode, Operation::Decode, Operation::Reuse] {
            let rows_here = rows.iter().filter(|r| r.case == case.name && r.operation == operation);
            // All copies in C are the same.
            let mut rows_here =
                rows_here.filter(|r| operation != Operation::Copy || is_copy(&r.name)).peekable();
            if rows_here.peek().is_none() {
                continue;
            }
            let title = match operation {
                Operation::Copy => "memcpy of as many bytes",
                Operation::Encode => "encode",
                Operation::Decode => "decode into a new message",
                Operation::Reuse => "decode into a used message",
            };
            let _ = writeln!(
                out,
                "\n  {title:<26} {:>10} {:>10} {:>10} {:>10} {:>10} {:>9} {:>9}",
                "p50", "p10", "p90", "p99", "max", "/memcpy", "/LCM"
            );
            for row in rows_here {
                let at = |part| time(quantile(&row.times, part));
                let _ = writeln!(
                    out,
                    "  {:<26} {:>10} {:>10} {:>10} {:>10} {:>10} {:>9} {:>9}",
                    row.name,
                    at(0.5),
                    at(0.1),
                    at(0.9),
                    at(0.99),
                    at(1.0),
                    times(to_memcpy(rows, row)),
                    times(if operation == Operation::Copy { None } else { to_rival(rows, row) }),
                );
            }
        }
    }
    out + "\n/LCM: against LCM's code in the same language (Rust and XDR: in C; CDR: in C++), at the same optimisation; where LCM \
           cannot decode into used storage, against its decoding.\n"
}

fn is_copy(name: &str) -> bool {
    [MEMCPY, "Rust", "Java", "Python"].contains(&name)
}

/// Everything.
pub fn json(rows: &[Row], messages: &Messages, machine: &Machine, plan: &Plan) -> Value {
    let cases: Vec<Value> = messages
        .cases
        .iter()
        .map(|c| json!({"name": c.name, "what": c.what, "bytes": c.bytes.len()}))
        .collect();
    let results: Vec<Value> = rows
        .iter()
        .map(|row| {
            let at = |part| quantile(&row.times, part);
            json!({
                "contender": row.name,
                "message": row.case,
                "operation": row.operation.name(),
                "count": row.times.len(),
                "operations_per_turn": row.count,
                "p10_ns": at(0.1),
                "p50_ns": at(0.5),
                "p90_ns": at(0.9),
                "p99_ns": at(0.99),
                "max_ns": at(1.0),
                "to_memcpy": to_memcpy(rows, row),
                "to_lcm": to_rival(rows, row),
                "rival": row.rival,
                "times_ns": row.times,
            })
        })
        .collect();
    json!({
        "machine": machine.facts(),
        "repetitions": plan.reps,
        "messages": cases,
        "results": results,
    })
}
