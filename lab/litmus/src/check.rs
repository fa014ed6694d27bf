//! Checks the claims of a test.

use crate::execution::candidates;
use crate::model;
use crate::program::{Condition, Model, Orders, Program};

/// What a test's executions are, under one model.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Executions that the model allows.
    pub allowed: u64,
    /// Whether an execution satisfies it, by claim.
    pub found: Vec<bool>,
}

/// A test's executions under all models.
#[derive(Clone, Debug)]
pub struct Result {
    /// Candidates: coherent, with atomic read-modify-writes.
    pub candidates: u64,
    /// In the order of [`Model::ALL`].
    pub verdicts: Vec<Verdict>,
}

/// Enumerates all executions of `program`.
pub fn run(program: &Program) -> Result {
    let conditions = conditions(program);
    let orders = program.orders();
    let empty = Verdict { allowed: 0, found: vec![false; conditions.len()] };
    let mut result = Result { candidates: 0, verdicts: vec![empty; Model::ALL.len()] };
    candidates(program, &conditions, false, &mut |execution, bits| {
        result.candidates += 1;
        for (model, verdict) in Model::ALL.iter().zip(&mut result.verdicts) {
            if model::allows(*model, execution, &orders) {
                verdict.allowed += 1;
                for (i, found) in verdict.found.iter_mut().enumerate() {
                    *found |= bits >> i & 1 == 1;
                }
            }
        }
        true
    });
    result
}

/// The claims that do not hold, in words.
pub fn failures(program: &Program, result: &Result) -> Vec<String> {
    let mut failures = Vec::new();
    for (i, claim) in program.claims.iter().enumerate() {
        for (model, verdict) in Model::ALL.iter().zip(&result.verdicts) {
            if claim.models.contains(model) && verdict.found[i] != claim.possible {
                let what = if claim.possible { "no execution has" } else { "an execution has" };
                failures.push(format!("{}: under {} {what} {}", program.name, model.name(), claim.text));
            }
        }
    }
    failures
}

/// For each of `mutants`: whether, by model, an execution then does what the test forbids.
pub fn broken(program: &Program, mutants: &[Orders]) -> Vec<[bool; 3]> {
    let forbidden: Vec<_> = program.claims.iter().filter(|claim| !claim.possible).collect();
    let conditions: Vec<&Condition> = forbidden.iter().map(|claim| &claim.condition).collect();
    let mut broken = vec![[false; 3]; mutants.len()];
    candidates(program, &conditions, true, &mut |execution, bits| {
        for (m, model) in Model::ALL.iter().enumerate() {
            let counts = |(i, claim): (usize, &&crate::program::Claim)| {
                bits >> i & 1 == 1 && claim.models.contains(model)
            };
            if !forbidden.iter().enumerate().any(counts) {
                continue;
            }
            for (orders, broken) in mutants.iter().zip(&mut broken) {
                broken[m] = broken[m] || model::allows(*model, execution, orders);
            }
        }
        broken.iter().any(|by_model| by_model.contains(&false))
    });
    broken
}

fn conditions(program: &Program) -> Vec<&Condition> {
    program.claims.iter().map(|claim| &claim.condition).collect()
}
