//! Runs the litmus tests and their mutations. README.md describes them.

use saltus_litmus::report::{Report, root};
use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "usage: saltus-litmus [write]

  (nothing)   run all tests and mutations, and compare README.md with them
  write       write README.md and lab/records/litmus.json from them";

/// What the generated part of README.md begins with.
const MARK: &str = "<!-- What follows is generated: cargo run -p saltus-litmus -- write -->\n";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let write = match &args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["write"] => true,
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(write) {
        Ok(()) => ExitCode::SUCCESS,
        Err(wrong) => {
            wrong.iter().for_each(|what| eprintln!("saltus-litmus: {what}"));
            ExitCode::FAILURE
        }
    }
}

fn run(write: bool) -> Result<(), Vec<String>> {
    let began = Instant::now();
    let one = |what: String| vec![what];
    let report = Report::make().map_err(|mistake| one(mistake.to_string()))?;
    let (classics, protocols) = report.counts();
    let (candidates, allowed) = report.executions();
    println!(
        "{classics} classic tests and {protocols} tests of protocols: {candidates} candidate executions"
    );
    println!("allowed by C11 {}, by ARMv8 {}, by x86 {}", allowed[0], allowed[1], allowed[2]);
    println!("{} mutations in {:.1} s", report.mutations.len(), began.elapsed().as_secs_f64());
    if !report.wrong.is_empty() {
        return Err(report.wrong);
    }
    let page = root().join("lab/litmus/README.md");
    let text = std::fs::read_to_string(&page).map_err(|e| one(format!("cannot read README.md: {e}")))?;
    let (before, after) =
        text.split_once(MARK).ok_or_else(|| one(format!("README.md has no line `{}`", MARK.trim())))?;
    let now = format!("\n{}", report.page());
    if write {
        std::fs::write(&page, format!("{before}{MARK}{now}"))
            .and_then(|()| record(&report))
            .map_err(|e| one(format!("cannot write: {e}")))
    } else if after != now {
        Err(one("README.md is not what was found: `cargo run -p saltus-litmus -- write`".into()))
    } else {
        Ok(())
    }
}

/// Writes the figures, with when and from what they were made.
fn record(report: &Report) -> std::io::Result<()> {
    let said = |program: &str, args: &[&str]| {
        let output = Command::new(program).args(args).current_dir(root()).output()?;
        Ok::<_, std::io::Error>(String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let record = serde_json::json!({
        "date": said("date", &["--utc", "+%Y-%m-%d"])?,
        "commit": said("git", &["rev-parse", "HEAD"])?,
        "command": "cargo run -p saltus-litmus -- write",
        "figures": report.figures(),
    });
    let dir = root().join("lab/records");
    std::fs::create_dir_all(&dir)?;
    std::fs::write(dir.join("litmus.json"), format!("{record:#}\n"))
}
