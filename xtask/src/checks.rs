//! The steps that check the workspace.

use crate::binaries;
use crate::providers;
use crate::run::{self, Outcome, Step, read, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// One build for all programs that run optimized but are not measured. Separate builds would rebuild shared crates, for other features.
const RELEASE: &str = "cargo build --release --locked -p saltus-cli -p saltus-campaigns -p saltus-counts";

/// One build for all measured programs, as they are shipped.
const DIST: &str = "cargo build --profile dist --locked -p saltus-cli -p saltus-bench -p saltus-bench-channel -p saltus-bench-marshal \
    --features saltus-bench-channel/zmq";

/// Property tests, fuzzers and the demo's chaos use the same random numbers in each run of all tests. A failure is then most likely
/// caused by a change. `xtask random`, `xtask fuzz`, and `demo --chaos` without a seed use new ones.
const SEED: &str = "7";

/// What the tests of all crates find in their environment.
const PROPERTIES: &[(&str, &str)] = &[("PROPTEST_RNG_SEED", SEED)];

/// The format of all code.
pub fn format() -> Step {
    Step::command("format", &[], &["cargo", "fmt", "--all", "--check"])
}

/// Lints, with these features.
pub fn clippy(features: &str) -> Step {
    let line = ["cargo", "clippy", "--workspace", "--all-targets", "--locked", "--features", features];
    Step::command("clippy", &[], &[&line[..], &["--", "-D", "warnings"]].concat())
}

/// Documentation without warnings. With the same features, clippy has built the dependencies.
pub fn docs(features: &str) -> Step {
    let line = ["cargo", "doc", "--workspace", "--no-deps", "--locked", "--document-private-items"];
    let line = [&line[..], &["--features", features]].concat();
    Step::command("docs", &[("RUSTDOCFLAGS", "-D warnings")], &line)
}

/// All tests of all crates but those that run alone.
pub fn workspace_tests() -> Step {
    binaries::shared("--workspace".into(), vec![], PROPERTIES)
}

/// The tests that run alone.
pub fn tests_alone() -> Step {
    binaries::alone("--workspace".into(), PROPERTIES)
}

/// The examples in the documentation.
pub fn examples() -> Step {
    Step::line("examples", "cargo test --workspace --doc --locked --no-fail-fast")
}

/// One of the two selections of [`providers::tests`].
pub fn provider_tests(which: usize) -> Step {
    let (selection, args) = providers::tests(which);
    binaries::shared(selection, args, &[])
}

/// The campaigns, the instruction counts, and the command, which the demo needs in any case.
pub fn build_campaigns() -> Step {
    Step::line("build of the campaigns and counts", RELEASE)
}

/// The benchmarks as they are shipped, and the command that some of them run.
pub fn build_benches() -> Step {
    Step::line("build of the benchmarks", DIST)
}

/// The fuzzers, each for this number of seconds, with the same random numbers each time.
pub fn quick_fuzz(seconds: &str) -> Step {
    fuzz(&[("JOBS", "2"), ("SALTUS_FUZZ_SEED", SEED)], &[seconds])
}

/// Programs as the step of tests builds them, and built now if they have not been yet: with the features of the tests, since `-p` would
/// build shared crates again.
fn build_with_tests(bins: &[&str]) -> Step {
    let bins: String = bins.iter().map(|bin| format!(" --bin {bin}")).collect();
    Step::line("", &format!("cargo build --quiet --locked --workspace{bins}"))
}

/// A program that the step of tests builds, and its arguments.
pub fn built(line: &str) -> Step {
    let build = build_with_tests(&[line.split(' ').next().unwrap_or_default()]);
    let run = Step::line("", &format!("{}/debug/{line}", target()));
    Step::new("", move || build.run().and_then(|()| run.run()))
}

/// A program that [`RELEASE`] has built.
pub fn built_release(line: &str) -> Step {
    Step::line("", &format!("{}/release/{line}", target()))
}

/// A program that [`DIST`] has built.
pub fn built_dist(line: &str) -> Step {
    Step::line("", &format!("{}/dist/{line}", target()))
}

/// Cargo's build directory, relative to the root.
fn target() -> String {
    std::env::var("CARGO_TARGET_DIR").unwrap_or("target".into())
}

/// The production lane under loom; in the short form, with fewer preemptions where writers die.
pub fn loom(short: bool) -> Step {
    let flags = [LOOM[0], LOOM[1], ("SALTUS_SHORT", "1")];
    let flags = if short { &flags[..] } else { &flags[..2] };
    Step::command("loom", flags, &LOOM_LINE.split_whitespace().collect::<Vec<_>>())
}

/// The environment of [`LOOM_LINE`].
pub const LOOM: [(&str, &str); 2] = [("RUSTFLAGS", "--cfg loom"), ("CARGO_TARGET_DIR", "target/loom")];

/// The tests of loom, with loom itself optimized for speed.
pub const LOOM_LINE: &str =
    "cargo --config profile.release.opt-level=3 test --release --locked -p saltus-ring --test loom";

/// The Promela models.
pub fn models(args: &[&str]) -> Step {
    let line: Vec<&str> = ["bash", "lab/models/run.sh"].into_iter().chain(args.iter().copied()).collect();
    Step::command("models", &[], &line)
}

/// The campaigns, in release mode: they kill processes that run production code.
pub fn campaign(args: &[&str]) -> Step {
    let line = ["cargo", "run", "--release", "--locked", "-p", "saltus-campaigns", "--"];
    let line: Vec<&str> = line.into_iter().chain(args.iter().copied()).collect();
    Step::command("campaigns", &[], &line)
}

/// The instruction counts, of the program that their check runs.
pub fn counts(args: &[&str]) -> Step {
    let program = format!("{}/release/saltus-counts", target());
    let count = Step::command("", &[], &[&[program.as_str()], args].concat());
    Step::new("counts", move || build_campaigns().run().and_then(|()| count.run()))
}

/// The channel's benchmark. The short form omits iceoryx2, the peer that takes long to build.
pub fn bench(args: &[&str]) -> Step {
    // The same features as for the benchmark of networks, so that both need one build.
    let features = if args.contains(&"--short") { "zmq" } else { "zmq,iceoryx2" };
    let line = [
        "cargo",
        "run",
        "--profile",
        "dist",
        "--locked",
        "-p",
        "saltus-bench-channel",
        "--features",
        features,
    ];
    let mut line = line.to_vec();
    line.push("--");
    line.extend(args);
    Step::command("benchmark of the channel", &[], &line)
}

/// The measurements of `saltus bench` and `saltus tunnel bench`.
pub fn bench_command(args: &[&str]) -> Step {
    let line = ["cargo", "run", "--profile", "dist", "--locked", "-p", "saltus-bench", "--"];
    Step::command(
        "benchmark of this machine",
        &[],
        &line.into_iter().chain(args.iter().copied()).collect::<Vec<_>>(),
    )
}

/// The benchmark of domains over networks, on the same harness.
pub fn bench_net(args: &[&str]) -> Step {
    let line = ["cargo", "run", "--profile", "dist", "--locked", "-p", "saltus-bench-channel"];
    // Zenoh's and DDS's crates take long to build; the short form omits them.
    let features = if args.contains(&"--short") { "zmq".into() } else { providers::names().join(",") };
    let line = line.into_iter().chain(["--features", &features, "--", "net"]);
    let line: Vec<&str> = line.chain(args.iter().copied()).collect();
    Step::command("benchmark of domains over networks", &[], &line)
}

/// The measurements of a paper, on the same harness.
pub fn bench_paper(set: &str, args: &[&str]) -> Step {
    let features = match set {
        _ if args.contains(&"--short") || args.contains(&"--quick") => "zmq".into(),
        "ach" => "zmq,iceoryx2".into(),
        "all" => format!("iceoryx2,{}", providers::names().join(",")),
        _ => providers::names().join(","),
    };
    let line = ["cargo", "run", "--profile", "dist", "--locked", "-p", "saltus-bench-channel"];
    let line = line.into_iter().chain(["--features", &features, "--", set]);
    let line: Vec<&str> = line.chain(args.iter().copied()).collect();
    Step::command(&format!("what a paper measured: {set}"), &[], &line)
}

/// The measurements of all papers, and the page; also builds the separate programs that are measured.
pub fn bench_all(args: &[&str]) -> Vec<Step> {
    const MARSHAL: &str = "cargo build --profile dist --locked -p saltus-bench-marshal";
    vec![
        conformance_environment(),
        command(),
        Step::line("benchmark of encoding and decoding", MARSHAL),
        bench_paper("all", args),
    ]
}

/// All peers, on the same harness; with `--check`, only checks that they deliver whole messages.
pub fn bench_peers(args: &[&str]) -> Step {
    let line = ["cargo", "run", "--profile", "dist", "--locked", "-p", "saltus-bench-channel"];
    let line = line.into_iter().chain(["--features", "zmq,iceoryx2,zenoh", "--", "peers"]);
    let args = args.iter().flat_map(|arg| match *arg {
        "--check" => vec!["--scenario", "whole"],
        arg => vec![arg],
    });
    Step::command("peers beside each other", &[], &line.chain(args).collect::<Vec<&str>>())
}

/// The command itself, which the benchmarks of logs and spies run.
pub fn command() -> Step {
    let line = ["cargo", "build", "--profile", "dist", "--locked", "--package=saltus-cli"];
    Step::command("the command", &[], &line)
}

/// The benchmarks of recorder and player and of the cost of spies, on the same harness.
pub fn bench_programs(set: &str, args: &[&str]) -> Step {
    // The same feature as for the others, so that all need one build.
    let line = ["cargo", "run", "--profile", "dist", "--locked", "-p", "saltus-bench-channel"];
    let line = line.into_iter().chain(["--features", "zmq", "--", set]);
    let line: Vec<&str> = line.chain(args.iter().copied()).collect();
    Step::command(&format!("benchmark `{set}`"), &[], &line)
}

/// Random programs of LCM, with its library and with ours. The tests run a few.
pub fn calls_of_lcm() -> Step {
    let line = "cargo test --locked --package saltus-lcm --test differential random_calls";
    let words: Vec<&str> = line.split_whitespace().collect();
    Step::command("random calls of LCM's interface", &[("SALTUS_TEST_SEEDS", "400")], &words)
}

/// A Python environment with LCM's own library.
pub fn conformance_environment() -> Step {
    Step::command("environment with LCM", &[], &["python3", "lab/conformance/types/environment.py"])
}

/// The Python binding, installed by pip into a new environment.
pub fn python(env: &[(&str, &str)], args: &[&str]) -> Step {
    let line: Vec<&str> =
        ["python3", "bindings/python/test.py"].into_iter().chain(args.iter().copied()).collect();
    Step::command("the Python binding", env, &line)
}

/// The Java binding, installed by Maven; and Octave through it. Types are generated by the given `saltus` command, or by a newly built one.
pub fn java(saltus: &str, args: &[&str]) -> Step {
    let line: Vec<&str> =
        ["python3", "bindings/java/test.py"].into_iter().chain(args.iter().copied()).collect();
    Step::command("the Java binding", &[("SALTUS_COMMAND", saltus)], &line)
}

/// The same, with the command as the step of tests builds it.
pub fn java_with_built_command() -> Step {
    let build = build_with_tests(&["saltus"]);
    let test = java(&format!("{}/debug/saltus", target()), &[]);
    Step::new("", move || build.run().and_then(|()| test.run()))
}

/// One set of cases for all languages, with the bindings as they were built.
pub fn conformance(words: &[&str]) -> Step {
    let build = build_with_tests(&["saltus-conformance-bindings", "saltus-conformance-rust"]);
    let play = format!("{}/debug/saltus-conformance-bindings", target());
    let line: Vec<&str> = [play.as_str()].into_iter().chain(words.iter().copied()).collect();
    let play = Step::command("", &[], &line);
    Step::new("conformance of the bindings", move || build.run().and_then(|()| play.run()))
}

/// The programs with property tests, for `rounds` rounds. Each round has its own seed, which the step's name contains.
pub fn random(rounds: u64) -> Vec<Step> {
    let programs = property_tests();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let round = |seed: String| {
        programs.iter().map(move |(name, targets)| {
            let line = ["cargo", "test", "--locked", "--no-fail-fast", "-p", name];
            let line: Vec<&str> = line.into_iter().chain(targets.iter().map(String::as_str)).collect();
            let reported = format!("PROPTEST_RNG_SEED={seed} {}", line.join(" "));
            Step::command(&reported, &[("PROPTEST_RNG_SEED", &seed)], &line)
        })
    };
    (0..rounds).map(|n| (now + n).to_string()).flat_map(round).collect()
}

/// The packages with property tests, and the arguments that select them: `--lib`, `--test=NAME`.
fn property_tests() -> BTreeMap<String, BTreeSet<String>> {
    let crates = root().join("crates");
    let mut found = BTreeMap::<String, BTreeSet<String>>::new();
    for file in sources(&crates) {
        if !fs::read_to_string(&file).is_ok_and(|text| text.contains("proptest! {")) {
            continue;
        }
        let below = file.strip_prefix(&crates).unwrap_or(&file).with_extension("");
        let mut parts = below.components().map(|part| part.as_os_str().to_string_lossy());
        let (Some(name), Some(kind), Some(test)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let target = if kind == "tests" { format!("--test={test}") } else { "--lib".into() };
        found.entry(format!("saltus-{name}")).or_default().insert(target);
    }
    found
}

/// The fuzzers, starting from the stored corpus.
pub fn fuzz(env: &[(&str, &str)], args: &[&str]) -> Step {
    let line: Vec<&str> = ["bash", "lab/fuzz/run.sh"].into_iter().chain(args.iter().copied()).collect();
    Step::command("fuzz", env, &line)
}

/// Encoding and decoding, compared with other libraries.
pub fn bench_marshal(args: &[&str]) -> Step {
    let line = ["cargo", "run", "--profile", "dist", "--locked", "-p", "saltus-bench-marshal", "--"];
    let line: Vec<&str> = line.into_iter().chain(args.iter().copied()).collect();
    Step::command("benchmark of encoding and decoding", &[], &line)
}

/// The cost of the bindings: the library as programs use it, the environment of Python, then the benchmark.
pub fn bench_bindings(args: &[&str]) -> Vec<Step> {
    let build = "cargo build --profile dist --locked -p saltus-bench-bindings";
    let mut steps = vec![
        Step::line("build of the benchmark", build),
        Step::line("environment of the benchmark", "python3 lab/benches/bindings/environment.py"),
    ];
    let line =
        ["saltus-bench-bindings"].into_iter().chain(args.iter().copied()).collect::<Vec<_>>().join(" ");
    steps.push(built_dist(&line).named("what the bindings cost"));
    steps
}

/// Regenerates the C header.
pub fn header() -> Step {
    // Only that test: another one may read the header at the same time.
    let line = ["cargo", "test", "--locked", "-p", "saltus-c", "--test", "header", "header_is_up_to_date"];
    Step::command("header", &[("SALTUS_UPDATE_HEADER", "1")], &line)
}

/// The README's command, unchanged; then kills and freezes; then the proof that the robot can fall.
pub fn demo() -> Outcome {
    let demo = |args: &[&str]| {
        let mut command = std::process::Command::new("cargo");
        command.args(["run", "--release", "--locked", "--quiet", "--", "demo"]).args(args);
        run::status(command.current_dir(root())).map_err(|e| format!("cargo: {e}"))
    };
    for args in [&["--duration", "10s"][..], &["--duration", "20s", "--chaos", "--seed", SEED]] {
        let status = demo(args)?;
        if !status.success() {
            return Err(format!("demo {} ended with {status}", args.join(" ")));
        }
    }
    if demo(&["--duration", "5s", "--no-control"])?.success() {
        return Err("the robot stood without its controller".into());
    }
    Ok(())
}

/// Checks that `os`, `ring` and `channel` depend on little enough to be read in an afternoon, down to the system calls: on libc, and on
/// Windows on what declares its calls.
pub fn lowest_crates() -> Outcome {
    const WINDOWS: &str = "[target.'cfg(windows)'.dependencies]";
    for name in ["os", "ring", "channel"] {
        let text = read(&root().join("crates").join(name).join("Cargo.toml"))?;
        let mut section = "";
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let allowed: &[&str] = match section {
                WINDOWS if name == "os" => &["windows-sys =", "    \"Win32_", "] }"],
                _ => &["libc", "saltus-"],
            };
            if line.starts_with('[') {
                section = line;
            } else if section.ends_with("dependencies]")
                && !section.ends_with("dev-dependencies]")
                && !allowed.iter().any(|ok| line.starts_with(ok))
            {
                return Err(format!("crates/{name} depends on more than libc: {line}"));
            }
        }
    }
    Ok(())
}

/// Runs the README's program in a temporary domain, and removes that.
pub fn readme_program() -> Outcome {
    let dir = format!("/dev/shm/saltus-readme-{}", std::process::id());
    let line = ["cargo", "run", "--quiet", "--locked", "-p", "saltus-channel", "--example", "hello"];
    let url = format!("shm://{dir}");
    let outcome = Step::command("", &[("SALTUS_DOMAIN", &url)], &line).run();
    let removed = fs::remove_dir(&dir).map_err(|e| format!("{dir}: {e}"));
    outcome.and(removed)
}

/// Checks that the programs of README pages are those that the tests compile and run.
pub fn readme_programs() -> Outcome {
    for (page, language, file) in [
        ("README.md", "rust", "crates/channel/examples/hello.rs"),
        ("README.md", "cpp", "examples/cpp/typed.cpp"),
        ("README.md", "python", "bindings/python/examples/typed.py"),
        ("bindings/c/README.md", "c", "examples/c/hello.c"),
        ("bindings/c/README.md", "cpp", "examples/cpp/typed.cpp"),
    ] {
        let block = format!("```{language}\n{}```", read(&root().join(file))?);
        if !read(&root().join(page))?.contains(&block) {
            return Err(format!("{page} does not show {file} as it is"));
        }
    }
    Ok(())
}

fn sources(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files = Vec::new();
    for path in entries {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if path.is_dir() && !path.ends_with("target") {
            files.extend(sources(&path));
        } else if ["rs", "c", "h", "cpp", "hpp", "py", "java", "m"].contains(&extension) {
            files.push(path);
        }
    }
    files
}
