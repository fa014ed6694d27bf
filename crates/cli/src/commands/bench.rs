//! `saltus bench` and `saltus tunnel bench`: runs the separate program `saltus-bench`, found as git finds `git-x`.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use crate::exit::{Code, Failure, Outcome};

/// The path of the program: next to this one, else in `PATH`.
const PROGRAM: &str = "saltus-bench";

/// The options of `bench`, which are passed to the program.
#[derive(Args)]
#[command(disable_help_flag = true, after_help = EXAMPLES)]
pub(crate) struct Bench {
    /// Options of saltus-bench
    #[arg(value_name = "OPTIONS", trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  saltus bench -o bench     everything, with data, logs and a figure in ./bench
  saltus bench --short      check that it runs here
  saltus bench --help       all options";

#[derive(Args)]
#[command(disable_help_flag = true, after_help = TUNNEL_EXAMPLES)]
pub(crate) struct TunnelBench {
    /// Options of saltus-bench tunnel
    #[arg(value_name = "OPTIONS", trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

const TUNNEL_EXAMPLES: &str = "\
Examples:
  saltus tunnel bench --loss 10 --burst 1,5 --delay 10ms,50ms --rate 0,1
  saltus tunnel bench --help                 all options";

/// Executes the program in place of this one. `all` is the whole command line, for the help if the program is missing.
pub(crate) fn run(all: clap::Command, bench: Bench) -> Outcome {
    become_program(all, &["bench"], &[], bench.options)
}

/// Executes the program in place of this one, to measure a tunnel.
pub(crate) fn tunnel(all: clap::Command, bench: TunnelBench) -> Outcome {
    become_program(all, &["tunnel", "bench"], &["tunnel"], bench.options)
}

fn become_program(all: clap::Command, command: &[&str], before: &[&str], options: Vec<OsString>) -> Outcome {
    let beside = std::env::current_exe().ok().map(|this| this.with_file_name(PROGRAM));
    let program = beside.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(PROGRAM));
    let error = saltus_os::process::replace(Command::new(&program).args(before).args(&options));
    if error.kind() != ErrorKind::NotFound {
        return Err(Failure::new(Code::Failed, format!("cannot run {}: {error}", program.display())));
    }
    if options.iter().any(|option| option == "--help" || option == "-h") {
        return help(all, command);
    }
    let words = format!(
        "`saltus {}` needs the program {PROGRAM}, which is neither next to this one nor on PATH. In a checkout of Saltus, \
         `cargo xtask bench {}` builds and runs it; `cargo install --locked --profile dist --path lab/benches/command` installs it",
        command.join(" "),
        if before.is_empty() { "machine" } else { "tunnel" },
    );
    Err(Failure::new(Code::Failed, words))
}

/// The help that is shown without the program.
fn help(mut all: clap::Command, command: &[&str]) -> Outcome {
    all.build();
    let mut found = &mut all;
    for name in command {
        found = found.find_subcommand_mut(name).expect("a subcommand");
    }
    found.print_long_help().map_err(|e| Failure::new(Code::Failed, e.to_string()))
}
