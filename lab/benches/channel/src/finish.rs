//! The end of the sets that measure programs: prints the report, writes it as JSON, and sets the exit code.

use crate::aims::Aim;
use crate::args::Args;
use crate::error::Fallible;
use crate::log::aims::section;
use crate::machine::Machine;
use crate::stop;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::process::ExitCode;

/// Prints the tables and the targets, writes `document` with machine, targets and failures added, and returns the
/// exit code.
pub fn finish(
    args: &Args,
    machine: &Machine,
    tables: &str,
    aims: &[Aim],
    mut document: Value,
    failed: &[String],
) -> Fallible<ExitCode> {
    print!("{}{tables}{}", machine.header(args.set.title()), section(aims));
    document["machine"] = machine.facts();
    document["aims"] = (aims.iter())
        .map(|a| json!({ "aim": a.text, "verdict": a.verdict.name(), "found": a.found }))
        .collect();
    document["failed"] = json!(failed);
    let out = args.out();
    fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let path = out.join(format!("{}.json", args.set.name()));
    serde_json::to_writer_pretty(File::create(&path)?, &document)?;
    println!("\nWritten to {}.", path.display());
    failed.iter().for_each(|why| println!("FAILED: {why}"));
    Ok(match (stop::asked(), failed.is_empty()) {
        (true, _) => ExitCode::from(130),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::FAILURE,
    })
}
