//! The set `spies`: the duration of publish calls while 0 to 100 spies watch the publisher. See `SPIES.md`.

mod burner;
mod publish;
mod report;
mod run;
mod spy;

use crate::args::Args;
use crate::case::Policy;
use crate::error::Fallible;
use crate::finish::finish;
use crate::log::place::Place;
use crate::log::program;
use crate::machine::Machine;
use crate::place::Seat;
use crate::{clock, stop};
use publish::{Load, Times};
use run::{Company, Run, Where};
use std::path::Path;
use std::process::ExitCode;

/// The order within a repetition. The others are compared with the first.
fn companies(short: bool) -> Vec<Company> {
    let spies: &[usize] = if short { &[0, 1, 10] } else { &[0, 1, 10, 100] };
    let others = [Company::Burners, Company::NobodyAgain];
    spies.iter().map(|&n| Company::Spies(n)).chain(others).collect()
}

/// Measures, prints the report, and writes it as JSON.
pub fn bench(args: &Args) -> Fallible<ExitCode> {
    let reps = args.reps.map_or(if args.short { 1 } else { 5 }, |n| n as usize);
    let (machine, saltus) = (Machine::read(reps), program::saltus()?);
    let scale = if args.short { args.scale * 0.2 } else { args.scale };
    let companies = companies(args.short);
    let most = companies.iter().map(|c| if let Company::Spies(n) = c { *n } else { 0 }).max().unwrap_or(0);
    let (mut runs, mut failed): (Vec<Run>, Vec<String>) = Default::default();
    for rep in 0..reps {
        for place in [Where::Apart, Where::Anywhere] {
            for &company in &companies {
                let name = format!("{}: {}", place.name(), company.name(most));
                if stop::asked() || !name.contains(&args.case) {
                    continue;
                }
                if place == Where::Apart && machine.cores.len() < 2 {
                    failed.push(format!("{name}: only one core is available"));
                    continue;
                }
                eprintln!("repetition {} of {reps}: {name}", rep + 1);
                let share = runs
                    .iter()
                    .rev()
                    .find(|run| (run.rep, run.place, run.company) == (rep, place, Company::Spies(most)));
                let each = share.map_or(0.0, |run| run.share / most.max(1) as f64);
                let crowd = Crowd { company, most, each, place, cores: &machine.cores, saltus: &saltus };
                match crowd.run(scale) {
                    Ok((times, share)) => runs.push(Run { place, company, rep, times, share }),
                    Err(why) if stop::asked() => eprintln!("  given up: {why}"),
                    Err(why) => failed.push(format!("{name}: {why}")),
                }
            }
        }
    }
    let aims = report::judge(&runs, most);
    finish(args, &machine, &report::tables(&runs, most), &aims, report::json(&runs, most), &failed)
}

/// The input of one measurement.
struct Crowd<'a> {
    company: Company,
    most: usize,
    /// The share of a core that each burner uses.
    each: f64,
    place: Where,
    cores: &'a [usize],
    saltus: &'a Path,
}

impl Crowd<'_> {
    /// Publishes next to the given company; returns the durations, and the share of a core that the company used.
    fn run(&self, scale: f64) -> Fallible<([Times; 2], f64)> {
        let core = (self.place == Where::Apart).then(|| self.cores[0]);
        saltus_os::rt::set_affinity(self.cores)?; // of the run before
        Seat { core, policy: Policy::Default }.take()?;
        let others = if core.is_some() { &self.cores[1..] } else { self.cores };
        let place = Place::new()?;
        let url = format!("shm://{}", place.file("domain").display());
        let mut load = Load::new(&url)?;
        match self.company {
            Company::NobodyAgain | Company::Spies(0) => Ok((load.run(scale)?, 0.0)),
            Company::Spies(n) => {
                let spies = spy::Spies::start(self.saltus, &url, n, others, publish::LAST)?;
                let measured = measure(&mut load, scale, || spies.cpu())?;
                spies.end()?;
                Ok(measured)
            }
            Company::Burners => {
                let burners = burner::Burners::start(self.most, self.each, others)?;
                measure(&mut load, scale, || burners.cpu())
            }
        }
    }
}

/// Measures the publisher, and how much processor time the company used in that time.
fn measure(load: &mut Load, scale: f64, cpu: impl Fn() -> u64) -> Fallible<([Times; 2], f64)> {
    let (before, start) = (cpu(), clock::now());
    let times = load.run(scale)?;
    Ok((times, (cpu() - before) as f64 / (clock::now() - start).max(1) as f64))
}
