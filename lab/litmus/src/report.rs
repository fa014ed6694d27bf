//! All tests and mutations, as a page and as a record.

use crate::check::{self, Result};
use crate::code::{self, Map};
use crate::mutate::{self, Mutation};
use crate::parse::parse;
use crate::program::{Mistake, Model, Program};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The files of tests, with what they cover.
const FILES: &[(&str, &str, &str)] = &[
    (
        "classics.litmus",
        "the classic tests: they check the checker",
        include_str!("../programs/classics.litmus"),
    ),
    ("lane.litmus", "publishing and receiving", include_str!("../programs/lane.litmus")),
    ("lease.litmus", "leases, take-over and growth", include_str!("../programs/lease.litmus")),
    ("wake.litmus", "waking and sleeping", include_str!("../programs/wake.litmus")),
    ("replace.litmus", "the end of a channel, and replacement", include_str!("../programs/replace.litmus")),
    ("counters.litmus", "counters", include_str!("../programs/counters.litmus")),
];

/// The tests of one file.
pub struct File {
    /// The file's name.
    pub name: &'static str,
    /// What its tests are about.
    pub covers: &'static str,
    /// Its tests.
    pub programs: Vec<Program>,
    /// What each test's executions are.
    pub results: Vec<Result>,
}

/// What was found.
pub struct Report {
    /// The tests, by file.
    pub files: Vec<File>,
    /// The map to the code.
    pub map: Map,
    /// What the mutations led to.
    pub mutations: Vec<Mutation>,
    /// What is not as it should be.
    pub wrong: Vec<String>,
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Report {
    /// Runs everything.
    pub fn make() -> std::result::Result<Report, Mistake> {
        let map = Map::parse("code.map", include_str!("../code.map"))?;
        let mut files = Vec::new();
        let mut wrong = Vec::new();
        for (name, covers, text) in FILES {
            let programs = parse(name, text)?;
            let results: Vec<Result> = programs.iter().map(check::run).collect();
            for (program, result) in programs.iter().zip(&results) {
                wrong.extend(check::failures(program, result));
            }
            files.push(File { name, covers, programs, results });
        }
        let programs: Vec<Program> = files.iter().flat_map(|file| file.programs.iter().cloned()).collect();
        for (i, program) in programs.iter().enumerate() {
            if programs[..i].iter().any(|other| other.name == program.name) {
                wrong.push(format!("two tests have the name {}", program.name));
            }
        }
        wrong.extend(code::disagreements(&map, &root().join("crates"), &programs));
        let mutations = mutate::mutations(&map, &programs);
        wrong.extend(mutate::surprises(&map, &mutations));
        wrong.extend(mutate::not_spare_together(&map, &programs));
        Ok(Report { files, map, mutations, wrong })
    }

    /// The number of tests, of the classics and of the protocols.
    pub fn counts(&self) -> (usize, usize) {
        let count = |file: &File| file.programs.len();
        (count(&self.files[0]), self.files[1..].iter().map(count).sum())
    }

    /// The executions of all tests: candidates, and those that each model allows.
    pub fn executions(&self) -> (u64, [u64; 3]) {
        let results = self.files.iter().flat_map(|file| &file.results);
        results.fold((0, [0; 3]), |(candidates, mut allowed), result| {
            for (sum, verdict) in allowed.iter_mut().zip(&result.verdicts) {
                *sum += verdict.allowed;
            }
            (candidates + result.candidates, allowed)
        })
    }

    /// The part of the page that is generated.
    pub fn page(&self) -> String {
        let mut page = String::new();
        for file in &self.files {
            let (covers, name) = (heading(file.covers), file.name);
            let _ = writeln!(page, "### {covers}\n\nIn [{name}](programs/{name}).\n");
            page.push_str("| test | candidates | C11 allows | ARMv8 allows | x86 allows | what it shows |\n|---|---:|---:|---:|---:|---|\n");
            for (program, result) in file.programs.iter().zip(&file.results) {
                let _ = write!(page, "| {} | {} ", program.name, result.candidates);
                for verdict in &result.verdicts {
                    let _ = write!(page, "| {} ", verdict.allowed);
                }
                let _ = writeln!(page, "| {} |", program.about);
            }
            page.push('\n');
        }
        page.push_str("## Mutations\n\n");
        page.push_str("Each mutation weakens one ordering of the code by one step, in all tests that have its line. *Caught* names the first test that then fails.\n\n");
        page.push_str(
            "| mark | code | weakened | caught under C11 | ARMv8 | x86 |\n|---|---|---|---|---|---|\n",
        );
        for m in &self.mutations {
            let Some(place) = self.map.place(&m.id) else { continue };
            let by = |model: Model| m.caught_by[model as usize].first().map_or("–", |test| test.as_str());
            let _ = writeln!(
                page,
                "| {} | `{}`, `{}` | {} → {} | {} | {} | {} |",
                m.id,
                place.file,
                place.function,
                m.from.name(),
                m.to.name(),
                by(Model::C11),
                by(Model::Arm),
                by(Model::X86)
            );
        }
        page.push_str(
            "\n## Stronger than the tests need\n\n| mark | code | enough | why |\n|---|---|---|---|\n",
        );
        for spare in &self.map.spare {
            let Some(place) = self.map.place(&spare.id) else { continue };
            let unless =
                spare.unless.as_ref().map_or(String::new(), |id| format!(", unless {id} is weakened"));
            let _ = writeln!(
                page,
                "| {} | `{}` in `{}` | {}{unless} | {} |",
                spare.id,
                place.code.replace('|', "\\|"),
                place.file,
                spare.to.name(),
                spare.why
            );
        }
        page.push_str("\n## Not across processes\n\n| code | why it has no test |\n|---|---|\n");
        for (place, why) in &self.map.apart {
            let code = place.code.replace('|', "\\|");
            let _ = writeln!(page, "| `{code}` in `{}`, `{}` | {why} |", place.file, place.function);
        }
        page
    }

    /// The figures, for other pages.
    pub fn figures(&self) -> serde_json::Value {
        let (classics, protocols) = self.counts();
        let (candidates, [c11, arm, x86]) = self.executions();
        let caught = |model| self.mutations.iter().filter(|m| m.is_caught(model)).count();
        let orderings = self.map.places.iter().filter(|(_, p)| p.order() != crate::program::Order::Relaxed);
        serde_json::json!({
            "classic_tests": classics,
            "protocol_tests": protocols,
            "candidate_executions": candidates,
            "executions_allowed": { "c11": c11, "armv8": arm, "x86": x86 },
            "lines_of_code_mapped": self.map.places.len(),
            "orderings_stronger_than_relaxed_mapped": orderings.count(),
            "orderings_not_across_processes": self.map.apart.len(),
            "mutations": self.mutations.len(),
            "mutations_caught": { "c11": caught(Model::C11), "armv8": caught(Model::Arm), "x86": caught(Model::X86) },
            "orderings_stronger_than_needed": self.map.spare.len(),
            "failures": self.wrong.len(),
        })
    }
}

fn heading(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
