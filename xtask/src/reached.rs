//! `cargo xtask unsafe --reached`: which test reaches each `unsafe` block of the lowest crates, by the compiler's own coverage. Each test
//! runs alone, so that a block gets the name of one that reaches it.

use crate::records;
use crate::run::{Outcome, failed, output, plain, root};
use crate::tools;
use crate::unsafes::{self, Kind, Unsafe};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The crates that are measured: all `unsafe` on the data path is there.
const CRATES: &[&str] = &["crates/os", "crates/ring", "crates/channel"];

/// A test program that cargo has built.
struct Program {
    path: PathBuf,
    /// The folder of its package, where cargo runs it.
    dir: PathBuf,
    /// Its source, relative to the root.
    source: String,
}

/// Runs every test of the crates alone; writes the record and the table.
pub fn run() -> Outcome {
    let llvm = llvm()?;
    let all = unsafes::all(&root())?;
    let wanted: Vec<&Unsafe> = all
        .iter()
        .filter(|one| one.kind == Kind::Block && !one.in_test && CRATES.contains(&one.package().as_str()))
        .collect();
    let (mut reached, mut tests) = (BTreeMap::new(), 0);
    for program in build()? {
        for test in names(&program)? {
            tests += 1;
            let lines = lines(&llvm, &program, &test)?;
            for one in wanted.iter().filter(|one| hits(&lines, one)) {
                let name = format!("`{test}` in {}", program.source);
                reached.entry((one.file.clone(), one.line)).or_insert(name);
            }
        }
        println!("{}: {} of {} blocks are reached so far", program.source, reached.len(), wanted.len());
    }
    let missed = wanted.iter().filter(|one| !reached.contains_key(&(one.file.clone(), one.line)));
    let missed: Vec<String> = missed.map(|one| format!("{}:{}", one.file.display(), one.line)).collect();
    println!("not reached:\n  {}", missed.join("\n  "));
    let figures = json!({
        "crates": CRATES, "tests": tests, "blocks": wanted.len(), "reached": reached.len(), "not_reached": missed,
    });
    records::write("unsafe", "cargo xtask unsafe --reached", &figures)?;
    unsafes::table(&reached)
}

/// The version of the compiler's LLVM, of which the tools must be; installs them.
fn llvm() -> Result<String, String> {
    let version = output(Command::new("rustc").arg("-vV"))?;
    let major = version.lines().find_map(|line| line.strip_prefix("LLVM version: ")?.split('.').next());
    let major = major.ok_or("rustc does not say its version of LLVM")?.to_string();
    tools::install(&[&format!("llvm-{major}")])?;
    Ok(major)
}

/// Builds the test programs with coverage, in a directory of their own.
fn build() -> Result<Vec<Program>, String> {
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--no-run", "--quiet", "--locked", "--message-format=json"]);
    for package in CRATES {
        cargo.args(["-p", &package.replace("crates/", "saltus-")]);
    }
    plain(&mut cargo).env("RUSTFLAGS", "-C instrument-coverage").env("CARGO_TARGET_DIR", "target/coverage");
    // Build scripts are instrumented too, and would leave their counts in the folders of their packages.
    cargo.env("LLVM_PROFILE_FILE", "/dev/null");
    let mut programs = Vec::new();
    for line in output(&mut cargo)?.lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        let (Some(path), true) = (message["executable"].as_str(), message["profile"]["test"] == true) else {
            continue;
        };
        let place = |field: &Value| PathBuf::from(field.as_str().unwrap_or_default());
        let source = place(&message["target"]["src_path"]);
        programs.push(Program {
            path: path.into(),
            dir: place(&message["manifest_path"]).parent().map(Path::to_path_buf).unwrap_or_default(),
            source: source.strip_prefix(root()).unwrap_or(&source).display().to_string(),
        });
    }
    Ok(programs)
}

/// The tests of a program, without those that only other tests start.
fn names(program: &Program) -> Result<Vec<String>, String> {
    let said = output(
        Command::new(&program.path)
            .args(["--list", "--format", "terse"])
            .env("LLVM_PROFILE_FILE", "/dev/null"),
    )?;
    Ok(said.lines().filter_map(|line| line.strip_suffix(": test")).map(String::from).collect())
}

/// The lines that one test executes, by file. A process that is killed leaves no counts; those that it would have left are missing.
fn lines(llvm: &str, program: &Program, test: &str) -> Result<BTreeMap<PathBuf, BTreeSet<usize>>, String> {
    let dir = root().join("target/coverage/counts");
    if dir.exists() {
        fs::remove_dir_all(&dir).map_err(failed(&dir))?;
    }
    fs::create_dir_all(&dir).map_err(failed(&dir))?;
    let mut run = Command::new(&program.path);
    run.args([test, "--exact", "--test-threads=1"]).current_dir(&program.dir);
    let status = run
        .env("LLVM_PROFILE_FILE", dir.join("%p.profraw"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !status.map_err(|e| format!("{}: {e}", program.path.display()))?.success() {
        return Err(format!("{test} in {} fails with coverage", program.source));
    }
    let raw: Vec<PathBuf> =
        fs::read_dir(&dir).map_err(failed(&dir))?.flatten().map(|entry| entry.path()).collect();
    if raw.is_empty() {
        return Ok(BTreeMap::new());
    }
    let merged = dir.join("merged");
    let mut merge = Command::new(format!("llvm-profdata-{llvm}"));
    output(merge.args(["merge", "--sparse", "--failure-mode=all", "-o"]).arg(&merged).args(&raw))?;
    let mut export = Command::new(format!("llvm-cov-{llvm}"));
    export
        .args(["export", "--format=lcov", "--skip-functions"])
        .arg(format!("--instr-profile={}", merged.display()));
    Ok(executed(&output(export.arg(&program.path).args(CRATES))?))
}

/// The executed lines in a table of lcov.
fn executed(lcov: &str) -> BTreeMap<PathBuf, BTreeSet<usize>> {
    let mut lines = BTreeMap::<PathBuf, BTreeSet<usize>>::new();
    let mut file = PathBuf::new();
    for line in lcov.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            file = Path::new(path).strip_prefix(root()).unwrap_or(Path::new(path)).to_path_buf();
        } else if let Some((line, count)) = line.strip_prefix("DA:").and_then(|counts| counts.split_once(','))
            && count != "0"
        {
            lines.entry(file.clone()).or_default().extend(line.parse::<usize>());
        }
    }
    lines
}

/// Whether a line of the block was executed.
fn hits(lines: &BTreeMap<PathBuf, BTreeSet<usize>>, block: &Unsafe) -> bool {
    lines.get(&block.file).is_some_and(|lines| lines.range(block.line..=block.end).next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executed_lines_are_read_from_lcov() {
        let lines =
            executed("SF:crates/a.rs\nDA:1,0\nDA:2,1\nDA:3,17\nend_of_record\nSF:crates/b.rs\nDA:1,5\n");
        assert_eq!(lines[Path::new("crates/a.rs")], BTreeSet::from([2, 3]));
        let block = |line, end| Unsafe {
            file: "crates/a.rs".into(),
            line,
            end,
            kind: Kind::Block,
            in_test: false,
            reason: String::new(),
        };
        assert!(hits(&lines, &block(1, 2)) && hits(&lines, &block(3, 3)) && !hits(&lines, &block(1, 1)));
    }
}
