//! Channel benchmarks; see README.md beside this crate for the method and for how to read the figures.

mod aims;
mod args;
mod case;
mod clock;
mod contender;
mod contenders;
mod control;
mod crew;
mod error;
mod futex;
mod hlog;
mod json;
mod machine;
mod message;
mod outcome;
mod place;
mod plan;
mod rep;
mod results;
mod run;
mod scenarios;
mod schedule;
mod shared;
mod stats;
mod stop;
mod table;
mod trace;

use args::Args;
use case::{Case, Place, Policy, Scenario};
use clap::Parser;
use contender::{Ask, Contender};
use error::Fallible;
use machine::Machine;
use rep::Rep;
use results::Results;
use run::{Measured, World};
use std::fs::{self, File};
use std::process::ExitCode;
use std::time::SystemTime;

fn main() -> ExitCode {
    match bench(&Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("saltus-bench-channel: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bench(args: &Args) -> Fallible<ExitCode> {
    let contenders = chosen(&args.contender)?;
    let reps = args.repetitions();
    stop::catch_interrupts();
    let machine = Machine::look(reps);
    let start = SystemTime::now();
    let scale = if args.short { args.scale * 0.2 } else { args.scale };
    let world = World { cores: machine.cores.clone(), scale, links: 0.into() };
    let mut bench = Bench { world, contenders, machine, results: Results::default() };
    for rep in 0..reps {
        for scenario in args.scenarios() {
            eprintln!("repetition {} of {reps}: {}", rep + 1, scenario.name());
            bench.scenario(scenario, args, rep);
        }
    }
    bench.report(args, start)
}

/// The contenders asked for, and always the reference.
fn chosen(names: &[String]) -> Fallible<Vec<Box<dyn Contender>>> {
    let mut all = contenders::all();
    if let Some(unknown) = names.iter().find(|name| all.iter().all(|c| c.name() != name.as_str())) {
        let known: Vec<&str> = all.iter().map(|c| c.name()).collect();
        return Err(format!("there is no contender {unknown}; there are {}", known.join(", ")).into());
    }
    if !names.is_empty() {
        all.retain(|c| c.name() == contenders::REFERENCE || names.iter().any(|n| n == c.name()));
    }
    Ok(all)
}

struct Bench {
    world: World,
    contenders: Vec<Box<dyn Contender>>,
    machine: Machine,
    results: Results,
}

impl Bench {
    /// One repetition of a scenario: case by case, all contenders one after the other.
    fn scenario(&mut self, scenario: Scenario, args: &Args, rep: usize) {
        if scenario == Scenario::Floors {
            let sizes = if args.short { &plan::SIZES[..1] } else { &plan::SIZES[..] };
            for (name, case) in scenarios::floors::all(sizes) {
                if case.to_string().contains(&args.case) && self.possible(&case, rep) {
                    let began = SystemTime::now();
                    let measured = scenarios::floors::run(&self.world, name, &case);
                    self.keep(case, name, rep, began, measured);
                }
            }
            return;
        }
        for case in plan::cases(scenario, args.short) {
            if !case.to_string().contains(&args.case) || !self.possible(&case, rep) {
                continue;
            }
            for index in 0..self.contenders.len() {
                if !stop::asked() {
                    self.contend(case, index, rep);
                }
            }
        }
    }

    fn contend(&mut self, case: Case, index: usize, rep: usize) {
        let contender = &self.contenders[index];
        let name = contender.name();
        if let Err(why) = contender.supports(&Ask::of(&case, String::new())) {
            if rep == 0 {
                self.results.skipped.push((case, name, why));
            }
            return;
        }
        if case.scenario == Scenario::Syscalls {
            // A count does not vary: once is enough.
            if rep == 0 {
                match scenarios::syscalls::run(&self.world, &**contender, &case) {
                    Ok(counted) => self.results.counted.push(counted),
                    Err(error) => self.failed(case, name, error),
                }
            }
            return;
        }
        let run: fn(&World, &dyn Contender, &Case) -> Fallible<Measured> = match case.scenario {
            Scenario::Pingpong => scenarios::pingpong::run,
            Scenario::Paced => scenarios::paced::run,
            Scenario::Publish => scenarios::publish::run,
            Scenario::Throughput => scenarios::throughput::run,
            Scenario::Copy => scenarios::copy::run,
            Scenario::Floors | Scenario::Syscalls => return,
        };
        let began = SystemTime::now();
        let measured = run(&self.world, &**contender, &case);
        self.keep(case, name, rep, began, measured);
    }

    fn keep(
        &mut self,
        case: Case,
        name: &'static str,
        number: usize,
        began: SystemTime,
        measured: Fallible<Measured>,
    ) {
        match measured.and_then(|measured| Rep::new(number, began, measured)) {
            Ok(rep) => self.results.add(case, name, rep),
            Err(error) => self.failed(case, name, error),
        }
    }

    fn failed(&mut self, case: Case, name: &'static str, error: Box<dyn std::error::Error>) {
        if !stop::asked() {
            eprintln!("  {case} {name} failed: {error}");
            self.results.failed.push((case, name, error.to_string()));
        }
    }

    /// Whether this machine can do a case at all.
    fn possible(&mut self, case: &Case, rep: usize) -> bool {
        let why = match case {
            c if c.place == Place::TwoCores && self.machine.cores.len() < 2 => "only one core is available",
            c if c.policy == Policy::Fifo && !self.machine.fifo => {
                "SCHED_FIFO is refused (ulimit -r, CAP_SYS_NICE)"
            }
            _ => return !stop::asked(),
        };
        if rep == 0 {
            self.results.skipped.push((*case, "all", why));
        }
        false
    }

    fn report(&self, args: &Args, start: SystemTime) -> Fallible<ExitCode> {
        print!("{}", self.machine.header());
        for scenario in args.scenarios() {
            print!("{}", table::table(&self.results, scenario));
        }
        print!("{}", table::syscalls(&self.results));
        print!("{}", table::skipped(&self.results));
        let aims = aims::judge(&self.results);
        print!("{}", aims::section(&aims, self.machine.reps));
        fs::create_dir_all(&args.out).map_err(|e| format!("{}: {e}", args.out.display()))?;
        let path = args.out.join("channel.json");
        let document = json::document(&self.results, &self.machine, &aims);
        serde_json::to_writer_pretty(File::create(&path)?, &document)?;
        for scenario in args.scenarios() {
            let path = args.out.join(format!("{}.hlog", scenario.name()));
            if !hlog::write(&self.results, scenario, start, File::create(&path)?)? {
                fs::remove_file(&path)?;
            }
        }
        println!("\nWritten to {}: channel.json and one .hlog for each scenario.", args.out.display());
        if stop::asked() {
            println!("Interrupted: what was measured until then.");
            return Ok(ExitCode::from(130));
        }
        if !self.results.failed.is_empty() {
            println!("\nFAILED:");
            for (case, who, why) in &self.results.failed {
                println!("  {who} {case}: {why}");
            }
            return Ok(ExitCode::FAILURE);
        }
        Ok(ExitCode::SUCCESS)
    }
}
