//! Tasks of the workspace: `cargo xtask VERB`. It depends on one small crate, so that it builds in seconds.

mod assurance;
mod binaries;
mod book;
mod checks;
mod circles;
mod cross;
mod dependencies;
mod failures;
mod group;
mod layout;
mod licences;
mod modules;
mod package;
mod pages;
mod pictures;
mod plan;
mod promises;
mod providers;
mod reached;
mod recorded;
mod records;
mod run;
mod sanitize;
mod shape;
mod source;
mod tools;
mod unsafes;
mod words;
mod workspace;

use run::Outcome;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask VERB [ARGS]

  test [--all|--list]  install test dependencies and run all tests, as CI does; --all adds the checks of a release; --list prints
                       lab/TESTS.md
  test --only WORDS    run the check of that name, or those whose name contains WORDS, one after the other
  check                check formatting, lints, docs and repository rules
  pages                check only pages: links, names in ARCHITECTURE.md, retired words, spelling
  book                 check links, then build the pages as HTML in target/book
  circles [PACKAGES]   list files of a package that need each other, and the names that tie them; `check` refuses them
  shape [DIR]          count lines, tests, public items, dependencies and circles of each package, of this checkout or of DIR
  loom                 run the real lane under loom
  model [short|full]   run the Promela models and their mutations
  campaign [ARGS]      run fault-injection campaigns: see lab/campaigns/README.md
                       These three write lab/records/*.json if --record is their last argument
  kills --until N [--minutes M]  kill processes at random under load, and add to lab/records/kills.json, until it says N or M
                       minutes are over; it continues where it was ended
  random [ROUNDS]      run the property tests, each round with a new seed (default 10 rounds)
  cross aarch64|armv7|riscv64 [--short]  run tests of other processors in an emulator: see docs/platforms.md
  cross windows|macos [--short]  run tests of Windows by Wine, with messages to and from Linux; compile for macOS
  dependencies         check licenses, sources and known holes of all crates, with cargo-deny
  dependencies --sbom FILE  list the crates in the command, in CycloneDX, as `package` does next to the package
  assurance            write docs/assurance.md from the promises of the pages, their evidence and lab/records
  unsafe [--reached]   list every `unsafe` with its reason in target/unsafe.md; --reached finds a test that reaches each block of
                       os, ring and channel, by coverage, and writes lab/records/unsafe.json
  counts [--check]     count the instructions of a message's way, next to the record; --write [--reason WORDS] moves it: see lab/counts/README.md
  sanitize [--short]   run tests under address, undefined-behavior and thread sanitizers; --write updates lab/records/sanitizers.json
  fuzz [SECONDS [TARGET]]  fuzz the parsers and decoders: see lab/fuzz/README.md
  fuzz --hours H [--minutes M]  fuzz until lab/records/fuzz.json says H processor-hours, or M minutes are over; it continues
                       where it was ended
  bench channel [ARGS] measure channels: see lab/benches/channel/README.md
  bench machine [ARGS] measure the cost of a message on this machine, as `saltus bench` does
  bench tunnel [ARGS]  measure a tunnel over a lossy relay, as `saltus tunnel bench` does
  bench net [ARGS]     compare networks with LCM, ZeroMQ, CycloneDDS and Zenoh: see lab/benches/channel/NET.md
  bench log [ARGS]     compare recording and playback with LCM: see lab/benches/channel/LOG.md
  bench spies [ARGS]   measure what spies cost a publisher: see lab/benches/channel/SPIES.md
  bench dali|ach|lcm [ARGS]  repeat the measurements of papers: see lab/benches/channel/PAPERS.md
  bench hiccup [ARGS]  measure hiccups of this machine, idle and under load: see lab/benches/channel/PAPERS.md
  bench all --quick    measure papers, channel, networks, hiccups and encoding in under 15 minutes, as one HTML page
  bench --peers [--check] [ARGS]  install all available peers and compare them in one table: see lab/benches/channel/PEERS.md
  bench marshal [ARGS] compare encoding and decoding with LCM, XDR and CDR: see lab/benches/marshal/README.md
  python [PYTEST ARGS] test the Python binding, installed by pip into a new environment
  java [MAVEN ARGS]    test the Java binding, installed by Maven, and Octave through it
  conformance [WORDS]  run cases for all built bindings, alone and in pairs: see lab/conformance/bindings/README.md
  bench bindings [ARGS] measure a call and a message in C, C++, Python and Java: see lab/benches/bindings/README.md
  package [--install-check]  build the Debian package in target/package; try it and `cargo install` in clean roots, and remove them.
                       `test` tries only the latter, because the first build of cargo-deb takes a minute or two
  package arm64|armhf  build that package, and an archive with a static command, in target/cross/package
  pictures             draw docs/pictures/spy-*.png and player-*.png in Chromium, from a recorded log (in SALTUS_DATA)
  header               regenerate bindings/c/include/saltus.h
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["test"] => test(plan::test(false)),
        ["test", "--all"] => test(plan::test(true)),
        ["test", "--only", words] => match plan::only(words) {
            steps if steps.is_empty() => {
                Err(format!("test --only {words}: lab/TESTS.md lists no such check"))
            }
            steps => test(steps),
        },
        ["test", "--list"] => {
            print!("{}", plan::page());
            Ok(())
        }
        ["check"] => run::all(plan::check()),
        ["pages"] => run::all(plan::of_pages()),
        ["book"] => run::all(book::steps()),
        ["circles", packages @ ..] => circles::print(packages),
        ["shape"] => shape::print(&run::root()),
        ["shape", dir] => shape::print(std::path::Path::new(dir)),
        ["loom", "--record"] => recorded::loom(),
        ["cross", processor, short @ ..] if short.is_empty() || *short == ["--short"] => {
            cross::steps(processor, !short.is_empty()).and_then(run::all)
        }
        ["loom"] => run::all(vec![checks::loom(false)]),
        ["model", size @ ("short" | "full"), "--record"] => {
            tools::install(&["spin"]).and_then(|()| recorded::models(size))
        }
        ["model", rest @ ..] => tools::install(&["spin"]).and_then(|()| run::all(vec![checks::models(rest)])),
        ["campaign", rest @ .., "--record"] if !rest.is_empty() => recorded::campaign(rest),
        ["kills", rest @ ..] => recorded::kills(rest),
        ["campaign", rest @ ..] => run::all(vec![checks::campaign(rest)]),
        ["assurance"] => assurance::generate(),
        ["dependencies", "--sbom", file] => dependencies::write_sbom(std::path::Path::new(file)),
        ["dependencies"] => run::all(vec![run::Step::new("dependencies", dependencies::check)]),
        ["unsafe", "--reached"] => reached::run(),
        ["unsafe"] => unsafes::table(&Default::default()),
        ["counts", rest @ ..] => run::all(vec![checks::counts(rest)]),
        ["pictures"] => tools::install(&["chromium"]).and_then(|()| run::all(pictures::steps()?)),
        ["random"] => run::all(checks::random(10)),
        ["random", rounds] => match rounds.parse() {
            Ok(rounds @ 1..) => run::all(checks::random(rounds)),
            _ => Err(format!("random {rounds}: ROUNDS must be a number from 1")),
        },
        ["fuzz", rest @ ..] if rest.contains(&"--hours") => recorded::fuzz(rest),
        ["sanitize"] => run::all(vec![sanitize::step(true)]),
        ["sanitize", "--short"] => run::all(vec![sanitize::step(false)]),
        ["sanitize", "--write"] => run::all(vec![sanitize::record()]),
        ["fuzz", rest @ ..] => run::all(vec![checks::fuzz(&[], rest)]),
        ["bench", "channel", rest @ ..] => run::all(vec![checks::bench(rest)]),
        ["bench", "machine", rest @ ..] => run::all(vec![checks::bench_command(rest)]),
        ["bench", part @ "tunnel", rest @ ..] => {
            let args: Vec<&str> = [*part].into_iter().chain(rest.iter().copied()).collect();
            run::all(vec![checks::bench_command(&args)])
        }
        ["bench", "net", rest @ ..] => {
            tools::install_peers(tools::PEERS);
            tools::install(&["libzmq3-dev", "pkg-config", "iproute2", "python3-venv"])
                .and_then(|()| run::all(vec![checks::conformance_environment(), checks::bench_net(rest)]))
        }
        ["bench", "all", rest @ ..] => {
            tools::install_peers(tools::PEERS);
            tools::install_all()
                .and_then(|()| tools::install(&["stress-ng"]))
                .and_then(|()| run::all(checks::bench_all(rest)))
        }
        ["bench", set @ ("dali" | "ach" | "lcm"), rest @ ..] => {
            tools::install_peers(tools::PEERS);
            // LCM's paper also measured encoding and decoding, which is a separate program.
            let scan = *set == "lcm" && rest.iter().all(|arg| *arg == "--short");
            let tools = tools::install(&["libzmq3-dev", "pkg-config", "iproute2", "python3-venv"]);
            tools.and_then(|()| if scan { tools::install_all() } else { Ok(()) }).and_then(|()| {
                let mut steps = vec![checks::conformance_environment(), checks::bench_paper(set, rest)];
                steps.extend(scan.then(|| checks::bench_marshal(rest)));
                run::all(steps)
            })
        }
        ["bench", "--peers", rest @ ..] => {
            tools::install_peers(tools::PEERS);
            tools::install_peers(tools::LARGE_PEERS);
            tools::install(&["libzmq3-dev", "pkg-config", "iproute2", "python3-venv"])
                .and_then(|()| run::all(vec![checks::conformance_environment(), checks::bench_peers(rest)]))
        }
        ["bench", "log", rest @ ..] => {
            tools::install(&["libzmq3-dev", "pkg-config", "iproute2", "python3-venv"]).and_then(|()| {
                run::all(vec![
                    checks::conformance_environment(),
                    checks::command(),
                    checks::bench_programs("log", rest),
                ])
            })
        }
        ["bench", "hiccup", rest @ ..] => tools::install(&["libzmq3-dev", "pkg-config", "stress-ng"])
            .and_then(|()| run::all(vec![checks::command(), checks::bench_programs("hiccup", rest)])),
        ["bench", "spies", rest @ ..] => tools::install(&["libzmq3-dev", "pkg-config"])
            .and_then(|()| run::all(vec![checks::command(), checks::bench_programs("spies", rest)])),
        ["bench", "bindings", rest @ ..] => {
            tools::install(&["g++", "python3-venv", "default-jdk-headless", "util-linux"])
                .and_then(|()| run::all(checks::bench_bindings(rest)))
        }
        ["bench", "marshal", rest @ ..] => {
            tools::install_all().and_then(|()| run::all(vec![checks::bench_marshal(rest)]))
        }
        ["python", rest @ ..] => {
            tools::install(&["python3-venv"]).and_then(|()| run::all(vec![checks::python(&[], rest)]))
        }
        ["java", rest @ ..] => tools::install(&["default-jdk-headless", "maven", "octave", "iproute2"])
            .and_then(|()| run::all(vec![checks::java("", rest)])),
        ["conformance", rest @ ..] => tools::install(&["g++", "default-jdk-headless", "octave", "iproute2"])
            .and_then(|()| run::all(vec![checks::conformance(rest)])),
        ["package"] => package(false),
        ["package", "--install-check"] => package(true),
        ["package", architecture] => {
            tools::install(&["dpkg-dev"]).and_then(|()| cross::package(architecture)).and_then(run::all)
        }
        ["header"] => run::all(vec![checks::header()]),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Builds the Debian package, and optionally tests it.
fn package(check: bool) -> Outcome {
    tools::install(&["dpkg-dev"]).and_then(|()| run::all(package::steps(check)))
}

/// Runs the checks of CI, or those of a release. Every step runs even if an earlier one failed, so that one run reports everything.
fn test(steps: Vec<run::Step>) -> Outcome {
    if std::env::var_os("CARGO_INCREMENTAL").is_none() {
        // Incremental compilation costs this build a third more of the processor's time. SAFETY: no other thread
        // has been started.
        unsafe { std::env::set_var("CARGO_INCREMENTAL", "0") };
    }
    tools::install_all()?;
    tools::install_peers(tools::PEERS);
    let outcome = run::all(steps);
    if let Some(why) = no_recorded_logs() {
        eprintln!("xtask: NOT RUN: the tests that read the recorded logs: {why}");
    }
    outcome
}

/// Why the tests that read recorded logs did nothing, if they did. The logs are next to the checkout, or in
/// `SALTUS_DATA`; they are too large for it.
fn no_recorded_logs() -> Option<String> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data").into();
    let dir = std::env::var_os("SALTUS_DATA").unwrap_or(beside);
    let is_there = std::path::Path::new(&dir).is_dir();
    (!is_there).then(|| format!("{} is not a directory; set SALTUS_DATA to their directory", dir.display()))
}
