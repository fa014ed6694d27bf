//! The repository's benchmarks; see the READMEs beside this crate for the method and for how to read the figures.

use std::process::ExitCode;

fn main() -> ExitCode {
    saltus_bench_channel::main()
}
