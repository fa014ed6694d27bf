//! Scenarios that open domains themselves instead of a contender's two ends: workloads and numbers of connections.

use crate::Bench;
use crate::args::Args;
use crate::case::{Case, Scenario};
use crate::contender::{Ask, Contender};
use crate::contenders::net::domain::Domains;
use crate::error::Fallible;
use crate::outcome::{Metric, Outcome};
use crate::results::Note;
use crate::run::{Measured, merge};
use crate::scenarios::node::Over;
use crate::scenarios::{connections, modules};
use crate::search::Search;
use crate::stop;
use crate::table::{count, ns};
use crate::workload::{self, RATE};
use std::time::SystemTime;

/// Window for the walking aid, ms: one period of its slowest module.
const CWALKER: u64 = 10_000;
/// Window for each load of the car, ms.
const URBAN: u64 = 1_000;
/// The loads that are tried, as multiples of the paper's.
const LOADS: Search = Search { from: 1.0 / 16.0, to: 64.0, step: 2.0, halvings: 2 };
/// The short form tries two.
const SHORT: Search = Search { to: 1.0 / 8.0, halvings: 0, ..LOADS };
/// A workload breaks if it loses more than this fraction, or if more than a hundredth arrives later than this, in ns.
const LOST: f64 = 0.001;
const LATE: u64 = 50_000_000;

impl Bench {
    /// One repetition of such a scenario.
    pub fn provided(&mut self, scenario: Scenario, args: &Args, rep: usize) {
        for case in args.set.cases(scenario, args.short) {
            if !case.to_string().contains(&args.case) || !self.possible(&case, rep) {
                continue;
            }
            for over in Over::all() {
                let name = over.contender().name();
                if stop::asked() || self.contenders.iter().all(|c| c.name() != name) {
                    continue;
                }
                if let Err(why) = over.contender().supports(&Ask::of(&case, String::new(), 0)) {
                    if rep == 0 {
                        self.results.skipped.push((case, name, why));
                    }
                    continue;
                }
                let done = match (scenario, over) {
                    (Scenario::Connections, Over::Domain(kind)) => self.connections(kind, case, rep),
                    (Scenario::Connections, _) => continue,
                    (Scenario::Cwalker, _) => self.cwalker(over, case, rep),
                    _ => self.urban(over, case, rep, if args.short { SHORT } else { LOADS }),
                };
                if let Err(error) = done {
                    self.failed(case, name, error);
                }
            }
        }
    }

    fn connections(&mut self, kind: Domains, case: Case, rep: usize) -> Fallible<()> {
        let began = SystemTime::now();
        let (measured, why) = connections::run(&self.world, kind, &case)?;
        let opened = measured.outcome.received;
        let text = format!("{opened} subscribers, each with a separate domain; {why}");
        let note = Note { case, contender: kind.name(), rep, value: Some(opened as f64), text };
        self.results.notes.push(note);
        self.keep(case, kind.name(), rep, began, Ok(measured));
        Ok(())
    }

    fn cwalker(&mut self, over: Over, case: Case, rep: usize) -> Fallible<()> {
        let (graph, began) = (workload::cwalker(), SystemTime::now());
        let window = self.world.window(CWALKER);
        let outcomes = modules::run(&self.world, over, &case, &graph, window)?;
        for (module, outcome) in graph.iter().zip(outcomes).filter(|(module, _)| !module.inputs.is_empty()) {
            let case = Case { part: module.name, size: module.size, writers: module.inputs.len(), ..case };
            let messages = outcome.received;
            self.keep(case, over.contender().name(), rep, began, Ok(Measured { outcome, messages, window }));
        }
        Ok(())
    }

    fn urban(&mut self, over: Over, case: Case, rep: usize, loads: Search) -> Fallible<()> {
        let (window, mut why, mut kept) = (self.world.window(URBAN), String::new(), Vec::new());
        let found = loads.highest(|scale| {
            if stop::asked() {
                return Err("interrupted".into());
            }
            let began = SystemTime::now();
            let case = Case { rate: (RATE * scale).round() as u32, ..case };
            // A workload that cannot even start is broken too.
            let run = modules::run(&self.world, over, &case, &workload::urban(scale), window).and_then(merge);
            let broken = run.as_ref().map_or_else(|error| Some(error.to_string()), broken);
            if let Ok(outcome) = run {
                kept.push((case, began, Measured { messages: outcome.sent, outcome, window }));
            }
            let sustains = broken.is_none();
            if let Some(broken) = broken {
                why = broken;
            }
            Ok((sustains, ()))
        })?;
        for (case, began, measured) in kept {
            self.keep(case, over.contender().name(), rep, began, Ok(measured));
        }
        let load = |scale: f64| format!("{} messages/s ({scale:.3} x the paper's)", count(RATE * scale));
        let text = match (found.good, found.bad) {
            (Some(good), Some(bad)) => format!("sustains {}, breaks at {}: {why}", load(good), load(bad)),
            (Some(good), None) => format!("sustains {}; more was not tried", load(good)),
            (None, _) => format!("breaks at {}, the lowest: {why}", load(loads.from)),
        };
        let note = Note { case, contender: over.contender().name(), rep, value: found.good, text };
        self.results.notes.push(note);
        Ok(())
    }
}

/// Why a workload's run counts as broken; `None` if it does not.
fn broken(outcome: &Outcome) -> Option<String> {
    let expected = outcome.received + outcome.missed;
    let lost = outcome.missed as f64 / expected.max(1) as f64;
    let response = outcome.times.get(&Metric::Response).map_or(0, |times| times.value_at_quantile(0.99));
    match () {
        _ if expected == 0 => Some("nothing was sent".into()),
        _ if lost > LOST => Some(format!("{:.2} % lost", 100.0 * lost)),
        _ if response > LATE => Some(format!("p99 since due is {}", ns(response as f64))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::record;

    #[test]
    fn only_loss_and_lateness_break_a_run() {
        let run = |received, missed, response| {
            let mut outcome = Outcome { received, missed, ..Outcome::default() };
            record(outcome.times(Metric::Response), response);
            broken(&outcome)
        };
        assert_eq!(run(10_000, 10, 1_000), None);
        assert_eq!(run(10_000, 100, 1_000).as_deref(), Some("0.99 % lost"));
        assert!(run(10_000, 0, 2 * LATE).is_some_and(|why| why.contains("p99")));
        assert!(run(0, 0, 1).is_some());
    }
}
