//! The `saltus` command: publish, inspect, record and measure channels from a shell.

mod commands;
mod exit;
mod flags;
mod print;
mod stop;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    // If the limit cannot be raised, the calls that need it report an error.
    let _ = saltus_os::limits::raise_open_files();
    let _ = saltus_os::limits::report_file_size();
    saltus_os::terminal::prepare();
    exit::exit_code(run(std::env::args_os().collect()))
}

/// Runs the command line, or those that it stands for if the program was started by the name of another tool.
fn run(arguments: Vec<OsString>) -> exit::Outcome {
    match saltus_aliases::translated(&arguments)? {
        Some(lines) => lines.into_iter().try_for_each(commands::run),
        None => commands::run(arguments),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What every tool makes of LCM's options is a command line that `saltus` accepts.
    #[test]
    fn the_command_lines_of_lcm_tools_are_ours() {
        let typed = [
            "lcm-logger -l udpm:// --channel=POSE|SCAN -v -f -q --split-mb=1.5 -i -m 10 --disk-quota 5GB run",
            "lcm-logger --lcm-url=udpm:// -u 20",
            "lcm-logger --rotate 3 run",
            "lcm-logplayer -s -1 -e A.* -l shm:// run.00",
            "lcm-logplayer-gui -p -l udpm:// -t title run",
            "lcm-logfilter -c POSE -i -s 1.5 -e 3 a b",
            "lcm-logfilter -i a b",
            "lcm-spy --lcm-url=tcpq://",
            "lcm-sink -l udpm://",
            "lcm-gen -c -x -j -p --c-cpath out --cinclude types --package-prefix us --jdefaultpkg j a.lcm b.lcm",
        ];
        for typed in typed {
            let lines = saltus_aliases::translated(&typed.split(' ').map(OsString::from).collect::<Vec<_>>());
            for line in lines.unwrap().expect("the name of a tool") {
                let accepted = commands::whole().try_get_matches_from(&line);
                assert!(accepted.is_ok(), "{typed} is {line:?}: {accepted:?}");
            }
        }
        for tool in saltus_aliases::TOOLS {
            assert!(typed.iter().any(|typed| typed.starts_with(&format!("{} ", tool.name))), "{}", tool.name);
        }
    }
}
