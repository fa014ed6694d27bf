//! One set of cases for all languages: each alone, and each pair of them, over shared memory and LCM's multicast.
//! The cases are data (`cases/*.json`). README.md describes their format, and the commands of the driver programs
//! (`drivers/`).
//!
//! `cargo xtask conformance [WORD…]` runs those whose name contains one of the words; words that are languages
//! leave out the others.

mod case;
mod codes;
mod driver;
mod expect;
mod kills;
mod languages;
mod place;
mod play;
mod ports;
mod words;

use case::{Case, Provider};
use kills::Kill;
use languages::Language;
use play::Cast;
use saltus_conformance_types::tools::{Result, in_parallel};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Programs that run cases together, or one that is killed.
enum Job<'a> {
    Cases(Cast<'a>),
    Kill(Kill<'a>),
}

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(failures) if failures.is_empty() => ExitCode::SUCCESS,
        Ok(failures) => {
            eprintln!("\n{}\n\n{} failed", failures.join("\n\n"), failures.len());
            ExitCode::FAILURE
        }
        Err(why) => {
            eprintln!("conformance: {why}");
            ExitCode::from(2)
        }
    }
}

/// Number of concurrent runs, since most of them mostly wait.
const AT_ONCE: usize = 6;

/// Runs all cases that the words select; returns the failures.
fn run(words: Vec<String>) -> Result<Vec<String>> {
    may_have_networks()?;
    let (wanted, words): (Vec<_>, Vec<_>) =
        words.into_iter().partition(|word| languages::ALL.iter().any(|(key, _)| key == word));
    let (codes, cases) = (codes::read()?, case::read()?);
    let is_wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let cases: Vec<&Case> = cases.iter().filter(|case| is_wanted(&case.name)).collect();
    let start = Instant::now();
    let languages = languages::build(&build_directory()?, &wanted)?;
    let names: Vec<&str> = languages.iter().map(|language| language.name.as_str()).collect();
    let took = start.elapsed().as_secs_f64();
    println!("{} cases for {}; their programs are built in {took:.1} s", cases.len(), names.join(", "));
    print_exclusions(&cases, &languages);
    let start = Instant::now();
    let jobs = jobs(&languages, is_wanted("kills"));
    let outcomes = in_parallel(AT_ONCE, &jobs, |job| match job {
        Job::Cases(cast) => cast.play(&cases, &codes),
        Job::Kill(kill) => kill.play(),
    });
    let (played, failures): (Vec<usize>, Vec<Vec<String>>) = outcomes.into_iter().unzip();
    let (all, took) = (played.iter().sum::<usize>(), start.elapsed().as_secs_f64());
    println!("{all} plays in {took:.1} s");
    if all == 0 {
        return Err("no case was played: none is called so".into());
    }
    Ok(failures.concat())
}

/// Each language alone, each pair of them, and one of each pair killed.
fn jobs(languages: &[Language], kills: bool) -> Vec<Job<'_>> {
    let mut jobs = Vec::new();
    for provider in Provider::ALL {
        for one in languages {
            jobs.push(Job::Cases(Cast { provider, roles: vec![("program", one)] }));
            for other in languages {
                jobs.push(Job::Cases(Cast {
                    provider,
                    roles: vec![("publisher", one), ("subscriber", other)],
                }));
                if kills && are_killed_together(one, other) {
                    jobs.push(Job::Kill(Kill { provider, killed: one, other }));
                }
            }
        }
    }
    jobs
}

/// A kill starts eleven programs, and one in Octave takes half a second to start: it is killed, or continues, only
/// together with Rust.
fn are_killed_together(one: &Language, other: &Language) -> bool {
    let keys = [one.key, other.key];
    !keys.contains(&"octave") || keys.contains(&"rust")
}

/// Prints the excused cases of each language, with the reason.
fn print_exclusions(cases: &[&Case], languages: &[Language]) {
    for language in languages {
        for case in cases {
            for role in if case.is_of_two() { &["publisher", "subscriber"][..] } else { &["program"] } {
                if let Some(why) = case.cannot(role, language.key) {
                    println!("not asked of {}, {role} of `{}`: {why}", language.name, case.name);
                }
            }
        }
    }
}

fn build_directory() -> Result<std::path::PathBuf> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    Ok(program.with_file_name("conformance-bindings"))
}

/// A process that may not create networks restarts as root of a user namespace.
fn may_have_networks() -> Result<()> {
    const AGAIN: &str = "SALTUS_CONFORMANCE_AGAIN";
    let Err(why) = saltus_netns::Space::new() else { return Ok(()) };
    if std::env::var_os(AGAIN).is_some() {
        return Err(format!("no separate networks, not even with `unshare`: {why}; run it as root"));
    }
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut again = Command::new("unshare");
    again
        .args(["--user", "--map-root-user", "--net"])
        .arg(program)
        .args(std::env::args().skip(1))
        .env(AGAIN, "1");
    Err(format!("cannot run `unshare` (package util-linux): {}", again.exec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_cases_are_valid_arguments_and_name_existing_languages() {
        let (cases, codes) = (case::read().unwrap(), codes::read().unwrap());
        assert!(cases.len() > 20);
        for case in &cases {
            for step in case.steps.iter().filter(|step| step.verb != "answer") {
                words::line(step, "domain").unwrap_or_else(|why| panic!("{}: {why}", case.name));
            }
            for (who, why) in case.excused() {
                assert!(languages::KEYS.contains(&who) && !why.is_empty(), "{}: {who}", case.name);
            }
            let errors = case.steps.iter().filter_map(|step| step.expected()["error"].as_str());
            errors.for_each(|name| {
                assert!(codes.iter().any(|code| code.name == name), "{}: {name}", case.name)
            });
        }
        let mut names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), cases.len(), "each has a unique name");
    }
}
