//! The set `all`: the other sets one after the other, each in a separate run of this program, and one page with
//! their results. Parts that an interrupted run has finished are not measured again.

mod comparison;
mod html;
mod page;

use crate::args::Args;
use crate::error::Fallible;
use crate::machine::Machine;
use crate::stop;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant, SystemTime};

/// A set, its options in the quick form, and the minutes that it then takes on two cores.
struct Part {
    /// The set; `marshal` is the other benchmark, of encoding and decoding.
    set: &'static str,
    quick: &'static [&'static str],
    minutes: f64,
}

/// In the order in which they run.
const PARTS: [Part; 7] = [
    Part { set: "channel", quick: &["--short"], minutes: 1.0 },
    Part { set: "hiccup", quick: &["--short"], minutes: 0.6 },
    Part { set: "net", quick: &["--short"], minutes: 1.0 },
    Part { set: "dali", quick: &["--reps", "1", "--scale", "0.4"], minutes: 3.0 },
    Part { set: "ach", quick: &["--reps", "1", "--scale", "0.4"], minutes: 3.0 },
    Part { set: "lcm", quick: &["--reps", "1", "--scale", "0.2"], minutes: 4.0 },
    Part { set: MARSHAL, quick: &["--short"], minutes: 0.7 },
];

/// The benchmark of encoding and decoding.
const MARSHAL: &str = "marshal";

/// The program that measures a part: this one, or the one next to it.
fn program(part: &Part) -> Fallible<PathBuf> {
    let this = std::env::current_exe()?;
    let path = if part.set == MARSHAL { this.with_file_name("saltus-bench-marshal") } else { this };
    if !path.is_file() {
        let words = "`cargo build --profile dist -p saltus-bench-marshal` makes it";
        return Err(format!("no program {}: {words}", path.display()).into());
    }
    Ok(path)
}

/// The command-line options of a part.
fn words(part: &Part, args: &Args) -> Vec<&'static str> {
    match (args.quick, args.short) {
        (true, _) => part.quick.to_vec(),
        (_, true) => vec!["--short"],
        _ => Vec::new(),
    }
}

/// Runs the parts that are not finished yet, and writes the page.
pub fn bench(args: &Args) -> Fallible<ExitCode> {
    let out = args.out();
    let machine = Machine::read(args.repetitions());
    let mut failed = Vec::new();
    let mut left: f64 = PARTS.iter().map(|part| part.minutes).sum();
    for (index, part) in PARTS.iter().enumerate() {
        let (dir, words) = (out.join(part.set), words(part, args));
        let place = format!("part {} of {}: {}", index + 1, PARTS.len(), part.set);
        let program = program(part);
        if program.as_ref().is_ok_and(|program| is_finished(&dir, program, &words)) {
            eprintln!("{place}: kept an earlier result (remove {} to measure again)", dir.display());
        } else if !stop::asked() {
            let time = if args.quick { format!("; about {left:.0} min are left") } else { String::new() };
            eprintln!("{place}{time}");
            let began = Instant::now();
            match program.and_then(|program| run(&program, part.set, &words, &dir)) {
                Ok(()) => eprintln!("{place}: {}", spent(began.elapsed())),
                Err(_) if stop::asked() => {}
                Err(why) => failed.push(format!("{}: {why}", part.set)),
            }
        }
        left -= part.minutes;
    }
    let found: Vec<_> = PARTS.iter().map(|part| page::Part::read(part.set, &out.join(part.set))).collect();
    let path = out.join("report.html");
    fs::write(&path, page::page(&found, &machine.header(args.set.title()), &failed))?;
    println!("Written to {}.", path.display());
    failed.iter().for_each(|why| println!("FAILED: {why}"));
    if stop::asked() {
        println!("Interrupted: run the same command again to continue.");
        return Ok(ExitCode::from(130));
    }
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The record of a complete part: the build that measured it, and its options.
fn record(program: &Path, words: &[&str]) -> Fallible<String> {
    let built = fs::metadata(program)?.modified()?.duration_since(SystemTime::UNIX_EPOCH)?;
    Ok(format!("{} {} {}\n", env!("CARGO_PKG_VERSION"), built.as_secs(), words.join(" ")))
}

/// Creates the directory of a part. Results of another build or with other options are removed.
fn begin(dir: &Path, record: &str) -> Fallible<()> {
    let begun = dir.join("begun");
    if fs::read_to_string(&begun).is_ok_and(|text| text != record) {
        fs::remove_dir_all(dir)?;
    }
    fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    Ok(fs::write(begun, record)?)
}

fn is_finished(dir: &Path, program: &Path, words: &[&str]) -> bool {
    let known = fs::read_to_string(dir.join("finished"));
    known.is_ok_and(|text| record(program, words).is_ok_and(|record| text == record))
}

/// Runs one part; its report goes to `report.txt`, its progress to the terminal.
fn run(program: &Path, set: &str, words: &[&str], dir: &Path) -> Fallible<()> {
    begin(dir, &record(program, words)?)?;
    let report = File::create(dir.join("report.txt"))?;
    let mut command = Command::new(program);
    command.args((set != MARSHAL).then_some(set)).args(words).arg("--out").arg(dir).stdout(report);
    let status = command.status()?;
    if !status.success() {
        eprint!("{}", fs::read_to_string(dir.join("report.txt"))?);
        return Err(format!("{status}; its report is {}", dir.join("report.txt").display()).into());
    }
    fs::write(dir.join("finished"), record(program, words)?)?;
    Ok(())
}

fn spent(time: Duration) -> String {
    format!("took {} min {} s", time.as_secs() / 60, time.as_secs() % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn a_part_is_finished_only_by_the_same_build_with_the_same_words() {
        let dir = std::env::temp_dir().join(format!("saltus-bench-all-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("a directory");
        let program = std::env::current_exe().expect("this test");
        let record = |words: &[&str]| record(&program, words).expect("a build");
        let is_finished = |words: &[&str]| is_finished(&dir, &program, words);
        assert!(!is_finished(&["--short"]));
        fs::write(dir.join("finished"), record(&["--short"])).expect("written");
        assert!(is_finished(&["--short"]) && !is_finished(&[]));
        // Unfinished parts of the same build are resumed; results of another build are removed.
        for (words, stays) in [(&["--short"][..], true), (&["--short"], true), (&[], false)] {
            begin(&dir, &record(words)).expect("begun");
            assert_eq!(dir.join("finished").exists(), stays);
        }
        fs::remove_dir_all(&dir).expect("only ours");
    }

    #[test]
    fn parts_get_the_options_of_the_form() {
        for line in [&["bench", "all", "--quick"][..], &["bench", "all", "--short"], &["bench", "all"]] {
            let args = Args::parse_from(line);
            for part in PARTS.iter().filter(|part| part.set != MARSHAL) {
                let words = words(part, &args);
                let all = ["bench", part.set].into_iter().chain(words.iter().copied());
                Args::try_parse_from(all).expect("a legal command line");
                assert_eq!(words.is_empty(), line.len() == 2);
            }
        }
    }
}
