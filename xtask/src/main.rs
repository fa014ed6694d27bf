//! Chores of the workspace: `cargo xtask VERB`. No dependencies, so that it builds in a second.

mod checks;
mod circles;
mod failures;
mod group;
mod layout;
mod licences;
mod modules;
mod package;
mod plan;
mod providers;
mod run;
mod shape;
mod source;
mod tools;
mod workspace;

use run::Outcome;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask VERB [ARGS]

  test [--all|--list]  install what the tests need, and run them: what CI runs; with --all what a release needs too; --list prints
                       which check runs where, as lab/TESTS.md
  check                format, clippy and docs without warnings, and the rules of the house
  circles [PACKAGES]   the files of a package that need each other, and for which names; `check` refuses them
  shape [DIR]          lines, tests, public items, dependencies and circles of each package, of this checkout or of DIR
  loom                 the real lane under loom
  model [short|full]   the Promela models and their mutations
  campaign [ARGS]      kill, freeze, exhaust, lie: see lab/campaigns/README.md
  random [ROUNDS]      the programs with property tests, each round with a new seed (without ROUNDS, 10)
  fuzz [SECONDS [TARGET]]  the parsers and decoders: see lab/fuzz/README.md
  bench channel [ARGS] the channel's benchmark: see lab/benches/channel/README.md
  bench machine [ARGS] what a message costs on this machine: what `saltus bench` runs
  bench tunnel [ARGS]  a tunnel over a lossy relay: what `saltus tunnel bench` runs
  bench net [ARGS]     domains over networks, beside LCM, ZeroMQ, CycloneDDS and Zenoh: see lab/benches/channel/NET.md
  bench log [ARGS]     recorder and player, beside LCM's: see lab/benches/channel/LOG.md
  bench spies [ARGS]   what spies cost a publisher: see lab/benches/channel/SPIES.md
  bench dali|ach|lcm [ARGS]  what papers measured, measured now: see lab/benches/channel/PAPERS.md
  bench hiccup [ARGS]  hiccups of this machine, idle and under load: see lab/benches/channel/PAPERS.md
  bench all --quick    these, the channel, networks, hiccups and encoding, in less than a quarter of an hour, as one HTML page
  bench --peers [--check] [ARGS]  install every peer that can be had, and one table of all: see lab/benches/channel/PEERS.md
  bench marshal [ARGS] encoding and decoding, beside LCM, XDR and CDR: see lab/benches/marshal/README.md
  python [PYTEST ARGS] the Python binding, installed by pip into a new environment
  java [MAVEN ARGS]    the Java binding, installed by Maven, and Octave through it
  conformance [WORDS]  cases for all languages, alone and in pairs, of the bindings that are built: see lab/conformance/bindings/README.md
  bench bindings [ARGS] what a call and a message cost in C, C++, Python and Java: see lab/benches/bindings/README.md
  package [--install-check]  the command as a Debian package in target/package; it and `cargo install` tried in clean roots, and removed.
                       `test` has the latter alone, since the first time cargo-deb is built, for a minute or two
  header               write bindings/c/include/saltus.h anew
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["test"] => test(false),
        ["test", "--all"] => test(true),
        ["test", "--list"] => {
            print!("{}", plan::page());
            Ok(())
        }
        ["check"] => run::all(plan::check()),
        ["circles", packages @ ..] => circles::print(packages),
        ["shape"] => shape::print(&run::root()),
        ["shape", dir] => shape::print(std::path::Path::new(dir)),
        ["loom"] => run::all(vec![checks::loom()]),
        ["model", rest @ ..] => tools::install(&["spin"]).and_then(|()| run::all(vec![checks::models(rest)])),
        ["campaign", rest @ ..] => run::all(vec![checks::campaign(rest)]),
        ["random"] => run::all(checks::random(10)),
        ["random", rounds] => match rounds.parse() {
            Ok(rounds @ 1..) => run::all(checks::random(rounds)),
            _ => Err(format!("random {rounds}: ROUNDS is a number from 1 on")),
        },
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
            // LCM's paper measured encoding and decoding too, which is a program of its own.
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

/// The Debian package, and whether it does what it should.
fn package(check: bool) -> Outcome {
    tools::install(&["dpkg-dev"]).and_then(|()| run::all(package::steps(check)))
}

/// All that CI runs, or with `all` a release needs. Every step runs even if one before it failed, so that one run tells everything.
fn test(all: bool) -> Outcome {
    if std::env::var_os("CARGO_INCREMENTAL").is_none() {
        // What the next build could use again takes this one a third more of the processor's time.
        // SAFETY: no other thread has been started.
        unsafe { std::env::set_var("CARGO_INCREMENTAL", "0") };
    }
    tools::install_all()?;
    tools::install_peers(tools::PEERS);
    let outcome = run::all(plan::test(all));
    if let Some(why) = no_recorded_logs() {
        eprintln!("xtask: NOT RUN: the tests that read the recorded logs: {why}");
    }
    outcome
}

/// Why the tests that read recorded logs did nothing, if they did. They lie beside the checkout, or where `SALTUS_DATA`
/// says; they are too large for it.
fn no_recorded_logs() -> Option<String> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data").into();
    let dir = std::env::var_os("SALTUS_DATA").unwrap_or(beside);
    let is_there = std::path::Path::new(&dir).is_dir();
    (!is_there).then(|| format!("{} is no directory; SALTUS_DATA says where they are", dir.display()))
}
