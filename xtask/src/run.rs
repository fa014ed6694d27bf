//! Running commands one after the other, and saying what became of each.

use crate::failures;
use crate::group;
use std::io::{self, IsTerminal, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Success, or why not.
pub type Outcome = Result<(), String>;

/// How long a step may take that nothing else is said of: benchmarks take hours.
const LIMIT: Duration = Duration::from_secs(24 * 60 * 60);

/// Something to run, with a name for people.
pub struct Step {
    /// What it is.
    pub name: String,
    /// After which it is killed, with all that it started.
    limit: Duration,
    action: Box<dyn FnOnce() -> Outcome>,
}

impl Step {
    /// A step that is a function.
    pub fn new(name: &str, action: impl FnOnce() -> Outcome + 'static) -> Step {
        Step { name: name.into(), limit: LIMIT, action: Box::new(action) }
    }

    /// The same under another name.
    pub fn named(self, name: &str) -> Step {
        Step { name: name.into(), ..self }
    }

    /// The same, killed after so long.
    pub fn within(self, limit: Duration) -> Step {
        Step { limit, ..self }
    }

    /// A step that is a command whose words have no spaces in them.
    pub fn line(name: &str, line: &str) -> Step {
        Step::command(name, &[], &line.split_whitespace().collect::<Vec<_>>())
    }

    /// A step that is a command, run in the root of the workspace with `env` set.
    pub fn command(name: &str, env: &[(&str, &str)], line: &[&str]) -> Step {
        let env: Vec<(String, String)> = env.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        let line: Vec<String> = line.iter().map(|word| word.to_string()).collect();
        Step::new(name, move || {
            let mut command = Command::new(&line[0]);
            // What cargo says of this program is not for the cargo that it starts: build scripts, ring's among them, would run
            // anew whenever a build comes from here after one that did not, or the other way round.
            let ours = std::env::vars_os().map(|(name, _)| name);
            ours.filter(|name| is_of_a_package(&name.to_string_lossy())).for_each(|name| {
                command.env_remove(name);
            });
            command.args(&line[1..]).envs(env).current_dir(root());
            // On a terminal it has colours, and all of it can be seen.
            let outcome = match stdout().is_terminal() {
                true => status(&mut command).map(|status| (status, Vec::new())),
                false => failures::watch(&mut command, stdout()),
            };
            let (status, failures) = outcome.map_err(|e| format!("{}: {e}", line[0]))?;
            let why = || [vec![format!("`{}` ended with {status}", line.join(" "))], failures].concat();
            if status.success() { Ok(()) } else { Err(why().join("\n        ")) }
        })
    }
}

/// Whether cargo sets a variable for the programs of one package.
fn is_of_a_package(name: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|start| name.starts_with(start))
}

impl Step {
    /// Runs it.
    pub fn run(self) -> Outcome {
        (self.action)()
    }
}

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(PathBuf::from).unwrap_or(here)
}

/// An error of a file, by its name.
pub fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> String {
    move |e| format!("{}: {e}", path.display())
}

/// Reads a text file.
pub fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(failed(path))
}

/// Runs a command in the root of the workspace; what it printed.
pub fn output(command: &mut Command) -> Result<String, String> {
    command.current_dir(root()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = group::spawn(command).map_err(|e| format!("{command:?}: {e}"))?;
    let output = child.wait_with_output().map_err(|e| format!("{command:?}: {e}"))?;
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() { Ok(said.into()) } else { Err(format!("{command:?}: {complained}{said}")) }
}

/// Runs a command to its end, as part of the step under way.
///
/// # Errors
/// It cannot be started, or the step's time is over.
pub fn status(command: &mut Command) -> io::Result<ExitStatus> {
    group::spawn(command)?.wait()
}

/// Runs all steps, whatever becomes of each, and sums up.
pub fn all(steps: Vec<Step>) -> Outcome {
    let mut lines = Vec::new();
    let (mut passed, mut failed, began) = (0, 0, Instant::now());
    for step in steps {
        eprintln!("\n=== {}", step.name);
        let (start, before) = (Instant::now(), processor_seconds());
        let name = step.name.clone();
        let (limit, watch) = (step.limit, group::limit(step.limit));
        let outcome = step.run();
        let outcome = match watch.is_over() {
            true => Err(format!("killed: it took longer than its limit, {} min", limit.as_secs() / 60)),
            false => outcome,
        };
        let (seconds, busy) = (start.elapsed().as_secs_f64(), processor_seconds() - before);
        let took = format!("{seconds:7.1} s, {busy:7.1} s of processors");
        eprintln!("=== {name}: {took}");
        match outcome {
            Ok(()) => {
                passed += 1;
                lines.push(format!("ok      {took}  {name}"));
            }
            Err(why) => {
                failed += 1;
                lines.push(format!("FAILED  {took}  {name}: {why}"));
            }
        }
    }
    let (seconds, busy) = (began.elapsed().as_secs_f64(), processor_seconds());
    let total = format!("{seconds:7.1} s, {busy:7.1} s of processors");
    println!("\n{}\n        {total}  in all: {passed} passed, {failed} failed", lines.join("\n"));
    if failed == 0 { Ok(()) } else { Err(format!("{failed} of {} steps failed", passed + failed)) }
}

/// How long processors ran for what this program started and waited for, in seconds: `proc_pid_stat(5)`, fields 16 and 17. 0 where
/// the system does not say.
fn processor_seconds() -> f64 {
    /// Ticks a second, of all such files on Linux.
    const USER_HZ: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name, in parentheses, may hold anything.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(13).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / USER_HZ
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_child_computes_is_counted() {
        let before = processor_seconds();
        let loops = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
        assert!(Command::new("sh").args(["-c", loops]).status().expect("sh").success());
        assert!(processor_seconds() > before);
    }
}
