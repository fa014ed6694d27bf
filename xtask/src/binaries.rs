//! Test programs of the workspace. Cargo builds them, but would run one after the other. Most of them wait for much of their time, so
//! they run in parallel here, one per CPU. Those that measure time or load the machine run [`ALONE`], in a step of their own.

use crate::failures;
use crate::group::Watch;
use crate::run::{self, Outcome, Step, answer, root, show, whole};
use std::collections::VecDeque;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// Test programs that run while no other runs: the package, the target, and why.
const ALONE: &[(&str, &str, &str)] = &[
    ("examples/robot", "demo", "the robot falls if its controller is late"),
    ("crates/cli", "demo", "the robot falls if its controller is late"),
    ("crates/cli", "play", "messages are published at their time"),
    ("crates/cli", "hiccup", "measures how late a program is"),
    ("crates/cli", "measure", "measures how late a program is"),
    ("crates/cli", "doctor", "looks at the load of the whole machine"),
    ("crates/doctor", "saltus_doctor", "looks at the load of the whole machine"),
    ("crates/channel", "invariants", "compares what calls cost"),
    ("crates/ring", "invariant_1", "compares what calls cost"),
    ("crates/spy", "steady", "a rate is right to 1 %"),
    ("crates/net", "lcm", "LCM's receive buffers overflow if it is late"),
    ("crates/net", "udpm", "receive buffers overflow if it is late"),
    ("crates/net", "mpudpm", "receive buffers overflow if it is late"),
    ("crates/net", "tcpq_flood", "keeps all processors busy, and bounds how long a hub takes"),
    ("crates/web", "page", "Chromium, whose frames have to come in time"),
    ("crates/web", "gate", "bounds how long a server takes"),
    ("crates/web", "stalled", "bounds how long a server takes"),
    ("bindings/c", "control_loop", "a loop that has to be in time"),
    ("compat/ach", "hubo", "the robot falls if its daemon is late"),
    ("lab/benches/channel", "net", "pins processes to processors, and polls"),
    ("lab/benches/channel", "papers", "pins processes to processors, and polls"),
    ("lab/benches/channel", "peers", "pins processes to processors, and polls"),
    ("lab/benches/command", "command", "pins processes to processors, and polls"),
];

/// Test programs that another check runs: the package, the target, and that check.
const ELSEWHERE: &[(&str, &str, &str)] =
    &[("bindings/c", "sanitizers", "`sanitizers, full`: it builds everything twice")];

/// A test program.
#[derive(Clone, Debug, PartialEq)]
struct Binary {
    /// The directory of its package, relative to the root.
    package: String,
    target: String,
    file: String,
}

impl Binary {
    fn name(&self) -> String {
        format!("{} {}", self.package, self.target)
    }
    fn is_in(&self, list: &[(&str, &str, &str)]) -> bool {
        list.iter().any(|(package, target, _)| self.package == *package && self.target == *target)
    }
}

/// Builds the test programs of `selection`, which are arguments of `cargo test`, and runs with `args` those that may run beside others.
pub fn shared(selection: String, args: Vec<String>, env: &'static [(&'static str, &'static str)]) -> Step {
    Step::new("", move || {
        let mut binaries = build(&selection)?;
        binaries.retain(|one| !one.is_in(ELSEWHERE) && !one.is_in(ALONE));
        let lanes = thread::available_parallelism().map_or(1, usize::from);
        run(binaries, lanes, |binary| run_one(binary, &args, env))
    })
}

/// The same for those that run alone, one by one.
pub fn alone(selection: String, env: &'static [(&'static str, &'static str)]) -> Step {
    Step::new("", move || {
        let mut binaries = build(&selection)?;
        for (package, target, _) in ALONE.iter().chain(ELSEWHERE) {
            if !binaries.iter().any(|one| one.package == *package && one.target == *target) {
                return Err(format!(
                    "xtask/src/binaries.rs: there is no test program `{target}` of {package}"
                ));
            }
        }
        binaries.retain(|one| one.is_in(ALONE));
        run(binaries, 1, |binary| run_one(binary, &[], env))
    })
}

/// Runs the test programs on `lanes` threads. Fails with what `one` says of those that failed.
fn run(binaries: Vec<Binary>, lanes: usize, one: impl Fn(&Binary) -> Outcome + Sync) -> Outcome {
    let failed = Mutex::new(Vec::new());
    let queue = Mutex::new(VecDeque::from(binaries));
    let watch = Watch::current();
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let lane = || {
        while let Some(binary) = next() {
            if let Err(why) = watch.during(|| one(&binary)) {
                failed.lock().unwrap_or_else(PoisonError::into_inner).push(why);
            }
        }
    };
    thread::scope(|scope| (0..lanes).for_each(|_| drop(scope.spawn(lane))));
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n        ")) }
}

/// Runs a test program in the directory of its package, as cargo does.
fn run_one(binary: &Binary, args: &[String], env: &[(&str, &str)]) -> Outcome {
    let (name, start, dir) = (binary.name(), Instant::now(), root().join(&binary.package));
    let mut command = Command::new(&binary.file);
    run::plain(&mut command).args(args).envs(env.iter().copied());
    command.env("CARGO_MANIFEST_DIR", &dir).current_dir(&dir);
    let (status, busy, said) = whole(&mut command, true).map_err(|e| format!("{name}: {e}"))?;
    let took = start.elapsed().as_secs_f64();
    show(&format!("{name}: {status}, {took:.1} s, {busy:.1} s of processors"), &said);
    let why = || [vec![format!("{name}: {status}")], failures::of(&said)].concat().join("\n        ");
    if status.success() { Ok(()) } else { Err(why()) }
}

/// Builds the test programs, and sorts them by name.
fn build(selection: &str) -> Result<Vec<Binary>, String> {
    let mut cargo = Command::new("cargo");
    run::plain(&mut cargo).args(["test", "--locked", "--no-run", "--message-format=json-render-diagnostics"]);
    let said = answer(cargo.args(selection.split_whitespace()))?;
    let mut binaries: Vec<Binary> = said.lines().filter_map(|line| binary(line, &root())).collect();
    binaries.sort_by_key(|binary| (binary.name(), binary.file.clone()));
    if binaries.is_empty() { Err("cargo has built no test program".into()) } else { Ok(binaries) }
}

/// The test program that a line of cargo's output reports as built, if it reports one.
fn binary(line: &str, root: &Path) -> Option<Binary> {
    let (_, profile) = line.split_once("\"profile\":{")?;
    let is_test = profile.split_once('}')?.0.contains("\"test\":true");
    if !is_test || !line.contains("\"reason\":\"compiler-artifact\"") {
        return None;
    }
    let (_, target) = line.split_once("\"target\":{")?;
    let manifest = value(line, "manifest_path")?;
    let package = Path::new(&manifest).parent()?.strip_prefix(root).ok()?.display().to_string();
    Some(Binary { package, target: value(target, "name")?, file: value(line, "executable")? })
}

/// The first string with this name in a line of JSON.
fn value(line: &str, name: &str) -> Option<String> {
    let (_, rest) = line.split_once(&format!("\"{name}\":\""))?;
    let (mut text, mut chars) = (String::new(), rest.chars());
    loop {
        match chars.next()? {
            '"' => return Some(text),
            '\\' => text.push(chars.next()?),
            other => text.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::time::Duration;

    fn binaries(names: &[(&str, &str)]) -> Vec<Binary> {
        let binary = |(package, target): &(&str, &str)| Binary {
            package: package.to_string(),
            target: target.to_string(),
            file: String::new(),
        };
        names.iter().map(binary).collect()
    }

    #[test]
    fn as_many_run_at_once_as_there_are_lanes() {
        for lanes in [1, 2] {
            let names = ["a", "b", "c", "d", "e", "f"].map(|target| ("crates/x", target));
            let (running, most, ran) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
            let outcome = run(binaries(&names), lanes, |_| {
                most.fetch_max(running.fetch_add(1, SeqCst) + 1, SeqCst);
                thread::sleep(Duration::from_millis(20));
                running.fetch_sub(1, SeqCst);
                ran.fetch_add(1, SeqCst);
                Ok(())
            });
            assert_eq!((outcome, ran.into_inner(), most.into_inner()), (Ok(()), 6, lanes));
        }
    }

    #[test]
    fn one_that_fails_ends_no_other_and_is_named() {
        let ran = AtomicUsize::new(0);
        let failed = run(binaries(&[("crates/x", "a"), ("crates/x", "b"), ("crates/x", "c")]), 2, |binary| {
            ran.fetch_add(1, SeqCst);
            if binary.target == "b" { Err(binary.name()) } else { Ok(()) }
        });
        assert_eq!((failed, ran.into_inner()), (Err("crates/x b".to_string()), 3));
    }

    #[test]
    fn a_program_runs_in_its_packages_directory_and_reports_what_failed() {
        let mut binary = binaries(&[("crates/os", "x")]).remove(0);
        binary.file = "/bin/sh".into();
        let script = |text: &'static str| run_one(&binary, &["-c".into(), text.into()], &[("WORD", "w")]);
        assert_eq!(script("[ -f src/lib.rs ] && [ $WORD = w ] && [ ${CARGO_PKG_NAME-none} = none ]"), Ok(()));
        let why = script("echo 'test bad ... FAILED'; exit 101").unwrap_err();
        assert!(
            why.contains("crates/os x: exit status: 101") && why.contains("test bad ... FAILED"),
            "{why}"
        );
    }

    #[test]
    fn programs_are_found_in_cargos_output() {
        let artifact = |test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"path+file:///r/crates/net#saltus-net@0.1.0","manifest_path":"/r/crates/net/Cargo.toml","target":{{"kind":["test"],"crate_types":["bin"],"name":"udpm","src_path":"/r/crates/net/tests/udpm.rs","edition":"2024","doc":false,"doctest":false,"test":true}},"profile":{{"opt_level":"0","debuginfo":1,"debug_assertions":true,"overflow_checks":true,"test":{test}}},"features":[],"filenames":["/r/x"],"executable":{executable},"fresh":true}}"#
            )
        };
        let expected =
            Binary { package: "crates/net".into(), target: "udpm".into(), file: "/r/a \"b\"".into() };
        let root = Path::new("/r");
        assert_eq!(binary(&artifact(true, r#""/r/a \"b\"""#), root), Some(expected));
        assert_eq!(binary(&artifact(false, r#""/r/a""#), root), None, "a program that is no test");
        assert_eq!(binary(&artifact(true, "null"), root), None, "a library that is checked only");
        assert_eq!(binary(r#"{"reason":"build-finished","success":true}"#, root), None);
    }

    #[test]
    fn nothing_is_alone_twice_or_without_a_reason() {
        for (n, (package, target, why)) in ALONE.iter().enumerate() {
            assert!(!why.is_empty(), "{package} {target}");
            assert!(
                !ALONE[..n].iter().any(|one| (one.0, one.1) == (*package, *target)),
                "{package} {target}"
            );
        }
    }
}
