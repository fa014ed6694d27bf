//! The cost of a call and a message in each language, compared with Rust and with other packages. See `README.md`.
//!
//! Every contender is a program that reads commands and counts on its standard input, and answers with the time of
//! each repetition. So all are interleaved within every round. Nothing is asserted about speed.

mod build;
mod native;
mod program;
mod report;

use clap::{Parser, Subcommand};
use program::{Program, Result};
use report::{CALLS, Row};
use std::process::ExitCode;

/// What a call and a message cost in each language
#[derive(Debug, Parser)]
#[command(name = "bench bindings")]
struct Args {
    /// Three rounds instead of forty: to see that it works
    #[arg(long)]
    short: bool,
    /// How many rounds
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// Only contenders whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    #[command(subcommand)]
    role: Option<Role>,
}

#[derive(Debug, Subcommand)]
enum Role {
    /// The contender in Rust: for the benchmark itself
    #[command(hide = true)]
    Native,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let done = match args.role {
        Some(Role::Native) => native::serve(),
        None => bench(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("bench bindings: {why}");
            ExitCode::FAILURE
        }
    }
}

fn bench(args: &Args) -> Result<()> {
    let rounds = args.rounds.unwrap_or(if args.short { 3 } else { 40 });
    let facts = saltus_measure::machine::facts();
    let (mut programs, missing) = build::all(args.only.as_deref())?;
    let mut rows: Vec<Row> = Vec::new();
    for round in 0..=rounds {
        for &(what, turns, count) in CALLS {
            let mut order: Vec<usize> = (0..programs.len()).filter(|&i| programs[i].does(what)).collect();
            // The order changes, so that none is always first, or after the same one.
            if round % 2 == 1 {
                order.reverse();
            }
            for _ in 0..turns {
                for &i in &order {
                    let times = programs[i].run(what, count)?;
                    let who = &programs[i].name;
                    match rows.iter_mut().find(|row| row.what == what && row.who == *who) {
                        Some(row) if round > 0 => row.turns.push(times),
                        Some(_) => {} // the first round warms up
                        None => rows.push(Row { what, who: who.clone(), turns: Vec::new() }),
                    }
                }
                if !order.is_empty() {
                    order.rotate_left(1);
                }
            }
        }
        eprint!("\rround {round} of {rounds}");
    }
    eprintln!();
    programs.drain(..).try_for_each(Program::end)?;
    print!("{}", report::text(&facts, rounds, &rows, &missing));
    Ok(())
}
