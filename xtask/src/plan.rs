//! The checks of `cargo xtask check`, `cargo xtask test` and `cargo xtask test --all`, in one table. The runs and the page lab/TESTS.md
//! are made from it.

use crate::run::{Lane, Outcome, Step, read, root};
use crate::{
    assurance, book, checks, circles, cross, dependencies, layout, package, pages, providers, sanitize,
    unsafes, words,
};
use std::fmt::Write;
use std::time::Duration;

/// The runs that include a check.
#[derive(Clone, Copy, PartialEq)]
pub enum In {
    /// `check`, and therefore also the other two.
    Check,
    /// `test` and `test --all`.
    Both,
    /// `test`: a short form of a check in `test --all`.
    Test,
    /// `test --all`.
    All,
}

/// One check.
pub struct Row {
    /// Its name in the summary.
    pub name: &'static str,
    /// The property that it guards.
    guards: &'static str,
    runs: In,
    /// The time limit in minutes, after which it is killed.
    minutes: u64,
    /// Which rows it may run next to.
    lane: Lane,
    step: fn() -> Step,
}

/// A row, in the order of the page's columns.
const fn row(runs: In, minutes: u64, name: &'static str, guards: &'static str, step: fn() -> Step) -> Row {
    Row { name, guards, runs, minutes, lane: Lane::First, step }
}

impl Row {
    /// Runs the row in the second lane, at the same time as rows that build in `target/debug`.
    const fn second(self) -> Row {
        Row { lane: Lane::Second, ..self }
    }

    /// Runs the row alone.
    const fn alone(self) -> Row {
        Row { lane: Lane::Alone, ..self }
    }
}

/// All checks, each lane in its order: those that fail quickly come first.
pub static ROWS: &[Row] = &[
    // The first lane builds in `target/debug`, in this order.
    row(In::Check, 5, "format", "one way to write code", checks::format),
    row(In::Check, 25, "clippy", "no warning, in any crate", || checks::clippy("")),
    row(In::Check, 20, "docs", "every public item is documented, every link is valid", || checks::docs("")),
    // The dependencies of the providers take longer to check than all of ours.
    row(In::All, 25, "clippy of the providers", "no warning with the providers that are features", || {
        checks::clippy(&providers::features())
    }),
    row(In::All, 20, "docs of the providers", "the same, of their documentation", || {
        checks::docs(&providers::features())
    }),
    row(
        In::Both,
        40,
        "tests",
        "unit, property and multi-process tests of all crates, invariants included",
        checks::workspace_tests,
    ),
    row(In::Both, 10, "examples", "the examples in the documentation compile and run", checks::examples),
    row(In::Both, 5, "the README's program", "the first program that a reader copies", || {
        Step::new("", checks::readme_program)
    }),
    // The second lane: what fails quickly first, then what builds in a directory of its own. What builds in `target/debug` comes last, when the
    // first lane has probably built; its limit allows for waiting.
    row(
        In::Both,
        5,
        "environment with LCM",
        "LCM's own programs for the checks below",
        checks::conformance_environment,
    ).second(),
    row(
        In::Check,
        1,
        "the lowest crates depend on libc alone",
        "os, ring and channel can be read to the system calls",
        || Step::new("", checks::lowest_crates),
    ).second(),
    row(
        In::Check,
        2,
        "the product depends on nothing in lab",
        "what users install has no benchmark, test network or peer in it",
        || Step::new("", layout::product),
    ).second(),
    row(In::Check, 2, "no circle of modules", "no files of a crate need each other", || {
        Step::new("", circles::check)
    }).second(),
    row(
        In::Check,
        1,
        "the README shows the programs that are tested",
        "the README's programs compile and run",
        || Step::new("", checks::readme_programs),
    ).second(),
    row(
        In::Check,
        1,
        "links between pages",
        "every link and heading exists, and every page is in the book",
        || Step::new("", pages::links),
    ).second(),
    row(
        In::Check,
        1,
        "ARCHITECTURE.md names what exists",
        "its files and functions exist, its dependencies are those of the manifests",
        || Step::new("", pages::architecture),
    ).second(),
    row(In::Check, 1, "words", "pages and messages use no word that xtask/words.txt retires", || {
        Step::new("", words::retired)
    }).second(),
    row(In::Check, 1, "no number of a system error", "messages in pages say the reason", || {
        Step::new("", words::system_errors)
    }).second(),
    row(In::Check, 1, "every `unsafe` has its reason", "no block or `impl` without `SAFETY:`", || {
        Step::new("", unsafes::check)
    }).second(),
    row(
        In::Check,
        1,
        "docs/assurance.md is what ran",
        "every promise has its evidence, every figure its record, every test its name",
        || Step::new("", assurance::is_current),
    ).second(),
    row(
        In::Check,
        1,
        "the threat model names its tests",
        "each line of docs/threat-model.md has a test that exists",
        || Step::new("", assurance::threats),
    ).second(),
    row(In::Check, 5, "spelling", "no misspelt word, in text and code", || Step::new("", words::spelling)).second(),
    row(In::Check, 1, "lab/TESTS.md is this table", "the page lists the checks that run", || {
        Step::new("", page_is_current)
    }).second(),
    row(
        In::Both,
        5,
        "dependencies",
        "no crate with a known hole, an unwanted license or an unknown source; its line says if advisories could not be fetched",
        || Step::new("", dependencies::check),
    ).second(),
    row(In::Test, 10, "loom, short", "the real lane under all interleavings that loom finds with two preemptions, or one where writers die", || {
        checks::loom(true)
    })
    .second(),
    row(In::All, 15, "loom, full", "the same with two everywhere", || checks::loom(false))
        .second(),
    row(
        In::Test,
        10,
        "sanitizers, short",
        "os and ring: no bad access, no leak, no race between threads",
        || sanitize::step(false),
    ).second(),
    row(
        In::All,
        60,
        "sanitizers, full",
        "the same for more crates, C, C++ and the native halves of Python and Java",
        || sanitize::step(true),
    ).second(),
    row(In::Test, 15, "models, short", "lane, merge, lease and wake; each mutation is caught", || {
        checks::models(&["short"])
    }).second(),
    row(In::All, 60, "models, full", "the same with larger bounds", || checks::models(&["full"])).second(),
    row(
        In::Both,
        15,
        "build of the campaigns and counts",
        "the code that is killed and counted is optimized, like the code that ships",
        checks::build_campaigns,
    ).second(),
    row(In::Both, 5, "instruction counts", "no step of a message's way costs 3 % more than recorded", || {
        checks::built_release("saltus-counts --check")
    }).second(),
    row(
        In::Both,
        15,
        "campaigns, short",
        "killed at every instruction, frozen, exhausted, lied to, forked",
        || checks::built_release("saltus-campaigns all --short"),
    ).second(),
    row(
        In::All,
        40,
        "fuzz, 30 s per target",
        "nothing from outside is trusted: beyond the corpus, which the tests run",
        || checks::quick_fuzz("30"),
    ).second(),
    row(
        In::Both,
        20,
        "tests under an arm64 kernel, emulated",
        "the engine runs on another processor, under PREEMPT_RT",
        cross::short,
    ).second(),
    row(
        In::All,
        40,
        "tests of 32-bit ARM programs, emulated",
        "the layout in shared memory has no width: a 32-bit and a 64-bit program exchange messages",
        cross::widths,
    ).second(),
    // It also builds the command in `target/debug`, which it exchanges messages with.
    row(
        In::All,
        60,
        "Windows by Wine, and macOS as far as it compiles",
        "a desk watches, records, replays and commands a robot over networks",
        cross::desks,
    )
    .second(),
    // Not optimized, like the other outputs of the tests: this saves minutes.
    row(In::Both, 40, "the Python binding", "the package, as pip installs it", || {
        checks::python(&[("MATURIN_PEP517_ARGS", "--profile=dev")], &[])
    }).second(),
    row(In::Both, 40, "the Java binding", "the package, as Maven installs it, and Octave through it", || {
        checks::java_with_built_command()
    }).second(),
    row(
        In::Both,
        40,
        "conformance of the bindings",
        "the same behavior in every language, alone, in pairs, and with one of a pair killed",
        || checks::conformance(&[]),
    ).second(),
    row(
        In::Both,
        40,
        "litmus tests",
        "weak memory: every protocol and ordering under C11, ARMv8 and x86; each mutation is caught, or named as spare",
        || checks::built("saltus-litmus"),
    ).second(),
    row(
        In::Both,
        10,
        "cargo install into a clean root, and gone again",
        "installing as described in the README leaves nothing behind",
        || package::install(&[]),
    ).second(),
    row(
        In::Both,
        40,
        "tests of the providers that are features",
        "ZeroMQ, DDS and Zenoh keep the guarantees of domains",
        || checks::provider_tests(0),
    ).second(),
    row(
        In::Both,
        40,
        "the same, next to other projects' programs",
        "ZeroMQ, DDS and Zenoh interoperate with other implementations",
        || checks::provider_tests(1),
    ).second(),
    row(
        In::All,
        40,
        "random calls of LCM's interface",
        "a program sees the same with LCM's library and with ours, in 400 random runs",
        checks::calls_of_lcm,
    ).second(),
    row(
        In::Both,
        40,
        "every benchmark runs: marshal",
        "encoding and decoding: all contenders produce the same bytes",
        || checks::built("saltus-bench-marshal --short --reps 1"),
    ).second(),
    row(
        In::Both,
        15,
        "tests that run alone",
        "those that measure time, or would disturb others; and that every benchmark of networks, papers, peers and this machine runs",
        checks::tests_alone,
    )
    .alone(),
    row(
        In::Both,
        20,
        "the demo: plain, under chaos, and without its controller",
        "the README's first command; it builds without a warning",
        || Step::new("", checks::demo),
    ).alone(),
    row(In::Both, 10, "every benchmark runs: channel", "the set `channel`", || {
        checks::built(
            "saltus-bench-channel channel --short --scale 0.2 --scenario floors,pingpong,publish,copy --contender saltus",
        )
    }).alone(),
    row(In::Both, 10, "every benchmark runs: spies", "the set `spies`", || {
        checks::built("saltus-bench-channel spies --short --scale 0.2")
    }).alone(),
    row(
        In::Both,
        10,
        "every benchmark runs: log",
        "the set `log`, next to LCM's recorder and player",
        || checks::built("saltus-bench-channel log --short --scale 0.2"),
    ).alone(),
    row(In::All, 10, "programs of Ach, for a minute", "the robot like Hubo walks while its programs are killed", || {
        Step::line("", "cargo test --locked -p saltus-ach --test hubo -- --ignored")
    }).alone(),
    row(In::All, 30, "the book", "the pages as HTML, by mdBook", || Step::new("", book::build)).alone(),
    row(
        In::All,
        30,
        "build of the benchmarks",
        "benchmarks are built like the code that ships",
        checks::build_benches,
    ).alone(),
    row(In::All, 20, "benchmark of the channel", "every scenario and contender runs", || {
        checks::built_dist("saltus-bench-channel --short")
    }).alone(),
    row(In::All, 20, "benchmark of domains over networks", "every scenario and contender runs", || {
        checks::built_dist("saltus-bench-channel net --short")
    }).alone(),
    row(In::All, 20, "benchmark of encoding and decoding", "every scenario and contender runs", || {
        checks::built_dist("saltus-bench-marshal --short")
    }).alone(),
    row(In::All, 20, "benchmark of recorder and player", "every scenario and contender runs", || {
        checks::built_dist("saltus-bench-channel log --short")
    }).alone(),
    row(In::All, 20, "benchmark of the cost of spies", "every scenario and contender runs", || {
        checks::built_dist("saltus-bench-channel spies --short")
    }).alone(),
    row(In::All, 20, "the measurements of DALi's paper", "every scenario and contender runs", || {
        checks::built_dist("saltus-bench-channel dali --short")
    }).alone(),
    row(In::All, 20, "the measurements of Ach's paper", "every scenario and contender runs", || {
        checks::built_dist("saltus-bench-channel ach --short")
    }).alone(),
    row(In::All, 20, "the measurements of LCM's paper", "every scenario and contender runs", || {
        checks::built_dist("saltus-bench-channel lcm --short")
    }).alone(),
];

/// The steps of `check`.
pub fn check() -> Vec<Step> {
    steps(|runs| runs == In::Check)
}

/// The steps of `check` that only read pages.
pub fn of_pages() -> Vec<Step> {
    const NAMES: &[&str] = &[
        "links between pages",
        "ARCHITECTURE.md names what exists",
        "words",
        "no number of a system error",
        "docs/assurance.md is what ran",
        "the threat model names its tests",
        "spelling",
    ];
    let rows = ROWS.iter().filter(|row| NAMES.contains(&row.name));
    rows.map(|row| (row.step)().named(row.name)).collect()
}

/// The steps of `test`, or of `test --all`.
pub fn test(all: bool) -> Vec<Step> {
    let but = if all { In::Test } else { In::All };
    steps(|runs| runs != but)
}

/// The step with this name, or else the steps whose name contains these words, one after the other.
pub fn only(words: &str) -> Vec<Step> {
    let whole = ROWS.iter().any(|row| row.name == words);
    let steps = steps_of(|row| row.name == words || !whole && row.name.contains(words)).into_iter();
    steps.map(|step| step.lane(Lane::First)).collect()
}

fn steps(wanted: impl Fn(In) -> bool) -> Vec<Step> {
    steps_of(|row| wanted(row.runs))
}

fn steps_of(wanted: impl Fn(&Row) -> bool) -> Vec<Step> {
    let rows = ROWS.iter().filter(|row| wanted(row));
    let step = |row: &Row| {
        let limit = Duration::from_secs(60 * row.minutes);
        (row.step)().named(row.name).within(limit).lane(row.lane)
    };
    rows.map(step).collect()
}

/// The table as a Markdown page.
pub fn page() -> String {
    let mut page = String::from(
        "# Checks and where they run\n\n`cargo xtask test --list` generates this page from the table in `xtask/src/plan.rs`; `cargo xtask check` fails if they differ. \
         `cargo xtask check` runs those that run no test, CI runs `cargo xtask test`, and `cargo xtask test --all` is for a release. \
         A check that exceeds its limit is killed, with all processes that it started, and fails. \
         Checks run in two lanes, each in the order of the table. A check that runs alone waits for all above it.\n\n\
         | check | what it guards | check | test | test --all | lane | limit, min |\n|---|---|---|---|---|---|---:|\n",
    );
    for row in ROWS {
        let mark = |runs: &[In]| if runs.contains(&row.runs) { "x" } else { "" };
        let (check, test) = (mark(&[In::Check]), mark(&[In::Check, In::Both, In::Test]));
        let all = mark(&[In::Check, In::Both, In::All]);
        let lane = match row.lane {
            Lane::First => "1",
            Lane::Second => "2",
            Lane::Alone => "alone",
        };
        let _ = writeln!(
            page,
            "| {} | {} | {check} | {test} | {all} | {lane} | {} |",
            row.name, row.guards, row.minutes
        );
    }
    page
}

fn page_is_current() -> Outcome {
    match read(&root().join("lab/TESTS.md"))? == page() {
        true => Ok(()),
        false => Err("lab/TESTS.md is not this table: `cargo xtask test --list > lab/TESTS.md`".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_check_can_be_chosen_and_runs_beside_no_other() {
        let names = |words| only(words).into_iter().map(|step| step.name).collect::<Vec<_>>();
        assert_eq!(names("tests"), ["tests"]);
        assert_eq!(names("models"), ["models, short", "models, full"]);
        assert!(names("no such check").is_empty());
    }

    #[test]
    fn names_are_distinguished_and_a_longer_form_lists_missing_parts() {
        let name = |text: &str| text.split(',').next().unwrap_or_default().to_string();
        for (n, row) in ROWS.iter().enumerate() {
            assert!(ROWS[..n].iter().all(|other| other.name != row.name), "{}", row.name);
            if row.runs == In::Test {
                let longer =
                    ROWS.iter().find(|other| other.runs == In::All && name(other.name) == name(row.name));
                assert!(longer.is_some(), "{} is in no other form in `test --all`", row.name);
            }
        }
    }
}
