//! The benchmarks of the channel, of domains over networks, of recorder and player, of what spies cost, and of what papers measured; see the READMEs beside this crate for the method and for how to read the figures.

mod aims;
mod aims_net;
mod all;
mod args;
mod case;
mod clock;
mod contender;
mod contenders;
mod control;
mod crew;
mod diagrams;
mod error;
mod finish;
mod futex;
mod gone;
mod hiccup;
mod hlog;
#[cfg(test)]
mod honest;
mod json;
mod log;
mod machine;
mod message;
mod outcome;
pub mod own;
mod pace;
mod papers;
mod peers;
mod place;
mod plan;
mod plan_net;
mod plan_own;
mod plan_papers;
mod plan_peers;
mod privilege;
mod provided;
mod rep;
mod results;
mod run;
mod scenarios;
mod schedule;
mod search;
mod set;
mod shared;
mod spies;
mod stats;
pub mod stop;
mod table;
mod trace;
mod workload;

use args::Args;
use case::{Case, Place, Policy, Scenario};
use clap::Parser;
use contender::{Ask, Contender};
use error::Fallible;
use machine::Machine;
use rep::Rep;
use results::Results;
use run::{Measured, World};
use set::Set;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

/// The main function of the repository's benchmark program: measures according to the command line, and reports.
/// Blocks until it is done or Ctrl-C requests a stop.
pub fn main() -> ExitCode {
    match bench(&Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("saltus-bench-channel: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bench(args: &Args) -> Fallible<ExitCode> {
    if args.set.is_of_a_paper() || matches!(args.set, Set::Net | Set::Log | Set::Peers) {
        // No packet leaves the host: the run has a separate network with only the loopback.
        privilege::own_network()?;
        privilege::own_shared_memory()?;
    }
    stop::catch_interrupts();
    match args.set {
        Set::Log => return log::bench(args),
        Set::Spies => return spies::bench(args),
        Set::Hiccup => return hiccup::bench(args),
        Set::All => return all::bench(args),
        _ if args.quick => return Err("--quick is a form of the set `all`".into()),
        _ => {}
    }
    let contenders = chosen(args.set, &args.contender)?;
    Bench::measured(args, contenders).report(args)
}

/// The requested contenders, and always the reference.
fn chosen(set: Set, names: &[String]) -> Fallible<Vec<Box<dyn Contender>>> {
    let mut all = set.contenders();
    if let Some(unknown) = names.iter().find(|name| all.iter().all(|c| c.name() != name.as_str())) {
        let known: Vec<&str> = all.iter().map(|c| c.name()).collect();
        return Err(format!("unknown contender {unknown}; choose from {}", known.join(", ")).into());
    }
    if !names.is_empty() {
        all.retain(|c| c.name() == set.reference() || names.iter().any(|n| n == c.name()));
    }
    Ok(all)
}

struct Bench {
    world: World,
    contenders: Vec<Box<dyn Contender>>,
    machine: Machine,
    results: Results,
    start: SystemTime,
}

impl Bench {
    /// All repetitions that were requested, or those finished before Ctrl-C.
    fn measured(args: &Args, contenders: Vec<Box<dyn Contender>>) -> Bench {
        let reps = args.repetitions();
        let machine = Machine::read(reps);
        let scale = if args.short { args.scale * 0.2 } else { args.scale };
        let world = World { cores: machine.cores.clone(), scale, links: 0.into() };
        let results = Results { reference: args.set.reference(), ..Results::default() };
        let mut bench = Bench { world, contenders, machine, results, start: SystemTime::now() };
        for rep in 0..reps {
            for scenario in args.scenarios() {
                if !stop::asked() {
                    eprintln!("repetition {} of {reps}: {}", rep + 1, scenario.name());
                    bench.scenario(scenario, args, rep);
                }
            }
        }
        bench
    }

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
        if matches!(scenario, Scenario::Connections | Scenario::Cwalker | Scenario::Urban) {
            return self.provided(scenario, args, rep);
        }
        for case in args.set.cases(scenario, args.short) {
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
        let refused = plan_papers::refuses(&case, name).map_or(Ok(()), Err);
        if let Err(why) = refused.and_then(|()| contender.supports(&Ask::of(&case, String::new(), 0))) {
            if rep == 0 {
                self.results.skipped.push((case, name, why));
            }
            return;
        }
        if matches!(case.scenario, Scenario::Syscalls | Scenario::Instructions) {
            // A count does not vary: once is enough.
            if rep == 0 {
                self.count(case, index);
            }
            return;
        }
        if case.scenario == Scenario::Traffic {
            return self.traffic(case, index, rep);
        }
        let run: fn(&World, &dyn Contender, &Case) -> Fallible<Measured> = match case.scenario {
            Scenario::Pingpong => scenarios::pingpong::run,
            Scenario::Paced => scenarios::paced::run,
            Scenario::Publish => scenarios::publish::run,
            Scenario::Throughput => scenarios::throughput::run,
            Scenario::Rate => scenarios::rate::run,
            Scenario::Copy => scenarios::copy::run,
            Scenario::Lossless => scenarios::lossless::run,
            Scenario::Hops => scenarios::hops::run,
            Scenario::Echo => scenarios::echo::run,
            // One measurement is enough.
            Scenario::Whole if rep == 0 => scenarios::whole::run,
            _ => return,
        };
        let began = SystemTime::now();
        let measured = run(&self.world, &**contender, &case);
        self.keep(case, name, rep, began, measured);
    }

    fn count(&mut self, case: Case, index: usize) {
        let contender = &*self.contenders[index];
        let done = if case.scenario == Scenario::Syscalls {
            let counted = scenarios::syscalls::run(&self.world, contender, &case);
            counted.map(|counted| self.results.counted.push(counted))
        } else {
            let counted = scenarios::instructions::run(&self.world, contender, &case);
            counted.map(|counted| self.results.steps.push(counted))
        };
        if let Err(error) = done {
            self.failed(case, self.contenders[index].name(), error);
        }
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

    /// Whether this machine can run a case.
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

    /// The report for people: the machine, what was measured, and what was not.
    fn tables(&self, args: &Args) -> String {
        let mut text = self.machine.header(args.set.title());
        for scenario in args.scenarios() {
            text += &table::table(&self.results, scenario);
        }
        let rest = [table::syscalls, table::instructions, table::notes, table::skipped];
        rest.iter().for_each(|part| text += &part(&self.results));
        text + &table::versions(&self.contenders)
    }

    /// Writes the data as JSON, and an interval log for each scenario, into `out`; returns the path of the JSON file.
    fn write(&self, args: &Args, aims: &[aims::Aim], out: &Path) -> Fallible<PathBuf> {
        fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
        let data = out.join(format!("{}.json", args.set.name()));
        let mut document = json::document(&self.results, &self.machine, aims);
        document["versions"] = json::versions(&self.contenders);
        serde_json::to_writer_pretty(File::create(&data)?, &document)?;
        for scenario in args.scenarios() {
            let path = out.join(format!("{}.hlog", scenario.name()));
            if !hlog::write(&self.results, scenario, self.start, File::create(&path)?)? {
                fs::remove_file(&path)?;
            }
        }
        Ok(data)
    }

    fn report(&self, args: &Args) -> Fallible<ExitCode> {
        let (aims, out) = (args.set.judge(&self.results), args.out());
        print!("{}{}", self.tables(args), aims::section(&aims, self.machine.reps));
        let data = self.write(args, &aims, &out)?;
        if args.set.is_of_a_paper() {
            let header = self.machine.header(args.set.title());
            print!("{}", papers::write(args.set, &self.results, &header, &out)?);
        }
        if args.set == Set::Peers {
            let header = self.machine.header(args.set.title());
            print!("{}", peers::write(&self.results, &self.contenders, &header, &out)?);
        }
        println!("\nWritten to {}, and one .hlog for each scenario next to it.", data.display());
        if stop::asked() {
            println!("Interrupted: the results so far.");
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
