//! The set `log`: recorder and player compared with LCM's, each run as the shipped program. See `LOG.md`.

pub mod aims;
pub mod place;
mod play;
pub mod program;
mod record;
mod report;

use crate::args::Args;
use crate::error::Fallible;
use crate::finish::finish;
use crate::machine::Machine;
use crate::stop;
use std::process::ExitCode;

/// Measures, prints the report, and writes it as JSON.
pub fn bench(args: &Args) -> Fallible<ExitCode> {
    let reps = args.reps.map_or(if args.short { 1 } else { 5 }, |n| n as usize);
    let (machine, programs) = (Machine::read(reps), program::Programs::find()?);
    let wanted = |part: &str, name: &str| format!("{part} {name}").contains(&args.case);
    let scale = if args.short { args.scale * 0.2 } else { args.scale };
    // Most interrupts go to the first core, so the measured programs run on the last.
    let core = *machine.cores.last().ok_or("no core is available")?;
    let (mut recorded, mut played, mut failed) = (Vec::new(), play::Played::default(), Vec::new());
    for rep in 0..reps {
        for (case, who) in record::plan(args.short) {
            if wanted("record", &format!("{case} {}", who.name())) && !stop::asked() {
                eprintln!("repetition {} of {reps}: record {case}, {}", rep + 1, who.name());
                match record::run(&programs, who, case, scale, rep) {
                    Ok(run) => recorded.push(run),
                    Err(why) if stop::asked() => eprintln!("  given up: {why}"),
                    Err(why) => failed.push(format!("record {case}, {}: {why}", who.name())),
                }
            }
        }
        for turn in 0..if args.short { 1 } else { play::TURNS } {
            for who in play::PLAYERS.into_iter().filter(|who| wanted("play", who.name())) {
                if !stop::asked() {
                    eprintln!("repetition {} of {reps}, turn {}: play, {}", rep + 1, turn + 1, who.name());
                    if let Err(why) = play::run(&programs, who, core, &mut played) {
                        failed.push(format!("play, {}: {why}", who.name()));
                    }
                }
            }
        }
    }
    let aims = aims::judge(&recorded, &played);
    let tables = report::record(&recorded) + &report::play(&played);
    finish(args, &machine, &tables, &aims, report::json(&recorded, &played), &failed)
}
