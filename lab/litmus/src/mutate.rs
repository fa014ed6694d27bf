//! Mutations: each ordering and fence of the code is weakened by one step, in all tests that have it. A test must then fail.

use crate::check::broken;
use crate::code::Map;
use crate::program::{Model, Order, Orders, Program, Step, weaker};

/// One mutation.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// The line of code, as the map names it.
    pub id: String,
    /// The code's ordering.
    pub from: Order,
    /// The weaker one.
    pub to: Order,
    /// The tests that fail, by model, in the order of [`Model::ALL`].
    pub caught_by: [Vec<String>; 3],
}

impl Mutation {
    /// Whether any test fails under `model`.
    pub fn is_caught(&self, model: Model) -> bool {
        !self.caught_by[model as usize].is_empty()
    }
}

/// All mutations that say something: an ordering is weakened further only as long as C11 catches nothing.
pub fn mutations(map: &Map, programs: &[Program]) -> Vec<Mutation> {
    let mut all: Vec<(Mutation, bool)> = Vec::new();
    for (id, place) in &map.places {
        let Some(step) = step_of(id, programs) else { continue };
        let from = place.order();
        let mut open = weaker(&step, from);
        let firsts = open.clone();
        while let Some(to) = open.pop() {
            if !all.iter().any(|(known, _)| known.id == *id && known.to == to) {
                open.extend(weaker(&step, to));
                let caught_by = [vec![], vec![], vec![]];
                all.push((Mutation { id: id.clone(), from, to, caught_by }, firsts.contains(&to)));
            }
        }
    }
    // Each program is enumerated once, for all mutations of its lines.
    for program in programs {
        let mutant = |(i, (m, _)): (usize, &(Mutation, bool))| {
            mutant(program, &[(&m.id, m.to)]).map(|orders| (i, orders))
        };
        let (which, orders): (Vec<usize>, Vec<Orders>) = all.iter().enumerate().filter_map(mutant).unzip();
        for (i, broken) in which.into_iter().zip(broken(program, &orders)) {
            for (caught_by, broken) in all[i].0.caught_by.iter_mut().zip(broken) {
                if broken {
                    caught_by.push(program.name.clone());
                }
            }
        }
    }
    let uncaught: Vec<(String, Order)> =
        all.iter().filter(|(m, _)| !m.is_caught(Model::C11)).map(|(m, _)| (m.id.clone(), m.to)).collect();
    let follows = |m: &Mutation| {
        let step = step_of(&m.id, programs);
        let weakens = |(id, to): &(String, Order)| {
            *id == m.id && step.as_ref().is_some_and(|step| weaker(step, *to).contains(&m.to))
        };
        uncaught.iter().any(weakens)
    };
    all.into_iter().filter(|(m, first)| *first || follows(m)).map(|(m, _)| m).collect()
}

/// The kind of step that stands for a line of code.
fn step_of(id: &str, programs: &[Program]) -> Option<Step> {
    let mut lines = programs.iter().flat_map(Program::lines);
    lines.find(|(_, _, line)| line.code.as_deref() == Some(id)).map(|(_, _, line)| line.step.clone())
}

/// The orderings of `program` with those of the lines for some names replaced. `None` if it has no such line.
fn mutant(program: &Program, changes: &[(&str, Order)]) -> Option<Orders> {
    let mut orders = program.orders();
    let mut any = false;
    for (thread, step, line) in program.lines() {
        let change = changes.iter().find(|(id, _)| line.code.as_deref() == Some(*id));
        if let Some((_, to)) = change {
            orders.0[thread][step] = *to;
            any = true;
        }
    }
    any.then_some(orders)
}

/// The tests that fail under C11 if all `changes` are made at once.
fn caught(programs: &[Program], changes: &[(&str, Order)]) -> Vec<String> {
    let fails = |program: &&Program| {
        mutant(program, changes).is_some_and(|orders| broken(program, &[orders])[0][Model::C11 as usize])
    };
    programs.iter().filter(fails).map(|program| program.name.clone()).collect()
}

/// Spare orderings that are spare only as long as others are not weakened too, without the map saying so.
pub fn not_spare_together(map: &Map, programs: &[Program]) -> Vec<String> {
    let mut wrong = Vec::new();
    let alone: Vec<_> = map.spare.iter().filter(|spare| spare.unless.is_none()).collect();
    let all: Vec<(&str, Order)> = alone.iter().map(|spare| (spare.id.as_str(), spare.to)).collect();
    for test in caught(programs, &all) {
        wrong.push(format!(
            "{test} fails if all spare orderings are weakened at once: say `unless ID` in code.map"
        ));
    }
    for spare in &map.spare {
        let Some(unless) = &spare.unless else { continue };
        let other = map.spare.iter().find(|other| other.id == *unless);
        let pair = other.map(|other| [(spare.id.as_str(), spare.to), (other.id.as_str(), other.to)]);
        if pair.is_none_or(|pair| caught(programs, &pair).is_empty()) {
            wrong.push(format!("code.map: {} is spare even if {unless} is weakened too", spare.id));
        }
    }
    wrong
}

/// Mutations that should be caught and are not, or the other way round.
pub fn surprises(map: &Map, mutations: &[Mutation]) -> Vec<String> {
    let mut wrong = Vec::new();
    for mutation in mutations {
        let (id, to) = (&mutation.id, mutation.to);
        let spare = map.spare.iter().any(|spare| spare.id == *id && reaches(mutation, spare.to, map));
        match (mutation.is_caught(Model::C11), spare) {
            (false, false) => wrong.push(format!(
                "no test fails if {id} is {} instead of {}: add a test, or a line `spare {id} to {}: …` to code.map",
                to.name(),
                mutation.from.name(),
                to.name()
            )),
            (true, true) => wrong.push(format!("code.map calls {id} spare, but {} needs it", mutation.caught_by[0][0])),
            _ => {}
        }
    }
    wrong
}

/// Whether `spare` is the mutation's ordering or a weaker one.
fn reaches(mutation: &Mutation, spare: Order, map: &Map) -> bool {
    let is_fence = map.place(&mutation.id).is_some_and(|place| place.code.contains("fence("));
    let weakest = if is_fence { Order::None } else { Order::Relaxed };
    spare == mutation.to || spare == weakest || (mutation.to == Order::AcqRel && spare != Order::SeqCst)
}
