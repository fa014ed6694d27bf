//! Encoding and decoding, side by side: our Rust, C, C++, Java and Python, LCM's, XDR, CDR, and plain `memcpy`.
//!
//! See `README.md`. Nothing is asserted about speed; that all contenders make the same bytes is.

mod contender;
mod machine;
mod messages;
mod native;
mod plan;
mod programs;
mod report;
mod run;
mod stats;

use clap::Parser;
use contender::Result;
use std::path::PathBuf;
use std::process::ExitCode;

/// Encoding and decoding: ours, LCM's, XDR, CDR and memcpy, side by side in one run.
#[derive(Debug, Parser)]
#[command(name = "bench marshal")]
struct Args {
    /// Fewer and shorter repetitions: to see that it works
    #[arg(long)]
    short: bool,
    /// Where to write results.json
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Repetitions [default: 31, or 5 with --short]
    #[arg(long, value_name = "N")]
    reps: Option<usize>,
    /// Only contenders whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

fn main() -> ExitCode {
    match bench(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("bench marshal: {why}");
            ExitCode::FAILURE
        }
    }
}

fn bench(args: &Args) -> Result<()> {
    let plan = plan::Plan::new(args.short, args.reps);
    let dir = programs::directory()?;
    let messages = messages::write(&dir.join("messages"))?;
    let mut contenders = programs::build(&dir, &messages, args.only.as_deref())?;
    run::verify(&mut contenders, &messages)?;
    let machine = machine::Machine::read();
    let results = run::run(&mut contenders, &messages, &plan)?;
    print!("{}{}", machine.header(), report::text(&results, &messages, &plan));
    if let Some(out) = &args.out {
        std::fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
        let path = out.join("results.json");
        let text = format!("{:#}\n", report::json(&results, &messages, &machine, &plan));
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        println!("\nwritten: {}", path.display());
    }
    Ok(())
}
